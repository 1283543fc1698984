#include "harness/model/instructions/access.h"

#include <bit>
#include <utility>

namespace lab::model {

namespace {

bool one_address(std::uint32_t mask, const std::uint64_t* address, std::uint64_t base) {
  std::uint64_t differs = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    differs |= ((mask >> lane) & 1U) != 0 ? address[lane] - base : 0;
  }
  return differs == 0;
}

/// Prefetches what lanes anywhere in the allocation met last will want.
void prefetch_scattered(const SiteState& site, std::uint32_t mask, const std::uint64_t* address) {
  const std::uint64_t shift = site.site->offset - site.low;
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const std::uint64_t at = address[std::countr_zero(left)] + shift;
    if (at < site.bytes) __builtin_prefetch(site.host + at);
  }
}

}  // namespace

Pattern* recall(Warp& warp, SiteState& site, std::uint32_t mask, const std::uint64_t* address) {
  const std::uint64_t base = address[std::countr_zero(mask)];
  if (site.pattern != nullptr && site.pattern->one_address && one_address(mask, address, base)) {
    return site.pattern;  // costs the same whichever lanes are active
  }
  // Patterns that do not come back: the data are wanted after all that follows here.
  if (site.unknown != 0 && site.marks) prefetch_scattered(site, mask, address);
  site.flush_group(warp.sites);
  if (site.scratch == nullptr) site.scratch = std::make_unique<Pattern>();
  PatternKey& key = site.scratch->key;
  key.mask = mask;
  key.combined = site.site->combined;
  key.bytes = static_cast<std::uint8_t>(site.site->bytes());
  key.cost_bytes = site.site->cost_bytes;
  key.rule = site.site->rule;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    key.delta[lane] = ((mask >> lane) & 1U) != 0 ? address[lane] - base : 0;
  }
  // A random gather never finds its pattern again, so it is looked up only now and then: to keep it
  // takes ten times as long as to work it out once.
  constexpr std::uint32_t kGivesUp = 256;
  const bool looks = site.unknown < kGivesUp || site.unknown % kGivesUp == 0;
  PatternTable& table = warp.block->patterns;
  const std::size_t known = table.size();
  site.pattern = looks ? table.intern(key) : nullptr;
  site.unknown = site.pattern == nullptr || table.size() > known ? site.unknown + 1 : 0;
  if (site.pattern == nullptr) {
    analyse_once(*site.scratch, (base + site.site->offset + site.cost_shift) & site.cost_mask);
    site.pattern = site.scratch.get();
  }
  return site.pattern;
}

bool resolve_global(const Warp& warp, SiteState& site, std::uint64_t start, std::uint64_t span,
                    bool write) {
  const Allocation* found = warp.block->launch->memory->find(start);
  if (found == nullptr || !found->contains(start, span) || (write && !found->writable)) {
    return false;
  }
  site.low = found->base;
  site.bytes = found->bytes;
  site.host = found->host;
  site.first_sector = found->first_sector;
  return true;
}

void report_access(const Warp& warp, const Ins* ins, const SiteState& site, FindingKind kind,
                   unsigned lane, std::uint64_t address) {
  Fault fault;
  fault.kind = kind;
  fault.where = static_cast<std::uint32_t>(ins - warp.block->launch->program->code.data());
  fault.warp = warp.index;
  fault.lane = lane;
  fault.block = warp.block->index();
  fault.space = site.site->space;
  fault.op = site.site->op;
  fault.bytes = site.site->bytes();
  fault.element_bytes = site.site->element_bytes;
  fault.address = address;
  Fault* const kept = warp.block->faults.add(std::move(fault));
  if (kept == nullptr || kind != FindingKind::kOutOfBounds) return;
  kept->frame.assign(warp.bank[0], warp.bank[0] + warp.block->launch->program->frame_bytes);
}

