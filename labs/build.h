// Short names for what most labs are made of: buffers, launches and theory rows that recur.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/lab.h"

namespace lab::labs {

/// An input of `count` uniform random numbers.
[[nodiscard]] BufferSpec input(std::string name, ElementType type, std::uint64_t count);
/// An output of `count` elements, poisoned before each launch.
[[nodiscard]] BufferSpec output(std::string name, ElementType type, std::uint64_t count);
/// An output that starts as zeros, such as a sum that atomics add to.
[[nodiscard]] BufferSpec zeroed(std::string name, ElementType type, std::uint64_t count);

/// A one-dimensional launch.
[[nodiscard]] Launch line(std::int64_t blocks, std::int64_t threads);

/// A number as an unsigned count; an internal error where it is negative.
[[nodiscard]] std::uint64_t count_of(std::int64_t value);

/// The elements of an array that a kernel indexes with `int`; an input error where they are more
/// than that reaches.
[[nodiscard]] std::uint64_t indexed(std::int64_t elements);

/// ceil(a / b) of whole numbers, b > 0.
[[nodiscard]] std::int64_t ceil_div(std::int64_t a, std::int64_t b);

/// A kernel name that no parameter changes.
[[nodiscard]] std::function<std::string(const Params&)> kernel(std::string name);

/// A parameter and some of its values.
struct Values {
  std::string name;
  std::vector<std::int64_t> values;
};
/// The variant's points, those of a GPU last, at which each of these parameters that the variant
/// reads has one of its values: for Variant::telling.
[[nodiscard]] std::vector<Params> points_with(const Variant& variant,
                                              const std::vector<Values>& chosen);
/// One list after the other.
[[nodiscard]] std::vector<Params> joined(std::initializer_list<std::vector<Params>> lists);

/// Which instruction of a warp the rows below speak of.
enum class Op : std::uint8_t { kLoad, kStore };

/// The cost of one kind of global access in a launch. `bytes` counts the distinct bytes that the
/// instructions ask for, each instruction by itself.
struct GlobalCost {
  Expr requests;
  Expr sectors;
  Expr bytes;
  std::optional<Expr> lines = {};  ///< distinct 128-byte lines of each instruction; empty: no row
  std::string why;
};
/// Rows for requests, sectors, sectors per request, lines and efficiency.
[[nodiscard]] std::vector<TheoryRow> global_rows(Op op, const GlobalCost& cost);

/// The cost of one kind of shared access in a launch: instructions and, for each of them,
/// wavefronts and the least number that its width allows (1 for 4 bytes per lane, 2 for 8, 4 for
/// 16).
struct SharedCost {
  Expr requests;
  Expr wavefronts;                      ///< of the launch, by the hardware's rule
  Expr groups;                          ///< of the launch: wavefronts if none conflicted
  std::optional<Expr> wavefronts_sass;  ///< by the patched counters' rule; empty: equal
  std::string why;
  std::optional<Expr> ways = {};  ///< wavefronts per request, where simpler than their quotient
};
/// Rows for requests, wavefronts by both rules, conflicts and ways.
[[nodiscard]] std::vector<TheoryRow> shared_rows(Op op, const SharedCost& cost);

/// The row of all conflicts, loads and stores together.
[[nodiscard]] TheoryRow shared_conflicts(Expr formula, std::string why);

/// The least and the most traffic between L1, L2 and DRAM: `least` where every sector comes once,
/// `most` where nothing is ever found in L1.
struct Traffic {
  Expr read_least, read_most;    ///< sectors
  Expr read_blocks;              ///< distinct blocks of 64 bytes, which HBM reads whole
  Expr write_least, write_most;  ///< sectors
  Expr filled = 0;  ///< distinct blocks that stores leave partly written: DRAM fills them
  std::string why;
  bool blocks_at_most = false;  ///< read_blocks is the most that there may be
};
/// Bytes that DRAM reads for these sectors, once each: `fetch` of them at once, which is a sector
/// or one of `blocks` of 64 bytes.
[[nodiscard]] Expr dram_reads(const Expr& sectors, const Expr& blocks);
/// Rows for L2 reads and writes, for DRAM reads with a cold L2, and for DRAM writes: L2 may write
/// back all, or nothing while the kernel runs.
[[nodiscard]] std::vector<TheoryRow> traffic_rows(const Traffic& traffic);

/// Gives each row the formula that `written` has for its metric: what the source asks for, where
/// the machine code does another thing.
void write_beside(std::vector<TheoryRow>& compiled, const std::vector<TheoryRow>& written);

/// Joins lists of rows.
[[nodiscard]] std::vector<TheoryRow> rows(std::initializer_list<std::vector<TheoryRow>> parts);

}  // namespace lab::labs
