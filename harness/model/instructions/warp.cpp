// Operations between the lanes of a warp.
//
// The hardware would wait for a lane that the mask names but that does not execute here. By the
// rules of reconvergence it cannot come, so it is reported and left out.
#include <cstdint>

#include "harness/model/execute/block.h"
#include "harness/model/instructions/choose.h"
#include "harness/model/instructions/handlers.h"
#include "harness/model/instructions/lanewise.h"
#include "harness/model/semantics/warp.h"

namespace lab::model {
inline namespace LAB_MODEL_ISA {
namespace {

using ptx::Op;
using ptx::Sub;
using ptx::Type;
namespace sem = semantics;

constexpr std::uint8_t kBool = Found::kPredicate;

/// Reports lanes that `named` names but that are elsewhere, and executing lanes that it leaves out.
inline void check_members(Warp& w, const Ins* ins, std::uint32_t group, std::uint32_t named) {
  const std::uint32_t elsewhere = named & w.live & ~w.mask;
  if (elsewhere != 0) [[unlikely]] {
    w.block->absent_lanes(w, ins, elsewhere);
  }
  const std::uint32_t unnamed = group & ~named;
  if (unnamed != 0) [[unlikely]] {
    w.block->absent_caller(w, ins, static_cast<unsigned>(__builtin_ctz(unnamed)));
  }
}

/// Lanes of the executing split grouped by the member mask each names: usually one group.
/// f(members) runs once per group, with the lanes that are named and execute.
template <typename F>
[[gnu::always_inline]] inline void each_group(Warp& w, const Ins* ins, Slot slot, F f) {
  const auto* masks = w.in<std::uint32_t>(slot);
  std::uint32_t left = w.mask;
  const std::uint32_t first = masks[__builtin_ctz(left)];
  std::uint32_t other = 0;
  for (unsigned i = 0; i < kLanes; ++i) other |= std::uint32_t{masks[i] != first} << i;
  if ((other & left) == 0) {
    check_members(w, ins, left, first);
    return f(left);
  }
  while (left != 0) {
    const std::uint32_t named = masks[__builtin_ctz(left)];
    std::uint32_t group = 0;
    for (std::uint32_t rest = left; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
      if (masks[lane] == named) group |= 1U << lane;
    }
    check_members(w, ins, group, named);
    f(group);
    left &= ~group;
  }
}

template <Sub kMode>
LAB_HANDLER const Ins* shfl(const Ins* ins, Warp& w) noexcept {
  const auto* a = w.in<std::uint32_t>(ins->a);
  const auto* b = w.in<std::uint32_t>(ins->b);
  const auto* c = w.in<std::uint32_t>(ins->c);
  each_group(w, ins, ins->e, [](std::uint32_t) {});
  if (w.mask != kAllLanes) {
    const std::uint32_t bad = sem::bad_shuffle_sources<kMode>(b, c, w.mask);
    if (bad != 0) [[unlikely]] {
      std::uint32_t sources = 0;
      for (std::uint32_t left = bad; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctz(left));
        sources |= 1U << sem::shuffle_source<kMode>(lane, b[lane], c[lane]).lane;
      }
      w.block->inactive_source(w, ins, static_cast<unsigned>(__builtin_ctz(bad)), sources);
    }
  }
  const sem::Shuffled got = sem::shuffle<kMode>(a, b, c, w.mask);
  store_lanes<std::uint32_t>(w, ins->d, [&](unsigned i) { return got.values[i]; });
  w.set_predicate(ins->d2, got.in_range);
  return ins + 1;
}
Found find_shfl(const Shape& s) {
  return choose<Sub::kIdx, Sub::kUp, Sub::kDown, Sub::kBfly>(s.ins.sub, []<Sub kMode>() {
    return Found{&shfl<kMode>, {4, kBool}, {4, 4, 4, 4}};
  });
}

template <Sub kMode>
LAB_HANDLER const Ins* vote(const Ins* ins, Warp& w) noexcept {
  const std::uint32_t source = w.predicate(ins->a);
  if constexpr (kMode == Sub::kBallot) {
    Lane<std::uint32_t>* d = w.out<std::uint32_t>(ins->d);
    each_group(w, ins, ins->b, [&](std::uint32_t members) {
      const std::uint32_t result = sem::vote<kMode>(source, members);
      for (unsigned i = 0; i < kLanes; ++i) d[i] = ((members >> i) & 1U) != 0 ? result : d[i];
    });
  } else {
    std::uint32_t bits = 0;
    each_group(w, ins, ins->b, [&](std::uint32_t members) {
      bits |= sem::vote<kMode>(source, members) != 0 ? members : 0U;
    });
    w.set_predicate(ins->d, bits);
  }
  return ins + 1;
}
Found find_vote(const Shape& s) {
  return choose<Sub::kBallot, Sub::kAll, Sub::kAny, Sub::kUniVote>(s.ins.sub, []<Sub kMode>() {
    return Found{&vote<kMode>, {kMode == Sub::kBallot ? std::uint8_t{4} : kBool}, {kBool, 4}};
  });
}

template <typename T>
LAB_HANDLER const Ins* match_any(const Ins* ins, Warp& w) noexcept {
  const auto* values = w.in<T>(ins->a);
  Lane<std::uint32_t>* d = w.out<std::uint32_t>(ins->d);
  each_group(w, ins, ins->b, [&](std::uint32_t members) {
    const auto result = sem::match_any(values, members);
    for (unsigned i = 0; i < kLanes; ++i) d[i] = ((members >> i) & 1U) != 0 ? result[i] : d[i];
  });
  return ins + 1;
}
template <typename T>
LAB_HANDLER const Ins* match_all(const Ins* ins, Warp& w) noexcept {
  const auto* values = w.in<T>(ins->a);
  Lane<std::uint32_t>* d = w.out<std::uint32_t>(ins->d);
  std::uint32_t matched = 0;
  each_group(w, ins, ins->b, [&](std::uint32_t members) {
    const std::uint32_t result = sem::match_all(values, members);
    matched |= result;
    for (unsigned i = 0; i < kLanes; ++i) d[i] = ((members >> i) & 1U) != 0 ? result : d[i];
  });
  w.set_predicate(ins->d2, matched);
  return ins + 1;
}
Found find_match(const Shape& s) {
  const bool wide = s.ins.type == Type::kB64;
  const std::uint8_t bytes = wide ? 8 : 4;
  if (s.ins.sub == Sub::kAny) {
    return {wide ? &match_any<std::uint64_t> : &match_any<std::uint32_t>, {4}, {bytes, 4}};
  }
  return {wide ? &match_all<std::uint64_t> : &match_all<std::uint32_t>, {4, kBool}, {bytes, 4}};
}

template <Sub kOp, typename T>
LAB_HANDLER const Ins* redux(const Ins* ins, Warp& w) noexcept {
  const auto* values = w.in<T>(ins->a);
  Lane<T>* d = w.out<T>(ins->d);
  each_group(w, ins, ins->b, [&](std::uint32_t members) {
    T lanes[kLanes];
    for (unsigned i = 0; i < kLanes; ++i) lanes[i] = values[i];
    const T result = sem::redux<kOp>(static_cast<const T*>(lanes), members);
    for (unsigned i = 0; i < kLanes; ++i) {
      d[i] = ((members >> i) & 1U) != 0 ? result : static_cast<T>(d[i]);
    }
  });
  return ins + 1;
}
template <typename T>
Found find_redux_of(Sub op) {
  return choose<Sub::kAdd, Sub::kMin, Sub::kMax, Sub::kAnd, Sub::kOr, Sub::kXor>(op, []<Sub kOp>() {
    return Found{&redux<kOp, T>, {4}, {4, 4}};
  });
}
Found find_redux(const Shape& s) {
  return s.ins.type == Type::kS32 ? find_redux_of<std::int32_t>(s.ins.sub)
                                  : find_redux_of<std::uint32_t>(s.ins.sub);
}

LAB_HANDLER const Ins* activemask(const Ins* ins, Warp& w) noexcept {
  const std::uint32_t mask = w.mask;
  store_lanes<std::uint32_t>(w, ins->d, [=](unsigned) { return mask; });
  return ins + 1;
}
Found find_activemask(const Shape&) { return {&activemask, {4}}; }

LAB_HANDLER const Ins* elect(const Ins* ins, Warp& w) noexcept {
  Lane<std::uint32_t>* d = w.out<std::uint32_t>(ins->d);
  std::uint32_t elected = 0;
  each_group(w, ins, ins->a, [&](std::uint32_t members) {
    const std::uint32_t leader = sem::elect(members);
    elected |= 1U << leader;
    for (unsigned i = 0; i < kLanes; ++i) d[i] = ((members >> i) & 1U) != 0 ? leader : d[i];
  });
  w.set_predicate(ins->d2, elected);
  return ins + 1;
}
Found find_elect(const Shape&) { return {&elect, {4, kBool}, {4}}; }

constexpr Row kRows[] = {
    {Op::kShfl, find_shfl},   {Op::kVote, find_vote},   {Op::kMatch, find_match},
    {Op::kRedux, find_redux}, {Op::kElect, find_elect}, {Op::kActivemask, find_activemask},
};

}  // namespace

std::span<const Row> warp_rows() { return kRows; }

}  // namespace LAB_MODEL_ISA
}  // namespace lab::model
