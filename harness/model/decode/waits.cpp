// Loops that do nothing but wait for a change of global memory, such as those of a grid barrier
// that a kernel makes itself.
#include <algorithm>
#include <vector>

#include "harness/model/decode/decode.h"

namespace lab::model {
namespace {

using ptx::Instruction;
using ptx::Op;
using ptx::Operand;
using ptx::Sub;

/// f(register) for each register in `operand`.
template <typename F>
void each_register(const Operand& operand, F f) {
  if (operand.reg != ptx::kNoIndex) f(operand.reg);
  for (const Operand& part : operand.parts) each_register(part, f);
}

bool same_value(const Operand& a, const Operand& b) {
  if (a.kind != b.kind) return false;
  return a.kind == Operand::Kind::kRegister
             ? a.reg == b.reg
             : a.kind == Operand::Kind::kImmediate && a.bits == b.bits;
}

/// Reads anew each time, and leaves memory as it was: a volatile or ordered load, or an atomic that
/// adds 0 or exchanges a value for itself.
bool reads_anew(const Instruction& ins) {
  if (ins.space != ptx::Space::kGlobal && ins.space != ptx::Space::kGeneric) return false;
  if (ins.op == Op::kLd) {
    return ins.is_volatile || (ins.order != ptx::Order::kNone && ins.order != ptx::Order::kWeak);
  }
  if (ins.op != Op::kAtom || ins.operands.size() < 3) return false;
  if (ins.sub == Sub::kCas) {
    return ins.operands.size() > 3 && same_value(ins.operands[2], ins.operands[3]);
  }
  const bool neutral = ins.sub == Sub::kAdd || ins.sub == Sub::kOr || ins.sub == Sub::kXor;
  return neutral && ins.operands[2].kind == Operand::Kind::kImmediate && ins.operands[2].bits == 0;
}

/// Computes, reads or branches: nobody else sees that it was executed.
bool is_unseen(const Instruction& ins) {
  switch (ins.op) {
    case Op::kAtom:
      return reads_anew(ins);
    case Op::kSt:
    case Op::kRed:
    case Op::kBar:
    case Op::kBarrier:
    case Op::kCall:
    case Op::kSust:
    case Op::kStmatrix:
    case Op::kWmmaStore:
    case Op::kCpAsync:
    case Op::kCpAsyncBulk:
    case Op::kMbarrierInit:
    case Op::kMbarrierArrive:
    case Op::kMbarrierArriveDrop:
    case Op::kMbarrierArriveExpectTx:
      return false;
    default:
      return true;
  }
}

/// The blocks of a loop: those that lead to its last block without passing its first.
class Loop {
 public:
  Loop(const ptx::Function& function, std::uint32_t first, std::uint32_t last)
      : function_(function), in_(function.blocks.size()) {
    in_[first] = in_[last] = true;
    for (bool changed = first != last; changed;) {
      changed = false;
      for (std::size_t b = 0; b < in_.size(); ++b) {
        const auto& next = function.blocks[b].successors;
        const bool leads = std::any_of(next.begin(), next.end(),
                                       [&](std::uint32_t to) { return in_[to] && to != first; });
        if (in_[b] || !leads) continue;
        in_[b] = changed = true;
      }
    }
  }

  /// It has no effect but the time it takes, and ends when a word of memory has another value.
  [[nodiscard]] bool waits() const {
    bool unseen = true;
    each([&](const Instruction& ins) { unseen = unseen && is_unseen(ins); });
    if (!unseen) return false;
    bool found = false;
    each([&](const Instruction& ins) {
      found = found || (reads_anew(ins) && is_fixed(ins.operands[1]) && ends_it(ins));
    });
    return found;
  }

 private:
  template <typename F>
  void each(F f) const {
    for (std::size_t b = 0; b < in_.size(); ++b) {
      const ptx::Block& block = function_.blocks[b];
      for (std::uint32_t i = block.first; in_[b] && i <= block.last; ++i) {
        f(function_.instructions[i]);
      }
    }
  }

  /// No round of the loop changes the address.
  [[nodiscard]] bool is_fixed(const Operand& address) const {
    bool fixed = true;
    each([&](const Instruction& ins) {
      if (ins.operands.empty()) return;
      each_register(ins.operands.front(), [&](std::uint32_t written) {
        // An access's first operand may be an address, which it does not write.
        const bool writes = ins.operands.front().kind != Operand::Kind::kAddress;
        fixed = fixed && !(writes && written == address.reg);
      });
    });
    return fixed;
  }

  /// Whether the value that `read` loads decides if the loop goes on.
  [[nodiscard]] bool ends_it(const Instruction& read) const {
    std::vector<bool> depends(function_.registers.size());
    each_register(read.operands.front(), [&](std::uint32_t r) { depends[r] = true; });
    for (bool changed = true; changed;) {
      changed = false;
      each([&](const Instruction& ins) {
        bool any = ins.guard != ptx::kNoIndex && depends[ins.guard];
        for (std::size_t i = 1; i < ins.operands.size(); ++i) {
          each_register(ins.operands[i], [&](std::uint32_t r) { any = any || depends[r]; });
        }
        if (!any || ins.operands.empty()) return;
        each_register(ins.operands.front(), [&](std::uint32_t r) {
          changed = changed || !depends[r];
          depends[r] = true;
        });
      });
    }
    for (std::size_t b = 0; b < in_.size(); ++b) {
      const ptx::Block& block = function_.blocks[b];
      const Instruction& last = function_.instructions[block.last];
      const bool leaves = std::any_of(block.successors.begin(), block.successors.end(),
                                      [&](std::uint32_t to) { return !in_[to]; });
      if (in_[b] && leaves && last.guard != ptx::kNoIndex && depends[last.guard]) return true;
    }
    return false;
  }

  const ptx::Function& function_;
  std::vector<bool> in_;
};

}  // namespace

bool waits_for_memory(const ptx::Function& function) {
  for (std::uint32_t last = 0; last < function.blocks.size(); ++last) {
    for (const std::uint32_t first : function.blocks[last].successors) {
      if (first <= last && Loop(function, first, last).waits()) return true;
    }
  }
  return false;
}

}  // namespace lab::model
