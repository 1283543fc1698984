// Where Nsight Compute shows what a metric counts, and what to watch out for when reading it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "metrics/catalogue.h"

namespace lab::metrics {

/// A cell of Nsight Compute's pages: in the section's table the row and the column, or a label.
struct NcuPlace {
  std::string_view key;
  std::string_view section;  ///< Shared Memory, L1/TEX Cache, L2 Cache, Device Memory, Occupancy
  std::string_view row;      ///< empty: the section has a list of labels, not a table
  std::string_view column;
};

/// Null where Nsight Compute has no such number.
[[nodiscard]] const NcuPlace* find_ncu_place(std::string_view key);
/// All of them, for tests.
[[nodiscard]] const std::vector<NcuPlace>& ncu_places();

/// `Memory Workload Analysis, Shared Memory: row Shared Load, column Requests`; empty: none.
[[nodiscard]] std::string ncu_place_text(std::string_view key);

/// Sentences on how the number can mislead, the rarest last.
[[nodiscard]] std::vector<std::string_view> traps_of(std::string_view key);

/// The chips that CUPTI 13.0 knows.
[[nodiscard]] const std::vector<std::string_view>& known_chips();

/// A counter's name and the chips that have it under that name; an empty name: those that lack it.
struct NameOnChips {
  std::string name;
  std::vector<std::string_view> chips;
};
/// The names of a metric's counter on all known chips, the commonest first; empty: no counter.
[[nodiscard]] std::vector<NameOnChips> names_on_chips(const Metric& metric, SourceOf source);

/// The rows whose value comes from `name`, a counter with or without its rollup (dram__bytes_read),
/// or that have the same number as it, a ratio that CUPTI has ready-made.
[[nodiscard]] std::vector<const Metric*> rows_counted_by(std::string_view name);

}  // namespace lab::metrics
