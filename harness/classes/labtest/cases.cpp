// The lab's own kernels in the model, held against formulas and reference.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "harness/classes/labtest/checks.h"
#include "harness/classes/labtest/points.h"
#include "harness/core/text.h"
#include "harness/reading/screen.h"
#include "harness/run/places.h"
#include "harness/run/plan.h"
#include "harness/run/session.h"
#include "metrics/catalogue.h"
#include "metrics/write_back.h"

namespace lab::labtest {
namespace {

bool runs_in_model(const Variant& variant) { return !variant.needs_gpu && variant.library.empty(); }

/// Problems, each once, with the first point that shows it.
class Problems {
 public:
  void add(const std::string& what, const CaseRecord& record) {
    auto [found, is_new] = of_.try_emplace(what, record.params.text(), 0);
    if (is_new) order_.push_back(what);
    ++found->second.second;
  }

  [[nodiscard]] std::vector<std::string> texts() const {
    std::vector<std::string> texts;
    for (const std::string& what : order_) {
      const auto& [point, times] = of_.at(what);
      std::string text = what;
      if (!point.empty()) text.append(" at ").append(point);
      if (times > 1) text += fmt::format(", and at {}", counted(times - 1, "more point"));
      texts.push_back(std::move(text));
    }
    return texts;
  }

 private:
  std::map<std::string, std::pair<std::string, std::size_t>> of_;
  std::vector<std::string> order_;
};

bool must_agree(const Verdict& verdict) {
  const metrics::Metric* row = metrics::find(verdict.metric);
  if (row == nullptr || row->metric_class == metrics::Class::kContext) return false;
  // A ratio of nothing has no value on either side.
  const bool nothing = verdict.kind == VerdictKind::kMissing && !verdict.theory;
  return verdict.kind != VerdictKind::kNone && !nothing;
}

std::optional<double> counted_by_model(const CaseRecord& record, const std::string& metric) {
  for (const Observation& one : record.observations) {
    if (one.metric == metric && one.source == SourceOf::kModel && one.has_value()) {
      return one.number();
    }
  }
  return {};
}

std::string theory_text(const Verdict& verdict) {
  std::string text = verdict.theory ? number_text(*verdict.theory) : "nothing";
  if (verdict.theory_high) text += " to " + number_text(*verdict.theory_high);
  return text;
}

/// The cases of a lab as they end.
class Judge {
 public:
  Judge(const Lab& lab, Problems& problems) : lab_(lab), problems_(problems) {}

  void look_at(const CaseRecord& record) {
    const Variant& variant = find_variant(lab_, record.variant);
    const std::string place = place_of(lab_, variant.name);
    if (record.status != CaseStatus::kOk) {
      problems_.add(fmt::format("{}: {}: {}", place, variant.name, record.reason), record);
      return;
    }
    if (!variant.expected_findings.empty()) return look_for_findings(variant, record);
    if (variant.reference && variant.reference(record.params) && record.correct != true) {
      problems_.add(fmt::format("{}: {}: its result was not checked", place, variant.name), record);
    }
    if (record.facts.access_level != AccessLevel::kSass) {
      problems_.add(fmt::format("{}: {}: its machine code could not be held against its PTX", place,
                                variant.name),
                    record);
    }
    for (const Verdict& verdict : record.verdicts) look_at(record, verdict);
  }

 private:
  void look_at(const CaseRecord& record, const Verdict& verdict) {
    if (verdict.kind == VerdictKind::kAgrees || !must_agree(verdict)) return;
    if (verdict.kind == VerdictKind::kContext && metrics::is_not_predicted(verdict)) return;
    // The numbers are those of the first point.
    const auto model = counted_by_model(record, verdict.metric);
    const std::string key = record.variant + " " + verdict.metric;
    auto& text = said_[key];
    if (text.empty()) {
      text = fmt::format("{}: {} of {}: the formula says {}, the model counts {}",
                         place_of(lab_, record.variant, verdict.metric), verdict.metric,
                         record.variant, theory_text(verdict),
                         model ? number_text(*model) : "nothing");
    }
    problems_.add(text, record);
  }

  // The mistakes that a variant exists to show are found; others make its status.
  void look_for_findings(const Variant& variant, const CaseRecord& record) {
    const std::string& wanted = variant.expected_findings.front().kind;
    const bool found = std::any_of(record.findings.begin(), record.findings.end(),
                                   [&](const Finding& one) { return name_of(one.kind) == wanted; });
    if (found || !record.facts.access_level) return;
    problems_.add(
        fmt::format("{}: {}: {} was not found", place_of(lab_, variant.name), variant.name, wanted),
        record);
  }

