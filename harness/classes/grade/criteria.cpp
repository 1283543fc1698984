#include "harness/classes/grade/criteria.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "harness/core/formula.h"
#include "harness/core/metric_keys.h"
#include "harness/core/text.h"
#include "harness/formula/parse.h"
#include "harness/reading/finding_text.h"
#include "metrics/catalogue.h"
#include "metrics/values.h"

namespace lab::grade {

namespace {

const Traffic* traffic_called(std::string_view name) {
  const auto& all = traffics();
  const auto at =
      std::find_if(all.begin(), all.end(), [&](const Traffic& one) { return one.name == name; });
  return at == all.end() ? nullptr : &*at;
}

constexpr std::array kStatusesAsked = {
    CaseStatus::kOk,    CaseStatus::kWrong,   CaseStatus::kFinding,    CaseStatus::kRefused,
    CaseStatus::kError, CaseStatus::kTimeout, CaseStatus::kNotCompiled};

CaseStatus read_status(const TomlTable& table) {
  const std::string name = table.text("status").value_or("ok");
  std::vector<std::string> names;
  for (const CaseStatus status : kStatusesAsked) {
    if (name_of(status) == name) return status;
    names.emplace_back(name_of(status));
  }
  throw table.wrong("status", fmt::format("there is no status '{}'", name),
                    suggestion(name, names));
}

void read_equals(const TomlTable& table, Bounds& bounds) {
  if (!table.has("equals")) return;
  try {
    bounds.equals = table.number("equals");
  } catch (const Error&) {
    bounds.equals_theory = table.text("equals") == "theory";
    if (bounds.equals_theory) return;
    throw table.wrong("equals", "'equals' is a number or \"theory\"");
  }
}

Bounds read_bounds(const TomlTable& table) {
  Bounds bounds;
  bounds.at_least = table.number("at_least");
  bounds.at_most = table.number("at_most");
  read_equals(table, bounds);
  bounds.min_excess = table.number("min_excess");
  bounds.max_excess = table.number("max_excess");
  const std::vector<double> between = table.numbers("between");
  if (!between.empty()) {
    if (between.size() != 2 || between[0] > between[1]) {
      throw table.wrong("between", "'between' is a least and a most: between = [4, 8]");
    }
    bounds.at_least = between[0];
    bounds.at_most = between[1];
  }
  for (const auto& [low, high] :
       {std::pair("at_least", "at_most"), std::pair("min_excess", "max_excess")}) {
    const auto least = table.number(low);
    const auto most = table.number(high);
    if (least && most && *least > *most) {
      throw table.wrong(high, fmt::format("'{}' is less than '{}': nothing meets it", high, low));
    }
  }
  return bounds;
}

void read_partial(const TomlTable& table, Criterion& criterion) {
  double before = criterion.points;
  for (const TomlTable& one : table.tables("partial")) {
    one.expect_only(
        {"points", "at_least", "at_most", "between", "equals", "min_excess", "max_excess"});
    Partial partial{read_bounds(one), one.number("points").value_or(0)};
    if (partial.points <= 0 || partial.points >= before) {
      throw one.wrong("points", fmt::format("partial credit is less than the {} points before it",
                                            number_text(before)));
    }
    if (partial.bounds.empty()) throw one.wrong("", "partial credit needs a bound");
    before = partial.points;
    criterion.partial.push_back(partial);
  }
}

void read_demand(const TomlTable& table, Criterion& criterion) {
  int kinds = 0;
  for (const char* kind : {"status", "findings", "metric", "ratio_to", "through"}) {
    kinds += table.has(kind) ? 1 : 0;
  }
  if (kinds != 1) {
    throw table.wrong(
        "", kinds == 0 ? "a criterion asks for something" : "a criterion asks for one thing",
        "give it one of: status = \"ok\"; findings = []; metric = \"...\" with a "
        "bound; ratio_to = \"a variant\" with at_most; through = \"shared\"");
  }
  if (table.has("status")) criterion.status = read_status(table);
  if (table.has("findings")) {
    criterion.demand = Demand::kFindings;
    criterion.allowed = table.texts("findings");
  }
  if (const auto metric = table.text("metric")) {
    criterion.demand = Demand::kMetric;
    criterion.metric = *metric;
    // Called for its error, which names the nearest.
    if (metric->find("__") == std::string::npos && traffic_called(*metric) == nullptr) {
      table.placed("metric", [&] { static_cast<void>(metrics::at(*metric)); });
    }
    if (const auto theory = table.text("theory")) {
      criterion.theory =
          table.placed("theory", [&] { return language::parse_expression(*theory); });
    }
    if (criterion.bounds.empty()) {
      throw table.wrong("metric", "a metric needs a bound",
                        "at_most, at_least, between, equals, min_excess or max_excess");
    }
  }
  if (const auto through = table.text("through")) {
    if (*through != "shared") throw table.wrong("through", "an output comes through \"shared\"");
    criterion.demand = Demand::kThrough;
  }
  if (const auto other = table.text("ratio_to")) {
    criterion.demand = Demand::kRatio;
    criterion.ratio_to = *other;
    if (!criterion.bounds.at_most) {
      throw table.wrong("ratio_to", "a ratio of times needs 'at_most'", "at_most = 1.2");
    }
  }
  if (criterion.demand != Demand::kMetric && table.has("theory")) {
    throw table.wrong("theory", "a formula needs a metric");
  }
  if (criterion.demand != Demand::kMetric && criterion.demand != Demand::kRatio &&
      !criterion.bounds.empty()) {
    throw table.wrong("", "a bound needs a metric");
  }
}

std::string number_of_excess(double value) {
  return std::isinf(value) ? std::string("infinite") : number_text(value);
}

std::string range_text(const char* what, const std::optional<double>& low,
                       const std::optional<double>& high) {
  if (low && high) return fmt::format("{}{} to {}", what, number_text(*low), number_text(*high));
  if (high) return fmt::format("{}<= {}", what, number_text(*high));
  return low ? fmt::format("{}>= {}", what, number_text(*low)) : std::string();
}

bool keeps_to(const std::optional<double>& low, const std::optional<double>& high, double value) {
  // A page shows six digits: a judgement may not rest on more.
  constexpr double kDigits = 1e-9;
  if (low && value < *low - kDigits * std::abs(*low)) return false;
  return !high || value <= *high + kDigits * std::abs(*high);
}

/// A metric of one case.
struct Seen {
  std::optional<double> value;
  std::optional<double> excess;
  std::optional<metrics::Interval> theory;
};

std::optional<metrics::Interval> theory_of(const CaseRecord& record, std::string_view metric) {
  const auto at = std::find_if(record.verdicts.begin(), record.verdicts.end(),
                               [&](const Verdict& one) { return one.metric == metric; });
  const Verdict* verdict = at == record.verdicts.end() ? nullptr : &*at;
  return metrics::formula_value(metrics::find_observation(record, metric, SourceOf::kTheory),
                                verdict);
}

std::optional<metrics::Interval> theory_of(const CaseRecord& record, const Traffic& traffic) {
  std::optional<metrics::Interval> sum;
  for (const std::string_view part : traffic.parts) {
    const auto one = theory_of(record, part);
    if (!one) continue;
    if (!sum) sum.emplace();
    sum->low += one->low;
    sum->high += one->high;
  }
  return sum;
}

// A part that is there without a value was not counted: then nobody knows the sum.
std::optional<double> value_of(const CaseRecord& record, const Traffic& traffic) {
  std::optional<double> sum;
  for (const std::string_view part : traffic.parts) {
    const std::string key(part);
    const auto one = graded_value(record, key);
    if (one) sum = sum.value_or(0) + *one;
    if (!one && metrics::find_observation(record, key, SourceOf::kModel) != nullptr) return {};
  }
  return sum;
}

Seen seen_in(const CaseRecord& record, const Criterion& criterion) {
  Seen seen;
  if (const Traffic* traffic = traffic_called(criterion.metric)) {
    seen.value = value_of(record, *traffic);
    seen.theory = theory_of(record, *traffic);
  } else {
    seen.value = graded_value(record, criterion.metric);
    seen.theory = theory_of(record, criterion.metric);
  }
  if (criterion.theory) {
    const double own = criterion.theory->value(formula_names(record.params, record.launch));
    seen.theory = {own, own};
  }
  if (!seen.value || !seen.theory) return seen;
  const double target = std::clamp(*seen.value, seen.theory->low, seen.theory->high);
  if (target == 0) {
    seen.excess = *seen.value == 0 ? 1 : std::numeric_limits<double>::infinity();
  } else {
    seen.excess = *seen.value / target;
  }
  return seen;
}

bool meets(const Bounds& bounds, const Seen& seen) {
  const double value = seen.value.value_or(0);
  if (!keeps_to(bounds.at_least, bounds.at_most, value)) return false;
  if (bounds.equals && !keeps_to(bounds.equals, bounds.equals, value)) return false;
  if (bounds.equals_theory && !keeps_to(seen.theory->low, seen.theory->high, value)) return false;
  return !seen.excess || keeps_to(bounds.min_excess, bounds.max_excess, *seen.excess);
}

bool needs_theory(const Bounds& bounds) {
  return bounds.equals_theory || bounds.min_excess || bounds.max_excess;
}

std::string status_reason(const CaseRecord& record) {
  std::string text(name_of(record.status));
  if (!record.reason.empty()) return text + ": " + record.reason;
  if (!record.findings.empty()) text += ": " + reading::sentence_of(record.findings.front());
  return text;
}

// Of a case that ended with findings: the first that the criterion does not allow.
const Finding* first_unwanted(const Criterion& criterion, const CaseRecord& record) {
  const auto& allowed = criterion.allowed;
  const auto found =
      std::find_if(record.findings.begin(), record.findings.end(), [&](const Finding& one) {
        return std::find(allowed.begin(), allowed.end(), name_of(one.kind)) == allowed.end();
      });
  return found == record.findings.end() ? nullptr : &*found;
}

// Of one case, with all points of the criterion or a part of them.
class CaseJudge {
 public:
  CaseJudge(const Criterion& criterion, const std::vector<CaseRecord>& others)
      : criterion_(criterion), others_(others) {}

