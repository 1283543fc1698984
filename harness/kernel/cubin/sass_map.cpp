#include "harness/kernel/cubin/sass_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/core/text.h"
#include "harness/kernel/cubin/addresses.h"

namespace lab::cubin {

namespace {

using ptx::Instruction;
using ptx::Op;
using ptx::Space;

// kFragment: what the PTX has as one instruction and the machine code as several loads or stores.
enum class Group : std::uint8_t { kNone, kLoad, kStore, kAtomic, kCopy, kMatrix, kFragment };

constexpr std::uint8_t kRowBytes = 16;

bool is_elsewhere(Space space) { return space == Space::kParam || space == Space::kConst; }

Group group_of(const Instruction& i) {
  if (is_elsewhere(i.space)) return Group::kNone;
  switch (i.op) {
    case Op::kLd:
    case Op::kLdu:
      return Group::kLoad;
    case Op::kSt:
      return Group::kStore;
    case Op::kAtom:
    case Op::kRed:
      return Group::kAtomic;
    case Op::kCpAsync:
      return Group::kCopy;
    case Op::kLdmatrix:
      return Group::kMatrix;
    case Op::kWmmaLoadA:
    case Op::kWmmaLoadB:
    case Op::kWmmaLoadC:
    case Op::kWmmaStore:
      return Group::kFragment;
    default:
      return Group::kNone;
  }
}

bool is_load(const Instruction& i) {
  const Group group = group_of(i);
  return group == Group::kLoad || group == Group::kMatrix ||
         (group == Group::kFragment && i.op != Op::kWmmaStore);
}

Group group_of(Kind kind) {
  if (is_atomic(kind)) return Group::kAtomic;
  if (kind == Kind::kCopyAsync) return Group::kCopy;
  if (kind == Kind::kLoadConst) return Group::kNone;
  if (kind == Kind::kLoadMatrix) return Group::kMatrix;
  return kind < Kind::kStoreGeneric ? Group::kLoad : Group::kStore;
}

std::uint32_t bytes_of(const Instruction& i) {
  if (i.op == Op::kCpAsync) return static_cast<std::uint32_t>(i.operands[2].bits);
  return static_cast<std::uint32_t>(ptx::bits_of(i.type)) / 8 * i.vector;
}

// Machine accesses by (PTX line, group).
using ByLine = std::map<std::pair<std::uint32_t, Group>, std::vector<const MemoryInstruction*>>;

ByLine accesses_by_line(const Function& machine) {
  ByLine by_line;
  for (const MemoryInstruction& one : machine.instructions) {
    by_line[{one.ptx_line, group_of(one.access.kind)}].push_back(&one);
  }
  return by_line;
}

// Comments are blank in the image's text.
std::string_view bare(std::string_view line) { return trim(line.substr(0, line.find("//"))); }

class Mapper {
 public:
  Mapper(const Function& machine, const ByLine& by_line, const ptx::Function& function)
      : machine_(machine),
        by_line_(by_line),
        function_(function),
        addresses_(addresses_of(function)),
        fates_(function.instructions.size()) {
    for (const Instruction& i : function.instructions) {
      if (group_of(i) != Group::kNone) ++on_line_[{i.where.ptx_line, group_of(i)}];
    }
  }

  std::vector<Fate> run() {
    find_reads();
    for (std::uint32_t i = 0; i < fates_.size(); ++i) {
      const Group group = group_of(function_.instructions[i]);
      if (group == Group::kAtomic) fates_[i] = atomic(function_.instructions[i]);
      if (group == Group::kLoad || group == Group::kStore) fates_[i] = plain(i);
      if (group == Group::kCopy) fates_[i] = copy(i);
      if (group == Group::kMatrix) fates_[i] = matrix(function_.instructions[i]);
      if (group == Group::kFragment) fates_[i] = fragment(function_.instructions[i]);
    }
    for (const ptx::Block& block : function_.blocks) share_votes(block);
    part();
    merge();
    for (std::uint32_t i = 0; i < fates_.size(); ++i) {
      if (group_of(function_.instructions[i]) != Group::kNone) fates_[i].copies = copies(i);
    }
    for (const ptx::Block& block : function_.blocks) find_sunk(block);
    return std::move(fates_);
  }