  const Lab& lab_;
  Problems& problems_;
  std::map<std::string, std::string> said_;
};

// `keep` gets the cases as they ended.
void run_cases(const Subject& subject, std::vector<CaseRequest> cases, Check& check,
               RunRecord* keep = nullptr) {
  const std::size_t all = cases.size();
  check.told = counted(all, "case");
  if (cases.empty()) {
    check.ran = false;
    return;
  }
  BatchRequest batch;
  batch.cases = std::move(cases);
  run::Plan plan = run::plan_run(subject.lab, std::move(batch), {});
  plan.own_kernel = true;  // its theory is no target, whatever kernels.cu was before
  plan.head.source_is_labs_own = true;
  Problems problems;
  Judge judge(subject.lab, problems);
  run::Outlet outlet;
  outlet.sink.finished = [&](const CaseOutcome& outcome) {
    judge.look_at(outcome.record);
    if (keep != nullptr) keep->cases.push_back(outcome.record);
  };
  outlet.sink.cancelled = [&] { return subject.stopped(); };
  if (subject.settings.progress) {
    outlet.sink.progress = [&](double done) { subject.settings.progress(check.name, done); };
  }
  static_cast<void>(run::go({std::move(plan), std::string(kDefaultArch), outlet}, subject.engines));
  check.problems = problems.texts();
}

// With large sizes, of those that take no longer than a second.
std::vector<Params> points_of(const Subject& subject, const Variant& variant) {
  const Settings& settings = subject.settings;
  const std::uint64_t seed = settings.seed == 0 ? kUsualSeed : settings.seed;
  std::vector<Params> points = drawn_points(subject.lab, variant, settings.points, seed);
  const std::vector<Params> far = far_points(subject.lab, variant, points, {1, Far::Reach::kQuick});
  points.insert(points.end(), far.begin(), far.end());
  return points;
}

// The names of the kernels that the default points launch, by compile options.
using Kernels = std::map<std::vector<std::string>, std::map<std::string, std::string>>;

Kernels kernels_of(const Lab& lab) {
  Kernels kernels;
  for (const Variant& variant : lab.variants) {
    if (!runs_in_model(variant)) continue;
    for (const Params& point : variant.points) {
      kernels[variant.options].try_emplace(variant.kernel(point), variant.name);
    }
  }
  return kernels;
}

CompileRequest request_of(const KernelText& source, const std::vector<std::string>& options) {
  CompileRequest request;
  request.source = source;
  request.options = options;
  return request;
}

// Each by itself, to say which variants name a kernel that does not compile.
void find_missing(const Subject& subject, CompileRequest request,
                  const std::map<std::string, std::string>& kernels, Check& check) {
  std::set<std::string> said;
  for (const auto& [kernel, variant] : kernels) {
    request.kernels = {kernel};
    try {
      static_cast<void>(subject.engines.any().compile(request));
    } catch (const Error& error) {
      if (error.fault() != Fault::kInput) throw;
      const std::string text = render(error);
      if (!said.insert(text).second) continue;
      check.problems.push_back(fmt::format("{}: {}: kernel {}: {}", place_of(subject.lab, variant),
                                           variant, kernel, text));
    }
  }
}

}  // namespace

void check_kernels(const Subject& subject, Check& check) {
  const KernelText source = run::own_kernels(subject.lab);
  std::size_t count = 0;
  for (const auto& [options, kernels] : kernels_of(subject.lab)) {
    count += kernels.size();
    CompileRequest request = request_of(source, options);
    for (const auto& [kernel, variant] : kernels) request.kernels.push_back(kernel);
    try {
      static_cast<void>(subject.engines.any().compile(request));
    } catch (const Error& error) {
      if (error.fault() != Fault::kInput) throw;
      find_missing(subject, std::move(request), kernels, check);
    }
  }
  check.told = counted(count, "kernel");
}

void check_default_points(const Subject& subject, Check& check) {
  run::Selection selection;
  selection.all = true;
  for (const Variant& variant : subject.lab.variants) {
    if (runs_in_model(variant)) selection.variants.push_back(variant.name);
  }
  RunRecord run;
  run_cases(subject, run::plan_cases(subject.lab, selection), check, &run);
  // Where cases fail, so do the screen's numbers.
  if (!subject.lab.screen || !check.problems.empty() || subject.stopped()) return;
  const std::string wrong = reading::wrong_reason(run, subject.lab);
  if (!wrong.empty()) check.problems.push_back("lab.toml: [screen]: " + wrong);
}

void check_random_points(const Subject& subject, Check& check) {
  std::vector<CaseRequest> cases;
  for (const Variant& variant : subject.lab.variants) {
    if (!runs_in_model(variant) || subject.settings.points == 0) continue;
    for (Params& point : points_of(subject, variant)) {
      cases.push_back({static_cast<int>(cases.size()), variant.name, std::move(point), {}});
    }
  }
  const bool none = cases.empty();
  run_cases(subject, std::move(cases), check);
  if (none && check.problems.empty() && !check.ran) check.told = "--points 0";
}

}  // namespace lab::labtest
