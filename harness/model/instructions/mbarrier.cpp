// mbarrier: objects in shared memory at which threads, and copies, arrive. Lanes go one after
// another. A wait that fails lets other warps run before the program looks again.
#include <cstdint>
#include <cstring>
#include <string>

#include "harness/model/execute/splits.h"
#include "harness/model/instructions/handlers.h"
#include "harness/model/instructions/matrix_lanes.h"
#include "harness/model/semantics/mbarrier.h"

namespace lab::model {
namespace {

using ptx::Op;
namespace sem = semantics;

/// The objects are checked for bounds and alignment, and not for races: that is what they are for.
LanePointers objects(Warp& w, const Ins* ins, LaneAddresses& address) {
  for (std::uint64_t& at : address) {
    if (at + ins->imm - kSharedWindow < kWindowBytes) at -= kSharedWindow;
  }
  return resolve_lanes(w, ins, w.sites[ins->extra], w.mask, address.data());
}

template <Op kOp>
sem::Mbarrier apply(sem::Mbarrier m, std::uint32_t count) {
  switch (kOp) {
    case Op::kMbarrierInit:
      return {count, count, 0, false};
    case Op::kMbarrierArrive:
    case Op::kCpAsyncMbarrierArrive:
      return sem::arrive(m, count);
    case Op::kMbarrierArriveExpectTx:
      return sem::arrive(sem::expect_bytes(m, count), 1);
    case Op::kMbarrierArriveDrop:
      return sem::drop(m, count);
    case Op::kMbarrierExpectTx:
      return sem::expect_bytes(m, count);
    case Op::kMbarrierCompleteTx:
      return sem::complete_bytes(m, count);
    default:
      return m;
  }
}

/// It was initialised, and is what operations on it have left there.
bool is_known(const Warp& w, std::uint64_t address, std::uint64_t bits) {
  const auto found = w.block->mbarriers.find(address);
  return found != w.block->mbarriers.end() && found->second == bits;
}

void report(const Warp& w, const Ins* ins, unsigned lane, const std::string& what) {
  w.block->fault(w, FindingKind::kInvalidBarrier, ins, lane, what);
}

/// Where `bits` lie an mbarrier for `count` arrivals begins.
void check_new(const Warp& w, const Ins* ins, unsigned lane, std::uint64_t address,
               std::uint64_t bits, std::uint32_t count) {
  if (count == 0 || count > sem::kMostArrivals) {
    report(w, ins, lane,
           "an mbarrier can't wait for " + std::to_string(count) + " arrivals: from 1 to " +
               std::to_string(sem::kMostArrivals));
  }
  const sem::Mbarrier m = sem::unpack(bits);
  if (!is_known(w, address, bits) || (m.pending == m.expected && m.bytes == 0)) return;
  report(w, ins, lane,
         "an mbarrier is initialised again while its phase waits for " + std::to_string(m.pending) +
             " arrivals and " + std::to_string(m.bytes) + " bytes");
}

/// `count`: of an mbarrier in state `m`, how many arrive.
template <Op kOp>
void check_arrival(const Warp& w, const Ins* ins, unsigned lane, const sem::Mbarrier& m,
                   std::uint32_t count) {
  constexpr bool kArrives = kOp == Op::kMbarrierArrive || kOp == Op::kMbarrierArriveDrop ||
                            kOp == Op::kMbarrierArriveExpectTx || kOp == Op::kCpAsyncMbarrierArrive;
  const std::uint32_t arriving = kOp == Op::kMbarrierArriveExpectTx ? 1 : count;
  if (!kArrives || arriving <= m.pending) return;
  report(w, ins, lane,
         std::to_string(arriving) + " arrive at an mbarrier whose phase waits for " +
             std::to_string(m.pending) + " more");
}

constexpr SyncEvent::What what_of(Op op) {
  if (op == Op::kMbarrierInit || op == Op::kMbarrierInval) return SyncEvent::What::kBegin;
  return op == Op::kCpAsyncMbarrierArrive ? SyncEvent::What::kCopies : SyncEvent::What::kArrive;
}

/// Tells the block's observer of what lanes do to mbarriers: of neighbours on one object, and in
/// one phase of it, together.
class Teller {
 public:
  Teller(const Warp& warp, SyncEvent::What what) : observer_(warp.block->observer) {
    event_.warp = &warp;
    event_.what = what;
  }
  void add(unsigned lane, std::uint64_t address, bool ends_phase) {
    if (observer_ == nullptr) return;
    if (address != event_.address) flush();
    event_.address = address;
    event_.lanes |= 1U << lane;
    event_.ends_phase = ends_phase;
    if (ends_phase) flush();
  }
  void flush() {
    if (event_.lanes != 0) observer_->synchronised(event_);
    event_.lanes = 0;
  }

