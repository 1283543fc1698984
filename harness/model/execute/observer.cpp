#include "harness/model/execute/observer.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace lab::model {
namespace {

bool are_one(const Fault& a, const Fault& b) {
  return a.kind == b.kind && a.where == b.where && a.other == b.other &&
         (a.other == kNone || (is_within_a_warp(a) == is_within_a_warp(b) &&
                               (a.block == a.other_block) == (b.block == b.other_block)));
}

auto place_of(const Fault& fault) { return std::tuple(fault.block, fault.warp, fault.lane); }

}  // namespace

void Observers::block_begins(const Block& block) {
  for (const auto& one : all_) one->block_begins(block);
}
void Observers::access(const AccessEvent& event) {
  const bool own = event.space == ptx::Space::kShared || event.space == ptx::Space::kLocal;
  const auto end = own ? all_.begin() + for_all_ : all_.end();
  for (auto one = all_.begin(); one != end; ++one) (*one)->access(event);
}
void Observers::barrier_released(const Block& block, std::uint32_t arrived, std::uint32_t waiting) {
  for (const auto& one : all_) one->barrier_released(block, arrived, waiting);
}
void Observers::warp_synchronised(const Warp& warp, std::uint32_t mask) {
  for (const auto& one : all_) one->warp_synchronised(warp, mask);
}
void Observers::bulk_copy(const BulkEvent& event) {
  for (const auto& one : all_) one->bulk_copy(event);
}
void Observers::copy_group(const GroupEvent& event) {
  for (const auto& one : all_) one->copy_group(event);
}
void Observers::mapped_access(const MappedEvent& event) {
  for (const auto& one : all_) one->mapped_access(event);
}
void Observers::cluster_arrived(const Warp& warp) {
  for (const auto& one : all_) one->cluster_arrived(warp);
}
void Observers::synchronised(const SyncEvent& event) {
  for (const auto& one : all_) one->synchronised(event);
}
void Observers::fenced(const Warp& warp) {
  for (const auto& one : all_) one->fenced(warp);
}
void Observers::cluster_barrier(const Block& block, bool released) {
  for (const auto& one : all_) one->cluster_barrier(block, released);
}
void Observers::executes(const Ins& ins, Warp& warp) {
  for (const auto& one : all_) one->executes(ins, warp);
}
void Observers::block_ends(Block& block) {
  for (const auto& one : all_) one->block_ends(block);
}

Fault* Faults::add(Fault fault) {
  const auto same = std::find_if(faults_.begin(), faults_.end(),
                                 [&](const Fault& f) { return are_one(f, fault); });
  if (same == faults_.end()) {
    faults_.push_back(std::move(fault));
    return &faults_.back();
  }
  const std::uint64_t count = same->count + fault.count;
  const std::uint32_t outside = same->outside | fault.outside;
  const bool replaces = place_of(fault) < place_of(*same);
  if (replaces) *same = std::move(fault);
  same->count = count;
  same->outside = outside;
  return replaces ? &*same : nullptr;
}

void Faults::merge(const Faults& other) {
  for (const Fault& fault : other.faults_) add(fault);
}

std::vector<Fault> Faults::all() const {
  std::vector<Fault> sorted = faults_;
  std::sort(sorted.begin(), sorted.end(), [](const Fault& a, const Fault& b) {
    return std::tuple(a.where, a.kind, a.other, is_within_a_warp(a)) <
           std::tuple(b.where, b.kind, b.other, is_within_a_warp(b));
  });
  return sorted;
}

}  // namespace lab::model
