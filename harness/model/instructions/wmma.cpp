// wmma.load and wmma.store: a matrix in memory, its rows or columns a stride apart, to and from the
// lanes' registers. The PTX ISA leaves open which lane holds which element; here it is as for mma.
// What the compiler makes of them differs from chip to chip, so that their accesses are not
// counted.
#include <cstdint>
#include <cstring>

#include "harness/model/instructions/fragment.h"
#include "harness/model/instructions/handlers.h"
#include "harness/model/instructions/matrix_lanes.h"

namespace lab::model {
namespace {

Fragment fragment_of(const MatrixOp& op) {
  const auto bits = static_cast<std::uint32_t>(ptx::bits_of(op.d));
  return {op.part, op.shape, bits, bits == 64 ? 64U : 32U};
}

/// Where the lanes' element `index` lies.
LaneAddresses addresses_of(const MatrixOp& op, const Fragment& f, const LaneAddresses& first,
                           std::uint64_t stride, std::uint32_t index) {
  LaneAddresses address{};
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const Place at = f.place(lane, index);
    const std::uint64_t elements =
        op.by_column ? at.column * stride + at.row : at.row * stride + at.column;
    address[lane] = first[lane] + elements * (f.element_bits / 8);
  }
  return address;
}

template <bool kStore>
const Ins* move_fragment(const Ins* ins, Warp& w) noexcept {
  if (!is_whole(w, ins)) return ins + 1;
  const MatrixOp& op = w.block->launch->program->matrices[ins->block];
  const Fragment f = fragment_of(op);
  const LaneAddresses first = addresses_in(w, ins, ins->a);
  const std::uint64_t stride = w.in<std::uint32_t>(ins->b)[0];
  const auto& registers = kStore ? op.a_registers : op.d_registers;
  const std::size_t bytes = f.element_bits / 8;
  // Some fragments hold each element twice.
  const auto held = static_cast<std::uint32_t>(registers.size()) * f.per_register();
  for (std::uint32_t i = 0; i < f.elements(); ++i) {
    const LanePointers lanes = reach<kStore>(w, ins, w.sites + ins->extra, kAllLanes,
                                             addresses_of(op, f, first, stride, i));
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      std::uint64_t value = 0;
      std::byte* at = lanes.at[lane];
      const bool good = ((lanes.good >> lane) & 1U) != 0;
      if constexpr (kStore) {
        value = element(w, registers, f, lane, i);
        if (good) std::memcpy(at, &value, bytes);
      } else {
        if (good) std::memcpy(&value, at, bytes);
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