 private:
  Observer* observer_;
  SyncEvent event_;
};

/// `b`: how many arrive, or how many bytes. `d`: the state before.
template <Op kOp, bool kReturns>
const Ins* update(const Ins* ins, Warp& w) noexcept {
  LaneAddresses address = addresses_in(w, ins, ins->a);
  const LanePointers lanes = objects(w, ins, address);
  const auto* count = w.in<std::uint32_t>(ins->b);
  constexpr bool kNew = kOp == Op::kMbarrierInit || kOp == Op::kMbarrierInval;
  Teller teller(w, what_of(kOp));
  for (std::uint32_t left = lanes.good; left != 0; left &= left - 1) {
    const auto i = static_cast<unsigned>(__builtin_ctz(left));
    std::uint64_t bits = 0;
    std::memcpy(&bits, lanes.at[i], sizeof bits);
    if constexpr (kReturns) w.out<std::uint64_t>(ins->d)[i] = bits;
    const std::uint64_t at = address[i] + ins->imm;
    if constexpr (kOp == Op::kMbarrierInit) {
      check_new(w, ins, i, at, bits, count[i]);
    } else {
      w.block->check_mbarrier(w, ins, i, at, bits);
      if (is_known(w, at, bits)) check_arrival<kOp>(w, ins, i, sem::unpack(bits), count[i]);
    }
    const sem::Mbarrier before = sem::unpack(bits);
    const sem::Mbarrier after = apply<kOp>(before, count[i]);
    bits = sem::pack(after);
    std::memcpy(lanes.at[i], &bits, sizeof bits);
    if constexpr (kOp == Op::kMbarrierInval) {
      w.block->mbarriers.erase(at);
    } else {
      w.block->mbarriers[at] = bits;
    }
    teller.add(i, at, !kNew && before.parity != after.parity);
  }
  teller.flush();
  return ins + 1;
}

/// `d`: whether the phase is complete that `b` names, by a state or by its parity.
template <bool kByParity>
const Ins* wait(const Ins* ins, Warp& w) noexcept {
  LaneAddresses address = addresses_in(w, ins, ins->a);
  const LanePointers lanes = objects(w, ins, address);
  std::uint32_t done = w.mask & ~lanes.good;  // what is reported does not wait
  Teller teller(w, SyncEvent::What::kWaited);
  for (std::uint32_t left = lanes.good; left != 0; left &= left - 1) {
    const auto i = static_cast<unsigned>(__builtin_ctz(left));
    std::uint64_t bits = 0;
    std::memcpy(&bits, lanes.at[i], sizeof bits);
    w.block->check_mbarrier(w, ins, i, address[i] + ins->imm, bits);
    const bool parity = kByParity ? (w.in<std::uint32_t>(ins->b)[i] & 1U) != 0
                                  : sem::unpack(w.in<std::uint64_t>(ins->b)[i]).parity;
    if (!sem::is_past(sem::unpack(bits), parity)) continue;
    done |= 1U << i;
    teller.add(i, address[i] + ins->imm, false);
  }
  teller.flush();
  w.set_predicate(ins->d, done);
  if ((w.mask & ~done) == 0) return ins + 1;
  return w.splits->rotate(w, ins + 1, kNone) ? w.splits->resume(w) : nullptr;
}

template <Op kOp>
Handler pick(bool returns) {
  return returns ? &update<kOp, true> : &update<kOp, false>;
}

}  // namespace

Handler mbarrier_handler(Op op, bool returns) {
  switch (op) {
    case Op::kMbarrierInit:
      return pick<Op::kMbarrierInit>(false);
    case Op::kMbarrierInval:
      return pick<Op::kMbarrierInval>(false);
    case Op::kMbarrierArrive:
      return pick<Op::kMbarrierArrive>(returns);
    case Op::kCpAsyncMbarrierArrive:
      return pick<Op::kCpAsyncMbarrierArrive>(false);
    case Op::kMbarrierArriveExpectTx:
      return pick<Op::kMbarrierArriveExpectTx>(returns);
    case Op::kMbarrierArriveDrop:
      return pick<Op::kMbarrierArriveDrop>(returns);
    case Op::kMbarrierExpectTx:
      return pick<Op::kMbarrierExpectTx>(false);
    case Op::kMbarrierCompleteTx:
      return pick<Op::kMbarrierCompleteTx>(false);
    case Op::kMbarrierTestWait:
    case Op::kMbarrierTryWait:
      return &wait<false>;
    case Op::kMbarrierTestWaitParity:
    case Op::kMbarrierTryWaitParity:
      return &wait<true>;
    default:
      return nullptr;
  }
}

}  // namespace lab::model
