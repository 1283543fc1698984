// Copies that the machine makes beside the threads: cp.async.bulk between global and shared memory,
// and what cp.async.cg costs. Copies are executed at once: a program that waits for them as it must
// sees no difference. Bulk copies appear in none of the counters of loads and stores.
#include <cstdint>
#include <cstring>
#include <string>

#include "harness/model/instructions/handlers.h"
#include "harness/model/instructions/matrix_lanes.h"
#include "harness/model/semantics/mbarrier.h"

namespace lab::model {
namespace {

namespace sem = semantics;
using ptx::Space;

constexpr std::uint64_t kUnit = 16;  // addresses and sizes are multiples of it

std::uint64_t address_of(const Warp& w, const Ins* ins, Slot slot, unsigned bit, unsigned lane,
                         const Site& site) {
  const bool wide = ((ins->next_block >> bit) & 1U) != 0;
  const std::uint64_t at = site.offset + (wide ? std::uint64_t{w.in<std::uint64_t>(slot)[lane]}
                                               : std::uint64_t{w.in<std::uint32_t>(slot)[lane]});
  const bool generic = site.space == Space::kShared && at - kSharedWindow < kWindowBytes;
  return generic ? at - kSharedWindow : at;
}

/// One side of a lane's copy: where its bytes are; null where that was reported.
std::byte* side(Warp& w, const Ins* ins, const SiteState& state, unsigned lane,
                std::uint64_t address, std::uint64_t bytes) {
  const Site& site = *state.site;
  if (address % kUnit != 0 || bytes % kUnit != 0) {
    report_access(w, ins, state, FindingKind::kMisaligned, lane, address);
    return nullptr;
  }
  if (site.space == Space::kShared) {
    Block& block = *w.block;
    if (address <= block.shared_bytes && bytes <= block.shared_bytes - address) {
      return block.shared + address;
    }
  } else {
    const Allocation* found = w.block->launch->memory->find(address);
    const bool writes = site.op == AccessOp::kStore;
    if (found != nullptr && found->contains(address, bytes) && (found->writable || !writes)) {
      const std::uint64_t at = address - found->base;
      const std::uint64_t from = found->first_sector + at / kSectorBytes;
      const std::uint64_t to = found->first_sector + (at + bytes - 1) / kSectorBytes;
      writes ? w.block->traffic.store(from, to) : w.block->traffic.read(from, to);
      return found->host + at;
    }
  }
  report_access(w, ins, state, FindingKind::kOutOfBounds, lane, address);
  return nullptr;
}

void complete(Warp& w, const Ins* ins, const SiteState& state, unsigned lane, std::uint64_t address,
              std::uint32_t bytes) {
  Block& block = *w.block;
  if (address % 8 != 0 || block.shared_bytes < 8 || address > block.shared_bytes - 8) {
    report_access(w, ins, state, FindingKind::kOutOfBounds, lane, address);
    return;
  }
  std::uint64_t bits = 0;
  std::memcpy(&bits, block.shared + address, sizeof bits);
  block.check_mbarrier(w, ins, lane, address, bits);
  const sem::Mbarrier before = sem::unpack(bits);
  const sem::Mbarrier after = sem::complete_bytes(before, bytes);
  bits = sem::pack(after);
  std::memcpy(block.shared + address, &bits, sizeof bits);
  block.mbarriers[address] = bits;
  if (block.observer == nullptr) return;
  block.observer->synchronised({&w, SyncEvent::What::kReceive, std::uint32_t{1} << lane, address,
                                before.parity != after.parity});
}

const Ins* bulk_copy(const Ins* ins, Warp& w) noexcept {
  SiteState* sites = w.sites + ins->extra;
  const bool to_shared = sites[0].site->space == Space::kShared;
  for (std::uint32_t left = w.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    const std::uint32_t bytes = w.in<std::uint32_t>(ins->c)[lane];
    const std::uint64_t to = address_of(w, ins, ins->a, 0, lane, *sites[0].site);
    const std::uint64_t from = address_of(w, ins, ins->b, 1, lane, *sites[1].site);
    const std::uint64_t mbarrier =
        to_shared ? address_of(w, ins, ins->e, 2, lane, *sites[2].site) : 0;
    if (bytes != 0) {
      const std::byte* source = side(w, ins, sites[1], lane, from, bytes);
      std::byte* destination = side(w, ins, sites[0], lane, to, bytes);
      if (source != nullptr && destination != nullptr) {
        if (w.block->observer != nullptr) {
          w.block->observer->bulk_copy(
              {&w, sites[0].site, sites[1].site, lane, to, from, bytes, mbarrier});
        }
        std::memcpy(destination, source, bytes);
      }
    }
    if (to_shared) complete(w, ins, sites[2], lane, mbarrier, bytes);
  }
  return ins + 1;
}

const Ins* count_past_l1(const Ins* ins, Warp& w) noexcept {
  const Site& load = *w.sites[ins->extra].site;
  const Site& store = *w.sites[ins->block].site;
  WarpAccess source;
  WarpAccess destination;
  source.mask = destination.mask = w.mask;
  source.bytes = destination.bytes = load.bytes();
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    source.address[lane] = address_of(w, ins, ins->a, 0, lane, load);
    destination.address[lane] = address_of(w, ins, ins->b, 1, lane, store);
  }
  w.sites[ins->extra].counts.past_l1_sectors += sectors_past_l1(source, destination);
  return ins + 1;
}

const Ins* copy_size(const Ins* ins, Warp& w) noexcept {
  for (std::uint32_t left = w.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    const std::uint32_t asked = w.in<std::uint32_t>(ins->a)[lane];
    if (asked <= ins->imm) continue;
    w.block->fault(w, FindingKind::kOutOfBounds, ins, lane,
                   "cp.async copies " + std::to_string(ins->imm) + " bytes and can't read " +
                       std::to_string(asked) + ": its source size is at most what it copies");
  }
  return ins + 1;
}

}  // namespace

Handler copy_size_handler() { return &copy_size; }
Handler bulk_copy_handler() { return &bulk_copy; }
Handler past_l1_handler() { return &count_past_l1; }

}  // namespace lab::model
