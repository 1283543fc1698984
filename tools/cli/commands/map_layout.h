// lab map --layout: where a swizzle of CuTe's puts a tile, and what going through it costs.
#pragma once

#include "tools/cli/arguments/command.h"

namespace lab::cli {

/// Draws the first rows of the tile of --tile under --layout, and counts its columns, its rows and
/// ldmatrix beside the same with no swizzle. Throws input errors where either is none.
int map_layout(const Arguments& arguments, const Console& console);

}  // namespace lab::cli
