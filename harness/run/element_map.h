// An array as a matrix: which thread of a block touches which element.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/backend.h"
#include "harness/page/page.h"
#include "harness/run/fix.h"

namespace lab::run {

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

/// The maps of a block's trace. `arrays`: as arrays_of has them of the same outcome.
[[nodiscard]] std::vector<ElementMap> element_maps(const CaseOutcome& outcome,
                                                   const std::vector<ArrayFix>& arrays,
                                                   const MatrixOptions& options);

/// Rows and columns with the number of the thread at each element, as many as a person looks at.
[[nodiscard]] page::Grid grid_of(const ElementMap& map);

/// The case, whose block `block` was traced, and the first of the maps.
[[nodiscard]] page::Page matrix_page(const CaseRecord& record, std::uint32_t block,
                                     const std::vector<ElementMap>& maps);

}  // namespace lab::run
