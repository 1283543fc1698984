#include "metrics/compare.h"

#include <algorithm>
#include <cmath>

#include "harness/core/error.h"
#include "harness/core/metric_keys.h"
#include "harness/core/text.h"
#include "metrics/causes.h"
#include "metrics/evidence.h"
#include "metrics/expectation.h"
#include "metrics/expected.h"
#include "metrics/formulas.h"
#include "metrics/time_gap.h"
#include "metrics/values.h"
#include "metrics/write_back.h"

namespace lab::metrics {
namespace {

Observation theory_observation(const TheoryRow& row, const FormulaNames& names) {
  Observation observation;
  observation.metric = row.metric;
  observation.source = SourceOf::kTheory;
  try {
    observation.value = row.formula.value(names);
    if (row.high) {
      observation.min = observation.number();
      observation.max = row.high->value(names);
    }
  } catch (const Error& error) {
    // Such as a ratio whose parts are both zero at this point.
    observation.value = Missing{NoValue::kNoValue, error.what()};
  }
  return observation;
}

// The sentence's beginning: who says what.
std::string values_text(const Evidence& evidence, bool with_theory) {
  std::string list;
  const auto add = [&](std::string_view who, const std::string& what) {
    list += (list.empty() ? "" : ", ") + std::string(who) + " " + what;
  };
  if (with_theory && evidence.theory) add("theory", text(*evidence.theory));
  if (evidence.model) add("model", text(*evidence.model));
  for (const auto& seen : evidence.hardware) add(name_of(seen.source), number_text(seen.value));
  return list;
}

// The interval that the values are held against, and who says so.
struct Expectation {
  Interval interval;
  std::string_view who;
  bool model_too = false;  // the model is held against it as well
  bool narrowed = false;   // by L2's writing back
};

std::optional<Expectation> expectation(const Evidence& evidence, bool own_kernel) {
  if (own_kernel && evidence.theory) {
    return Expectation{*evidence.theory, "theory", evidence.model.has_value()};
  }
  if (evidence.model) return Expectation{*evidence.model, "the model", false};
  return {};
}

// Of a wide interval of DRAM writes, what L2's writing back leaves.
void narrow(const Question& question, const CaseRecord& record, const Evidence& evidence,
            Expectation& expected) {
  if (evidence.key != metric::kDramWriteBytes || question.machine == nullptr) return;
  if (!says_nothing(expected.interval) || record.facts.counter_cache == Cache::kWarm) return;
  const auto read = value_of(record, metric::kDramReadBytes, SourceOf::kModel);
  const auto distinct = value_of(record, metric::kDramWriteBytes, SourceOf::kModel);
  if (!read || !distinct) return;
  expected.narrowed = true;
  expected.interval = written_back({*read, *distinct, expected.interval}, question.machine->size);
}

// An exact value must be what is expected; a banded one's interval must touch the expected one.
bool model_fits(const Evidence& evidence, const Expectation& expected) {
  const bool banded = evidence.row != nullptr && evidence.row->metric_class == Class::kBanded;
  if (!banded) return same(*evidence.model, expected.interval);
  return holds(expected.interval, evidence.model->low) ||
         holds(expected.interval, evidence.model->high) ||
         holds(*evidence.model, expected.interval.low);
}

struct Judgement {
  VerdictKind kind = VerdictKind::kAgrees;
  std::string reason;
  bool nearly = false;  // some measured value is not equal, but as good as
};

bool is_negligible(const Evidence& evidence, const Interval& expected, double value) {
  if (evidence.row == nullptr || evidence.row->metric_class != Class::kBanded) return false;
  return value >= (1 - kNegligible) * expected.low && value <= (1 + kNegligible) * expected.high;
}

void note(Judgement& judgement, const std::optional<std::string>& cause,
          const std::string& otherwise) {
  if (!cause) {
    judgement.kind = VerdictKind::kDisagrees;
  } else if (judgement.kind == VerdictKind::kAgrees) {
    judgement.kind = VerdictKind::kExplained;
  }
  judgement.reason += (judgement.reason.empty() ? "" : "; ") + cause.value_or(otherwise);
}

std::string differs(std::string_view who, const std::string& what, const Expectation& expected) {
  return std::string(who) + " has " + what + ", " + std::string(expected.who) + " says " +
         text(expected.interval);
}

Judgement compare(const Evidence& evidence, const Expectation& expected, const CaseRecord& record,
                  const Variant* variant) {
  Judgement judgement;
  if (expected.model_too && !model_fits(evidence, expected)) {
    note(judgement, model_cause(evidence, expected.interval, record, variant),
         differs("the model", text(*evidence.model), expected));
  }
  for (const auto& seen : evidence.hardware) {
    if (holds(expected.interval, seen.value)) continue;
    const auto cause = hardware_cause(evidence, expected.interval, seen, record);
    if (cause && is_negligible(evidence, expected.interval, seen.value)) {
      judgement.nearly = true;
      continue;
    }
    note(judgement, cause, differs(name_of(seen.source), number_text(seen.value), expected));
  }
  return judgement;
}

std::string fallback_note(const Evidence& evidence) {
  if (evidence.hardware.empty()) return "; not measured: " + evidence.not_measured;
  if (evidence.row == nullptr || evidence.hardware.front().source == evidence.row->measured) {
    return {};
  }
  const auto wanted = evidence.row->measured == SourceOf::kSass ? !evidence.row->sass.empty()
                                                                : !evidence.row->cupti.empty();
  if (!wanted) return {};
  return "; measured by " + std::string(name_of(evidence.hardware.front().source)) +
         ", for want of " + std::string(name_of(evidence.row->measured));
}

std::string missing_reason(const Evidence& evidence) {
  std::string reason = "fewer than two values to compare";
  if (!evidence.model) reason += "; model: " + evidence.not_modelled;
  if (evidence.hardware.empty()) reason += "; not measured: " + evidence.not_measured;
  return reason;
}

bool is_context(const Evidence& evidence) {
  return evidence.row != nullptr && evidence.row->metric_class == Class::kContext;
}

// Theory's alone, such as the bytes that a task needs: no source could ever be compared with it.
bool is_said_only(const Evidence& evidence) {
  return is_context(evidence) && evidence.theory && !evidence.model && evidence.hardware.empty() &&
         evidence.row->cupti.empty() && evidence.row->sass.empty() &&
         evidence.row->derived.rule == Rule::kNone;
}

std::size_t value_count(const Evidence& evidence, bool own_kernel) {
  return evidence.hardware.size() + (evidence.model ? 1 : 0) +
         (own_kernel && evidence.theory ? 1 : 0);
}

Judgement judge_values(const Evidence& evidence, const Question& question,
                       const CaseRecord& record) {
  if (is_said_only(evidence)) {
    return {VerdictKind::kContext, "what the task needs: nothing counts it, rates are made of it"};
  }
  if (value_count(evidence, question.own_kernel) < 2) {
    return {VerdictKind::kMissing, missing_reason(evidence)};
  }
  if (is_context(evidence)) {
    return {VerdictKind::kContext, "shown, not judged: it depends on more than addresses"};
  }
  auto expected = expectation(evidence, question.own_kernel);
  if (!expected) return {VerdictKind::kContext, "nothing predicts it"};
  narrow(question, record, evidence, *expected);
  auto judgement = compare(evidence, *expected, record, question.variant);
  const auto noise = noise_reason(evidence, expected->interval, record);
  if (noise && judgement.kind != VerdictKind::kDisagrees) {
    return {VerdictKind::kTooSmall, *noise};
  }
  if (judgement.kind == VerdictKind::kAgrees && says_nothing(expected->interval)) {
    return {VerdictKind::kContext, std::string(kNotPredicted) + text(expected->interval) +
                                       ", which nearly any value is; " +
                                       values_text(evidence, question.own_kernel)};
  }
  if (judgement.kind == VerdictKind::kAgrees) {
    judgement.reason = (judgement.nearly ? "all agree within 0.1 %: " : "all agree: ") +
                       values_text(evidence, question.own_kernel);
    if (expected->narrowed) {
      judgement.reason += "; by what L2 keeps: " + text(expected->interval);
    }
  }
  judgement.reason += fallback_note(evidence);
  return judgement;
}

// Where the kernel is not the lab's own: how far from what the lab shows to be possible. Of an
// interval the nearest value is the target: what caches decide is not the student's to answer for.
void add_target(const Evidence& evidence, Verdict& verdict) {
  if (!evidence.theory) return;
  verdict.target = evidence.theory->low;
  std::optional<double> value;
  if (!evidence.hardware.empty()) {
    value = evidence.hardware.front().value;
  } else if (evidence.model) {
    value = evidence.model->low;
  }
  if (!value) return;
  verdict.target = std::clamp(*value, evidence.theory->low, evidence.theory->high);
  if (*verdict.target != 0) verdict.excess = *value / *verdict.target;
  if (*value == 0 && *verdict.target == 0) verdict.excess = 1;
  const auto against = number_text(*value) + " against a target of " + number_text(*verdict.target);
  if (verdict.kind == VerdictKind::kMissing) {
    // One value and a target are something to look at, though nothing was predicted.
    verdict.kind = VerdictKind::kContext;
    verdict.reason = "not measured: " + evidence.not_measured;
  }
  verdict.reason = "your kernel: " + against + "; " + verdict.reason;
}

Verdict verdict_of(const Evidence& evidence, const Question& question, const CaseRecord& record) {
  auto judgement = judge_values(evidence, question, record);
  Verdict verdict;
  verdict.metric = evidence.key;
  verdict.kind = judgement.kind;
  verdict.reason = std::move(judgement.reason);
  if (evidence.theory_row != nullptr) {
    verdict.formula = evidence.theory_row->formula.general_text();
    verdict.level = evidence.theory_row->level;
  }
  if (!question.own_kernel) {
    add_target(evidence, verdict);
  } else if (evidence.theory) {
    verdict.theory = evidence.theory->low;
    if (evidence.theory->high != evidence.theory->low) {
      verdict.theory_high = evidence.theory->high;
    }
  }
  return verdict;
}

bool is_listed(const std::vector<std::string>& keys, const std::string& key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

// Keys to judge: theory's, those asked for, and the rest that two sources have.
std::vector<std::string> keys_to_judge(const Question& question, const CaseRecord& record) {
  std::vector<std::string> keys;
  const auto add = [&](const std::string& key) {
    if (!is_listed(keys, key)) keys.push_back(key);
  };
  if (question.variant != nullptr) {
    for (const auto& row : question.variant->theory) add(row.metric);
  }
  for (const auto& key : question.asked) {
    const bool known = find(key) != nullptr || key.find("__") != std::string::npos;
    if (known) add(key);  // not the name of a set
  }
  for (const auto& observation : record.observations) {
    if (is_listed(keys, observation.metric)) continue;
    if (value_count(gather(record, observation.metric, nullptr), true) >= 2) {
      add(observation.metric);
    }
  }
  return keys;
}

const TheoryRow* row_of(const Variant* variant, const std::string& key) {
  return variant == nullptr ? nullptr : theory_row(*variant, key);
}

// Shown, never judged: a kernel may take longer for reasons that no formula here knows.
Verdict verdict_of(const Expected& expected, const CaseRecord& record, const Machine& machine) {
  Verdict verdict;
  verdict.metric = expected.metric;
  verdict.theory = expected.value;
  verdict.formula = expected.formula;
  verdict.kind = VerdictKind::kContext;
  verdict.reason = expected.reason;
  if (expected.metric == metric::kDurationNs) {
    if (auto cause = time_gap_cause(record, expected.value, machine)) {
      verdict.longer = cause->gap;
      verdict.longer_because = std::move(cause->because);
    }
  }
  return verdict;
}

void add_expected_time(const Question& question, CaseRecord& record) {
  record.expected.reset();
  if (question.machine == nullptr) return;
  // Of a sample of blocks nobody knows what they share; theory does.
  const bool sampled = question.own_kernel && record.facts.sampled_blocks;
  if (!question.machine->gpu.empty()) {
    const bool of_lab = question.own_kernel && question.variant != nullptr;
    record.expected =
        expect_time(record, *question.machine, sampled ? CountsOf::kTheory : CountsOf::kModel,
                    of_lab ? KernelOf::kLab : KernelOf::kAnyone);
  }
  if (!question.own_kernel) return;
  for (const Expected& expected : expected_time(record, *question.machine)) {
    Observation observation;
    observation.metric = expected.metric;
    observation.source = SourceOf::kTheory;
    observation.value = expected.value;
    record.observations.push_back(std::move(observation));
    std::erase_if(record.verdicts, [&](const Verdict& v) { return v.metric == expected.metric; });
    record.verdicts.push_back(verdict_of(expected, record, *question.machine));
  }
}

}  // namespace

std::vector<Observation> theory_of(const Variant& variant, const CaseRecord& record) {
  const auto names = names_of(variant, record);
  std::vector<Observation> observations;
  for (const auto& row : variant.theory) observations.push_back(theory_observation(row, names));
  return observations;
}

void judge(const Question& question, CaseRecord& record) {
  auto& all = record.observations;
  all.erase(std::remove_if(all.begin(), all.end(),
                           [](const Observation& o) { return o.source == SourceOf::kTheory; }),
            all.end());
  record.verdicts.clear();
  if (question.variant != nullptr) {
    const auto theory = theory_of(*question.variant, record);
    all.insert(all.begin(), theory.begin(), theory.end());
  }
  derive(record);
  for (const auto& key : keys_to_judge(question, record)) {
    const auto evidence = gather(record, key, row_of(question.variant, key));
    record.verdicts.push_back(verdict_of(evidence, question, record));
  }
  add_expected_time(question, record);
  note_measured(record);
}

}  // namespace lab::metrics
