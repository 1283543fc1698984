// Pictures of squares as SVG 1.1 that stands alone, and names no other file.
#pragma once

#include <string>
#include <vector>

#include "harness/page/page.h"

namespace lab::report {

/// The grids below each other, each with its title; a square's colour is its lane's.
[[nodiscard]] std::string grid_svg(const std::vector<page::Grid>& grids);

}  // namespace lab::report
