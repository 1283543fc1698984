#include "harness/reading/case_reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "harness/core/metric_keys.h"
#include "harness/core/numbers.h"
#include "harness/reading/finding_text.h"
#include "metrics/catalogue.h"
#include "metrics/values.h"

namespace lab::reading {

namespace {

using page::Tone;

struct OutcomeRow {
  Outcome outcome;
  std::string_view name;
  Tone tone;
  CaseStatus of = CaseStatus::kOk;  ///< a case of any other status has the outcome that names it
};

constexpr std::array kOutcomes = {
    OutcomeRow{Outcome::kNotCompared, "no comparison", Tone::kDim},
    OutcomeRow{Outcome::kAgrees, "agrees", Tone::kGood},
    OutcomeRow{Outcome::kExplained, "explained", Tone::kNote},
    OutcomeRow{Outcome::kDisagrees, "disagrees", Tone::kBad},
    OutcomeRow{Outcome::kExpectedFinding, "expected finding", Tone::kGood},
    OutcomeRow{Outcome::kOnTarget, "on target", Tone::kGood},
    OutcomeRow{Outcome::kAboveTarget, "above target", Tone::kNote},
    OutcomeRow{Outcome::kTooLittle, "too little", Tone::kBad},
    OutcomeRow{Outcome::kNoTarget, "no target", Tone::kDim},
    OutcomeRow{Outcome::kWrong, "wrong", Tone::kBad, CaseStatus::kWrong},
    OutcomeRow{Outcome::kFinding, "finding", Tone::kBad, CaseStatus::kFinding},
    OutcomeRow{Outcome::kRefused, "refused", Tone::kBad, CaseStatus::kRefused},
    OutcomeRow{Outcome::kError, "error", Tone::kBad, CaseStatus::kError},
    OutcomeRow{Outcome::kTimeout, "timeout", Tone::kBad, CaseStatus::kTimeout},
    OutcomeRow{Outcome::kSkipped, "skipped", Tone::kDim, CaseStatus::kSkipped},
    OutcomeRow{Outcome::kNotCompiled, "not_compiled", Tone::kBad, CaseStatus::kNotCompiled},
};

const OutcomeRow& row_of(Outcome outcome) {
  return kOutcomes.at(static_cast<std::size_t>(outcome) - 1);
}

// Empty: the case ran to its end as it should.
std::optional<Outcome> outcome_of(CaseStatus status) {
  if (status == CaseStatus::kOk) return {};
  if (status == CaseStatus::kInterrupted) return Outcome::kSkipped;
  return std::find_if(kOutcomes.begin(), kOutcomes.end(),
                      [status](const OutcomeRow& row) { return row.of == status; })
      ->outcome;
}

bool has(const CaseRecord& record, VerdictKind kind) {
  return std::any_of(record.verdicts.begin(), record.verdicts.end(),
                     [kind](const Verdict& verdict) { return verdict.kind == kind; });
}

const Verdict* target_of(const CaseRecord& record, std::string_view metric) {
  const auto found = std::find_if(
      record.verdicts.begin(), record.verdicts.end(),
      [&](const Verdict& verdict) { return verdict.metric == metric && verdict.target; });
  return found == record.verdicts.end() ? nullptr : &*found;
}

// Sectors that a kernel touches, and the least that have to come from L2 or go there: each once.
struct Compulsory {
  std::string_view touched, least;
  Shortfall shortfall;
};
constexpr Compulsory kCompulsory[] = {
    {metric::kGlobalLoadSectors, metric::kL2ReadSectors, Shortfall::kReads},
    {metric::kGlobalStoreSectors, metric::kL2WriteSectors, Shortfall::kWrites}};

Shortfall shortfall_of(const CaseRecord& record) {
  for (const Compulsory& one : kCompulsory) {
    const Verdict* touched = target_of(record, one.touched);
    const Verdict* least = target_of(record, one.least);
    if (touched == nullptr || least == nullptr || !touched->excess) continue;
    // L2's count is a measurement where there is one, and may have a few sectors of others.
    constexpr double kNearly = 0.99;
    if (*touched->excess * *touched->target < kNearly * *least->target) return one.shortfall;
  }
  return Shortfall::kNone;
}

// A count says what is paid, and a ratio of counts only how it comes; requests are what the source
// asks for, and wavefronts and sectors what that costs.
auto rank_of(const Verdict& verdict) {
  const metrics::Metric* row = metrics::find(verdict.metric);
  const bool count = row == nullptr || row->derived.rule != metrics::Rule::kRatio;
  const bool cost = row != nullptr && row->unit != "request";
  const bool exact = row != nullptr && row->metric_class == metrics::Class::kExact;
  return std::tuple(*verdict.excess, count, cost, exact);
}

const Verdict* furthest_verdict(const CaseRecord& record, const Verdict* furthest = nullptr) {
  for (const Verdict& verdict : record.verdicts) {
    if (!verdict.target || !verdict.excess) continue;
    if (furthest == nullptr || rank_of(verdict) > rank_of(*furthest)) furthest = &verdict;
  }
  return furthest;
}

std::optional<Against> made_of(const CaseRecord& record, const Verdict* verdict) {
  if (verdict == nullptr) return {};
  const double implied = *verdict->target * *verdict->excess;
  return Against{verdict->metric, metrics::best_value(record, verdict->metric).value_or(implied),
                 *verdict->target, *verdict->excess};
}

Standing standing_of(const CaseRecord& record, const CaseReading& reading) {
  if (record.status == CaseStatus::kSkipped) return Standing::kNone;
  if (record.status != CaseStatus::kOk) return Standing::kFailed;
  if (!reading.has_target) return Standing::kNone;
  if (reading.shortfall != Shortfall::kNone) return Standing::kTooLittle;
  if (!reading.furthest) return Standing::kNoValue;
  return reading.furthest->above() ? Standing::kAboveTarget : Standing::kOnTarget;
}

/// The name of a standing, by its number, and the outcome of a case that stands so.
struct StandingRow {
  std::string_view name;
  std::optional<Outcome> outcome = {};
};
constexpr std::array<StandingRow, 6> kStandings = {{{""},
                                                    {"on target", Outcome::kOnTarget},
                                                    {"above target", Outcome::kAboveTarget},
                                                    {"too little", Outcome::kTooLittle},
                                                    {"no value", Outcome::kNoTarget},
                                                    {"failed"}}};
const StandingRow& row_of(Standing standing) {
  return kStandings.at(static_cast<std::size_t>(standing));
}

Outcome outcome_of(const CaseRecord& record, const CaseReading& reading) {
  if (const auto failed = outcome_of(record.status)) return *failed;
  if (has(record, VerdictKind::kDisagrees)) return Outcome::kDisagrees;
  if (const auto stands = row_of(reading.standing).outcome) return *stands;
  if (!record.findings.empty()) return Outcome::kExpectedFinding;
  if (has(record, VerdictKind::kExplained)) return Outcome::kExplained;
  return has(record, VerdictKind::kAgrees) ? Outcome::kAgrees : Outcome::kNotCompared;
}

}  // namespace

std::string_view name_of(Outcome outcome) { return row_of(outcome).name; }

std::string_view name_of(Standing standing) { return row_of(standing).name; }

page::Tone tone_of(Outcome outcome) { return row_of(outcome).tone; }

const std::vector<Outcome>& all_outcomes() {
  static const std::vector<Outcome> kAll = [] {
    std::vector<Outcome> all;
    for (const OutcomeRow& row : kOutcomes) all.push_back(row.outcome);
    return all;
  }();
  return kAll;
}

std::string_view sentence_of(Shortfall shortfall) {
  constexpr std::array<std::string_view, 3> kSentences = {
      "", "fewer sectors read than the task needs", "fewer sectors written than the task needs"};
  return kSentences.at(static_cast<std::size_t>(shortfall));
}

CaseReading read(const CaseRecord& record) {
  CaseReading reading;
  reading.has_target =
      std::any_of(record.verdicts.begin(), record.verdicts.end(),
                  [](const Verdict& verdict) { return verdict.target.has_value(); });
  reading.shortfall = shortfall_of(record);
  reading.furthest = made_of(record, furthest_verdict(record));
  reading.standing = standing_of(record, reading);
  reading.outcome = outcome_of(record, reading);
  return reading;
}

bool has_mistake(const CaseRecord& record) { return record.status == CaseStatus::kFinding; }

std::string trouble_of(const CaseRecord& record) {
  if (record.status == CaseStatus::kOk) return std::string(sentence_of(shortfall_of(record)));
  const bool found = record.status == CaseStatus::kFinding && !record.findings.empty();
  const std::string why = found ? sentence_of(record.findings.front())
                                : record.reason.substr(0, record.reason.find('\n'));
  return fmt::format("{}{}{}", name_of(record.status), why.empty() ? "" : ": ", why);
}

double excess_of(const CaseRecord& record) {
  const Verdict* furthest = furthest_verdict(record);
  return furthest == nullptr ? 0 : *furthest->excess;
}

std::string outcome_text(const CaseReading& reading) {
  if (reading.outcome == Outcome::kAboveTarget) {
    return brief_text(reading.furthest->excess) + " x target";
  }
  return std::string(name_of(reading.outcome));
}

std::optional<Against> against_target(const CaseRecord& record, std::string_view metric) {
  const Verdict* verdict = target_of(record, metric);
  return made_of(record, verdict != nullptr && verdict->excess ? verdict : nullptr);
}

std::optional<Against> furthest_of(const std::vector<const CaseRecord*>& cases) {
  const Verdict* furthest = nullptr;
  const CaseRecord* in = nullptr;
  for (const CaseRecord* record : cases) {
    const Verdict* of_case = furthest_verdict(*record, furthest);
    if (of_case == furthest) continue;
    furthest = of_case;
    in = record;
  }
  return in == nullptr ? std::nullopt : made_of(*in, furthest);
}

}  // namespace lab::reading
