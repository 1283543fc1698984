// mov, cvta, isspacep, and whatever else only carries values from one register to another.
#include <cstdint>
#include <cstring>

#include "harness/model/execute/block.h"
#include "harness/model/instructions/choose.h"
#include "harness/model/instructions/handlers.h"
#include "harness/model/instructions/lanewise.h"
#include "harness/model/memory/memory.h"

namespace lab::model {
inline namespace LAB_MODEL_ISA {
namespace {

using ptx::Op;
using ptx::Space;
using ptx::Special;
using ptx::Sub;

constexpr bool between(std::uint32_t a, std::uint32_t low, std::uint32_t high) noexcept {
  return low <= a && a <= high;
}
/// The part of a word, `at` bytes after the first one, that lies in the first `size` bytes.
template <typename T>
constexpr T first_bytes(T word, std::uint32_t size, std::uint32_t at) noexcept {
  const std::uint32_t bytes = size > at ? size - at : 0;
  if (bytes >= sizeof(T)) return word;
  return static_cast<T>(word & ((T{1} << (8 * bytes)) - 1));
}

template <typename T>
T same(T a) noexcept {
  return a;
}

/// %clock and the like: a number that grows, so that a kernel that measures time sees some pass.
template <typename T, unsigned kShift>
const Ins* read_clock(const Ins* ins, Warp& w) noexcept {
  const T now = static_cast<T>(w.block->tick() >> kShift);
  store_lanes<T>(w, ins->d, [=](unsigned) { return now; });
  return ins + 1;
}

Found find_clock(const Shape& s) {
  const bool high = s.ins.operands[1].special == Special::kClockHi ||
                    s.ins.operands[1].special == Special::kGlobaltimerHi;
  if (ptx::bits_of(s.ins.type) == 64) return {&read_clock<std::uint64_t, 0>, {8}};
  if (high) return {&read_clock<std::uint32_t, 32>, {4}};
  return {&read_clock<std::uint32_t, 0>, {4}};
}

bool is_clock(const ptx::Operand& operand) {
  if (operand.kind != ptx::Operand::Kind::kSpecial) return false;
  switch (operand.special) {
    case Special::kClock:
    case Special::kClockHi:
    case Special::kClock64:
    case Special::kGlobaltimer:
    case Special::kGlobaltimerLo:
    case Special::kGlobaltimerHi:
      return true;
    default:
      return false;
  }
}

Found find_copy(std::size_t bytes) {
  if (bytes == Found::kPredicate) return lanewise<&same<bool>>();
  return choose_register(bytes, []<typename T>() { return lanewise<&same<T>>(); });
}

Found find_mov(const Shape& s) {
  if (s.ins.operands.size() == 2 && is_clock(s.ins.operands[1])) return find_clock(s);
  const int bits = ptx::bits_of(s.ins.type);
  return find_copy(bits == 1 ? std::size_t{Found::kPredicate} : static_cast<std::size_t>(bits) / 8);
}

template <std::uint64_t kWindow>
std::uint64_t to_generic(std::uint64_t a) noexcept {
  return a + kWindow;
}
template <std::uint64_t kWindow>
std::uint64_t from_generic(std::uint64_t a) noexcept {
  return a - kWindow;
}

Found find_cvta(const Shape& s) {
  if (ptx::bits_of(s.ins.type) != 64) return {};
  const bool to = s.ins.sub == Sub::kTo;
  switch (s.ins.space) {
    case Space::kShared:
      return to ? lanewise<&from_generic<kSharedWindow>>() : lanewise<&to_generic<kSharedWindow>>();
    case Space::kLocal:
      return to ? lanewise<&from_generic<kLocalWindow>>() : lanewise<&to_generic<kLocalWindow>>();
    default:
      return lanewise<&same<std::uint64_t>>();
  }
}

// An address that is mapped to the block itself is its own, as on the GPU. An address outside
// shared memory stays as it is.
template <typename T, std::uint64_t kBase>
const Ins* map_to_block(const Ins* ins, Warp& w) noexcept {
  const auto* from = w.in<T>(ins->a);
  const auto* rank = w.in<std::uint32_t>(ins->b);
  const std::uint32_t own = w.block->cluster_rank();
  store_lanes<T>(w, ins->d, [=](unsigned i) {
    const std::uint64_t at = from[i] - kBase;
    if (at >= kClusterBytes) return T{from[i]};
    if (rank[i] == own) return static_cast<T>(kBase + at % kWindowBytes);
    const std::uint64_t window = 1 + (rank[i] < kMostOfCluster ? rank[i] : kMostOfCluster);
    return static_cast<T>(kBase + at % kWindowBytes + window * kWindowBytes);
  });
  return ins + 1;
}
template <typename T, std::uint64_t kBase>
const Ins* block_of(const Ins* ins, Warp& w) noexcept {
  const auto* from = w.in<T>(ins->a);
  const std::uint32_t own = w.block->cluster_rank();
  store_lanes<std::uint32_t>(w, ins->d, [=](unsigned i) {
    const std::uint64_t window = (from[i] - kBase) / kWindowBytes;
    return window == 0 ? own : static_cast<std::uint32_t>(window - 1);
  });
  return ins + 1;
}

Found find_mapa(const Shape& s) {
  if (s.ins.type == ptx::Type::kU32) return {&map_to_block<std::uint32_t, 0>, {4}, {4, 4}};
  return {s.ins.space == Space::kShared ? &map_to_block<std::uint64_t, 0>
                                        : &map_to_block<std::uint64_t, kSharedWindow>,
          {8},
          {8, 4}};
}
Found find_getctarank(const Shape& s) {
  if (s.ins.type == ptx::Type::kU32) return {&block_of<std::uint32_t, 0>, {4}, {4}};
  return {s.ins.space == Space::kShared ? &block_of<std::uint64_t, 0>
                                        : &block_of<std::uint64_t, kSharedWindow>,
          {4},
          {8}};
}

// Nothing but a cache's hint takes a policy, so that any number does.
const Ins* make_policy(const Ins* ins, Warp& w) noexcept {
  store_lanes<std::uint64_t>(w, ins->d, [](unsigned) { return std::uint64_t{0}; });
  return ins + 1;
}
Found find_policy(const Shape&) { return {&make_policy, {8}}; }

template <AddressKind kKind>
bool is_space(std::uint64_t a) noexcept {
  return kind_of(a) == kKind;
}
bool is_const_space(std::uint64_t a) noexcept { return is_constant(a); }
bool no_space(std::uint64_t) noexcept { return false; }

Found find_isspacep(const Shape& s) {
  switch (s.ins.space) {
    case Space::kShared:
      return lanewise<&is_space<AddressKind::kShared>>();
    case Space::kLocal:
      return lanewise<&is_space<AddressKind::kLocal>>();
    case Space::kGlobal:
      return lanewise<&is_space<AddressKind::kGlobal>>();
    case Space::kConst:
      return lanewise<&is_const_space>();
    default:
      return lanewise<&no_space>();
  }
}

// A register of 8 bits takes 16.
template <std::size_t kPart>
constexpr std::size_t kStep = kPart < 2 ? 2 : kPart;

template <std::size_t kWhole, std::size_t kPart>
const Ins* take_part(const Ins* ins, Warp& w) noexcept {
  const std::byte* from = w.at(ins->a) + ins->imm * kPart;
  std::byte* to = w.at(ins->d);
  for (unsigned i = 0; i < kLanes; ++i) {
    if (((w.mask >> i) & 1U) != 0) std::memcpy(to + i * kStep<kPart>, from + i * kWhole, kPart);
  }
  return ins + 1;
}
template <std::size_t kWhole, std::size_t kPart>
const Ins* put_part(const Ins* ins, Warp& w) noexcept {
  const std::byte* from = w.at(ins->a);
  std::byte* to = w.at(ins->d) + ins->imm * kPart;
  for (unsigned i = 0; i < kLanes; ++i) {
    if (((w.mask >> i) & 1U) != 0) std::memcpy(to + i * kWhole, from + i * kStep<kPart>, kPart);
  }
  return ins + 1;
}

const Ins* copy_wide(const Ins* ins, Warp& w) noexcept {
  constexpr std::size_t kBytes = 16;
  for (unsigned i = 0; i < kLanes; ++i) {
    if (((w.mask >> i) & 1U) == 0) continue;
    std::memcpy(w.at(ins->d) + i * kBytes, w.at(ins->a) + i * kBytes, kBytes);
  }
  return ins + 1;
}

template <std::size_t kWhole, std::size_t kPart>
Handler part_of(bool takes_out) {
  return takes_out ? &take_part<kWhole, kPart> : &put_part<kWhole, kPart>;
}

constexpr Row kRows[] = {
    {Op::kMov, find_mov},
    {Op::kCvta, find_cvta},
    {Op::kMapa, find_mapa},
    {Op::kGetctarank, find_getctarank},
    {Op::kIsspacep, find_isspacep},
    {Op::kCreatepolicyFractional, find_policy},
    {Op::kCreatepolicyRange, find_policy},
    {Op::kCreatepolicyCvt, find_policy},
};

}  // namespace

std::span<const Row> move_rows() { return kRows; }

AsyncHandlers async_handlers() {
  return {lanewise<&between>().fn, lanewise<&first_bytes<std::uint32_t>>().fn,
          lanewise<&first_bytes<std::uint64_t>>().fn};
}

Handler copy_handler(std::uint32_t bytes) { return bytes == 16 ? &copy_wide : find_copy(bytes).fn; }

Handler part_handler(bool takes_out, std::uint32_t whole, std::uint32_t part) {
  if (whole == 2 && part == 1) return part_of<2, 1>(takes_out);
  if (whole == 4 && part == 1) return part_of<4, 1>(takes_out);
  if (whole == 4 && part == 2) return part_of<4, 2>(takes_out);
  if (whole == 8 && part == 4) return part_of<8, 4>(takes_out);
  if (whole == 8 && part == 2) return part_of<8, 2>(takes_out);
  if (whole == 16 && part == 8) return part_of<16, 8>(takes_out);
  if (whole == 16 && part == 4) return part_of<16, 4>(takes_out);
  return nullptr;
}

}  // namespace LAB_MODEL_ISA
}  // namespace lab::model
