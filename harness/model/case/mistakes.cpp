#include "harness/model/case/mistakes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace lab::model {
namespace {

using ptx::Op;
using ptx::Sub;

const ptx::Function& function_of(const Program& program, const Origin& origin) {
  return program.module->functions.at(origin.function);
}
/// A source line, or the PTX line where there is no source line: (file, line).
using LineOf = std::pair<std::uint32_t, std::uint32_t>;
LineOf line_of(const Program& program, std::uint32_t where) {
  const ptx::Where& at = instruction_of(program, where).where;
  return at.line != 0 ? LineOf{at.file, at.line} : LineOf{ptx::kNoIndex, at.ptx_line};
}
std::string number_text(const LineOf& line) {
  return fmt::format("{}{}", line.first == ptx::kNoIndex ? "PTX " : "", line.second);
}
std::string text_of(const LineOf& line) {
  return fmt::format("{}line {}", line.first == ptx::kNoIndex ? "PTX " : "", line.second);
}

/// Warps wait at it for each other; of lanes of one warp, __syncwarp() orders them as well.
bool orders(const ptx::Instruction& ins, bool one_warp) {
  if (ins.op != Op::kBar && ins.op != Op::kBarrier) return false;
  return ins.sub == Sub::kSync || ins.sub == Sub::kRed || (one_warp && ins.sub == Sub::kWarp);
}

/// Paths through a function that pass no barrier.
class FreePaths {
 public:
  FreePaths(const ptx::Function& function, bool one_warp)
      : function_(function), one_warp_(one_warp), seen_(function.blocks.size()) {}

  /// A thread can get from behind instruction `from` to `to` without a barrier.
  [[nodiscard]] bool exists(std::uint32_t from, std::uint32_t to) {
    std::fill(seen_.begin(), seen_.end(), false);
    const auto start =
        std::find_if(function_.blocks.begin(), function_.blocks.end(),
                     [&](const ptx::Block& b) { return b.first <= from && from <= b.last; });
    std::vector<std::uint32_t> open;
    if (scan(*start, from + 1, to, open)) return true;
    while (!open.empty()) {
      const ptx::Block& block = function_.blocks[open.back()];
      open.pop_back();
      if (scan(block, block.first, to, open)) return true;
    }
    return false;
  }

 private:
  bool scan(const ptx::Block& block, std::uint32_t at, std::uint32_t to,
            std::vector<std::uint32_t>& open) {
    for (; at <= block.last; ++at) {
      if (at == to) return true;
      if (orders(function_.instructions[at], one_warp_)) return false;
    }
    for (const std::uint32_t next : block.successors) {
      if (!seen_[next]) open.push_back(next);
      seen_[next] = true;
    }
    return false;
  }