  [[nodiscard]] Judgement operator()(const CaseRecord& record) const {
    Judgement judgement;
    judgement.params = record.params;
    if (record.status == CaseStatus::kRefused && criterion_.status != CaseStatus::kRefused) {
      return open(std::move(judgement), status_reason(record));
    }
    switch (criterion_.demand) {
      case Demand::kStatus:
        return record.status == criterion_.status
                   ? met(std::move(judgement))
                   : missed(std::move(judgement), status_reason(record));
      case Demand::kFindings:
        return findings(record, std::move(judgement));
      case Demand::kMetric:
        return metric(record, std::move(judgement));
      case Demand::kRatio:
        return ratio(record, std::move(judgement));
      case Demand::kThrough:
        return through(record, std::move(judgement));
    }
    return judgement;
  }

 private:
  static Judgement open(Judgement judgement, std::string reason) {
    judgement.met = Met::kOpen;
    judgement.reason = std::move(reason);
    return judgement;
  }

  [[nodiscard]] Judgement met(Judgement judgement) const {
    judgement.met = Met::kYes;
    judgement.points = criterion_.points;
    return judgement;
  }

  static Judgement missed(Judgement judgement, std::string reason) {
    judgement.met = Met::kNo;
    judgement.points = 0;
    judgement.reason = std::move(reason);
    return judgement;
  }

