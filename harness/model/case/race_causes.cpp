#include "harness/model/case/race_causes.h"

#include <algorithm>
#include <vector>

#include "harness/model/decode/loop.h"

namespace lab::model {
namespace {

using ptx::Instruction;
using ptx::Op;
using ptx::Operand;

template <typename F>
void each_of(const Operand& operand, F f) {
  if (operand.reg != ptx::kNoIndex) f(operand.reg);
  for (const Operand& part : operand.parts) each_of(part, f);
}

bool writes_register(const Instruction& ins) {
  return !ins.operands.empty() && ins.operands.front().kind != Operand::Kind::kAddress;
}

const Operand* address_in(const Instruction& ins) {
  const auto found = std::find_if(ins.operands.begin(), ins.operands.end(), [](const Operand& one) {
    return one.kind == Operand::Kind::kAddress;
  });
  return found == ins.operands.end() ? nullptr : &*found;
}

bool is_same_place(const Instruction& a, const Instruction& b) {
  const Operand* const one = address_in(a);
  const Operand* const two = address_in(b);
  return one != nullptr && two != nullptr && a.space == b.space && one->reg == two->reg &&
         one->symbol == two->symbol && one->home == two->home && one->offset == two->offset;
}

bool is_fence(const Instruction& ins) { return ins.op == Op::kMembar || ins.op == Op::kFence; }

/// The text of the function in which both accesses are.
class RacingCode {
 public:
  explicit RacingCode(const ptx::Function& function)
      : function_(function), loops_(loops_of(function)) {}

  /// `store` stores what it made of the value that `load` read in the same place, and no round of a
  /// loop moves the place on, unless data say where it is.
  [[nodiscard]] bool is_update(std::uint32_t load, std::uint32_t store) const {
    const Instruction& from = function_.instructions[load];
    const Instruction& to = function_.instructions[store];
    if (from.op != Op::kLd || to.op != Op::kSt || !is_same_place(from, to)) return false;
    if (to.operands.size() < 2) return false;
    std::vector<bool> marked(function_.registers.size());
    each_of(from.operands.front(), [&](std::uint32_t r) { marked[r] = true; });
    spread(marked, false);
    bool depends = false;
    each_of(to.operands[1], [&](std::uint32_t r) { depends = depends || marked[r]; });
    return depends && (stays(store) || is_of_data(to));
  }

  /// It is the load or the store of an update whose place data choose.
  [[nodiscard]] bool is_in_update_of_data(std::uint32_t at) const {
    if (address_in(function_.instructions[at]) == nullptr) return false;
    if (!is_of_data(function_.instructions[at])) return false;
    for (std::uint32_t other = 0; other < function_.instructions.size(); ++other) {
      if (is_update(at, other) || is_update(other, at)) return true;
    }
    return false;
  }

  /// Another block's read at `read` runs or not as an atomic or a flag says, which a block changes
  /// after the write at `write` without a fence.
  [[nodiscard]] bool is_unfenced(std::uint32_t write, std::uint32_t read) const {
    return tells_unfenced(write) && (is_told_by_atomic(read) || is_behind_a_wait(read));
  }

 private:
  // Marks what is computed of marked registers, through shared memory too where asked.
  void spread(std::vector<bool>& marked, bool through_shared) const {
    bool kept = false;
    for (bool changed = true; changed;) {
      changed = false;
      for (const Instruction& ins : function_.instructions) {
        const bool shared = ins.space == ptx::Space::kShared;
        bool any = through_shared && kept && shared && ins.op == Op::kLd;
        const std::size_t begin = writes_register(ins) ? 1 : 0;
        for (std::size_t i = begin; i < ins.operands.size(); ++i) {
          each_of(ins.operands[i], [&](std::uint32_t r) { any = any || marked[r]; });
        }
        if (!any) continue;
        if (ins.op == Op::kSt && shared && !kept) kept = changed = true;
        if (begin == 0) continue;
        each_of(ins.operands.front(), [&](std::uint32_t r) {
          changed = changed || !marked[r];
          marked[r] = true;
        });
      }
    }
  }

  [[nodiscard]] std::uint32_t block_of(std::uint32_t at) const {
    const auto found =
        std::find_if(function_.blocks.begin(), function_.blocks.end(),
                     [&](const ptx::Block& one) { return one.first <= at && at <= one.last; });
    return static_cast<std::uint32_t>(found - function_.blocks.begin());
  }

  [[nodiscard]] bool stays(std::uint32_t at) const {
    const std::uint32_t block = block_of(at);
    const Operand& address = *address_in(function_.instructions[at]);
    return std::all_of(loops_.begin(), loops_.end(), [&](const Loop& loop) {
      return !loop.has(block) || loop.is_fixed(address);
    });
  }

  [[nodiscard]] bool is_of_data(const Instruction& ins) const {
    std::vector<bool> marked(function_.registers.size());
    for (const Instruction& one : function_.instructions) {
      const bool loads = one.op == Op::kLd && one.space != ptx::Space::kParam;
      if (loads) each_of(one.operands.front(), [&](std::uint32_t r) { marked[r] = true; });
    }
    spread(marked, false);
    bool depends = false;
    each_of(*address_in(ins), [&](std::uint32_t r) { depends = depends || marked[r]; });
    return depends;
  }

