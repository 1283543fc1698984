// What the checker does about blocks of a cluster that reach each other's shared memory.
#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <utility>

#include "harness/model/check/checker.h"
#include "harness/model/execute/block.h"
#include "harness/model/execute/warp.h"

namespace lab::model::check {

ClusterAccess Checker::cluster_access(const AccessEvent& event, unsigned lane) const {
  ClusterAccess access;
  access.where = event.site->where;
  access.rank = static_cast<std::uint8_t>(rank_);
  access.warp = static_cast<std::uint8_t>(event.warp->index);
  access.lane = static_cast<std::uint8_t>(lane);
  access.writes = writes(event);
  access.strong = is_atomic(event) || ordering_of(event).is_strong;
  return access;
}

void Checker::cluster_acquires(const AccessEvent& event) {
  const bool strong = is_atomic(event) || ordering_of(event).is_strong;
  if (strong && event.site->op != AccessOp::kStore) cluster_->acquire(rank_);
}
void Checker::cluster_releases(const AccessEvent& event) {
  const Ordering& ordering = ordering_of(event);
  const bool strong = is_atomic(event) || ordering.is_strong;
  if (strong && writes(event) && (fenced_ || ordering.releases)) {
    cluster_->release(rank_, event.warp->index);
  }
}

void Checker::mapped_access(const MappedEvent& event) {
  if (!races_ || cluster_ == nullptr) return;
  ++serial_;
  std::array<std::uint64_t, kLanes> address{};
  address[event.lane] = event.address;
  AccessEvent part;
  part.warp = event.warp;
  part.site = event.site;
  part.space = ptx::Space::kShared;
  part.mask = 1U << event.lane;
  part.address = address.data();
  cluster_acquires(part);
  const ClusterAccess access = cluster_access(part, event.lane);
  const unsigned owner = event.owner->cluster_rank();
  const std::uint32_t grain = races_->grain();
  std::optional<ClusterAccess> found;
  std::uint64_t raced = 0;
  const std::uint64_t end = event.address + event.site->bytes();
  for (std::uint64_t at = event.address / grain; at * grain < end; ++at) {
    const auto one = cluster_->reach(owner, at, access);
    if (one && !found) raced = at;
    if (one && !found) found = one;
  }
  cluster_releases(part);
  const std::byte* memory = event.owner->shared + event.address;
  if (found) cluster_race(part, {event.lane, event.address}, raced * grain, memory, *found);
}

void Checker::meets_cluster(const AccessEvent& event) {
  const auto [low, high] = span_of(event);
  const std::uint32_t grain = races_->grain();
  if (!cluster_->may_meet(rank_, low / grain, (high - 1) / grain, writes(event))) return;
  const std::uint32_t bytes = event.site->bytes();
  for (std::uint32_t left = event.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const std::uint64_t from = event.at(lane);
    if (from > shared_bytes_ || bytes > shared_bytes_ - from) continue;
    const ClusterAccess access = cluster_access(event, lane);
    for (std::uint64_t at = from / grain; at * grain < from + bytes; ++at) {
      const auto found = cluster_->meet(at, access);
      if (!found) continue;
      const std::byte* memory = event.warp->block->shared + from;
      cluster_race(event, {lane, from}, at * grain, memory, *found);
      break;
    }
  }
}

void Checker::cluster_race(const AccessEvent& event, const Lane& lane, std::uint64_t address,
                           const std::byte* memory, const ClusterAccess& other) {
  // Two plain stores of the same value are harmless: whichever comes last, the result is the same.
  const bool stores = event.site->op == AccessOp::kStore && is_store(program_, other.where);
  if (stores && stores_what_is_there(event, lane, memory)) return;
  Block& block = *event.warp->block;
  Fault fault = fault_of(event, lane, FindingKind::kClusterRace);
  fault.address = address;
  fault.other = other.where;
  fault.other_block = block.of_cluster(other.rank)->index();
  fault.other_warp = other.warp;
  fault.other_lane = other.lane;
  report(block, std::move(fault));
}

void Checker::cluster_arrived(const Warp& warp) {
  if (races_ && cluster_ != nullptr) cluster_->arrive(rank_, warp.index);
}

void Checker::leave_cluster(Block& block) {
  if (!races_ || cluster_ == nullptr) return;
  for (const ClusterAccess& access : cluster_->end(rank_)) {
    Fault fault;
    fault.kind = FindingKind::kOutOfBounds;
    fault.where = access.where;
    fault.warp = access.warp;
    fault.lane = access.lane;
    fault.block = block.of_cluster(access.rank)->index();
    fault.space = ptx::Space::kShared;
    fault.detail = fmt::format(
        "access to shared memory of another block: nothing keeps the block of rank {} from coming "
        "to "
        "its end before, and then its shared memory is gone; cluster.sync() at the end of the "
        "kernel "
        "keeps it",
        rank_);
    block.faults.add(std::move(fault));
  }
}

}  // namespace lab::model::check