  const ptx::Function& function_;
  bool one_warp_;
  std::vector<bool> seen_;
};

/// A race in the order of the program's text, which need not be the order that the model ran in.
struct Pair {
  Fault fault;
  std::uint32_t function = 0;
  std::uint32_t first = 0;   ///< instructions of the function
  std::uint32_t second = 0;  ///< what a barrier has to come before
  bool next_round = false;   ///< `second` is before `first` in the text: a loop's next round
  bool apart = false;        ///< no path leads from one to the other
  bool alone = false;        ///< one instruction, in several threads
  LineOf first_line;
  LineOf second_line;
};

/// Makes the fault that of the other access.
void exchange(Fault& fault) {
  std::swap(fault.block, fault.other_block);
  std::swap(fault.where, fault.other);
  std::swap(fault.warp, fault.other_warp);
  std::swap(fault.lane, fault.other_lane);
}

Pair in_order(Fault fault, const Program& program) {
  Pair pair;
  const Origin a = program.origins.at(fault.where);
  const Origin b = program.origins.at(fault.other);
  const bool one_function = a.function == b.function;
  const bool one_warp = is_within_a_warp(fault);
  const bool one_block = fault.block == fault.other_block;
  bool backwards = false;
  if (one_block && one_function && a.instruction != b.instruction) {
    const auto [low, high] = std::minmax(a.instruction, b.instruction);
    FreePaths paths(function_of(program, a), one_warp);
    const bool forward = paths.exists(low, high);
    backwards = !forward && paths.exists(high, low);
    pair.apart = !forward && !backwards;
  } else {
    pair.alone = fault.where == fault.other;
    pair.apart = !pair.alone;
  }
  // The fault's own instruction is to be the second.
  const bool is_lower = std::tie(a.function, a.instruction) < std::tie(b.function, b.instruction);
  if (is_lower != backwards && !pair.alone) {
    exchange(fault);
  }
  pair.function = program.origins.at(fault.where).function;
  pair.first = program.origins.at(fault.other).instruction;
  pair.second = program.origins.at(fault.where).instruction;
  pair.next_round = backwards;
  pair.first_line = line_of(program, fault.other);
  pair.second_line = line_of(program, fault.where);
  pair.fault = std::move(fault);
  return pair;
}

const char* verb(const Program& program, std::uint32_t where) {
  switch (instruction_of(program, where).op) {
    case Op::kAtom:
    case Op::kRed:
      return "updates";
    case Op::kSt:
    case Op::kCpAsync:
      return "writes";
    case Op::kCpAsyncBulk:
      return instruction_of(program, where).space == ptx::Space::kShared ? "writes" : "reads";
    default:
      return "reads";
  }
}

/// The second's line is above the first's: an unrolled loop's next round is further down in the
/// PTX.
bool goes_up(const Pair& pair) {
  return pair.next_round || (pair.first_line.first == pair.second_line.first &&
                             pair.second_line.second < pair.first_line.second);
}

/// A barrier between the two lines in the source: "line 8".
std::string barrier_between(const Pair& pair, const Program& program) {
  const auto [low, high] = std::minmax(pair.first_line, pair.second_line);
  for (const ptx::Instruction& ins : program.module->functions.at(pair.function).instructions) {
    if (!orders(ins, is_within_a_warp(pair.fault))) continue;
    const LineOf line = ins.where.line != 0 ? LineOf{ins.where.file, ins.where.line}
                                            : LineOf{ptx::kNoIndex, ins.where.ptx_line};
    if (low < line && line < high) return text_of(line);
  }
  return {};
}

std::string sentence(const Pair& pair, const Program& program) {
  const Fault& fault = pair.fault;
  const bool blocks = fault.block != fault.other_block;
  if (pair.alone) {
    return fmt::format("{} writes different values in several {} at once",
                       text_of(pair.second_line), blocks ? "blocks" : "threads");
  }
  if (blocks) {
    const bool cluster = fault.kind == FindingKind::kClusterRace;
    return fmt::format("{} {}, {} {} in another block{}", text_of(pair.first_line),
                       verb(program, fault.other), text_of(pair.second_line),
                       verb(program, fault.where),
                       cluster ? " of the cluster, with no cluster.sync() between"
                               : ", and nothing orders the two");
  }
  const bool one_warp = is_within_a_warp(fault);
  std::string text =
      fmt::format("{} {}, {} {} in another {}", text_of(pair.first_line),
                  verb(program, fault.other), text_of(pair.second_line), verb(program, fault.where),
                  one_warp ? "lane of the warp" : "warp");
  if (pair.apart) return text + ", and no barrier orders the two";
  const bool next_round = goes_up(pair);
  if (next_round) text += " in the loop's next round";
  text += one_warp ? ", with neither __syncwarp() nor __syncthreads() between"
                   : ", with no __syncthreads() between";
  const std::string barrier = next_round ? barrier_between(pair, program) : std::string();
  if (!barrier.empty()) text += fmt::format(" (that of {} orders them within one round)", barrier);
  return text;
}

/// Races that one barrier orders.
using Group = std::vector<Pair>;

bool are_between_blocks(const Pair& pair) { return pair.fault.block != pair.fault.other_block; }

bool one_barrier_orders(const Pair& a, const Pair& b) {
  if (a.fault.kind != b.fault.kind || are_between_blocks(a) || are_between_blocks(b)) return false;
  if (a.function != b.function || a.apart || b.apart || a.alone || b.alone) return false;
  if (a.next_round != b.next_round) return false;
  if (!a.next_round) return a.first < b.second && b.first < a.second;
  // At the end of the loop that both are in.
  return a.second < b.first && b.second < a.first;
}
bool on_the_same_lines(const Pair& a, const Pair& b) {
  if (a.fault.kind != b.fault.kind) return false;
  return std::minmax(a.first_line, a.second_line) == std::minmax(b.first_line, b.second_line);
}

/// As few groups as there are barriers missing: of intervals sorted by their end, each group is
/// those that the first one's end lies in.
std::vector<Group> group(std::vector<Pair> pairs) {
  std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) {
    return std::tuple(a.function, a.next_round, std::max(a.first, a.second)) <
           std::tuple(b.function, b.next_round, std::max(b.first, b.second));
  });
  std::vector<Group> groups;
  for (Pair& pair : pairs) {
    const auto fits = [&](const Group& g) {
      return one_barrier_orders(g.front(), pair) ||
             std::any_of(g.begin(), g.end(),
                         [&](const Pair& other) { return on_the_same_lines(other, pair); });
    };
    const auto to = std::find_if(groups.begin(), groups.end(), fits);
    if (to == groups.end()) {
      groups.push_back({std::move(pair)});
    } else {
      to->push_back(std::move(pair));
    }
  }
  return groups;
}

