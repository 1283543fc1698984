#include "harness/model/case/tile_habits.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "harness/core/metric_keys.h"
#include "harness/model/case/access_lanes.h"
#include "harness/model/execute/warp.h"

namespace lab::model {
namespace {

// A launch with more is a large one: what is known of its trial then is not all.
constexpr std::uint64_t kMostSorted = 8'000'000;
constexpr std::size_t kMostElements = 65536;
// An instruction whose first so many requests waste nothing is not tried.
constexpr std::uint64_t kEnoughIdeal = 64;

std::uint32_t thread_of(const AccessEvent& event, unsigned lane) {
  return static_cast<std::uint32_t>(event.warp->index * kLanes + lane);
}

std::uint64_t least_sectors(const AccessEvent& event) {
  const std::uint64_t bytes = places_of(event) * event.site->cost_bytes;
  return std::max<std::uint64_t>(1, (bytes + kSectorBytes - 1) / kSectorBytes);
}

// The sectors of 32-lane requests that take `all` in the order of memory. Behind a gap a new
// request begins.
std::uint64_t sectors_in_order(std::vector<std::uint64_t>& all, std::uint64_t bytes) {
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  std::uint64_t sum = 0;
  WarpAccess request;
  request.bytes = static_cast<std::uint32_t>(bytes);
  request.mask = 0;
  const auto send = [&] {
    if (request.mask != 0) sum += sectors(request);
    request.mask = 0;
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool gap = i > 0 && all[i] - all[i - 1] > bytes;
    const auto lane = static_cast<unsigned>(std::popcount(request.mask));
    if (gap || lane == kLanes) send();
    const auto at = static_cast<unsigned>(std::popcount(request.mask));
    request.address[at] = all[i];
    request.mask |= 1U << at;
  }
  send();
  return sum;
}

}  // namespace

TileHabits::TileHabits(const Program& program, const std::vector<SiteRole>& roles)
    : program_(&program), roles_(&roles) {
  for (const Placed& one : program.shared_variables) {
    arrays_.push_back({one.offset, one.offset + one.bytes});
  }
  arrays_.push_back({program.shared_bytes, ~std::uint64_t{0}});
}

const SiteRole& TileHabits::role_of(const Site& site) const {
  return (*roles_)[static_cast<std::size_t>(&site - program_->sites.data())];
}

TileHabits::Array* TileHabits::array_at(std::uint64_t address) {
  const auto found = std::find_if(arrays_.begin(), arrays_.end(), [&](const Array& one) {
    return address >= one.begin && address < one.end;
  });
  return found == arrays_.end() ? nullptr : &*found;
}

void TileHabits::block_begins(const Block& block) {
  block_ = &block;
  const std::uint64_t bytes = program_->shared_bytes + block.launch->launch.dynamic_shared_bytes;
  writer_.assign(bytes, 0);
}

void TileHabits::access(const AccessEvent& event) {
  // Blocks that wait for each other take turns: what one of them has is not told apart here.
  mixed_ = mixed_ || event.warp->block != block_;
  if (mixed_) return;
  if (event.space == ptx::Space::kShared) return shared(event);
  if (event.space != ptx::Space::kGlobal) return;
  const bool plain = event.site->op == AccessOp::kLoad || event.site->op == AccessOp::kStore;
  if (!plain || event.site->kin != Site::Kin::kPlain || !event.site->counted) return;
  const std::uint32_t round = rounds_[{event.site, event.warp->index}]++;
  if (event.site->op == AccessOp::kLoad) {
    load_of_tile(event);
    if (role_of(*event.site).fills_tile) {
      refilled_ = refilled_ || round > 0;
      fill(event);
    }
  }
  order(event, round);
}

void TileHabits::shared(const AccessEvent& event) {
  Array* const array = array_at(event.first());
  if (array == nullptr || array->exchanges) return;
  const SiteRole& role = role_of(*event.site);
  const bool plain = event.site->kin == Site::Kin::kPlain &&
                     (event.site->op == AccessOp::kLoad || event.site->op == AccessOp::kStore);
  // An index that data choose, or that walks, is why an array of a thread's own is kept there.
  const auto [first, fresh] = walks_.try_emplace({event.site, event.warp->index}, event.first());
  if (!plain || role.indexed || role.fresh || (!fresh && first->second != event.first())) {
    array->exchanges = true;
    return;
  }
  if (event.site->op == AccessOp::kStore) {
    write_words(event, *array);
  } else {
    read_words(event, *array);
  }
}

void TileHabits::write_words(const AccessEvent& event, Array& array) {
  for_lanes(event.mask, [&](unsigned lane) {
    const auto thread = static_cast<std::uint16_t>(thread_of(event, lane) + 1);
    for (std::uint64_t i = 0; i < event.site->bytes(); ++i) {
      const std::uint64_t at = event.at(lane) + i;
      if (at >= writer_.size()) return;
      if (writer_[at] != 0 && writer_[at] != thread) array.exchanges = true;
      writer_[at] = thread;
    }
  });
}

void TileHabits::read_words(const AccessEvent& event, Array& array) {
  for_lanes(event.mask, [&](unsigned lane) {
    const std::uint64_t first = event.at(lane);
    const std::uint64_t last = first + event.site->bytes() - 1;
    if (last >= writer_.size()) return;
    const std::uint32_t thread = thread_of(event, lane) + 1;
    if (writer_[first] != thread || writer_[last] != thread) array.exchanges = true;
  });
  array.own[event.site] += static_cast<std::uint64_t>(std::popcount(event.mask));
}

void TileHabits::bulk_copy() {
  for (Array& one : arrays_) one.exchanges = true;
}

void TileHabits::fill(const AccessEvent& event) {
  if (in_tile_.size() >= kMostElements) return;
  for_lanes(event.mask,
            [&](unsigned lane) { in_tile_.emplace(event.at(lane), thread_of(event, lane)); });
}

// Lanes that find in the tile what another thread has put there.
void TileHabits::load_of_tile(const AccessEvent& event) {
  const SiteRole& role = role_of(*event.site);
  if (in_tile_.empty() || refilled_ || role.fresh || role.fills_tile) return;
  std::uint32_t left = 0;
  for_lanes(event.mask, [&](unsigned lane) {
    const auto found = in_tile_.find(event.at(lane));
    if (found == in_tile_.end() || found->second == thread_of(event, lane)) left |= 1U << lane;
  });
  if (left == event.mask) return;
  const std::uint64_t rest = left == 0 ? 0 : sectors(counted_lanes_of(event, left));
  tiled_[event.site] += sectors(counted_lanes_of(event, event.mask)) - rest;
}

void TileHabits::order(const AccessEvent& event, std::uint32_t round) {
  Looked& site = looked_[event.site];
  site.unknown = site.unknown || (!site.wasteful && site.ideal >= kEnoughIdeal);
  if (site.unknown) return;
  const WarpAccess lanes = counted_lanes_of(event, event.mask);
  const std::uint64_t cost = sectors(lanes);
  if (cost > least_sectors(event)) {
    site.wasteful = true;
  } else {
    ++site.ideal;
  }
  in_order_ += static_cast<std::uint64_t>(std::popcount(event.mask));
  site.unknown = in_order_ > kMostSorted;
  Taken& taken = taken_[{event.site, round}];
  taken.sectors += cost;
  for_lanes(event.mask, [&](unsigned lane) { taken.addresses.push_back(lanes.address[lane]); });
}

std::uint64_t TileHabits::array_of(std::uint64_t address) const {
  const Allocation* found = block_->launch->memory->find(address);
  return found == nullptr ? 0 : found->base;
}

// A thread that walks along a row of its own takes neighbours in one round after the other. Where a
// block takes no element twice, any thread can take any.
void TileHabits::put_in_order() {
  std::map<Kind, std::pair<Ordered, std::vector<std::uint64_t>>> kinds;
  for (auto& [round, taken] : taken_) {
    const Site& site = *round.first;
    const ptx::Where& where = instruction_of(*program_, site.where).where;
    auto& [sums, all] = kinds[{where.file, where.line, site.op, site.cost_bytes,
                               taken.addresses.size(), array_of(taken.addresses.front())}];
    all.insert(all.end(), taken.addresses.begin(), taken.addresses.end());
    sums.tried += taken.sectors;
    sums.after += sectors_in_order(taken.addresses, site.cost_bytes);
    sums.wasteful = sums.wasteful || looked_[&site].wasteful;
    sums.unknown = sums.unknown || looked_[&site].unknown;
  }
  for (auto& [kind, found] : kinds) {
    auto& [sums, all] = found;
    const std::size_t lanes = all.size();
    sums.walked = sectors_in_order(all, kind.bytes);
    sums.bytes = all.size() * kind.bytes;
    if (all.size() == lanes) sums.after = std::min(sums.after, sums.walked);
    ordered_[kind].add(sums);
  }
  taken_.clear();
}

void TileHabits::Ordered::add(const Ordered& other) {
  tried += other.tried;
  after += other.after;
  walked += other.walked;
  bytes += other.bytes;
  wasteful = wasteful || other.wasteful;
  unknown = unknown || other.unknown;
}

void TileHabits::block_ends() {
  put_in_order();
  walks_.clear();
  rounds_.clear();
  in_tile_.clear();
  refilled_ = false;
}

void TileHabits::add(const TileHabits& other) {
  mixed_ = mixed_ || other.mixed_;
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    arrays_[i].exchanges = arrays_[i].exchanges || other.arrays_[i].exchanges;
    for (const auto& [site, lanes] : other.arrays_[i].own) arrays_[i].own[site] += lanes;
  }
  for (const auto& [site, spared] : other.tiled_) tiled_[site] += spared;
  for (const auto& [kind, seen] : other.ordered_) ordered_[kind].add(seen);
  for (const auto& [site, seen] : other.looked_) {
    looked_[site].unknown = looked_[site].unknown || seen.unknown;
  }
}

void TileHabits::write(LineSums& sums) const {
  if (mixed_) return;
  for (const Array& array : arrays_) {
    if (array.exchanges) continue;
    for (const auto& [site, lanes] : array.own) {
      sums.add(sums.where(*site), metric::kOwnWords, lanes);
    }
  }
  for (const auto& [site, spared] : tiled_) {
    sums.add(sums.where(*site), metric::kTiledSectors, spared);
  }
  for (const auto& [kind, seen] : ordered_) {
    if (!seen.wasteful || seen.unknown) continue;
    // Lanes that only other rounds would bring together do not try this order.
    constexpr double kWorth = 0.9;
    const bool helps = static_cast<double>(seen.after) < kWorth * static_cast<double>(seen.tried);
    const bool walks = 2 * kSectorBytes * seen.walked <= 3 * seen.bytes;
    if (!helps && walks) continue;
    ptx::Where where;
    where.file = kind.file;
    where.line = kind.line;
    const bool load = kind.op == AccessOp::kLoad;
    sums.add(where, load ? metric::kLoadsTried : metric::kStoresTried, seen.tried);
    sums.add(where, load ? metric::kLoadsInOrder : metric::kStoresInOrder, seen.after);
  }
}

}  // namespace lab::model
