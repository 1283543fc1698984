// What the checker does about copies that the machine makes beside the threads.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "harness/model/check/checker.h"
#include "harness/model/execute/block.h"
#include "harness/model/execute/warp.h"

namespace lab::model::check {
namespace {

template <typename F>
void each_lane(std::uint32_t lanes, F f) {
  for (; lanes != 0; lanes &= lanes - 1) f(static_cast<unsigned>(std::countr_zero(lanes)));
}

/// Why the copy is not complete: the end of a sentence.
std::string why_text(const UnderWay& copy) {
  switch (copy.why) {
    case UnderWay::Why::kNoGroup:
      return "the copy is in no group yet: it has to be committed before the wait";
    case UnderWay::Why::kGroup:
      return copy.bulk ? fmt::format(
                             "its thread has not waited for it: cp.async.bulk.wait_group {} "
                             "would",
                             copy.newer)
                       : fmt::format(
                             "its thread has not waited for it: cp.async.wait_group {0} "
                             "(__pipeline_wait_prior({0})) would",
                             copy.newer);
    case UnderWay::Why::kMbarrier:
      break;
  }
  return fmt::format(
      "no wait for its phase of the mbarrier at byte {} of shared memory comes before",
      copy.mbarrier);
}

}  // namespace

std::pair<std::uint64_t, std::uint64_t> span_of(const AccessEvent& event) {
  if (event.pattern != nullptr && event.mask == event.pattern->key.mask) {
    const std::uint64_t low = event.first() + event.pattern->low;
    return {low, low + event.pattern->span};
  }
  std::uint64_t low = event.first();
  std::uint64_t high = low;
  each_lane(event.mask, [&](unsigned lane) {
    low = std::min(low, event.at(lane));
    high = std::max(high, event.at(lane));
  });
  return {low, high + event.site->bytes()};
}

void Checker::synchronised(const SyncEvent& event) {
  if (!races_) return;
  const unsigned warp = event.warp->index;
  switch (event.what) {
    case SyncEvent::What::kBegin:
      return copies_->mbarrier_begins(event.address);
    case SyncEvent::What::kWaited:
      return copies_->wait_at(warp, event.lanes, (event.warp->live & ~event.lanes) == 0,
                              event.address);
    case SyncEvent::What::kCopies:
      copies_->complete_at(warp, event.lanes, event.address);
      copies_->arrive(warp, event.address);
      break;
    case SyncEvent::What::kArrive:
      copies_->arrive(warp, event.address);
      break;
    case SyncEvent::What::kReceive:
      break;
  }
  if (event.ends_phase) copies_->phase_ends(event.address);
}

void Checker::copy_group(const GroupEvent& event) {
  if (!races_) return;
  const Warp& warp = *event.warp;
  if (event.what == GroupEvent::What::kCommit) {
    return copies_->commit(warp.index, warp.mask, event.bulk);
  }
  copies_->wait(warp.index, warp.mask, event.bulk, event.reading, event.newest,
                event.newest == GroupEvent::kNone);
}

void Checker::note_source(const AccessEvent& event) {
  std::vector<GlobalRange>& ranges = sources_[event.warp->index];
  each_lane(event.mask, [&](unsigned lane) {
    const std::uint64_t at = event.at(lane);
    if (!ranges.empty() && ranges.back().to == at) {
      ranges.back().to += event.site->bytes();
      ranges.back().lanes |= 1U << lane;
    } else {
      ranges.push_back({at, at + event.site->bytes(), 1U << lane});
    }
  });
}

void Checker::copy_begins(const AccessEvent& event) {
  const std::uint32_t bytes = event.site->bytes();
  Copied copied;
  copied.who = {event.site->where, serial_, event.warp->index};
  copied.global = std::exchange(sources_[event.warp->index], {});
  const Pattern* pattern = event.pattern;
  const bool kept = pattern != nullptr && !pattern->transient && event.mask == pattern->key.mask;
  const auto [low, high] = span_of(event);
  if (kept && high <= shared_bytes_ && ((low | pattern->low_bits) & (bytes - 1)) == 0) {
    copied.lanes = event.mask;
    copied.at = low / races_->grain();
    // What is kept by pattern outlives the block.
    copied.places = {std::shared_ptr<const Places>(), met_of(*event.site, *pattern).places};
    return copies_->add(std::move(copied));
  }
  // Out of bounds and misaligned lanes are reported elsewhere and touch nothing.
  std::uint64_t lowest = ~std::uint64_t{0};
  each_lane(event.mask, [&](unsigned lane) {
    const std::uint64_t at = event.at(lane);
    if (at > shared_bytes_ || bytes > shared_bytes_ - at || at % bytes != 0) return;
    copied.lanes |= 1U << lane;
    lowest = std::min(lowest, at);
  });
  if (copied.lanes == 0) return;
  copied.at = lowest / races_->grain();
  PlacesByLane places;
  each_lane(copied.lanes, [&](unsigned lane) {
    places.add(lane, (event.at(lane) - lowest) / races_->grain(), bytes / races_->grain());
  });
  copied.places = std::make_shared<const Places>(places.all());
  copies_->add(std::move(copied));
}

std::shared_ptr<const Places> Checker::bulk_side(const BulkEvent& event, bool reads) {
  const std::uint32_t grain = races_->grain();
  std::shared_ptr<const Places>& places = bulk_places_[{event.bytes / grain, event.lane}];
  if (places == nullptr) {
    PlacesByLane made;
    made.add(event.lane, 0, event.bytes / grain);
    places = std::make_shared<const Places>(made.all());
  }
  const Site& site = reads ? *event.source : *event.destination;
  const std::uint64_t from = reads ? event.from : event.to;
  const Together who{site.where, serial_, event.warp->index};
  const bool fine = reads ? races_->reads_are_fine(from / grain, *places, who)
                          : races_->writes_are_fine(from / grain, *places, who);
  if (fine && !copies_->any_reader()) return places;
  std::array<std::uint64_t, kLanes> address{};
  AccessEvent part;
  part.warp = event.warp;
  part.site = &site;
  part.space = ptx::Space::kShared;
  part.mask = 1U << event.lane;
  part.address = address.data();
  for (std::uint64_t at = 0; at < event.bytes; at += site.bytes()) {
    const Lane lane{event.lane, from + at};
    address[event.lane] = lane.address;
    if (!reads && copies_->any_reader()) meets_readers(part);
    if (!fine) shared_access(part, lane);
  }
  return places;
}

void Checker::bulk_copy(const BulkEvent& event) {
  if (!races_) return;
  ++serial_;
  const bool to_global = event.source->space == ptx::Space::kShared;
  Copied copied;
  copied.places = bulk_side(event, to_global);
  copied.who = {event.destination->where, serial_, event.warp->index};
  copied.lanes = 1U << event.lane;
  copied.bulk = true;
  copied.to_global = to_global;
  copied.at = (to_global ? event.from : event.to) / races_->grain();
  const std::uint64_t at = to_global ? event.to : event.from;
  copied.global.push_back({at, at + event.bytes, copied.lanes});
  if (!to_global) copied.mbarrier = event.mbarrier;
  for (const auto& shadow : shadows_) {
    if (to_global && shadow->contains(at, static_cast<std::uint32_t>(event.bytes))) {
      shadow->write(at, static_cast<std::uint32_t>(event.bytes));
    }
  }
  copies_->add(std::move(copied));
}

void Checker::meets_readers(const AccessEvent& event) {
  const auto [low, high] = span_of(event);
  const std::uint32_t grain = races_->grain();
  if (!copies_->may_read(low / grain, (high - 1) / grain)) return;
  each_lane(event.mask, [&](unsigned lane) {
    const std::uint64_t first = event.at(lane) / grain;
    const std::uint64_t last = (event.at(lane) + event.site->bytes() - 1) / grain;
    for (std::uint64_t at = first; at <= last; ++at) {
      const auto found = copies_->reader(at);
      if (found) return under_way(event, {lane, event.at(lane)}, at * grain, *found);
    }
  });
}

void Checker::meets_users(const AccessEvent& event) {
  const auto [low, high] = span_of(event);
  if (!copies_->may_use(low, high) || !copies_->user(low, high, writes(event))) return;
  each_lane(event.mask, [&](unsigned lane) {
    const std::uint64_t at = event.at(lane);
    const auto found = copies_->user(at, at + event.site->bytes(), writes(event));
    if (found) under_way(event, {lane, at}, at, *found);
  });
}

void Checker::under_way(const AccessEvent& event, const Lane& lane, std::uint64_t address,
                        const UnderWay& copy) {
  Fault fault = fault_of(event, lane, FindingKind::kUnwaitedCopy);
  fault.address = address;
  fault.other = copy.where;
  fault.other_block = fault.block;
  fault.other_warp = copy.warp;
  fault.other_lane = copy.lane;
  fault.detail = why_text(copy);
  report(*event.warp->block, std::move(fault));
}

}  // namespace lab::model::check