Fault one_of(Group group, const Program& program) {
  // Warps tell more than lanes, since what orders warps orders lanes too; two instructions tell
  // more than one.
  const auto rank = [](const Pair& p) {
    return std::tuple(!are_between_blocks(p), is_within_a_warp(p.fault), p.alone, p.apart, p.second,
                      p.first, p.fault.block, p.fault.warp, p.fault.lane);
  };
  std::sort(group.begin(), group.end(),
            [&](const Pair& a, const Pair& b) { return rank(a) < rank(b); });
  std::set<std::pair<LineOf, LineOf>> others;
  const Pair& chosen = group.front();
  Fault fault = chosen.fault;
  fault.count = 0;
  for (const Pair& pair : group) {
    fault.count += pair.fault.count;
    if (!on_the_same_lines(pair, chosen)) others.emplace(pair.first_line, pair.second_line);
  }
  fault.detail = sentence(chosen, program);
  constexpr std::size_t kMostNamed = 3;
  std::string list;
  std::size_t named = 0;
  for (const auto& [first, second] : others) {
    if (named++ == kMostNamed) break;
    list += fmt::format("{}{} and {}", list.empty() ? "" : "; ", number_text(first),
                        number_text(second));
  }
  if (others.size() > kMostNamed) list += fmt::format("; {} more", others.size() - kMostNamed);
  if (!list.empty()) fault.detail += fmt::format(". The same orders lines {}", list);
  return fault;
}

auto lane_of(const Fault& fault) { return std::tuple(fault.block, fault.warp, fault.lane); }

/// One fault per source line and kind.
class Remarks {
 public:
  explicit Remarks(const Program& program) : program_(program) {}

  void add(Fault fault) {
    // A read that may be old is told where it reads.
    const Op op = instruction_of(program_, fault.where).op;
    if (fault.kind == FindingKind::kStaleRead && op != Op::kLd) exchange(fault);
    fault.op = fault.kind == FindingKind::kStaleRead ? AccessOp::kLoad : AccessOp::kStore;
    const std::pair key(fault.kind, line_of(program_, fault.where));
    const auto [at, fresh] = told_.try_emplace(key, Told{fault, {}});
    Told& told = at->second;
    told.others.insert(line_of(program_, fault.other));
    if (fresh) return;
    const std::uint64_t count = told.fault.count + fault.count;
    if (lane_of(fault) < lane_of(told.fault)) told.fault = std::move(fault);
    told.fault.count = count;
  }
  void take(std::vector<Fault>& all) {
    for (auto& [key, told] : told_) {
      told.fault.detail = sentence(key.first, key.second, told.others);
      all.push_back(std::move(told.fault));
    }
  }

 private:
  struct Told {
    Fault fault;
    std::set<LineOf> others;  ///< of the other accesses
  };
  static std::string sentence(FindingKind kind, const LineOf& line,
                              const std::set<LineOf>& others) {
    if (kind == FindingKind::kSameValue) {
      return text_of(line) + " stores the same value from several lanes at once";
    }
    const LineOf& other = *others.begin();
    return fmt::format(
        "{} reads a value that may be old, as {} at the same time; a volatile or an atomic load "
        "says so",
        text_of(line), other == line ? "other threads update it" : text_of(other) + " updates it");
  }

  const Program& program_;
  std::map<std::pair<FindingKind, LineOf>, Told> told_;
};

/// "copies into it" or "copies from it": what the copy does with the memory that was accessed.
const char* copies_text(const Program& program, const Fault& fault) {
  const ptx::Instruction& copy = instruction_of(program, fault.other);
  const bool to_shared = copy.op == Op::kCpAsync || copy.space == ptx::Space::kShared;
  return to_shared == (fault.space == ptx::Space::kShared) ? "copies into it" : "copies from it";
}

