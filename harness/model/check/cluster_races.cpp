#include "harness/model/check/cluster_races.h"

#include <algorithm>

namespace lab::model::check {
namespace {

template <typename Ticks>
void raise(Ticks& to, const Ticks& by) {
  for (std::size_t w = 0; w < to.size(); ++w) to[w] = std::max(to[w], by[w]);
}

}  // namespace

ClusterRaces::ClusterRaces(std::uint64_t shared_bytes, std::uint32_t grain)
    : locations_(static_cast<std::size_t>((shared_bytes + grain - 1) / grain)) {}

void ClusterRaces::Span::add(std::uint64_t at) {
  first = std::min(first, at);
  last = std::max(last, at);
}

void ClusterRaces::begin(unsigned rank, SharedRaces& races) {
  members_[rank] = Member();
  members_[rank].races = &races;
  released_ = {};
  races.keep_reads();
}

ClusterRaces::Ticks ClusterRaces::now(unsigned rank) const {
  Ticks ticks{};
  for (unsigned w = 0; w < kMostWarps; ++w) ticks[w] = members_[rank].races->clocks().tick(w);
  return ticks;
}

bool ClusterRaces::ordered(const Stamp& earlier, const ClusterAccess& now) const {
  const ClusterAccess& then = earlier.access;
  if (then.rank != now.rank) {
    return earlier.tick <= members_[now.rank].known[then.rank][then.warp];
  }
  const Clocks& clocks = members_[now.rank].races->clocks();
  return then.warp == now.warp ? clocks.lanes_ordered(now.warp, now.lane, then.lane, earlier.tick)
                               : clocks.ordered(now.warp, then.warp, earlier.tick);
}

std::optional<ClusterAccess> ClusterRaces::meet_owner(unsigned owner, std::uint64_t at,
                                                      const ClusterAccess& now) const {
  std::optional<ClusterAccess> found;
  const Ticks& known = members_[now.rank].known[owner];
  members_[owner].races->each_last(at, [&](const SharedRaces::Last& last) {
    if (found || !(last.writes || now.writes) || (last.atomic && now.strong)) return;
    if (last.access.warp < kMostWarps && last.tick <= known[last.access.warp]) return;
    found = ClusterAccess{last.access.where, static_cast<std::uint8_t>(owner),
                          last.access.warp,  last.access.lane,
                          last.writes,       last.atomic};
  });
  return found;
}

std::optional<ClusterAccess> ClusterRaces::meet_others(const Cell& cell,
                                                       const ClusterAccess& now) const {
  for (const Stamp* earlier : {&cell.write, &cell.read, &cell.other_read}) {
    const ClusterAccess& then = earlier->access;
    if (earlier->tick == 0 || !(then.writes || now.writes)) continue;
    if ((then.strong && now.strong) || ordered(*earlier, now)) continue;
    return then;
  }
  return {};
}

void ClusterRaces::note(Cell& cell, const ClusterAccess& access, std::uint32_t tick) const {
  if (access.writes) {
    cell.write = {access, tick};
    return;
  }
  for (Stamp* read : {&cell.read, &cell.other_read}) {
    if (read->tick != 0 && read->access.rank == access.rank) {
      *read = {access, tick};
      return;
    }
  }
  for (Stamp* read : {&cell.read, &cell.other_read}) {
    if (read->tick != 0 && !ordered(*read, access)) continue;
    *read = {access, tick};
    return;
  }
}

std::optional<ClusterAccess> ClusterRaces::reach(unsigned owner, std::uint64_t at,
                                                 const ClusterAccess& access) {
  Member& member = members_[owner];
  if (member.cells.empty()) member.cells.resize(locations_);
  Cell& cell = member.cells[at];
  std::optional<ClusterAccess> found = meet_owner(owner, at, access);
  if (!found) found = meet_others(cell, access);
  const std::uint32_t tick = members_[access.rank].races->clocks().tick(access.warp);
  note(cell, access, tick);
  (access.writes ? member.written : member.read).add(at);
  member.last[access.rank][access.warp] = {access, tick};
  if (access.writes) member.races->written_by_others(at);
  return found;
}

bool ClusterRaces::may_meet(unsigned owner, std::uint64_t first, std::uint64_t last,
                            bool writes) const {
  const Member& member = members_[owner];
  return member.written.meets(first, last) || (writes && member.read.meets(first, last));
}

std::optional<ClusterAccess> ClusterRaces::meet(std::uint64_t at,
                                                const ClusterAccess& access) const {
  const Member& member = members_[access.rank];
  return member.cells.empty() ? std::nullopt : meet_others(member.cells[at], access);
}

void ClusterRaces::arrive(unsigned rank, unsigned warp) {
  Member& member = members_[rank];
  member.arriving[warp] = member.races->clocks().tick(warp);
  // What the warp does from now on is not among what it publishes.
  (void)member.races->moving_clocks().release(warp);
}

void ClusterRaces::tell_all(unsigned rank, const Ticks& ticks) {
  for (Member& member : members_) raise(member.known[rank], ticks);
}

void ClusterRaces::publish(unsigned rank) {
  Member& member = members_[rank];
  Ticks ticks = now(rank);
  for (unsigned w = 0; w < kMostWarps; ++w) {
    // Warps that have exited count as arrived.
    if (member.arriving[w] != 0) ticks[w] = member.arriving[w];
  }
  member.arriving.fill(0);
  tell_all(rank, ticks);
  for (unsigned other = 0; other < kMostBlocks; ++other) {
    if (members_[other].ended) tell_all(other, now(other));
  }
}

void ClusterRaces::release(unsigned rank, unsigned warp) {
  Member& member = members_[rank];
  Known known = member.known;
  known[rank] = now(rank);
  for (unsigned b = 0; b < kMostBlocks; ++b) raise(released_[b], known[b]);
  (void)member.races->moving_clocks().release(warp);
}

void ClusterRaces::acquire(unsigned rank) {
  for (unsigned b = 0; b < kMostBlocks; ++b) raise(members_[rank].known[b], released_[b]);
}

std::vector<ClusterAccess> ClusterRaces::end(unsigned rank) {
  Member& member = members_[rank];
  member.ended = true;
  std::vector<ClusterAccess> later;
  for (unsigned b = 0; b < kMostBlocks; ++b) {
    for (unsigned w = 0; w < kMostWarps; ++w) {
      const Stamp& last = member.last[b][w];
      if (last.tick > member.known[b][w]) later.push_back(last.access);
    }
  }
  return later;
}

}  // namespace lab::model::check
