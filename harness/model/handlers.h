// The table that maps a PTX instruction to its handler: one row an opcode.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "harness/model/instruction.h"
#include "harness/model/isa.h"
#include "harness/ptx/module.h"

namespace lab::model {

/// An instruction with the function it stands in: what a row looks at to choose a handler.
struct Shape {
  const ptx::Instruction& ins;
  const ptx::Function& function;

  /// Bytes a lane of source or destination register `operand` takes as declared; `fallback` where
  /// the operand is no register. ld, st and cvt may use registers wider than their type.
  [[nodiscard]] std::size_t bytes(std::size_t operand, std::size_t fallback) const;
};

/// Chooses the handler of an instruction; `fn` stays null where this form is not modelled.
using Lookup = Found (*)(const Shape&);

struct Row {
  ptx::Op op;
  Lookup find;
};

/// Lookup by opcode; null where there is no row.
using Table = std::array<Lookup, static_cast<std::size_t>(ptx::Op::kCount_)>;

/// The table compiled for the best instruction set that this processor has.
[[nodiscard]] const Table& best_table();
/// The tables for each instruction set that this processor has, the plainest first: for tests.
[[nodiscard]] std::span<const Table* const> all_tables();

inline namespace LAB_MODEL_ISA {
// Each is defined in the exec_*.cpp of its name.
[[nodiscard]] std::span<const Row> move_rows();
[[nodiscard]] std::span<const Row> arithmetic_rows();
[[nodiscard]] std::span<const Row> bits_rows();
[[nodiscard]] std::span<const Row> compare_rows();
[[nodiscard]] std::span<const Row> convert_rows();
[[nodiscard]] std::span<const Row> warp_rows();
}  // namespace LAB_MODEL_ISA

}  // namespace lab::model
