#include "harness/grade/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "harness/core/text.h"
#include "harness/run/dynamic_shared.h"
#include "harness/run/kernels.h"
#include "harness/run/session.h"

namespace lab::grade {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kHashShown = 16;  // digits: enough to tell results apart

/// One case on one architecture, from plan to record.
class CaseCheck {
 public:
  CaseCheck(const CheckFile& file, const CheckCase& wanted, std::string arch,
            run::EngineSet& engines, const CheckOptions& options)
      : file_(file), case_(wanted), arch_(std::move(arch)), engines_(engines), options_(options) {}

  Checked run() {
    Checked checked{case_.name, arch_, case_.line};
    const auto began = Clock::now();
    try {
      run::Prepared plan = run::prepare(make_plan(), arch_, engines_.any());
      if (!case_.shared_given) require_no_dynamic_shared();
      const run::RunSink sink{
          [this](const CaseOutcome& outcome) { take(outcome); }, {}, options_.cancelled};
      const auto [run, prepared, unused] = run::perform(std::move(plan), engines_, {nullptr, sink});
      judge_all(run, checked);
      for (const CaseRecord& record : run.cases) {
        checked.snapshots.push_back(snapshot(prepared, run, record));
      }
    } catch (const Error& error) {
      // The kernel's fault is a result; the machine's is not.
      if (error.fault() != Fault::kInput) throw;
      checked.error = trim(render(error));
    }
    checked.seconds = std::chrono::duration<double>(Clock::now() - began).count();
    return checked;
  }

 private:
  [[nodiscard]] run::Plan make_plan() const {
    BatchRequest batch;
    batch.cases = case_.requests;
    batch.timeout_s = file_.timeout_s;
    batch.checks = Checks::kFull;
    batch.sample = false;
    if (case_.lab != nullptr) {
      return run::plan_run(*case_.lab, std::move(batch), case_.theirs);
    }
    batch.source = case_.theirs.value();
    return run::plan_probe(std::move(batch));
  }

  void require_no_dynamic_shared() const {
    const std::string& kernel = case_.requests.front().job->kernel;
    const Compiled compiled = engines_.any().compile({*case_.theirs, {kernel}, arch_});
    run::require_no_dynamic_shared(compiled, *case_.theirs, kernel, "shared = ");
  }

  void take(const CaseOutcome& outcome) {
    for (const auto& [argument, bytes] : outcome.dumped) {
      outputs_[fmt::format("arg{}", argument)] =
          sha256_hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()})
              .substr(0, kHashShown);
    }
  }

  void judge_all(const RunRecord& run, Checked& checked) const {
    std::vector<const CaseRecord*> cases;
    for (const CaseRecord& record : run.cases) cases.push_back(&record);
    for (const Criterion& criterion : case_.criteria) {
      Judgement judgement = judge(criterion, cases, run.cases);
      if (!judgement.reason.empty() && run.cases.size() > 1) {
        judgement.reason = judgement.params.text() + ": " + judgement.reason;
      }
      checked.criteria.push_back({criterion.name, judgement.met, std::move(judgement.reason)});
    }
  }

  Snapshot snapshot(const run::Prepared& prepared, const RunRecord& run, const CaseRecord& record) {
    std::string name = case_.name;
    if (run.cases.size() > 1) name += " " + record.params.text();
    CodeFacts code;
    if (options_.with_code) code = code_of(prepared, record);
    Snapshot one = snapshot_of(std::move(name), record, std::move(code));
    one.outputs = outputs_;
    const auto compiler = run.environment.find("nvrtc");
    if (compiler != run.environment.end()) one.compiler = compiler->second;
    return one;
  }

  // Points of a lab often share a kernel.
  CodeFacts code_of(const run::Prepared& prepared, const CaseRecord& record) {
    const auto [at, fresh] = codes_.try_emplace(record.kernel);
    if (!fresh || record.kernel.empty()) return at->second;
    CompileRequest request;
    for (const run::Part& part : prepared.parts) {
      for (const CaseRequest& one : part.batch.cases) {
        if (one.index == record.index) request.source = part.batch.source;
      }
    }
    request.kernels = {record.kernel};
    request.arch = arch_;
    if (case_.lab != nullptr) request.options = find_variant(*case_.lab, record.variant).options;
    at->second = code_facts(engines_.any().compile(request), request.source);
    return at->second;
  }

  const CheckFile& file_;
  const CheckCase& case_;
  std::string arch_;
  run::EngineSet& engines_;
  const CheckOptions& options_;
  std::map<std::string, std::string> outputs_;
  std::map<std::string, CodeFacts> codes_;
};

void compare(const std::vector<Snapshot>& baseline, Checked& checked) {
  if (baseline.empty()) {
    checked.no_baseline = "there is no baseline";
    return;
  }
  for (const Snapshot& now : checked.snapshots) {
    const auto before = std::find_if(baseline.begin(), baseline.end(), [&](const Snapshot& one) {
      return one.name == now.name && one.arch == now.arch;
    });
    if (before == baseline.end()) {
      checked.no_baseline = "the baseline lacks it";
      continue;
    }
    const std::string point = now.name == checked.name ? "" : now.name + ": ";
    for (const std::string& change : changes(*before, now)) {
      checked.changes.push_back(point + change);
    }
  }
}

}  // namespace

bool Checked::fine() const {
  return error.empty() && changes.empty() &&
         std::all_of(criteria.begin(), criteria.end(),
                     [](const CheckedCriterion& one) { return one.met == Met::kYes; });
}

std::vector<Checked> check(const CheckFile& file, const std::vector<Snapshot>& baseline,
                           run::EngineSet& engines, const CheckOptions& options) {
  std::vector<Checked> all;
  const std::size_t total = file.cases.size() * file.archs.size();
  for (const CheckCase& one : file.cases) {
    for (const std::string& arch : file.archs) {
      if (options.cancelled && options.cancelled()) return all;
      if (options.progress) options.progress(all.size(), total);
      all.push_back(CaseCheck(file, one, arch, engines, options).run());
      compare(baseline, all.back());
    }
  }
  return all;
}

}  // namespace lab::grade
