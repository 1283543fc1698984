#include "harness/model/decode/loop.h"

#include <algorithm>

namespace lab::model {
namespace {

using ptx::Instruction;
using ptx::Op;
using ptx::Operand;
using ptx::Sub;

/// f(register) for each register in `operand`.
template <typename F>
void for_registers(const Operand& operand, F f) {
  if (operand.reg != ptx::kNoIndex) f(operand.reg);
  for (const Operand& part : operand.parts) for_registers(part, f);
}

bool same_value(const Operand& a, const Operand& b) {
  if (a.kind != b.kind) return false;
  return a.kind == Operand::Kind::kRegister
             ? a.reg == b.reg
             : a.kind == Operand::Kind::kImmediate && a.bits == b.bits;
}

/// An access's first operand may be an address, which it does not write.
bool writes_first(const Instruction& ins) {
  return !ins.operands.empty() && ins.operands.front().kind != Operand::Kind::kAddress;
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

bool ends_thread(const Instruction& ins) { return ins.op == Op::kRet || ins.op == Op::kExit; }

}  // namespace

bool is_fresh_load(const Instruction& ins) {
  return ins.op == Op::kLd &&
         (ins.is_volatile || (ins.order != ptx::Order::kNone && ins.order != ptx::Order::kWeak));
}

bool reads_anew(const Instruction& ins) {
  if (ins.space != ptx::Space::kGlobal && ins.space != ptx::Space::kGeneric) return false;
  if (ins.op == Op::kLd) return is_fresh_load(ins);
  if (ins.op != Op::kAtom || ins.operands.size() < 3) return false;
  if (ins.sub == Sub::kCas) {
    return ins.operands.size() > 3 && same_value(ins.operands[2], ins.operands[3]);
  }
  const bool neutral = ins.sub == Sub::kAdd || ins.sub == Sub::kOr || ins.sub == Sub::kXor;
  return neutral && ins.operands[2].kind == Operand::Kind::kImmediate && ins.operands[2].bits == 0;
}

Loop::Loop(const ptx::Function& function, std::uint32_t first, std::uint32_t last)
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

template <typename F>
void Loop::each(F f) const {
  for (std::size_t b = 0; b < in_.size(); ++b) {
    const ptx::Block& block = function_.blocks[b];
    for (std::uint32_t i = block.first; in_[b] && i <= block.last; ++i) {
      f(function_.instructions[i]);
    }
  }
}

bool Loop::waits() const {
  bool unseen = true;
  each([&](const Instruction& ins) { unseen = unseen && is_unseen(ins); });
  if (!unseen) return false;
  bool found = false;
  each([&](const Instruction& ins) {
    found = found || (reads_anew(ins) && is_fixed(ins.operands[1]) && ends_it(ins));
  });
  return found;
}

bool Loop::is_fixed(const Operand& operand) const {
  std::vector<Asked> asked(function_.registers.size(), Asked::kNever);
  return is_fixed(operand, asked);
}

bool Loop::is_fixed(const Operand& operand, std::vector<Asked>& asked) const {
  bool fixed = true;
  for_registers(operand, [&](std::uint32_t r) { fixed = fixed && is_fixed(r, asked); });
  return fixed;
}

// What is computed anew in each round of what no round changes stays the same.
bool Loop::is_fixed(std::uint32_t r, std::vector<Asked>& asked) const {
  if (asked[r] != Asked::kNever) return asked[r] == Asked::kFixed;
  asked[r] = Asked::kNow;
  bool fixed = true;
  each([&](const Instruction& ins) {
    bool writes = false;
    if (writes_first(ins)) {
      for_registers(ins.operands.front(), [&](std::uint32_t to) { writes = writes || to == r; });
    }
    if (!fixed || !writes) return;
    fixed = ins.op != Op::kLd && ins.op != Op::kAtom && ins.op != Op::kCall;
    for (std::size_t i = 1; fixed && i < ins.operands.size(); ++i) {
      fixed = is_fixed(ins.operands[i], asked);
    }
  });
  if (fixed) asked[r] = Asked::kFixed;
  return fixed;
}

bool Loop::leaves(std::uint32_t block) const {
  const ptx::Block& one = function_.blocks[block];
  return ends_thread(function_.instructions[one.last]) ||
         std::any_of(one.successors.begin(), one.successors.end(),
                     [&](std::uint32_t to) { return !in_[to]; });
}

// The blocks that run or not as the branch at the end of `block` says: those before its ways meet.
std::vector<std::uint32_t> Loop::decided_by(std::uint32_t block) const {
  const std::uint32_t meet = function_.blocks[block].post_dominator;
  std::vector<bool> seen(in_.size());
  std::vector<std::uint32_t> open = function_.blocks[block].successors;
  std::vector<std::uint32_t> found;
  while (!open.empty()) {
    const std::uint32_t next = open.back();
    open.pop_back();
    if (next == meet || next == block || !in_[next] || seen[next]) continue;
    seen[next] = true;
    found.push_back(next);
    const auto& on = function_.blocks[next].successors;
    open.insert(open.end(), on.begin(), on.end());
  }
  return found;
}

// Marks what follows from marked registers: by data, and by the branches that they decide.
bool Loop::spread(std::vector<bool>& depends) const {
  bool changed = false;
  const auto mark = [&](const Instruction& ins) {
    if (!writes_first(ins)) return;
    for_registers(ins.operands.front(), [&](std::uint32_t r) {
      changed = changed || !depends[r];
      depends[r] = true;
    });
  };
  each([&](const Instruction& ins) {
    bool any = ins.guard != ptx::kNoIndex && depends[ins.guard];
    for (std::size_t i = 1; i < ins.operands.size(); ++i) {
      for_registers(ins.operands[i], [&](std::uint32_t r) { any = any || depends[r]; });
    }
    if (any) mark(ins);
  });
  for (std::uint32_t b = 0; b < in_.size(); ++b) {
    const ptx::Block& block = function_.blocks[b];
    const std::uint32_t guard = function_.instructions[block.last].guard;
    if (!in_[b] || block.successors.size() < 2 || guard == ptx::kNoIndex || !depends[guard])
      continue;
    for (const std::uint32_t decided : decided_by(b)) {
      const ptx::Block& one = function_.blocks[decided];
      for (std::uint32_t i = one.first; i <= one.last; ++i) mark(function_.instructions[i]);
    }
  }
  return changed;
}

bool Loop::ends_it(const Instruction& read) const {
  if (!writes_first(read)) return false;
  std::vector<bool> depends(function_.registers.size());
  for_registers(read.operands.front(), [&](std::uint32_t r) { depends[r] = true; });
  while (spread(depends)) {
  }
  for (std::uint32_t b = 0; b < in_.size(); ++b) {
    const Instruction& last = function_.instructions[function_.blocks[b].last];
    if (in_[b] && leaves(b) && last.guard != ptx::kNoIndex && depends[last.guard]) return true;
  }
  return false;
}

std::vector<Loop> loops_of(const ptx::Function& function) {
  std::vector<Loop> all;
  for (std::uint32_t last = 0; last < function.blocks.size(); ++last) {
    for (const std::uint32_t first : function.blocks[last].successors) {
      if (first <= last) all.emplace_back(function, first, last);
    }
  }
  return all;
}

}  // namespace lab::model
