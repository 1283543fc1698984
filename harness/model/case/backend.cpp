#include "harness/model/case/backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "harness/core/error.h"
#include "harness/model/case/case.h"
#include "harness/ptx/parser.h"

namespace lab::model {
namespace {

/// The kernels of one batch. Those with the same options are compiled together and parsed once.
class Kernels {
 public:
  /// Throws the errors of the compiler and of the parser, since without their results no case can
  /// run.
  Kernels(const Compiler& compiler, const BatchRequest& batch) : batch_(batch) {
    for (const CaseRequest& request : batch.cases) add(request.job.value());
    for (auto& [options, unit] : units_) {
      unit.loaded.compiled = compiler(unit.request);
      unit.loaded.image = cubin::read(unit.loaded.compiled.cubin);
      unit.loaded.module = ptx::parse(unit.loaded.compiled.ptx, batch.source.name);
      name_lines(unit.loaded.module);
    }
  }

  /// Throws an input error where the source does not define the job's kernel.
  LoadedKernel find(const Job& job) const {
    const Unit& unit = units_.at(job.options);
    const auto& names = unit.request.kernels;
    const auto at = std::find(names.begin(), names.end(), job.kernel);
    const std::string& lowered =
        unit.loaded.compiled.lowered.at(static_cast<std::size_t>(at - names.begin()));
    if (lowered.empty()) {
      throw input_error(fmt::format("{} defines no kernel '{}'", batch_.source.name, job.kernel));
    }
    return {unit.loaded, lowered};
  }

 private:
  struct Unit {
    CompileRequest request;
    Loaded loaded;
  };

  void add(const Job& job) {
    if (job.runs_on == RunsOn::kGpuAlone) return;
    CompileRequest& unit = units_[job.options].request;
    auto& names = unit.kernels;
    if (std::find(names.begin(), names.end(), job.kernel) == names.end()) {
      names.push_back(job.kernel);
    }
    unit.source = batch_.source;
    unit.arch = batch_.arch;
    unit.options = job.options;
    // A probe whose kernel is not there ends; in a lab, the other variants can still run.
    unit.partial = batch_.lab != 0;
  }

  /// Where the source is PTX itself, a line of the PTX is a line of the source, except where a
  /// compiler has named another file for it.
  void name_lines(ptx::Module& module) const {
    const std::string& name = batch_.source.name;
    if (name.size() < 4 || name.compare(name.size() - 4, 4, ".ptx") != 0) return;
    const auto file = static_cast<std::uint32_t>(module.files.size());
    module.files.push_back(name);
    for (ptx::Function& function : module.functions) {
      for (ptx::Instruction& ins : function.instructions) {
        if (ins.where.line != 0) continue;
        ins.where.file = file;
        ins.where.line = ins.where.ptx_line;
      }
    }
  }

  const BatchRequest& batch_;
  std::map<std::vector<std::string>, Unit> units_;
};

}  // namespace

ModelBackend::ModelBackend(Compiler compiler, HostReferences references)
    : compiler_(std::move(compiler)), references_(std::move(references)) {}

ModelBackend::~ModelBackend() = default;

void ModelBackend::run(const BatchRequest& batch, const BatchSink& sink) {
  const Kernels kernels(compiler_, batch);
  Checker host;
  for (const CaseRequest& request : batch.cases) {
    const Job& job = request.job.value();
    CaseOutcome outcome;
    CaseRecord& record = outcome.record;
    record.index = request.index;
    record.variant = request.variant;
    record.params = request.params;
    record.arch = batch.arch;
    record.kernel = job.kernel;
    record.launch = job.launch;
    try {
      if (sink.cancelled && sink.cancelled()) {
        record.status = CaseStatus::kInterrupted;
        record.reason = "interrupted";
      } else if (job.runs_on == RunsOn::kGpuAlone) {
        record.status = CaseStatus::kSkipped;
        record.reason = "a library's kernel: there is no source for the model to run";
      } else {
        const LoadedKernel kernel = kernels.find(job);
        note_compiled(job.options, kernel.loaded.compiled, record);
        CaseHooks hooks;
        hooks.cancelled = sink.cancelled;
        if (sink.progress) {
          hooks.progress = [&](double fraction) { sink.progress(request.index, fraction); };
        }
        if (references_) hooks.reference = references_(batch.lab, request);
        run_case(batch, job, kernel, hooks, host, outcome);
      }
    } catch (const NotModelled& refusal) {
      record.status = CaseStatus::kRefused;
      record.reason = one_line(refusal);
    } catch (const Error& error) {
      record.status = CaseStatus::kError;
      record.reason = one_line(error);
    } catch (const std::bad_alloc&) {
      record.status = CaseStatus::kError;
      record.reason = "not enough memory for the case's buffers";
    }
    sink.finished(std::move(outcome));
  }
}

}  // namespace lab::model