  [[nodiscard]] Judgement findings(const CaseRecord& record, Judgement judgement) const {
    const bool ran = record.status == CaseStatus::kOk || record.status == CaseStatus::kFinding;
    if (!ran) return missed(std::move(judgement), status_reason(record));
    // A variant that is broken on purpose is ok with the findings that it is there to show.
    if (record.status == CaseStatus::kOk) return met(std::move(judgement));
    const Finding* const unwanted = first_unwanted(criterion_, record);
    if (unwanted == nullptr) return met(std::move(judgement));
    return missed(std::move(judgement), reading::sentence_of(*unwanted));
  }

  [[nodiscard]] Judgement through(const CaseRecord& record, Judgement judgement) const {
    if (record.status != CaseStatus::kOk) {
      return missed(std::move(judgement), status_reason(record));
    }
    if (!record.notes.shared_unused) return met(std::move(judgement));
    return missed(std::move(judgement),
                  "the output is the same where nothing is stored to shared memory: it does not "
                  "come through it");
  }

  [[nodiscard]] Judgement metric(const CaseRecord& record, Judgement judgement) const {
    if (record.status != CaseStatus::kOk) {
      return missed(std::move(judgement), status_reason(record));
    }
    const Seen seen = seen_in(record, criterion_);
    judgement.value = seen.value;
    judgement.excess = seen.excess;
    if (!seen.value) return open(std::move(judgement), criterion_.metric + " has no value here");
    bool theory = needs_theory(criterion_.bounds);
    for (const Partial& one : criterion_.partial) theory = theory || needs_theory(one.bounds);
    if (theory && !seen.theory) {
      return open(std::move(judgement), "theory says nothing of " + criterion_.metric);
    }
    if (meets(criterion_.bounds, seen)) return met(std::move(judgement));
    const std::string reason = metric_reason(seen);
    for (const Partial& partial : criterion_.partial) {
      if (!meets(partial.bounds, seen)) continue;
      judgement.met = Met::kPartly;
      judgement.points = partial.points;
      judgement.reason = reason;
      return judgement;
    }
    return missed(std::move(judgement), reason);
  }

