#include "harness/model/case/site_roles.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "harness/model/decode/loop.h"

namespace lab::model {
namespace {

using ptx::Instruction;
using ptx::Op;
using ptx::Operand;
using ptx::Space;
using ptx::Sub;

template <typename F>
void each_named(const Operand& operand, F f) {
  if (operand.reg != ptx::kNoIndex) f(operand.reg);
  for (const Operand& part : operand.parts) each_named(part, f);
}

bool is_atomic(const Instruction& ins) { return ins.op == Op::kAtom || ins.op == Op::kRed; }

bool loads_data(const Instruction& ins) {
  const bool load = ins.op == Op::kLd && ins.space != Space::kParam && ins.space != Space::kConst;
  return load || ins.op == Op::kAtom;
}

/// What a function's text says of its instructions.
class Reader {
 public:
  explicit Reader(const ptx::Function& function)
      : function_(function),
        loops_(loops_of(function)),
        loaded_(function.registers.size()),
        kept_(function.registers.size()),
        block_of_(function.instructions.size()) {
    for (std::uint32_t b = 0; b < function.blocks.size(); ++b) {
      for (std::uint32_t i = function.blocks[b].first; i <= function.blocks[b].last; ++i) {
        block_of_[i] = b;
      }
    }
    while (spread()) {
    }
    for (const Instruction& ins : function.instructions) keep(ins);
  }

  [[nodiscard]] SiteRole role_of(std::uint32_t at) const {
    const Instruction& ins = function_.instructions[at];
    SiteRole role;
    role.fresh = is_fresh_load(ins);
    role.indexed = is_indexed(ins);
    role.fills_tile = ins.op == Op::kLd && ins.space == Space::kGlobal && is_kept(ins);
    bool retries = false;
    for (const Loop& loop : loops_) {
      if (!loop.has(block_of_[at])) continue;
      role.in_loop = true;
      if (!loop.ends_it(ins)) continue;
      role.ends_loop = true;
      const bool fixed = loop.is_fixed(address_of(ins));
      const bool compares = ins.sub == Sub::kCas && ins.operands.size() > 2;
      if (fixed && compares && !loop.is_fixed(ins.operands[2])) retries = true;
      role.waits = role.waits || (fixed && !retries);
    }
    // Who adds gets on with something in each round: it takes the next piece of work, say.
    const bool adds = is_atomic(ins) && !swaps(ins) && !reads_anew(ins);
    if (retries || adds) role.waits = false;
    role.atomic = use_of(ins, role.waits, retries);
    return role;
  }

 private:
  static const Operand& address_of(const Instruction& ins) {
    const auto found =
        std::find_if(ins.operands.begin(), ins.operands.end(),
                     [](const Operand& one) { return one.kind == Operand::Kind::kAddress; });
    return found == ins.operands.end() ? ins.operands.front() : *found;
  }

  static bool swaps(const Instruction& ins) {
    return ins.sub == Sub::kExch || ins.sub == Sub::kCas;
  }

  static AtomicUse use_of(const Instruction& ins, bool waits, bool retries) {
    if (!is_atomic(ins) || reads_anew(ins)) return AtomicUse::kLooks;
    if (retries) return AtomicUse::kRetry;
    if (waits) return AtomicUse::kLock;
    return swaps(ins) ? AtomicUse::kSwap : AtomicUse::kSum;
  }

  [[nodiscard]] bool is_indexed(const Instruction& ins) const {
    bool indexed = false;
    for (const Operand& operand : ins.operands) {
      if (operand.kind != Operand::Kind::kAddress) continue;
      each_named(operand, [&](std::uint32_t r) { indexed = indexed || loaded_[r]; });
    }
    return indexed;
  }

  // Registers that hold what was loaded, or what was computed of it.
  bool spread() {
    bool changed = false;
    for (const Instruction& ins : function_.instructions) {
      if (ins.operands.empty() || ins.operands.front().kind == Operand::Kind::kAddress) continue;
      bool any = loads_data(ins);
      for (std::size_t i = 1; i < ins.operands.size() && !any; ++i) {
        each_named(ins.operands[i], [&](std::uint32_t r) { any = any || loaded_[r]; });
      }
      if (!any) continue;
      each_named(ins.operands.front(), [&](std::uint32_t r) {
        changed = changed || !loaded_[r];
        loaded_[r] = true;
      });
    }
    return changed;
  }

  void keep(const Instruction& ins) {
    if (ins.op != Op::kSt || ins.space != Space::kShared || ins.operands.size() < 2) return;
    each_named(ins.operands[1], [&](std::uint32_t r) { kept_[r] = true; });
  }

  [[nodiscard]] bool is_kept(const Instruction& ins) const {
    bool kept = false;
    each_named(ins.operands.front(), [&](std::uint32_t r) { kept = kept || kept_[r]; });
    return kept;
  }

  const ptx::Function& function_;
  std::vector<Loop> loops_;
  std::vector<bool> loaded_;  // by register
  std::vector<bool> kept_;
  std::vector<std::uint32_t> block_of_;  // by instruction
};

// The first round of a loop that waits may stand before it: it is at the line of the others.
void join_first_rounds(const Program& program, std::vector<SiteRole>& roles) {
  const auto line_of = [&](std::size_t i) {
    const ptx::Where& where = instruction_of(program, program.sites[i].where).where;
    return std::pair(where.file, where.line);
  };
  std::set<std::pair<std::uint32_t, std::uint32_t>> locks;
  for (std::size_t i = 0; i < roles.size(); ++i) {
    if (roles[i].atomic == AtomicUse::kLock) locks.insert(line_of(i));
  }
  for (std::size_t i = 0; i < roles.size(); ++i) {
    if (roles[i].atomic != AtomicUse::kSwap || !locks.contains(line_of(i))) continue;
    roles[i].atomic = AtomicUse::kLock;
    roles[i].waits = true;
  }
}

}  // namespace

std::vector<SiteRole> roles_of(const Program& program) {
  std::map<std::uint32_t, Reader> readers;
  std::vector<SiteRole> roles;
  for (const Site& site : program.sites) {
    const Origin& origin = program.origins.at(site.where);
    if (origin.function == kNone) {
      roles.emplace_back();
      continue;
    }
    const ptx::Function& function = program.module->functions.at(origin.function);
    const auto reader = readers.try_emplace(origin.function, function).first;
    roles.push_back(reader->second.role_of(origin.instruction));
  }
  join_first_rounds(program, roles);
  return roles;
}

}  // namespace lab::model