  [[nodiscard]] const std::vector<std::string>& doubts() const { return doubts_; }

 private:
  [[nodiscard]] std::vector<const MemoryInstruction*> accesses(const Instruction& i) const {
    const auto of = [&](Group group) {
      const auto it = by_line_.find({i.where.ptx_line, group});
      return it == by_line_.end() ? std::vector<const MemoryInstruction*>{} : it->second;
    };
    if (group_of(i) != Group::kFragment) return of(group_of(i));
    if (i.op == Op::kWmmaStore) return of(Group::kStore);
    auto all = of(Group::kLoad);
    const auto rows = of(Group::kMatrix);
    all.insert(all.end(), rows.begin(), rows.end());
    return all;
  }

  [[nodiscard]] bool is_alone_on_line(const Instruction& i) const {
    return on_line_.at({i.where.ptx_line, group_of(i)}) == 1;
  }

  [[nodiscard]] std::uint16_t copies(std::uint32_t index) const {
    if (const auto parted = parted_.find(index); parted != parted_.end()) return parted->second;
    const Instruction& i = function_.instructions[index];
    const auto on_line = static_cast<std::size_t>(on_line_.at({i.where.ptx_line, group_of(i)}));
    return static_cast<std::uint16_t>(std::max<std::size_t>(accesses(i).size() / on_line, 1));
  }

  // Loads of a block that the machine code makes after the conditional branch at the block's end.
  // Branches backwards are those of loops, whose copies stand behind each other anyway.
  void find_sunk(const ptx::Block& block) {
    const Instruction& end = function_.instructions[block.last];
    const bool leaves = end.op == Op::kRet || end.op == Op::kExit ||
                        (end.op == Op::kBra && end.operands[0].target > block.last);
    if (!leaves || end.guard == ptx::kNoIndex) return;
    const std::uint32_t line = end.where.ptx_line;
    const auto jump = std::find_if(machine_.jumps.begin(), machine_.jumps.end(),
                                   [=](const Jump& one) { return one.ptx_line == line; });
    if (jump == machine_.jumps.end()) return;
    for (std::uint32_t i = block.first; i < block.last; ++i) {
      if (!is_load(function_.instructions[i])) continue;
      const auto found = accesses(function_.instructions[i]);
      if (!found.empty() && found.front()->pc > jump->pc) fates_[i].sunk_behind = line;
    }
  }

  Fate unknown(const Instruction& i, std::string_view why) {
    doubts_.push_back(fmt::format("PTX line {}: {}", i.where.ptx_line, why));
    return {Fate::Kind::kUnknown, static_cast<std::uint8_t>(bytes_of(i))};
  }

  Fate copy(std::uint32_t index) {
    const Instruction& i = function_.instructions[index];
    if (accesses(i).empty()) return {Fate::Kind::kVanished};
    return {Fate::Kind::kKept, static_cast<std::uint8_t>(bytes_of(i))};
  }

  // The same matrix loaded twice is loaded once in the machine code.
  Fate matrix(const Instruction& i) {
    const Fate fate = fragment(i);
    if (fate.kind != Fate::Kind::kKept || fate.matrices == i.matrices) return fate;
    return unknown(i, "the machine code loads another number of matrices at once");
  }