  [[nodiscard]] std::string metric_reason(const Seen& seen) const {
    std::string text = fmt::format("{} is {}", criterion_.metric, number_text(*seen.value));
    if (needs_theory(criterion_.bounds) && seen.theory) {
      text += fmt::format(" against {}", metrics::cell_text(*seen.theory));
    }
    if (seen.excess && (criterion_.bounds.min_excess || criterion_.bounds.max_excess)) {
      text += fmt::format(", excess {}", number_of_excess(*seen.excess));
    }
    return text + ", wanted " + criterion_.bounds.text();
  }

  [[nodiscard]] Judgement ratio(const CaseRecord& record, Judgement judgement) const {
    if (record.status != CaseStatus::kOk) {
      return missed(std::move(judgement), status_reason(record));
    }
    const auto other = std::find_if(others_.begin(), others_.end(), [&](const CaseRecord& one) {
      return one.variant == criterion_.ratio_to && one.timing && one.params == record.params;
    });
    if (!record.timing || other == others_.end() || other->timing->median_ns <= 0) {
      return open(std::move(judgement), "no time was measured: it takes a GPU");
    }
    const double times = record.timing->median_ns / other->timing->median_ns;
    judgement.value = times;
    if (times <= *criterion_.bounds.at_most) return met(std::move(judgement));
    return missed(std::move(judgement),
                  fmt::format("takes {} times as long as {}, wanted {}", number_text(times),
                              criterion_.ratio_to, criterion_.bounds.text()));
  }

