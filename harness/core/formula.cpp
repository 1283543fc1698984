#include "harness/core/formula.h"

#include <cmath>
#include <utility>

namespace lab {

FormulaNames numbers_of(const Params& params) {
  FormulaNames names;
  for (const auto& [name, value] : params.all()) {
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
      names[name] = static_cast<double>(*number);
    }
  }
  return names;
}

FormulaNames formula_names(const Params& params, const Launch& launch) {
  FormulaNames names = numbers_of(params);
  const auto threads = static_cast<double>(launch.block.count());
  const auto blocks = static_cast<double>(launch.grid.count());
  const double warps = std::ceil(threads / 32);
  const std::pair<const char*, double> of_launch[] = {
      {"grid_x", launch.grid.x},
      {"grid_y", launch.grid.y},
      {"grid_z", launch.grid.z},
      {"block_x", launch.block.x},
      {"block_y", launch.block.y},
      {"block_z", launch.block.z},
      {"blocks", blocks},
      {"threads", threads},
      {"warps", warps},
      {"all_threads", blocks * threads},
      {"all_warps", blocks * warps},
  };
  for (const auto& [name, value] : of_launch) names[name] = value;
  return names;
}

}  // namespace lab