  // How many accesses one instruction is follows from its shape: whoever counts them knows that.
  Fate fragment(const Instruction& i) {
    const auto found = accesses(i);
    if (found.empty()) return {Fate::Kind::kVanished};
    const Access& first = found.front()->access;
    const bool even = std::all_of(found.begin(), found.end(), [&](const MemoryInstruction* one) {
      return one->access.kind == first.kind && one->access.bytes == first.bytes;
    });
    if (!even || first.bytes == 0) return unknown(i, "its accesses have several widths");
    Fate fate{Fate::Kind::kKept, first.bytes};
    if (first.kind == Kind::kLoadMatrix) {
      fate.matrices = first.bytes / 4;
      fate.bytes = kRowBytes;
    }
    return fate;
  }

  // A wide access counts as a leader until merge() has found which accesses it replaces.
  Fate plain(std::uint32_t index) {
    const Instruction& i = function_.instructions[index];
    const auto found = accesses(i);
    if (found.empty()) return {Fate::Kind::kVanished};
    const std::uint32_t own = bytes_of(i);
    const std::uint8_t bytes = found.front()->access.bytes;
    const bool even = std::all_of(found.begin(), found.end(), [=](const MemoryInstruction* one) {
      return one->access.bytes == bytes;
    });
    if (!is_alone_on_line(i)) {
      if (even && bytes == own) return {Fate::Kind::kKept, bytes};
      return unknown(i, "several accesses stand on one line");
    }
    if (!even) return unknown(i, "its copies in the machine code have different widths");
    if (bytes == own) return {Fate::Kind::kKept, bytes};
    if (bytes == 0) return unknown(i, "its machine access has a width that is not known");
    if (bytes < own) return narrow(i, bytes);
    return {Fate::Kind::kWide, bytes};
  }

  // Part of the load is not used: the parts that are used say which bytes are read.
  Fate narrow(const Instruction& i, std::uint8_t bytes) {
    const auto part = static_cast<std::int64_t>(ptx::bits_of(i.type) / 8);
    std::int64_t first = -1;
    std::int64_t last = -1;
    const auto& parts = i.operands[0].parts;
    for (std::size_t at = 0; i.op == Op::kLd && at < parts.size(); ++at) {
      const bool used = parts[at].kind == ptx::Operand::Kind::kRegister && reads_[parts[at].reg];
      if (used && first < 0) first = static_cast<std::int64_t>(at) * part;
      if (used) last = static_cast<std::int64_t>(at + 1) * part;
    }
    const std::int64_t start = first < 0 ? 0 : first - first % bytes;
    if (first < 0 || last > start + bytes) {
      return unknown(i, "the machine code reads or writes less than the PTX");
    }
    return {Fate::Kind::kKept, bytes, static_cast<std::int16_t>(start)};
  }

  // The registers that any instruction reads.
  void find_reads() {
    reads_.assign(function_.registers.size(), false);
    for (const Instruction& i : function_.instructions) {
      if (i.guard != ptx::kNoIndex) reads_[i.guard] = true;
      const bool stores = i.operands.empty() || i.operands[0].kind == ptx::Operand::Kind::kAddress;
      for (std::size_t at = stores ? 0 : 1; at < i.operands.size(); ++at) read(i.operands[at]);
    }
  }

  void read(const ptx::Operand& operand) {
    if (operand.reg != ptx::kNoIndex) reads_[operand.reg] = true;
    for (const ptx::Operand& part : operand.parts) {
      if (part.reg != ptx::kNoIndex) reads_[part.reg] = true;
    }
  }

  Fate atomic(const Instruction& i) {
    const auto found = accesses(i);
    if (found.empty()) return {Fate::Kind::kVanished};
    Fate fate{Fate::Kind::kKept, static_cast<std::uint8_t>(bytes_of(i))};
    fate.is_reduction = std::all_of(found.begin(), found.end(), [](const MemoryInstruction* one) {
      return one->access.kind == Kind::kReduction;
    });
    const bool votes = std::binary_search(machine_.vote_lines.begin(), machine_.vote_lines.end(),
                                          i.where.ptx_line);
    const bool combines = std::any_of(found.begin(), found.end(), [](const MemoryInstruction* one) {
      return one->access.combines;
    });
    if (combines) fate.kind = Fate::Kind::kCounted;
    if (votes) fate.kind = Fate::Kind::kAggregated;
    const bool loops = by_line_.count({i.where.ptx_line, Group::kLoad}) != 0;
    if (loops && i.space == Space::kShared) fate.kind = Fate::Kind::kExpanded;
    return fate;
  }

