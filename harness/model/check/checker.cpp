#include "harness/model/check/checker.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <utility>

#include "harness/model/execute/block.h"
#include "harness/model/execute/warp.h"

namespace lab::model::check {
namespace {

const ptx::Instruction& instruction(const Program& program, std::uint32_t where) {
  const Origin& origin = program.origins[where];
  return program.module->functions[origin.function].instructions[origin.instruction];
}

bool reads(const AccessEvent& event, const Program& program) {
  if (event.site->op == AccessOp::kStore) return false;
  return event.site->op == AccessOp::kLoad ||
         instruction(program, event.site->where).sub != ptx::Sub::kExch;
}
bool writes(const AccessEvent& event) { return event.site->op != AccessOp::kLoad; }
bool is_atomic(const AccessEvent& event) {
  return event.site->op == AccessOp::kAtomic || event.site->op == AccessOp::kReduction;
}

std::string line_text(const Program& program, std::uint32_t where) {
  const ptx::Where& at = instruction(program, where).where;
  if (at.line != 0) return "line " + std::to_string(at.line);
  return "PTX line " + std::to_string(at.ptx_line);
}

Places places_of(const Pattern& pattern, std::uint32_t grain) {
  const std::uint32_t each = pattern.key.bytes / grain;
  std::map<std::uint32_t, std::uint32_t> lanes_at;
  for (std::uint32_t left = pattern.key.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const auto first = static_cast<std::uint32_t>(pattern.from_lowest(lane) / grain);
    for (std::uint32_t i = 0; i < each; ++i) lanes_at[first + i] |= std::uint32_t{1} << lane;
  }
  Places places;
  for (const auto& [at, lanes] : lanes_at) {
    const bool follows =
        !places.runs.empty() && places.runs.back().first + places.runs.back().count == at;
    if (!follows) places.runs.push_back({at, 0});
    ++places.runs.back().count;
    places.lanes.push_back(lanes);
    places.shared = places.shared || std::popcount(lanes) > 1;
  }
  return places;
}

std::uint64_t key_of(std::uint32_t where, FindingKind kind) {
  return (std::uint64_t{where} << 8U) | static_cast<std::uint64_t>(kind);
}

}  // namespace

GlobalShadows make_shadows(const GlobalMemory& memory) {
  GlobalShadows shadows;
  for (const Allocation& allocation : memory.all()) {
    if (allocation.initialised || allocation.bytes == 0) continue;
    shadows.push_back(std::make_unique<GlobalShadow>(allocation.base, allocation.bytes));
  }
  return shadows;
}

std::uint32_t shared_grain(const Program& program) {
  std::uint32_t grain = 4;
  for (const Site& site : program.sites) {
    if (site.space == ptx::Space::kShared) {
      grain = std::min<std::uint32_t>(grain, site.element_bytes);
    }
  }
  return grain;
}

Checker::Checker(const Program& program, std::uint64_t shared_bytes, const GlobalShadows& shadows)
    : program_(program),
      shadows_(shadows),
      shared_bytes_(shared_bytes),
      met_(program.sites.size()) {
  if (shared_bytes > 0) races_.emplace(shared_bytes, shared_grain(program));
}

void Checker::block_begins(const Block& block) {
  serial_ = 0;
  if (races_) races_->begin(static_cast<unsigned>(block.warps().size()));
}

void Checker::barrier_released(const Block&, std::uint32_t arrived, std::uint32_t waiting) {
  if (races_) races_->clocks.barrier(arrived, waiting);
}

void Checker::warp_synchronised(const Warp& warp, std::uint32_t mask) {
  if (!races_) return;
  if ((warp.live & ~mask) == 0) {
    races_->clocks.advance(warp.index);
  } else {
    races_->clocks.advance(warp.index, mask);
  }
}

void Checker::access(const AccessEvent& event) {
  ++serial_;
  const bool shared = event.space == ptx::Space::kShared;
  if (!shared && (event.space != ptx::Space::kGlobal || shadows_.empty())) return;
  if (shared && is_fine(event)) return;
  for (std::uint32_t left = event.mask; left != 0; left &= left - 1) {
    const auto number = static_cast<unsigned>(__builtin_ctz(left));
    const Lane lane{number, event.address[number]};
    if (shared) {
      shared_access(event, lane);
    } else {
      global_access(event, lane);
    }
  }
}

const Places& Checker::places(const Site& site, const Pattern& pattern) {
  Met& met = met_[static_cast<std::size_t>(&site - program_.sites.data())];
  if (met.pattern != &pattern) {
    const auto [found, is_new] = places_.try_emplace(&pattern);
    if (is_new) found->second = places_of(pattern, races_->grain());
    met = {&pattern, &found->second};
  }
  return *met.places;
}

bool Checker::is_fine(const AccessEvent& event) {
  const Pattern* pattern = event.pattern;
  if (pattern == nullptr || pattern->transient || event.mask != pattern->key.mask) return false;
  if (event.mask == 0 || is_atomic(event)) return false;
  const std::uint64_t low = event.address[std::countr_zero(event.mask)] + pattern->low;
  // Out of bounds and misaligned accesses are reported elsewhere and touch nothing.
  if (low > shared_bytes_ || pattern->span > shared_bytes_ - low) return false;
  if (((low | pattern->low_bits) & (event.site->bytes() - 1)) != 0) return false;
  const Together who{event.site->where, serial_, event.warp->index};
  const std::uint64_t at = low / races_->grain();
  const Places& places = this->places(*event.site, *pattern);
  return writes(event) ? races_->writes_are_fine(at, places, who)
                       : races_->reads_are_fine(at, places, who);
}

void Checker::shared_access(const AccessEvent& event, const Lane& lane) {
  const std::uint32_t bytes = event.site->bytes();
  // Out of bounds and misaligned accesses are reported elsewhere and touch nothing.
  if (lane.address > shared_bytes_ || bytes > shared_bytes_ - lane.address) return;
  if (lane.address % bytes != 0) return;
  const std::uint32_t grain = races_->grain();
  const Access access{event.site->where, serial_, static_cast<std::uint8_t>(event.warp->index),
                      static_cast<std::uint8_t>(lane.number)};
  std::optional<Race> found;
  bool written = true;
  for (std::uint64_t at = lane.address / grain; at * grain < lane.address + bytes; ++at) {
    written = written && races_->is_written(at);
    const auto one =
        writes(event) ? races_->write(at, access, is_atomic(event)) : races_->read(at, access);
    if (one && !found) found = one;
  }
  if (!written && reads(event, program_)) report(event, lane, FindingKind::kUninitialised, {});
  if (found) race(event, lane, *found);
}

void Checker::global_access(const AccessEvent& event, const Lane& lane) {
  const std::uint32_t bytes = event.site->bytes();
  for (const auto& shadow : shadows_) {
    if (!shadow->contains(lane.address, bytes)) continue;
    if (reads(event, program_) && !shadow->is_written(lane.address, bytes)) {
      report(event, lane, FindingKind::kUninitialised, {});
    }
    if (writes(event)) shadow->write(lane.address, bytes);
    return;
  }
}

/// Two plain stores of the same value are harmless: whichever comes last, the result is the same.
bool Checker::writes_same(const AccessEvent& event, const Lane& lane, const Race& found) const {
  if (!found.other_writes || event.site->op != AccessOp::kStore) return false;
  const Site& site = *event.site;
  const bool together = found.other.serial == serial_;  // one instruction, two lanes
  if (together && event.address[found.other.lane] != lane.address) return false;
  const Warp& warp = *event.warp;
  for (unsigned e = 0; e < site.elements; ++e) {
    const Slot slot = site.elements == 1 ? program_.code[site.where].d : site.registers[e];
    const std::byte* values = warp.at(slot);
    const std::byte* mine = values + std::size_t{lane.number} * site.register_bytes;
    const std::byte* other =
        together ? values + std::size_t{found.other.lane} * site.register_bytes
                 : warp.block->shared + lane.address + std::size_t{e} * site.element_bytes;
    if (std::memcmp(mine, other, site.element_bytes) != 0) return false;
  }
  return true;
}

void Checker::race(const AccessEvent& event, const Lane& lane, const Race& found) {
  if (writes_same(event, lane, found)) return;
  report(event, lane, FindingKind::kSharedRace, describe(event, found));
}

std::string Checker::describe(const AccessEvent& event, const Race& found) const {
  if (again_.contains(key_of(event.site->where, FindingKind::kSharedRace))) return {};
  std::string text = found.other_writes ? "written" : "read";
  text += " at " + line_text(program_, found.other.where);
  if (!found.same_warp) {
    return text + " by warp " + std::to_string(found.other.warp) +
           " with no barrier between the two";
  }
  if (found.other.serial == serial_) return text + " by another thread in the same instruction";
  return text + " by another thread of the same warp with no __syncwarp() between the two";
}

void Checker::report(const AccessEvent& event, const Lane& lane, FindingKind kind,
                     std::string detail) {
  const auto [seen, first] = again_.try_emplace(key_of(event.site->where, kind), 0);
  if (!first) {
    ++seen->second;
    return;
  }
  Fault fault;
  fault.kind = kind;
  fault.where = event.site->where;
  fault.warp = event.warp->index;
  fault.lane = lane.number;
  fault.block = event.warp->block->index();
  fault.space = event.space;
  fault.op = event.site->op;
  fault.bytes = event.site->bytes();
  fault.address = lane.address;
  fault.detail = std::move(detail);
  event.warp->block->faults.add(std::move(fault));
}

void Checker::block_ends(Block& block) {
  for (auto& [key, count] : again_) {
    if (count == 0) continue;
    Fault fault;
    fault.kind = static_cast<FindingKind>(key & 0xffU);
    fault.where = static_cast<std::uint32_t>(key >> 8U);
    fault.block = block.index();
    fault.warp = kNone;  // sorts it behind the one that was described
    fault.count = std::exchange(count, 0);
    block.faults.add(std::move(fault));
  }
}

}  // namespace lab::model::check
