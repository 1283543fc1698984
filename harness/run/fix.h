// From the accesses of all blocks to better layouts of the arrays that they go to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/backend.h"
#include "harness/core/screen.h"
#include "harness/kernel/compile/source/shared_arrays.h"
#include "harness/model/layout/search.h"

namespace lab::run {

/// One line's accesses to an array, over all blocks.
struct UsedLine {
  int line = 0;
  AccessOp op = AccessOp::kLoad;
  std::uint64_t requests = 0;  ///< instructions of warps
  std::uint64_t cost = 0;      ///< wavefronts or sectors
  std::uint64_t least = 0;
};

struct ArrayFix {
  TracedArray array;
  std::string name;  ///< as in the source
  /// Its declaration, where the text has one whose extents make up its bytes.
  std::optional<source::SharedArray> declared = {};
  layout::Problem problem = {};
  layout::Solution solution = {};
  std::vector<UsedLine> lines = {};  ///< the most expensive first
  bool ran = false;  ///< the best layout's cost is that of a run of the changed kernel
};

struct FixOptions {
  std::string array = {};                 ///< this one alone; empty: all
  std::optional<std::uint64_t> row = {};  ///< elements of a row, where a person says so
  Forbidden forbidden = Forbidden::kNothing;
  bool shared_alone = false;  ///< no arrays in global memory
};

/// An entry for each array that `outcome` traced, in its order there, with its problem and no
/// solution yet. Throws an input error where no array has the name asked for.
[[nodiscard]] std::vector<ArrayFix> arrays_of(const CaseOutcome& outcome, const KernelText& source,
                                              const FixOptions& options);

/// The same with solutions, the array with most to gain first.
[[nodiscard]] std::vector<ArrayFix> fixes_of(const CaseOutcome& outcome, const KernelText& source,
                                             const FixOptions& options);

}  // namespace lab::run