  // Lanes vote once for all atomics of a block that are alike: of those behind the first, the lane
  // that was chosen makes its access under a predicate that the PTX does not have.
  void share_votes(const ptx::Block& block) {
    const Instruction* voted = nullptr;
    for (std::uint32_t i = block.first; i <= block.last; ++i) {
      const Instruction& one = function_.instructions[i];
      if (group_of(one) != Group::kAtomic) continue;
      if (fates_[i].kind == Fate::Kind::kAggregated) {
        voted = one.guard == ptx::kNoIndex ? &one : nullptr;
        continue;
      }
      const auto found = accesses(one);
      const bool chosen = std::all_of(found.begin(), found.end(), [](const MemoryInstruction* it) {
        return it->access.predicated;
      });
      const bool alike = voted != nullptr && fates_[i].kind == Fate::Kind::kKept &&
                         one.guard == ptx::kNoIndex && one.space == voted->space &&
                         one.type == voted->type && is_alone_on_line(one);
      if (alike && chosen) fates_[i].kind = Fate::Kind::kAggregated;
    }
  }

  // Neighbours that ptxas joins and then parts again, since not all of the wide value is used, are
  // all on the line of one of them: those that are as far from it as its accesses are apart have
  // one each.
  void part() {
    for (std::uint32_t i = 0; i < fates_.size(); ++i) {
      const Instruction& one = function_.instructions[i];
      const bool plain = group_of(one) == Group::kLoad || group_of(one) == Group::kStore;
      if (!plain || fates_[i].kind != Fate::Kind::kKept || !is_alone_on_line(one)) continue;
      const auto found = accesses(one);
      if (found.size() < 2 || parted_.contains(i)) continue;
      std::vector<std::uint32_t> others = parts_of(i, found);
      const std::size_t each = found.size() / (others.size() + 1);
      if (others.empty() || found.size() % (others.size() + 1) != 0 || each != copies_beside(i)) {
        continue;
      }
      parted_[i] = static_cast<std::uint16_t>(each);
      for (const std::uint32_t other : others) {
        fates_[other] = {Fate::Kind::kKept, fates_[i].bytes};
        parted_[other] = static_cast<std::uint16_t>(each);
      }
    }
  }

  // The accesses that vanished at a distance from this one at which the machine code has two.
  [[nodiscard]] std::vector<std::uint32_t> parts_of(
      std::uint32_t index, const std::vector<const MemoryInstruction*>& found) const {
    std::set<std::int64_t> offsets;
    for (const MemoryInstruction* one : found) {
      if (one->access.address_register != found.front()->access.address_register) return {};
      offsets.insert(one->access.offset);
    }
    std::set<std::int64_t> told = {0};
    std::vector<std::uint32_t> parts;
    for (std::uint32_t i = 0; i < fates_.size(); ++i) {
      if (fates_[i].kind != Fate::Kind::kVanished || key_of(i) != key_of(index)) continue;
      if (bytes_of(function_.instructions[i]) != fates_[index].bytes) continue;
      const std::int64_t apart = addresses_[i].offset - addresses_[index].offset;
      const bool is_there = std::any_of(offsets.begin(), offsets.end(), [&](std::int64_t offset) {
        return offsets.contains(offset + apart);
      });
      if (is_there && told.insert(apart).second) parts.push_back(i);
    }
    return parts;
  }