  /// Tells other blocks something: an atomic, or a store that they may wait for.
  static bool tells(const Instruction& ins) {
    if (ins.space == ptx::Space::kShared) return false;
    const bool released = ins.order == ptx::Order::kRelease || ins.order == ptx::Order::kAcqRel;
    if (released) return false;
    return ins.op == Op::kAtom || ins.op == Op::kRed || (ins.op == Op::kSt && ins.is_volatile);
  }

  [[nodiscard]] bool tells_unfenced(std::uint32_t write) const {
    std::vector<bool> seen(function_.blocks.size());
    std::vector<std::uint32_t> open = {block_of(write)};
    std::uint32_t from = write + 1;
    while (!open.empty()) {
      const ptx::Block& block = function_.blocks[open.back()];
      open.pop_back();
      bool fenced = false;
      for (std::uint32_t i = std::max(from, block.first); i <= block.last && !fenced; ++i) {
        if (tells(function_.instructions[i])) return true;
        fenced = is_fence(function_.instructions[i]);
      }
      from = 0;
      for (const std::uint32_t next : block.successors) {
        if (!fenced && !seen[next]) open.push_back(next);
        seen[next] = true;
      }
    }
    return false;
  }

  // The blocks behind a branch, up to where its ways meet.
  [[nodiscard]] std::vector<bool> behind(std::vector<std::uint32_t> open,
                                         std::uint32_t meet) const {
    std::vector<bool> seen(function_.blocks.size());
    while (!open.empty()) {
      const std::uint32_t next = open.back();
      open.pop_back();
      if (next == meet || seen[next]) continue;
      seen[next] = true;
      const auto& on = function_.blocks[next].successors;
      open.insert(open.end(), on.begin(), on.end());
    }
    return seen;
  }

  [[nodiscard]] bool is_told_by_atomic(std::uint32_t read) const {
    std::vector<bool> marked(function_.registers.size());
    for (const Instruction& ins : function_.instructions) {
      if (ins.op != Op::kAtom || ins.space == ptx::Space::kShared) continue;
      each_of(ins.operands.front(), [&](std::uint32_t r) { marked[r] = true; });
    }
    spread(marked, true);
    const std::uint32_t at = block_of(read);
    return std::any_of(
        function_.blocks.begin(), function_.blocks.end(), [&](const ptx::Block& block) {
          const std::uint32_t guard = function_.instructions[block.last].guard;
          if (guard == ptx::kNoIndex || !marked[guard]) return false;
          return static_cast<bool>(behind(block.successors, block.post_dominator)[at]);
        });
  }

  [[nodiscard]] bool is_behind_a_wait(std::uint32_t read) const {
    const std::uint32_t at = block_of(read);
    return std::any_of(loops_.begin(), loops_.end(), [&](const Loop& loop) {
      if (!loop.waits() || loop.has(at)) return false;
      std::vector<std::uint32_t> in;
      for (std::uint32_t b = 0; b < function_.blocks.size(); ++b) {
        if (loop.has(b)) in.push_back(b);
      }
      return static_cast<bool>(behind(std::move(in), ptx::kNoIndex)[at]);
    });
  }

  const ptx::Function& function_;
  std::vector<Loop> loops_;
};

}  // namespace

FindingCause cause_of_race(const Fault& race, const Program& program) {
  if (race.other == kNone) return FindingCause::kNone;
  const Origin& one = program.origins.at(race.where);
  const Origin& two = program.origins.at(race.other);
  if (one.function == kNone || one.function != two.function) return FindingCause::kNone;
  const ptx::Function& function = program.module->functions.at(one.function);
  const RacingCode code(function);
  const auto updates = [&](std::uint32_t store) {
    for (std::uint32_t load = 0; load < function.instructions.size(); ++load) {
      const bool named = store != one.instruction || store != two.instruction
                             ? load == one.instruction || load == two.instruction
                             : true;
      if (named && code.is_update(load, store)) return true;
    }
    return false;
  };
  if (updates(one.instruction) || updates(two.instruction)) return FindingCause::kLostUpdate;
  // Of an unrolled loop the load may be one round's, and the store another's.
  const ptx::Where& here = function.instructions[one.instruction].where;
  const ptx::Where& there = function.instructions[two.instruction].where;
  if (here.line != 0 && here.line == there.line && here.file == there.file &&
      code.is_in_update_of_data(one.instruction) && code.is_in_update_of_data(two.instruction)) {
    return FindingCause::kLostUpdate;
  }
  if (race.block == race.other_block) return FindingCause::kNone;
  const bool first_writes = function.instructions[one.instruction].op == Op::kSt;
  const std::uint32_t write = first_writes ? one.instruction : two.instruction;
  const std::uint32_t read = first_writes ? two.instruction : one.instruction;
  if (function.instructions[write].op != Op::kSt || function.instructions[read].op != Op::kLd) {
    return FindingCause::kNone;
  }
  return code.is_unfenced(write, read) ? FindingCause::kUnfenced : FindingCause::kNone;
}

}  // namespace lab::model