std::string copy_sentence(const Fault& fault, const Program& program) {
  const Op op = instruction_of(program, fault.where).op;
  const bool copies = op == Op::kCpAsync || op == Op::kCpAsyncBulk;
  return fmt::format(
      "{} {}, {} {}, and {}", text_of(line_of(program, fault.other)), copies_text(program, fault),
      text_of(line_of(program, fault.where)),
      copies ? "copies there as well" : fmt::format("{} it", verb(program, fault.where)),
      fault.detail);
}

/// Uses of memory that a copy is under way to or from: those of one copy, or in one line, are one
/// mistake, told where the first read is.
std::vector<Fault> unwaited(std::vector<Fault> faults, std::vector<Pair>& races,
                            const Program& program) {
  // Where nobody waits, the copies of some warps come behind what others do.
  for (const Fault& fault : faults) {
    const LineOf copy = line_of(program, fault.other);
    const LineOf use = line_of(program, fault.where);
    std::erase_if(races, [&](const Pair& pair) {
      return pair.fault.kind == FindingKind::kSharedRace &&
             std::minmax(pair.first_line, pair.second_line) == std::minmax(copy, use);
    });
  }
  const auto rank = [](const Fault& f) { return std::tuple(f.op != AccessOp::kLoad, f.where); };
  std::stable_sort(faults.begin(), faults.end(),
                   [&](const Fault& a, const Fault& b) { return rank(a) < rank(b); });
  std::vector<std::vector<Fault>> groups;
  for (Fault& fault : faults) {
    const auto is_one = [&](const Fault& other) {
      return line_of(program, other.where) == line_of(program, fault.where) ||
             line_of(program, other.other) == line_of(program, fault.other);
    };
    const auto to = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
      return std::any_of(group.begin(), group.end(), is_one);
    });
    (to == groups.end() ? groups.emplace_back() : *to).push_back(std::move(fault));
  }
  std::vector<Fault> all;
  for (std::vector<Fault>& group : groups) {
    Fault one = group.front();
    one.detail = copy_sentence(one, program);
    one.count = 0;
    for (const Fault& fault : group) one.count += fault.count;
    one.other = kNone;
    all.push_back(std::move(one));
  }
  return all;
}

bool is_access(FindingKind kind) {
  return kind == FindingKind::kOutOfBounds || kind == FindingKind::kMisaligned ||
         kind == FindingKind::kUninitialised;
}

bool in_one_function(const Fault& a, const Fault& b, const Program& program) {
  return program.origins.at(a.where).function == program.origins.at(b.where).function;
}

}  // namespace

std::vector<Fault> mistakes(const std::vector<Fault>& faults, const Program& program) {
  std::vector<Fault> all;
  std::vector<Pair> races;
  std::vector<Fault> copies;
  Remarks remarks(program);
  for (const Fault& fault : faults) {
    if (severity_of(fault.kind) == Severity::kRemark) {
      remarks.add(fault);
      continue;
    }
    if (fault.kind == FindingKind::kUnwaitedCopy) {
      copies.push_back(fault);
      continue;
    }
    if (fault.other != kNone) {
      races.push_back(in_order(fault, program));
      continue;
    }
    const auto same = std::find_if(all.begin(), all.end(), [&](const Fault& f) {
      if (f.outside != 0 && fault.outside != 0) {
        return line_of(program, f.where) == line_of(program, fault.where);
      }
      if (f.loop != LoopFault::kNoLoop && fault.loop != LoopFault::kNoLoop)
        return in_one_function(f, fault, program);
      return is_access(f.kind) && f.kind == fault.kind && f.space == fault.space &&
             f.op == fault.op && line_of(program, f.where) == line_of(program, fault.where);
    });
    if (same == all.end()) {
      all.push_back(fault);
      continue;
    }
    const std::uint64_t count = same->count + fault.count;
    const std::uint32_t outside = same->outside | fault.outside;
    if (lane_of(fault) < lane_of(*same)) *same = fault;
    same->count = count;
    same->outside = outside;
  }
  remarks.take(all);
  for (Fault& one : unwaited(std::move(copies), races, program)) all.push_back(std::move(one));
  for (Group& one : group(std::move(races))) all.push_back(one_of(std::move(one), program));
  std::stable_sort(all.begin(), all.end(), [](const Fault& a, const Fault& b) {
    // A loop that does not end comes first: what else is wrong in it may be because of that.
    return std::tuple(a.loop != LoopFault::kNoWayOut, a.where, a.kind) <
           std::tuple(b.loop != LoopFault::kNoWayOut, b.where, b.kind);
  });
  return all;
}

}  // namespace lab::model
