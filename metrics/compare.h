// Holds theory, model and measurement against each other: the only place where verdicts are made.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/core/lab.h"
#include "harness/core/record.h"
#include "metrics/machine.h"

namespace lab::metrics {

/// A counter with jitter that is off by less than this, for a known cause, is not worth a sentence:
/// a few kB that others read beside 268 MB.
inline constexpr double kNegligible = 1e-3;

/// A verdict of kind kContext begins with it where what is predicted is too wide to be judged by.
inline constexpr std::string_view kNotPredicted = "not predicted closely: ";

/// How a case is to be judged.
struct Question {
  const Variant* variant = nullptr;  ///< null for a probe: there is no theory
  bool own_kernel = true;  ///< false: the kernel is not the lab's own, theory is its target
  std::vector<std::string> asked = {};  ///< metrics to judge even where theory says nothing
  const Machine* machine = nullptr;     ///< whose ceilings theory's time is of; null: no such row
};

/// Adds theory's observations, derived metrics and a verdict for each metric that has a theory
/// row, was asked for, or has values from two sources; what was measured of each metric (values.h).
/// Replaces all that an earlier call added, so that a case may be judged again when values come in
/// from elsewhere.
///
/// exact: all values equal: `agrees`; a difference with a cause that accounts for it:
/// `explained`; else `disagrees`. banded: the same, with intervals; a difference of less than 0.1 %
/// that has a cause is none. An interval from 0, or wider than 2 x, agrees with nothing: `context`,
/// unless L2's writing back (write_back.h) narrows it. context: never judged. Fewer
/// than two values: `missing`. A kernel that is not the lab's own is compared with the model
/// alone; theory is its target, and excess = value / target. The time that theory expects is said
/// of the lab's own kernels alone.
void judge(const Question& question, CaseRecord& record);

/// The theory observations of a variant at a case's parameters, in the order of its rows.
[[nodiscard]] std::vector<Observation> theory_of(const Variant& variant, const CaseRecord& record);

}  // namespace lab::metrics