  // How often the machine code has the other accesses of an instruction's block; 1: it has none.
  [[nodiscard]] std::size_t copies_beside(std::uint32_t index) const {
    std::size_t least = 0;
    for (std::uint32_t i = 0; i < fates_.size(); ++i) {
      if (i == index || fates_[i].kind != Fate::Kind::kKept) continue;
      if (addresses_[i].block != addresses_[index].block) continue;
      least = least == 0 ? copies(i) : std::min<std::size_t>(least, copies(i));
    }
    return std::max<std::size_t>(least, 1);
  }

  void merge() {
    std::map<MergeKey, std::vector<std::uint32_t>> candidates;
    for (std::uint32_t i = 0; i < fates_.size(); ++i) {
      const Fate::Kind kind = fates_[i].kind;
      const Instruction& instruction = function_.instructions[i];
      if (group_of(instruction) != Group::kLoad && group_of(instruction) != Group::kStore) continue;
      if (kind != Fate::Kind::kWide && kind != Fate::Kind::kVanished) continue;
      candidates[key_of(i)].push_back(i);
    }
    for (const auto& [key, members] : candidates) merge(members, addresses_);
  }

  struct MergeKey {
    std::uint32_t block;
    std::uint64_t base;
    Op op;
    Space space;
    std::uint32_t guard;
    friend auto operator<=>(const MergeKey&, const MergeKey&) = default;
  };
  [[nodiscard]] MergeKey key_of(std::uint32_t index) const {
    const Instruction& i = function_.instructions[index];
    return {addresses_[index].block, addresses_[index].base, i.op, i.space, i.guard};
  }

  // Wide accesses are aligned to their width, so all leaders' windows share one residue: the first
  // one by which every window is covered, whole and once, by a leader and accesses that vanished.
  void merge(const std::vector<std::uint32_t>& members, const std::vector<Address>& addresses) {
    std::vector<std::uint32_t> leaders;
    std::uint8_t widest = 0;
    for (const std::uint32_t i : members) {
      if (fates_[i].kind != Fate::Kind::kWide) continue;
      leaders.push_back(i);
      widest = std::max(widest, fates_[i].bytes);
    }
    if (leaders.empty()) return;
    Offsets by_offset;
    for (const std::uint32_t i : members) by_offset.emplace(addresses[i].offset, i);
    for (std::int64_t residue = 0; residue < widest; ++residue) {
      Fates trial;
      const bool fits = std::all_of(leaders.begin(), leaders.end(), [&](std::uint32_t leader) {
        return claim(trial, by_offset, leader, addresses[leader].offset, residue);
      });
      if (!fits) continue;
      for (const auto& [i, fate] : trial) fates_[i] = fate;
      return;
    }
    for (const std::uint32_t i : leaders) {
      if (covers_rounds(by_offset, i, addresses)) continue;
      fates_[i] = unknown(function_.instructions[i],
                          "a wider machine access, but not of its neighbours in the PTX");
    }
  }

  using Offsets = std::multimap<std::int64_t, std::uint32_t>;

  // How often the machine code repeats a block of the PTX. Each copy has every access that the
  // compiler kept, so the access that is found most often gives the number of copies.
  [[nodiscard]] std::size_t copies_of(std::uint32_t block,
                                      const std::vector<Address>& addresses) const {
    std::size_t most = 0;
    for (std::uint32_t i = 0; i < fates_.size(); ++i) {
      if (fates_[i].kind != Fate::Kind::kKept || addresses[i].block != block) continue;
      most = std::max(most, accesses(function_.instructions[i]).size());
    }
    return most;
  }

