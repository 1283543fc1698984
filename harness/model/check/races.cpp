#include "harness/model/check/races.h"

namespace lab::model::check {

std::optional<Race> SharedRaces::meets(const Stamp& earlier, const Access& access,
                                       bool earlier_writes) const {
  if (!clocks.current(earlier.tick)) return {};
  if (earlier.access.warp != access.warp) {
    if (clocks.ordered(access.warp, earlier.access.warp, earlier.tick)) return {};
    return Race{earlier.access, earlier_writes, false};
  }
  // One warp: a thread's own accesses are in order, and so are those before a __syncwarp() that
  // names both lanes.
  for (std::uint32_t left = earlier.lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    if (clocks.lanes_ordered(access.warp, access.lane, lane, earlier.tick)) continue;
    Race race{earlier.access, earlier_writes, true};
    race.other.lane = static_cast<std::uint8_t>(lane);
    return race;
  }
  return {};
}

void SharedRaces::note_read(Cell& cell, const Access& access) {
  const std::uint32_t tick = clocks.tick(access.warp);
  const std::uint32_t lane = std::uint32_t{1} << access.lane;
  for (Stamp* stamp : {&cell.read, &cell.other_read}) {
    if (!clocks.current(stamp->tick) || stamp->access.warp != access.warp) continue;
    *stamp = {tick, access, stamp->tick == tick ? stamp->lanes | lane : lane};
    return;
  }
  for (Stamp* stamp : {&cell.read, &cell.other_read}) {
    const bool over = !clocks.current(stamp->tick) ||
                      clocks.ordered(access.warp, stamp->access.warp, stamp->tick);
    if (!over) continue;
    *stamp = {tick, access, lane};
    return;
  }
}

std::optional<Race> SharedRaces::read(std::uint64_t at, const Access& access) {
  Cell& cell = cells_[at];
  const auto race = meets(cell.write, access, true);
  note_read(cell, access);
  return race;
}

std::optional<Race> SharedRaces::write(std::uint64_t at, const Access& access, bool atomic) {
  Cell& cell = cells_[at];
  std::optional<Race> race;
  if (!(atomic && cell.write.atomic)) race = meets(cell.write, access, true);
  if (!race) race = meets(cell.read, access, false);
  if (!race) race = meets(cell.other_read, access, false);
  cell.write = {clocks.tick(access.warp), access, std::uint32_t{1} << access.lane, atomic};
  return race;
}

}  // namespace lab::model::check
