#include "metrics/catalogue.h"

#include <algorithm>

#include "harness/core/error.h"
#include "harness/core/text.h"
#include "metrics/rows.h"

namespace lab::metrics {
namespace {

std::vector<Metric> all_rows() {
  std::vector<Metric> all;
  for (const auto& group :
       {global_rows(), shared_rows(), data_stage_rows(), cache_rows(), launch_rows()}) {
    all.insert(all.end(), group.begin(), group.end());
  }
  return all;
}

}  // namespace

std::string_view name_of(Class metric_class) {
  constexpr std::string_view kNames[] = {"exact", "banded", "context"};
  return kNames[static_cast<std::size_t>(metric_class)];
}

std::string_view name_of(AccessKind kind) {
  constexpr std::string_view kNames[] = {"global_load",      "global_store", "global_atomic",
                                         "global_reduction", "local_load",   "local_store",
                                         "shared_load",      "shared_store", "shared_atomic",
                                         "matrix_load",      "matrix_store", "async_copy"};
  return kNames[static_cast<std::size_t>(kind)];
}

const std::vector<Metric>& catalogue() {
  static const std::vector<Metric> kRows = all_rows();
  return kRows;
}

const Metric* find(std::string_view key) {
  const auto& rows = catalogue();
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const Metric& row) { return row.key == key; });
  return found == rows.end() ? nullptr : &*found;
}

const Metric& at(std::string_view key) {
  if (const auto* row = find(key)) return *row;
  std::vector<std::string> keys;
  for (const auto& row : catalogue()) keys.emplace_back(row.key);
  throw input_error("there is no metric '" + std::string(key) + "'", suggestion(key, keys));
}

}  // namespace lab::metrics
