// The values of a lab's formulas: numbers, accesses of a launch, and regions of memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/core/expression.h"

namespace lab::language {

/// The cost of some warps' accesses to global memory: sums over their instructions. What a pattern
/// does not define is empty.
struct Access {
  Expr requests = 0;                    ///< instructions, one per warp
  Expr sectors = 0;                     ///< of 32 bytes
  Expr bytes = 0;                       ///< distinct ones that each instruction asks for
  std::optional<Expr> lines = Expr(0);  ///< of 128 bytes
  /// The same access to shared memory, where that is said without the banks' arithmetic.
  struct Shared {
    Expr wavefronts = 0;
    Expr least = 0;                            ///< wavefronts if no two lanes met in a bank
    std::optional<Expr> wavefronts_sass = {};  ///< by the patched counters' rule; empty: equal
  };
  std::optional<Shared> shared = Shared{};
};

/// Memory that is touched at all, each byte once: how many units of some size it lies in.
struct Region {
  Expr sectors = 0;  ///< of 32 bytes
  Expr blocks = 0;   ///< of 64 bytes, which HBM reads at once
};

using Value = std::variant<Expr, Access, Region>;

/// `a number`, `an access` or `a region`, for messages.
[[nodiscard]] std::string_view kind_of(const Value& value);

/// Throw an input error where there is no such operation: accesses are added to each other and
/// multiplied by a number, regions likewise, and all else is for numbers alone.
[[nodiscard]] Value add(const Value& a, const Value& b);
[[nodiscard]] Value multiply(const Value& a, const Value& b);
/// Both of one kind; the condition is a number.
[[nodiscard]] Value choose_value(const Expr& condition, const Value& taken, const Value& otherwise);

/// The nodes of the largest formula in it, and the depth of the deepest.
struct Extent {
  std::uint32_t nodes = 0;
  std::uint32_t depth = 0;
};
[[nodiscard]] Extent extent_of(const Value& value);

/// The number that `value` is; an input error where it is none.
[[nodiscard]] const Expr& number_of(const Value& value);
[[nodiscard]] const Access& access_of(const Value& value);
/// The region that `value` is; a number is so many bytes in one run.
[[nodiscard]] Region region_of(const Value& value);

/// `bytes` bytes in one run from an aligned address.
[[nodiscard]] Region run_of(const Expr& bytes);

/// Whether the expression is 0 or 1: a comparison, or made of such by `and` and `or`.
[[nodiscard]] bool is_condition(const Expr& expression);

}  // namespace lab::language
