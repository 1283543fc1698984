// An array as a matrix: which thread of a block touches which element.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/backend.h"
#include "harness/run/fix.h"
#include "tools/cli/terminal/terminal.h"

namespace lab::cli {

/// One instruction's accesses to an array.
struct ElementMap {
  std::string array;  ///< as in the source
  AccessOp op = AccessOp::kLoad;
  int line = 0;
  std::uint64_t columns = 1;  ///< elements of a row
  /// Threads of the block by element, in ascending order.
  std::map<std::uint64_t, std::vector<int>> threads = {};
};

/// Which instructions of a trace are drawn.
struct MatrixOptions {
  std::string array = {};           ///< empty: all
  std::optional<AccessOp> op = {};  ///< empty: all
  int line = 0;                     ///< 0: all
  std::size_t nth = 1;              ///< in a loop: the how-many-th time that a warp is there
};

/// The maps of a block's trace. `arrays`: as run::arrays_of has them of the same outcome.
[[nodiscard]] std::vector<ElementMap> element_maps(const CaseOutcome& outcome,
                                                   const std::vector<run::ArrayFix>& arrays,
                                                   const MatrixOptions& options);

/// Rows and columns with the number of the thread at each element, as far as they fit; on a
/// terminal the threads of each warp have a colour.
[[nodiscard]] std::string matrix_text(const ElementMap& map, const Terminal& terminal);

/// The same as a picture: a square for each element, coloured by lane, with the thread's number.
[[nodiscard]] std::string matrix_svg(const ElementMap& map);

}  // namespace lab::cli