  // A leader whose access is as wide as the neighbours of one round times the rounds that each of
  // its copies stands for: a loop over k unrolled by ptxas loads four k at once.
  bool covers_rounds(const Offsets& by_offset, std::uint32_t leader,
                     const std::vector<Address>& addresses) {
    const std::int64_t begin = addresses[leader].offset;
    std::int64_t end = begin + bytes_of(function_.instructions[leader]);
    std::vector<std::uint32_t> members;
    for (auto it = by_offset.find(end); it != by_offset.end(); it = by_offset.find(end)) {
      if (fates_[it->second].kind != Fate::Kind::kVanished) break;
      members.push_back(it->second);
      end += bytes_of(function_.instructions[it->second]);
    }
    const std::int64_t width = fates_[leader].bytes;
    const std::size_t copies = copies_of(addresses[leader].block, addresses);
    const std::size_t own = accesses(function_.instructions[leader]).size();
    if (copies <= own || copies % own != 0) return false;
    const auto rounds = static_cast<std::int64_t>(copies / own);
    if (rounds * (end - begin) != width) return false;
    fates_[leader].rounds = static_cast<std::uint8_t>(rounds);
    for (const std::uint32_t i : members) fates_[i] = {Fate::Kind::kMerged, 0, 0, leader};
    return true;
  }
  using Fates = std::map<std::uint32_t, Fate>;

  // Sets the fates of the leader and of what its access covers. Returns false where the access
  // covers
  // anything else.
  bool claim(Fates& fates, const Offsets& by_offset, std::uint32_t leader, std::int64_t offset,
             std::int64_t residue) const {
    const std::int64_t width = fates_[leader].bytes;
    const std::int64_t past = ((offset - residue) % width + width) % width;
    const std::int64_t end = offset - past + width;
    std::int64_t next = offset - past;
    for (auto it = by_offset.lower_bound(next); it != by_offset.end() && it->first < end; ++it) {
      const std::uint32_t member = it->second;
      // A word is read twice: the second read vanished on its own.
      if (it->first < next && member != leader) continue;
      if (it->first != next) return false;
      // Another leader among them fails its own claim.
      if (!fates.emplace(member, Fate{Fate::Kind::kMerged, 0, 0, leader}).second) return false;
      next += bytes_of(function_.instructions[member]);
    }
    fates[leader] = {Fate::Kind::kWide, static_cast<std::uint8_t>(width),
                     static_cast<std::int16_t>(-past)};
    return next == end;
  }

  const Function& machine_;
  const ByLine& by_line_;
  const ptx::Function& function_;
  const std::vector<Address> addresses_;
  std::vector<Fate> fates_;
  std::map<std::uint32_t, std::uint16_t> parted_;  // accesses of part(), and each one's copies
  std::map<std::pair<std::uint32_t, Group>, int> on_line_;
  std::vector<bool> reads_;
  std::vector<std::string> doubts_;
};

// Empty where the module's memory instructions are on the same lines in the image.
std::string differs(const Image& image, const ptx::Module& module) {
  for (const ptx::Function& function : module.functions) {
    for (const Instruction& i : function.instructions) {
      if (group_of(i) == Group::kNone) continue;
      const std::uint32_t line = i.where.ptx_line;
      if (line > image.ptx.size() || line > module.lines.size() ||
          bare(image.ptx[line - 1]) != bare(module.lines[line - 1])) {
        return fmt::format("line {} of the PTX differs from that in the machine code", line);
      }
    }
  }
  return {};
}

}  // namespace

SassMap sass_map(const Image& image, const std::string& kernel, const ptx::Module& module) {
  SassMap map;
  const Function* machine = image.find(kernel);
  map.absent = image.absent.empty() ? image.lines_absent : image.absent;
  if (map.absent.empty() && machine == nullptr) map.absent = "it has no kernel '" + kernel + "'";
  if (map.absent.empty()) map.absent = differs(image, module);
  if (machine == nullptr || !map.absent.empty()) return map;
  const ByLine by_line = accesses_by_line(*machine);
  for (const ptx::Function& function : module.functions) {
    // Another kernel's code says nothing about this one.
    if (function.is_entry && function.name != kernel) {
      map.functions.emplace_back(function.instructions.size());
      continue;
    }
    Mapper mapper(*machine, by_line, function);
    map.functions.push_back(mapper.run());
    map.doubts.insert(map.doubts.end(), mapper.doubts().begin(), mapper.doubts().end());
  }
  return map;
}

}  // namespace lab::cubin
