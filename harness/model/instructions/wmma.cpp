// wmma.load and wmma.store: a matrix in memory, its rows or columns a stride apart, to and from the
// lanes' registers. The PTX ISA leaves open which lane holds which element; here it is as for mma.
// Memory is reached as the machine code does (program/cut.h); where that is not known, element by
// element, which is not counted.
#include <array>
#include <cstdint>
#include <cstring>
#include <string>

#include "harness/model/instructions/fragment.h"
#include "harness/model/instructions/handlers.h"
#include "harness/model/instructions/matrix_lanes.h"

namespace lab::model {
namespace {

Fragment fragment_of(const MatrixOp& op) {
  const auto bits = static_cast<std::uint32_t>(ptx::bits_of(op.d));
  return {op.part, op.shape, bits, bits == 64 ? 64U : 32U};
}

constexpr std::size_t kMostElements = 512;
using Matrix = std::array<std::byte*, kMostElements>;  ///< by row * columns + column; null: nowhere

std::uint32_t index_of(const Fragment& f, const Place& at) {
  return at.row * f.columns() + at.column;
}

/// The first element that `lane` moves in access `t`, of whose row it moves `cut.run`.
Place begin_of(const MatrixOp& op, const Fragment& f, std::uint32_t t, unsigned lane) {
  if (op.cut.kind == Cut::Kind::kSingles) return f.place(lane, t);
  const Cut::At at = op.cut.at(t, lane, op.by_column ? f.rows() : f.columns());
  return op.by_column ? Place{at.along, at.row} : Place{at.row, at.along};
}

/// Makes the accesses of the whole matrix and finds where each element is.
template <bool kStore>
Matrix reach_all(const Ins* ins, Warp& w, const MatrixOp& op, const Fragment& f) {
  const LaneAddresses first = addresses_in(w, ins, ins->a);
  const std::uint64_t stride = w.in<std::uint32_t>(ins->b)[0];
  const std::size_t bytes = f.element_bits / 8;
  const std::uint32_t last = op.cut.matrices == 0 ? kLanes : 8U * op.cut.matrices;
  const std::uint32_t mask = last == kLanes ? kAllLanes : (1U << last) - 1U;
  const std::uint32_t accesses =
      op.cut.kind == Cut::Kind::kSingles ? f.elements() : std::uint32_t{op.cut.accesses};
  Matrix matrix{};
  for (std::uint32_t t = 0; t < accesses; ++t) {
    LaneAddresses address{};
    for (unsigned lane = 0; lane < last; ++lane) {
      const Place at = begin_of(op, f, t, lane);
      const std::uint64_t elements =
          op.by_column ? at.column * stride + at.row : at.row * stride + at.column;
      address[lane] = first[lane] + elements * bytes;
    }
    const LanePointers lanes = reach<kStore>(w, ins, w.sites + ins->extra, mask, address);
    for (unsigned lane = 0; lane < last; ++lane) {
      if (((lanes.good >> lane) & 1U) == 0) continue;
      Place at = begin_of(op, f, t, lane);
      for (std::uint32_t i = 0; i < op.cut.run; ++i) {
        matrix[index_of(f, at)] = lanes.at[lane] + i * bytes;
        ++(op.by_column ? at.row : at.column);
      }
    }
  }
  return matrix;
}

// PTX ISA, "Matrix Storage": what a lane holds of the matrix must be aligned as a whole. CUDA's
// guide is content with strides that are multiples of 16 bytes.
void check_alignment(Warp& w, const Ins* ins, std::uint64_t first, std::uint64_t stride_bytes,
                     std::uint64_t held_bytes) {
  constexpr std::uint64_t kStrideUnit = 16;
  const std::uint64_t unit = held_bytes < kStrideUnit ? held_bytes : kStrideUnit;
  const auto report = [&](const std::string& what, std::uint64_t of) {
    w.block->fault(
        w, FindingKind::kMisaligned, ins, 0,
        "misaligned matrix: " + what + ", which is not a multiple of " + std::to_string(of));
  };
  if (first % held_bytes != 0) {
    report("it begins at address " + std::to_string(first), held_bytes);
  }
  if (stride_bytes % unit != 0) {
    report("its stride is " + std::to_string(stride_bytes) + " bytes", unit);
  }
}

template <bool kStore>
const Ins* move_fragment(const Ins* ins, Warp& w) noexcept {
  if (!is_whole(w, ins)) return ins + 1;
  const MatrixOp& op = w.block->launch->program->matrices[ins->block];
  const Fragment f = fragment_of(op);
  const Matrix matrix = reach_all<kStore>(ins, w, op, f);
  const auto& registers = kStore ? op.a_registers : op.d_registers;
  const std::size_t bytes = f.element_bits / 8;
  check_alignment(w, ins, addresses_in(w, ins, ins->a)[0] + ins->imm,
                  w.in<std::uint32_t>(ins->b)[0] * bytes, registers.size() * (f.register_bits / 8));
  // Some fragments hold each element twice.
  const auto held = static_cast<std::uint32_t>(registers.size()) * f.per_register();
  for (std::uint32_t i = 0; i < f.elements(); ++i) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      std::uint64_t value = 0;
      std::byte* const at = matrix[index_of(f, f.place(lane, i))];
      if constexpr (kStore) {
        value = element(w, registers, f, lane, i);
        if (at != nullptr) std::memcpy(at, &value, bytes);
      } else {
        if (at != nullptr) std::memcpy(&value, at, bytes);
        for (std::uint32_t copy = i; copy < held; copy += f.elements()) {
          set_element(w, registers, f, lane, copy, value);
        }
      }
    }
  }
  return ins + 1;
}

}  // namespace

Handler fragment_handler(bool store) {
  return store ? &move_fragment<true> : &move_fragment<false>;
}

}  // namespace lab::model
