// Keys of what trials on a launch's accesses came to, and of what a cure names: for advice alone,
// by line, as those of metric_keys.h under "Habits".
#pragma once

#include <array>
#include <string_view>

#include "harness/core/metric_keys.h"

namespace lab::metric {

/// A line's sectors as they are, and as they would be after the change. Both are absent where the
/// accesses do not allow it.
struct TrialKeys {
  std::string_view before;
  std::string_view after;
};
/// One key is for loads, the other for stores.
using Trial = std::array<TrialKeys, 2>;

/// The block's threads take the elements of each instruction in the order of memory.
inline constexpr Trial kTrialOfOrder = {
    {{kLoadsTried, kLoadsInOrder}, {kStoresTried, kStoresInOrder}}};
/// Each field of a structure lies in an array of its own; so do the elements that a stride takes.
inline constexpr Trial kTrialOfFields = {
    {{"load_sectors_of_structures", "load_sectors_of_fields"},
     {"store_sectors_of_structures", "store_sectors_of_fields"}}};
/// Likewise, where the stride takes one element alone.
inline constexpr Trial kTrialOfStride = {
    {{"load_sectors_at_a_stride", "load_sectors_without_the_stride"},
     {"store_sectors_at_a_stride", "store_sectors_without_the_stride"}}};
/// Neighbours that a thread takes one by one are taken at once.
inline constexpr Trial kTrialOfVectors = {{{"load_sectors_one_by_one", "load_sectors_at_once"},
                                           {"store_sectors_one_by_one", "store_sectors_at_once"}}};
/// Rows begin where a sector does.
inline constexpr Trial kTrialOfAlignment = {
    {{"load_sectors_of_rows", "load_sectors_of_aligned_rows"},
     {"store_sectors_of_rows", "store_sectors_of_aligned_rows"}}};
/// Elements that data choose are taken in the order of memory, over the whole launch.
inline constexpr Trial kTrialOfSorting = {{{"load_sectors_by_data", "load_sectors_sorted"},
                                           {"store_sectors_by_data", "store_sectors_sorted"}}};

/// The line of the barrier that already orders what a needless one does not; absent where it is not
/// always the same.
inline constexpr std::string_view kBarrierBefore = "line_of_barrier_before";

}  // namespace lab::metric
