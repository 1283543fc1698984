// Ours and Nsight Compute's value of one counter, and why they may differ.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/record.h"
#include "metrics/catalogue.h"

namespace lab::ncu {

/// One counter of one case, which both have read.
struct Pair {
  std::string key;
  SourceOf source = SourceOf::kCupti;  ///< what ours is from
  double ours = 0;
  double theirs = 0;
};

/// All counters of a case that both have, in the catalogue's order, then raw ones.
[[nodiscard]] std::vector<Pair> pairs_of(const CaseRecord& record, std::string_view chip);

/// The conditions under which a side measured, by name: gpu, driver, ncu, cache, clocks, carveout,
/// cubin, .... A name that is not there is unknown.
using Conditions = std::map<std::string, std::string>;

/// The keys of a run's environment that hold Nsight Compute's conditions begin with this:
/// ncu_cache.
constexpr std::string_view kConditionPrefix = "ncu_";

[[nodiscard]] Conditions our_conditions(const RunRecord& run);
[[nodiscard]] Conditions their_conditions(const RunRecord& run);

/// A sentence for each condition in which the sides differ, or which one of them does not state.
/// Where there are any, the values below do not compare like with like.
struct SideNames {
  std::string_view first = "ours";
  std::string_view second = "ncu's";
};
[[nodiscard]] std::vector<std::string> unlike(const Conditions& ours, const Conditions& theirs,
                                              const SideNames& names = {});

/// Why two readings of the metric may differ, as a phrase; empty for an exact metric, where they
/// may not. Differences in conditions that affect it come first.
[[nodiscard]] std::string cause_of(std::string_view key, const Conditions& ours,
                                   const Conditions& theirs);

}  // namespace lab::ncu
