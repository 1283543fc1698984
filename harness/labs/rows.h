// Rows of theory that accesses and traffic stand for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/lab.h"
#include "harness/formula/value.h"

namespace lab::labs {

/// Which instruction of a warp rows speak of.
enum class Op : std::uint8_t { kLoad, kStore };

/// Rows for requests, sectors, sectors per request, lines (where they are known) and efficiency.
[[nodiscard]] std::vector<TheoryRow> global_rows(Op op, const language::Access& access,
                                                 const std::string& why);

/// The cost of one kind of shared access in a launch.
struct SharedCost {
  Expr requests;
  language::Access::Shared wavefronts;
  std::optional<Expr> ways = {};  ///< wavefronts per request, where simpler than their quotient
};
/// Rows for requests, wavefronts by both rules, conflicts and ways.
[[nodiscard]] std::vector<TheoryRow> shared_rows(Op op, const SharedCost& cost,
                                                 const std::string& why);

/// The least and the most traffic between L1, L2 and DRAM: `least` where every sector comes once,
/// `most` where nothing is ever found in L1.
struct Traffic {
  Expr read_least = 0, read_most = 0;    ///< sectors
  Expr read_blocks = 0;                  ///< distinct blocks of 64 bytes, which HBM reads whole
  Expr write_least = 0, write_most = 0;  ///< sectors
  Expr filled = 0;         ///< distinct blocks that stores leave partly written: DRAM fills them
  bool scattered = false;  ///< DRAM may read half of each block
};
/// Rows for L2 reads and writes, for DRAM reads with a cold L2, and for DRAM writes: L2 may write
/// back all, or nothing while the kernel runs.
[[nodiscard]] std::vector<TheoryRow> traffic_rows(const Traffic& traffic, const std::string& why);

/// Whether both are the same number at any values of their names, as far as simplifying shows it.
[[nodiscard]] bool always_equal(const Expr& a, const Expr& b);

/// Gives each row the formula that `written` has for its metric: what the source asks for, where
/// the machine code does another thing.
void write_beside(std::vector<TheoryRow>& compiled, const std::vector<TheoryRow>& written);

}  // namespace lab::labs
