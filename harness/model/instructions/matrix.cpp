// ldmatrix, stmatrix, movmatrix: 8 x 8 matrices of 16-bit elements. Lane 8 i + r has the address of
// row r of matrix i; each lane's register i holds two neighbours of row lane / 4 of matrix i, or of
// its column with .trans (PTX ISA, "Warp-level matrix load instruction: ldmatrix").
#include <array>
#include <cstdint>
#include <cstring>

#include "harness/model/instructions/handlers.h"
#include "harness/model/instructions/matrix_lanes.h"

namespace lab::model {
namespace {

constexpr std::size_t kSide = 8;
using Matrix = std::array<std::array<std::uint16_t, kSide>, kSide>;

std::uint32_t pair_of(const Matrix& m, unsigned lane, bool trans) {
  const unsigned along = lane / 4;
  const unsigned first = lane % 4 * 2;
  const std::uint32_t low = trans ? m[first][along] : m[along][first];
  const std::uint32_t high = trans ? m[first + 1][along] : m[along][first + 1];
  return low | high << 16U;
}

void set_pair(Matrix& m, unsigned lane, bool trans, std::uint32_t pair) {
  const unsigned along = lane / 4;
  const unsigned first = lane % 4 * 2;
  (trans ? m[first][along] : m[along][first]) = static_cast<std::uint16_t>(pair);
  (trans ? m[first + 1][along] : m[along][first + 1]) = static_cast<std::uint16_t>(pair >> 16U);
}

const MatrixOp& op_of(const Ins* ins, const Warp& w) {
  return w.block->launch->program->matrices[ins->block];
}
/// The lanes whose addresses count.
std::uint32_t rows_of(const MatrixOp& op) {
  return op.matrices == 4 ? kAllLanes : (1U << (kSide * op.matrices)) - 1U;
}

const Ins* load_rows(const Ins* ins, Warp& w) noexcept {
  if (!is_whole(w, ins)) return ins + 1;
  const MatrixOp& op = op_of(ins, w);
  const LanePointers rows =
      reach<false>(w, ins, w.sites + ins->extra, rows_of(op), addresses_in(w, ins, ins->a));
  std::array<Matrix, 4> matrices{};
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (((rows.good >> lane) & 1U) == 0) continue;
    auto& row = matrices[lane / kSide][lane % kSide];
    std::memcpy(row.data(), rows.at[lane], sizeof row);
  }
  for (std::size_t i = 0; i < op.matrices; ++i) {
    auto* d = w.out<std::uint32_t>(op.d_registers[i]);
    for (unsigned lane = 0; lane < kLanes; ++lane) d[lane] = pair_of(matrices[i], lane, op.trans);
  }
  return ins + 1;
}

const Ins* store_rows(const Ins* ins, Warp& w) noexcept {
  if (!is_whole(w, ins)) return ins + 1;
  const MatrixOp& op = op_of(ins, w);
  const LanePointers rows =
      reach<true>(w, ins, w.sites + ins->extra, rows_of(op), addresses_in(w, ins, ins->a));
  std::array<Matrix, 4> matrices{};
  for (std::size_t i = 0; i < op.matrices; ++i) {
    const auto* a = w.in<std::uint32_t>(op.a_registers[i]);
    for (unsigned lane = 0; lane < kLanes; ++lane) set_pair(matrices[i], lane, op.trans, a[lane]);
  }
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (((rows.good >> lane) & 1U) == 0) continue;
    const auto& row = matrices[lane / kSide][lane % kSide];
    std::memcpy(rows.at[lane], row.data(), sizeof row);
  }
  return ins + 1;
}

const Ins* transpose(const Ins* ins, Warp& w) noexcept {
  if (!is_whole(w, ins)) return ins + 1;
  const auto* a = w.in<std::uint32_t>(ins->a);
  auto* d = w.out<std::uint32_t>(ins->d);
  Matrix matrix{};
  for (unsigned lane = 0; lane < kLanes; ++lane) set_pair(matrix, lane, false, a[lane]);
  for (unsigned lane = 0; lane < kLanes; ++lane) d[lane] = pair_of(matrix, lane, true);
  return ins + 1;
}

}  // namespace

MatrixHandlers matrix_handlers() {
  return {&load_rows,
          &store_rows,
          &transpose,
          multiply_handler(),
          fragment_handler(false),
          fragment_handler(true)};
}

}  // namespace lab::model
