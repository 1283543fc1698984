#include "harness/model/backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "harness/core/error.h"
#include "harness/model/case.h"
#include "harness/ptx/parser.h"

namespace lab::model {
namespace {

/// Kernels of one batch: each is compiled and parsed once, whatever the number of its cases.
class Kernels {
 public:
  Kernels(const Compiler& compiler, const BatchRequest& batch)
      : compiler_(compiler), batch_(batch) {}

  const Loaded& load(const Job& job) {
    const auto key = std::pair(job.kernel, job.options);
    const auto found = loaded_.find(key);
    if (found != loaded_.end()) return found->second;
    CompileRequest request;
    request.source = batch_.source;
    request.kernels = {job.kernel};
    request.arch = batch_.arch;
    request.options = job.options;
    Loaded made;
    made.compiled = compiler_(request);
    made.module = ptx::parse(made.compiled.ptx, batch_.source.name);
    return loaded_.emplace(key, std::move(made)).first->second;
  }

 private:
  const Compiler& compiler_;
  const BatchRequest& batch_;
  std::map<std::pair<std::string, std::vector<std::string>>, Loaded> loaded_;
};

/// An error in words for a record: its message, place and hint on one line each.
std::string text_of(const Error& error) {
  std::string text = error.what();
  if (error.place() && error.place()->line > 0) {
    text = fmt::format("{}:{}: {}", error.place()->file, error.place()->line, text);
  }
  return error.hint().empty() ? text : text + "; " + error.hint();
}

}  // namespace

Backend::Backend(Compiler compiler, std::vector<Lab> labs)
    : compiler_(std::move(compiler)), labs_(std::move(labs)) {}

Backend::~Backend() = default;

void Backend::run(const BatchRequest& batch, const BatchSink& sink) {
  const auto lab =
      std::find_if(labs_.begin(), labs_.end(), [&](const Lab& l) { return l.number == batch.lab; });
  if (batch.lab != 0 && lab == labs_.end()) {
    throw internal_error(fmt::format("the model knows no lab {}", batch.lab));
  }
  Kernels kernels(compiler_, batch);
  for (const CaseRequest& request : batch.cases) {
    CaseOutcome outcome;
    CaseRecord& record = outcome.record;
    record.index = request.index;
    record.variant = request.variant;
    record.params = request.params;
    record.arch = batch.arch;
    try {
      const Job job = make_job(batch.lab == 0 ? nullptr : &*lab, request, batch.seed);
      record.kernel = job.kernel;
      record.launch = job.launch;
      if (sink.cancelled && sink.cancelled()) {
        record.status = CaseStatus::kSkipped;
        record.reason = "interrupted";
      } else if (job.variant != nullptr && job.variant->needs_gpu) {
        record.status = CaseStatus::kSkipped;
        record.reason = "a library's kernel: there is no source for the model to run";
      } else {
        const Loaded& loaded = kernels.load(job);
        const std::string lowered =
            loaded.compiled.lowered.empty() ? job.kernel : loaded.compiled.lowered.front();
        CaseHooks hooks;
        hooks.cancelled = sink.cancelled;
        if (sink.progress) {
          hooks.progress = [&](double fraction) { sink.progress(request.index, fraction); };
        }
        run_case(batch, request, job, loaded, lowered, hooks, outcome);
      }
    } catch (const Error& error) {
      const bool refused = std::string(error.what()).find("not modelled") != std::string::npos;
      record.status = refused ? CaseStatus::kRefused : CaseStatus::kError;
      record.reason = text_of(error);
    } catch (const std::bad_alloc&) {
      record.status = CaseStatus::kError;
      record.reason = "not enough memory for the case's buffers";
    }
    sink.finished(std::move(outcome));
  }
}

}  // namespace lab::model