namespace {

/// Where one lane's bytes are; null where the address is not in any allocation.
std::byte* locate(const Warp& warp, const SiteState& site, unsigned lane, std::uint64_t address,
                  std::uint64_t bytes) {
  const Block& block = *warp.block;
  switch (site.site->space) {
    case ptx::Space::kShared:
      if (address - kReservedBase < kReservedShared && bytes <= 16) [[unlikely]] {
        return block.reserved + (address - kReservedBase);
      }
      return address <= block.shared_bytes && bytes <= block.shared_bytes - address
                 ? block.shared + address
                 : nullptr;
    case ptx::Space::kLocal: {
      const std::uint64_t thread = std::uint64_t{warp.index} * kLanes + lane;
      return address <= block.local_bytes && bytes <= block.local_bytes - address
                 ? block.local + thread * block.local_bytes + address
                 : nullptr;
    }
    default: {
      const Allocation* found = block.launch->memory->find(address);
      const bool write = site.site->op != AccessOp::kLoad;
      if (found == nullptr || !found->contains(address, bytes) || (write && !found->writable)) {
        return nullptr;
      }
      return found->host + (address - found->base);
    }
  }
}

void mark(Warp& warp, const SiteState& site, std::uint64_t address) {
  const Allocation* found = warp.block->launch->memory->find(address);
  const std::uint64_t at = address - found->base;
  const std::uint64_t from = found->first_sector + at / kSectorBytes;
  const std::uint64_t to = found->first_sector + (at + site.site->bytes() - 1) / kSectorBytes;
  if (site.site->op == AccessOp::kLoad) {
    warp.block->traffic.read(from, to);
  } else {
    mark_write(warp, site, from, to);
  }
}

}  // namespace

LanePointers resolve_lanes(Warp& warp, const Ins* ins, SiteState& site, std::uint32_t mask,
                           const std::uint64_t* address) {
  LanePointers lanes;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (((mask >> lane) & 1U) == 0) continue;
    const std::uint64_t at = address[lane] + ins->imm;
    if ((at & site.alignment) != 0) {
      report_access(warp, ins, site, FindingKind::kMisaligned, lane, at);
      continue;
    }
    std::byte* host = locate(warp, site, lane, at, site.site->bytes());
    if (host == nullptr) {
      report_access(warp, ins, site, FindingKind::kOutOfBounds, lane, at);
      continue;
    }
    if (site.marks) mark(warp, site, at);
    lanes.at[lane] = host;
    lanes.good |= 1U << lane;
  }
  return lanes;
}

LanePointers resolve_mapped(Warp& warp, const Ins* ins, SiteState& site, std::uint32_t mask,
                            const std::uint64_t* address) {
  LanePointers lanes;
  ++site.counts.mapped;
  const std::uint64_t bytes = site.site->bytes();
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const std::uint64_t at = address[lane] + ins->imm;
    if ((at & site.alignment) != 0) {
      report_access(warp, ins, site, FindingKind::kMisaligned, lane, at);
      continue;
    }
    const Block* owner = warp.block->of_cluster(at / kWindowBytes - 1);
    const std::uint64_t offset = at % kWindowBytes;
    const bool inside = owner != nullptr && !owner->has_ended() && offset <= owner->shared_bytes &&
                        bytes <= owner->shared_bytes - offset;
    if (inside) {
      if (warp.block->observer != nullptr) {
        warp.block->observer->mapped_access({&warp, site.site, lane, owner, offset});
      }
      lanes.at[lane] = owner->shared + offset;
      lanes.good |= 1U << lane;
    } else {
      warp.block->no_block(warp, ins, lane, at, static_cast<std::uint32_t>(bytes));
    }
  }
  return lanes;
}

void count_local(SiteState& site, std::uint32_t mask, const std::uint64_t* address) {
  ++site.counts.requests;
  site.counts.lanes += static_cast<std::uint64_t>(std::popcount(mask));
  if (!site.site->counted) return;
  WarpAccess access;
  access.mask = mask;
  access.bytes = site.site->cost_bytes;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    access.address[lane] = address[lane] + site.site->offset + site.cost_shift;
  }
  site.counts.sectors += local_sectors(access);
}

void observe(Warp& warp, SiteState& site, std::uint32_t mask, const std::uint64_t* address) {
  AccessEvent event;
  event.warp = &warp;
  event.site = site.site;
  event.space = site.site->space;
  event.mask = mask;
  event.address = address;
  event.offset = site.site->offset;
  event.pattern = site.pattern;
  warp.block->observer->access(event);
}

void mark_lanes(Warp& warp, SiteState& site, const Pattern& pattern, std::uint64_t start) {
  const bool load = site.site->op == AccessOp::kLoad;
  const std::uint64_t bytes = pattern.key.bytes;
  for (std::uint32_t left = pattern.key.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const std::uint64_t at = start + pattern.from_lowest(lane);
    const std::uint64_t from = site.first_sector + at / kSectorBytes;
    const std::uint64_t to = site.first_sector + (at + bytes - 1) / kSectorBytes;
    if (load) {
      warp.block->traffic.read(from, to);
    } else {
      mark_write(warp, site, from, to);
    }
  }
}

}  // namespace lab::model
