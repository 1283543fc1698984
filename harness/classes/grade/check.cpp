#include "harness/classes/grade/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "harness/core/text.h"
#include "harness/reading/looked_for.h"
#include "harness/run/dynamic_shared.h"
#include "harness/run/kernels.h"
#include "harness/run/session.h"
#include "metrics/catalogue.h"

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
      reading::Cases cases;
      for (const CaseRecord& record : run.cases) cases.push_back(&record);
      checked.looked_for = reading::looked_for_text(cases);
      for (const CaseRecord& record : run.cases) {
        checked.snapshots.push_back(snapshot(prepared, run, record));
      }
    } catch (const Error& error) {
      // The kernel's fault is a result; the machine's is not.
      if (error.fault() != Fault::kInput) throw;
      checked.error = trim(render(error));
      const auto& place = error.place();
      const bool placed = place && !place->file.empty();
      checked.problems.push_back(
          {placed ? place->file : file_.name, placed ? place->line : case_.line, error.what()});
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
    batch.sample_above = 0;
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
    for (const auto& [name, bytes] : outcome.dumped) {
      outputs_[name] = sha256_hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()})
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
      if (judgement.met != Met::kYes) {
        Problem problem{file_.name, case_.line, criterion.name + ": " + judgement.reason};
        place(criterion, judgement, cases, problem);
        checked.problems.push_back(std::move(problem));
      }
      checked.criteria.push_back({criterion.name, judgement.met, std::move(judgement.reason)});
    }
  }

  // Of the case that was judged worst: where something was found, or the line with most of the
  // metric, or of what the metric is made of.
  static void place(const Criterion& criterion, const Judgement& judgement,
                    const std::vector<const CaseRecord*>& cases, Problem& problem) {
    const auto worst = std::find_if(cases.begin(), cases.end(), [&](const CaseRecord* one) {
      return one->params == judgement.params;
    });
    if (worst == cases.end()) return;
    if (criterion.demand != Demand::kMetric) {
      if ((*worst)->findings.empty() || (*worst)->findings.front().line == 0) return;
      problem.file = (*worst)->findings.front().file;
      problem.line = (*worst)->findings.front().line;
      return;
    }
    double most = 0;
    for (const LineObservation& one : (*worst)->lines) {
      if (one.value <= most || !is_part_of(criterion.metric, one.metric)) continue;
      most = one.value;
      problem.file = one.file;
      problem.line = one.line;
    }
  }

  static bool is_part_of(const std::string& metric, const std::string& counted) {
    if (metric == counted) return true;
    const metrics::Metric* row = metrics::find(metric);
    if (row == nullptr) return false;
    const auto& parts = row->derived.parts;
    const auto first = row->derived.rule == metrics::Rule::kRatio && !parts.empty()
                           ? parts.begin() + 1
                           : parts.end();
    return std::find(parts.begin(), first, counted) != first;
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

// Where a change stands: it begins with the text of the kernel's line that has changed.
void place_change(const CheckFile& file, const CheckCase& wanted, const std::string& change,
                  Checked& checked) {
  Problem problem{file.name, wanted.line, change};
  int line = 0;
  if (wanted.theirs) {
    for (const std::string_view raw : split(wanted.theirs->text, '\n')) {
      ++line;
      const std::string_view text = trim(raw);
      if (text.empty() || !change.starts_with(std::string(text) + ": ")) continue;
      problem.file = wanted.theirs->name;
      problem.line = line;
      break;
    }
  }
  checked.problems.push_back(std::move(problem));
}

void compare(const CheckFile& file, const CheckCase& wanted, const std::vector<Snapshot>& baseline,
             Checked& checked) {
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
      place_change(file, wanted, change, checked);
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

std::vector<std::string> unchecked(const std::vector<Snapshot>& baseline,
                                   const std::vector<Checked>& all) {
  std::vector<std::string> names;
  for (const Snapshot& before : baseline) {
    const auto same_arch = [&](const Checked& one) { return one.arch == before.arch; };
    const auto has_it = [&](const Checked& one) {
      // A case that did not run has no snapshots, and is told by its error.
      const bool of_case = before.name == one.name || before.name.starts_with(one.name + " ");
      return same_arch(one) &&
             ((of_case && !one.error.empty()) ||
              std::any_of(one.snapshots.begin(), one.snapshots.end(),
                          [&](const Snapshot& now) { return now.name == before.name; }));
    };
    if (std::any_of(all.begin(), all.end(), same_arch) &&
        std::none_of(all.begin(), all.end(), has_it)) {
      names.push_back(fmt::format("{}, {}", before.name, before.arch));
    }
  }
  return names;
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
      compare(file, one, baseline, all.back());
    }
  }
  return all;
}

}  // namespace lab::grade
