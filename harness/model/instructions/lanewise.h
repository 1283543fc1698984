// Turns a function of one lane into a handler for 32 of them.
#pragma once

#include <cstdint>
#include <type_traits>

#include "harness/model/code/instruction.h"
#include "harness/model/execute/isa.h"
#include "harness/model/execute/warp.h"
#include "harness/model/instructions/lane_mask.h"

namespace lab::model {
inline namespace LAB_MODEL_ISA {

/// Reads one source operand lane by lane: a register, or for bool a predicate's bit.
template <typename T>
struct Source {
  const Lane<T>* at;
  Source(const Warp& w, Slot slot) : at(w.in<T>(slot)) {}
  T operator[](unsigned lane) const { return at[lane]; }
};
template <>
struct Source<bool> {
  std::uint32_t bits;
  Source(const Warp& w, Slot slot) : bits(w.predicate(slot)) {}
  bool operator[](unsigned lane) const { return ((bits >> lane) & 1U) != 0; }
};

/// Stores f(lane) in `slot` for the active lanes. Lanes that do not exist may be overwritten, so no
/// mask is needed as long as the warp has not diverged.
template <typename R, typename F>
[[gnu::always_inline]] inline void store_lanes(Warp& w, Slot slot, F f) {
  if constexpr (std::is_same_v<R, bool>) {
    w.set_predicate(slot, lane_mask<4>(f));
  } else {
    Lane<R>* d = w.out<R>(slot);
    if (w.converged()) {
      LAB_LANES
      for (unsigned i = 0; i < kLanes; ++i) d[i] = f(i);
    } else {
      const std::uint32_t mask = w.mask;
      LAB_LANES
      for (unsigned i = 0; i < kLanes; ++i) {
        const R value = f(i);
        d[i] = ((mask >> i) & 1U) != 0 ? value : static_cast<R>(d[i]);
      }
    }
  }
}

template <auto F, typename Signature>
struct Lanewise;

template <auto F, typename R, typename A>
struct Lanewise<F, R (*)(A)> {
  LAB_HANDLER static const Ins* run(const Ins* ins, Warp& w) noexcept {
    const Source<A> a(w, ins->a);
    store_lanes<R>(w, ins->d, [=](unsigned i) { return F(a[i]); });
    return ins + 1;
  }
  static constexpr Found found() { return {&run, {width<R>()}, {width<A>()}, true}; }
};
template <auto F, typename R, typename A, typename B>
struct Lanewise<F, R (*)(A, B)> {
  LAB_HANDLER static const Ins* run(const Ins* ins, Warp& w) noexcept {
    const Source<A> a(w, ins->a);
    const Source<B> b(w, ins->b);
    store_lanes<R>(w, ins->d, [=](unsigned i) { return F(a[i], b[i]); });
    return ins + 1;
  }
  static constexpr Found found() { return {&run, {width<R>()}, {width<A>(), width<B>()}, true}; }
};
template <auto F, typename R, typename A, typename B, typename C>
struct Lanewise<F, R (*)(A, B, C)> {
  LAB_HANDLER static const Ins* run(const Ins* ins, Warp& w) noexcept {
    const Source<A> a(w, ins->a);
    const Source<B> b(w, ins->b);
    const Source<C> c(w, ins->c);
    store_lanes<R>(w, ins->d, [=](unsigned i) { return F(a[i], b[i], c[i]); });
    return ins + 1;
  }
  static constexpr Found found() {
    return {&run, {width<R>()}, {width<A>(), width<B>(), width<C>()}, true};
  }
};
template <auto F, typename R, typename A, typename B, typename C, typename D>
struct Lanewise<F, R (*)(A, B, C, D)> {
  LAB_HANDLER static const Ins* run(const Ins* ins, Warp& w) noexcept {
    const Source<A> a(w, ins->a);
    const Source<B> b(w, ins->b);
    const Source<C> c(w, ins->c);
    const Source<D> e(w, ins->e);
    store_lanes<R>(w, ins->d, [=](unsigned i) { return F(a[i], b[i], c[i], e[i]); });
    return ins + 1;
  }
  static constexpr Found found() {
    return {&run, {width<R>()}, {width<A>(), width<B>(), width<C>(), width<D>()}, true};
  }
};
// noexcept is part of a function's type.
template <auto F, typename R, typename... A>
struct Lanewise<F, R (*)(A...) noexcept> : Lanewise<F, R (*)(A...)> {};

/// The handler that applies the pure function F to each active lane, with the operand widths of
/// F's signature: `lanewise<&semantics::add<std::int32_t>>()`.
template <auto F>
constexpr Found lanewise() {
  return Lanewise<F, decltype(F)>::found();
}

}  // namespace LAB_MODEL_ISA
}  // namespace lab::model