  const Criterion& criterion_;
  const std::vector<CaseRecord>& others_;
};

// A case that cannot be told keeps the whole from being told; else fewer points are worse, then
// more excess.
bool is_worse(const Judgement& a, const Judgement& b) {
  if ((a.met == Met::kOpen) != (b.met == Met::kOpen)) return a.met == Met::kOpen;
  if (a.met != b.met) return a.met > b.met;
  if (a.points != b.points) return a.points < b.points;
  return a.excess.value_or(0) > b.excess.value_or(0);
}

}  // namespace

const Finding* named_finding(const Criterion& criterion, const CaseRecord& record) {
  if (criterion.demand == Demand::kFindings && record.status == CaseStatus::kFinding) {
    return first_unwanted(criterion, record);
  }
  return record.reason.empty() && !record.findings.empty() ? &record.findings.front() : nullptr;
}

bool Bounds::empty() const {
  return !at_least && !at_most && !equals && !equals_theory && !min_excess && !max_excess;
}

std::string Bounds::text() const {
  std::vector<std::string> parts;
  if (at_least || at_most) parts.push_back(range_text("", at_least, at_most));
  if (equals) parts.push_back("= " + number_text(*equals));
  if (equals_theory) parts.emplace_back("equal to theory");
  if (min_excess || max_excess) parts.push_back(range_text("excess ", min_excess, max_excess));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string Criterion::threshold() const {
  switch (demand) {
    case Demand::kStatus:
      return fmt::format("status = {}", name_of(status));
    case Demand::kFindings:
      return allowed.empty() ? "no findings"
                             : fmt::format("no findings but {}", fmt::join(allowed, ", "));
    case Demand::kMetric:
      return bounds.text();
    case Demand::kRatio:
      return fmt::format("time {} x {}", bounds.text(), ratio_to);
    case Demand::kThrough:
      return "through shared memory";
  }
  return {};
}

Criterion read_criterion(const TomlTable& table, About about) {
  std::vector<std::string_view> known = {"name",   "status",     "findings",  "metric",
                                         "theory", "at_least",   "at_most",   "between",
                                         "equals", "min_excess", "max_excess"};
  const auto add = [&](std::initializer_list<std::string_view> more) {
    known.insert(known.end(), more);
  };
  const bool in_rubric = about != About::kCase;
  if (in_rubric) add({"points", "partial", "needs", "by_case", "feedback"});
  if (about == About::kVariant) add({"variant", "ratio_to", "through"});
  if (about == About::kProgram) add({"run", "kernel"});
  table.expect_only(known);
  Criterion criterion;
  criterion.line = table.line();
  criterion.bounds = read_bounds(table);
  if (in_rubric) {
    criterion.name = table.required("name", "what a student reads");
    criterion.variant = about == About::kVariant
                            ? table.required("variant", "of the lab")
                            : table.required("run", "a [[run]] of the program");
    criterion.kernel = table.text("kernel").value_or("");
    criterion.points = table.number("points").value_or(0);
    if (criterion.points < 0 || !table.has("points")) {
      throw table.wrong("points", "'points' is a number", "points = 0 makes it a condition");
    }
    criterion.needs = table.texts("needs");
    criterion.by_case = table.flag("by_case").value_or(false);
    criterion.feedback = table.text("feedback").value_or("");
  }
  read_demand(table, criterion);
  if (about == About::kProgram && criterion.demand == Demand::kMetric && criterion.kernel.empty() &&
      !adds_up(criterion.metric)) {
    throw table.wrong("metric", "which kernel's?", "kernel = \"transpose*\"");
  }
  if (in_rubric) read_partial(table, criterion);
  if (!criterion.partial.empty() && criterion.demand != Demand::kMetric) {
    throw table.wrong("partial", "partial credit goes with a metric");
  }
  if (!in_rubric) {
    const std::string of = criterion.metric.empty() ? "" : criterion.metric + " ";
    criterion.name = table.text("name").value_or(of + criterion.threshold());
  }
  return criterion;
}

bool adds_up(std::string_view metric) {
  if (traffic_called(metric) != nullptr) return true;
  const metrics::Metric* const row = metrics::find(metric);
  if (row == nullptr || row->model != metrics::InModel::kDerived) {
    return row != nullptr && row->model == metrics::InModel::kCounted;
  }
  const auto& parts = row->derived.parts;
  return std::all_of(parts.begin(), parts.end(), adds_up);
}

const std::vector<Traffic>& traffics() {
  namespace key = lab::metric;
  static const std::vector<Traffic> kAll = {
      {"global_traffic",
       "sector",
       {key::kGlobalLoadSectors, key::kGlobalStoreSectors, key::kGlobalAtomicSectors,
        key::kGlobalReductionSectors, key::kLocalLoadRequests, key::kLocalStoreRequests,
        key::kAsyncCopySectors}},
      {"other_traffic",
       "sector",
       {key::kGlobalAtomicSectors, key::kGlobalReductionSectors, key::kLocalLoadRequests,
        key::kLocalStoreRequests}},
      // A copy to shared memory loads, too.
      {"load_requests", "request", {key::kGlobalLoadRequests, key::kAsyncCopyRequests}},
      {"load_sectors", "sector", {key::kGlobalLoadSectors, key::kAsyncCopySectors}},
      // Shuffles go through the same data stage; an asynchronous copy stores what it brings.
      {"shared_traffic",
       "wavefront",
       {key::kSharedLoadWavefrontsSass, key::kSharedStoreWavefrontsSass,
        key::kSharedAtomicWavefrontsSass, key::kMatrixLoadWavefronts, key::kMatrixStoreWavefronts,
        key::kAsyncCopyRequests, key::kWarpShuffles}}};
  return kAll;
}

std::optional<double> graded_value(const CaseRecord& record, const std::string& metric) {
  if (const auto value = metrics::value_of(record, metric, SourceOf::kModel)) return value;
  const auto measured = metrics::measured(record, metric);
  return measured ? std::optional(measured->value) : std::nullopt;
}

Judgement judge(const Criterion& criterion, const std::vector<const CaseRecord*>& cases,
                const std::vector<CaseRecord>& others) {
  if (cases.empty()) {
    Judgement none;
    none.reason = fmt::format("no case of {} was run", criterion.variant);
    return none;
  }
  const CaseJudge judge_one(criterion, others);
  std::optional<Judgement> worst;
  double points = 0;
  bool any = false;
  for (const CaseRecord* record : cases) {
    Judgement one = judge_one(*record);
    points += one.points;
    any = any || one.points > 0;
    if (!worst || is_worse(one, *worst)) worst = std::move(one);
  }
  if (criterion.by_case && worst->met != Met::kOpen) {
    worst->points = points / static_cast<double>(cases.size());
    if (worst->met == Met::kNo && any) worst->met = Met::kPartly;
  }
  return *std::move(worst);
}

}  // namespace lab::grade
