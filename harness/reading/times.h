// The times of launches, the bound that they are held against, and what sets it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/record.h"
#include "harness/core/sections.h"
#include "harness/reading/figures.h"
#include "metrics/ceilings.h"
#include "metrics/machine.h"

namespace lab::reading {

/// A number for each case; empty: not known.
struct NumberLine {
  std::string name;
  std::string_view unit;
  std::vector<std::optional<double>> values = {};
};

/// The GPU as a sentence has it: `an H200` of NVIDIA H200, `a T4` of Tesla T4.
[[nodiscard]] std::string gpu_in_words(std::string_view gpu);

/// Columns of times under one title.
struct Times {
  std::string title = {};
  std::vector<NumberLine> lines = {};  ///< empty: no time of any case is known
  bool measured = false;               ///< of some case; it is the last line
};
/// Microseconds. Where some case was timed: `bound`, the least time by theory's counts, `expected`
/// by the rules of metrics/kernel_time.h, and `measured`, the medians of the timed launches. Else
/// what is expected alone, under a title that says of which GPU.
[[nodiscard]] Times times_of(const Cases& cases);

/// A case's expected time in a sentence: how long, on which GPU, what sets it, how sure that is; or
/// why none is expected. Empty where nobody asked on which machine.
[[nodiscard]] std::string expected_text(const CaseRecord& record);

/// One sentence on expected times.
struct ToldTime {
  const CaseRecord* first = nullptr;  ///< the case that it is of
  std::string text = {};
};
/// Of a variant's cases the first of those that one part of the chip sets the time of, or that have
/// none for one reason.
[[nodiscard]] std::vector<ToldTime> told_times(const Section& section);

/// `GB/s` as measured, of the bytes that `shown.rate` says (its title, where those are what a
/// kernel moves beyond what its task needs), and `of peak`: percent of `shown.peak`, where it is
/// known. Empty where no case has any.
[[nodiscard]] std::vector<NumberLine> rate_lines(const Cases& cases, const Shown& shown);

/// The time of a case by the counts that were measured, and what sets it, the first of the uses.
[[nodiscard]] std::optional<metrics::TimeBound> time_against(const CaseRecord& record,
                                                             const metrics::Machine& machine);

/// By the time of each variant's first case, where they were timed: a ladder is climbed from one
/// end.
[[nodiscard]] std::vector<Section> fastest_first(std::vector<Section> sections);

/// The variant that moves what its task needs most slowly.
struct Slowest {
  const Section* section = nullptr;
  double rate = 0;  ///< GB/s
  double most = 0;  ///< of all variants
};
/// By the first case of each; empty where they are near each other, and where the launch itself is
/// what was timed.
[[nodiscard]] std::optional<Slowest> slowest_of(const std::vector<Section>& sections);

}  // namespace lab::reading
