// Advice on shared memory that does nothing: no thread reads there what another has written, or the
// block loads once more what it has there.
#include <algorithm>

#include "harness/core/metric_keys.h"
#include "harness/core/numbers.h"
#include "metrics/advice_kernel.h"

namespace lab::metrics {
namespace {

/// What the accesses of a block would spare in the order of memory.
struct Spared {
  double loads = 0;
  double stores = 0;
};
Spared spared_in_order(const Kernel& kernel) {
  return {kernel.total(metric::kLoadsTried) - kernel.total(metric::kLoadsInOrder),
          kernel.total(metric::kStoresTried) - kernel.total(metric::kStoresInOrder)};
}

bool is_of_most_threads(const Kernel& kernel, const Line& line) {
  return 2 * line.cost(metric::kOwnWords) >= kernel.of_whole(metric::kThreads);
}

void private_tiles(const Kernel& kernel, std::vector<Advice>& all) {
  const Line* line = kernel.most(metric::kOwnWords);
  if (line == nullptr || !is_of_most_threads(kernel, *line)) return;
  const double sectors =
      kernel.total(metric::kGlobalLoadSectors) + kernel.total(metric::kGlobalStoreSectors);
  const Spared spared = spared_in_order(kernel);
  const std::string finding =
      "each thread reads back from shared memory what it wrote itself: nothing is exchanged there";
  if (spared.loads + spared.stores > kWorthwhile * sectors) {
    all.push_back(with_saving(
        advice_at(*line, AdviceRule::kPrivateTile, finding,
                  "Let each thread read another's element, the tile's columns where rows were "
                  "written (tile[x][y] for tile[y][x]), so that loads and stores of global memory "
                  "both go along rows."),
        Saving::kSectors, spared.loads + spared.stores, sectors));
    all.back().op = spared.stores > spared.loads ? AccessOp::kStore : AccessOp::kLoad;
    all.back().proof = Proof::kTried;
    return;
  }
  // Where the block loads once more what it has there, the tile is to be used, not taken out.
  if (kernel.total(metric::kTiledSectors) > 0) return;
  all.push_back(advice_at(*line, AdviceRule::kPrivateTile, finding, "Keep it in a register."));
}

void reloads_of_tile(const Kernel& kernel, std::vector<Advice>& all) {
  const Line* line = kernel.most(metric::kTiledSectors);
  const double sectors =
      kernel.total(metric::kGlobalLoadSectors) + kernel.total(metric::kGlobalStoreSectors);
  const double saved = kernel.total(metric::kTiledSectors);
  if (line == nullptr || saved < kWorthwhile * sectors) return;
  all.push_back(with_saving(
      advice_at(*line, AdviceRule::kTileReloads,
                "loads from global memory what other threads of the block have put into shared "
                "memory",
                "Read it there, and load from global memory what lies beyond the block alone."),
      Saving::kSectors, saved, sectors));
}

// What a tile that exchanges nothing leaves strided is told with it: a tile is there already.
void leave_to_private_tile(std::vector<Advice>& all) {
  const auto tells = [](const Advice& one) {
    return one.rule == AdviceRule::kPrivateTile && one.unit == Saving::kSectors;
  };
  if (std::none_of(all.begin(), all.end(), tells)) return;
  std::erase_if(all, [](const Advice& one) {
    return one.rule == AdviceRule::kStrided || one.rule == AdviceRule::kSharedConflicts;
  });
}

}  // namespace

void advise_on_tiles(const Kernel& kernel, std::vector<Advice>& all) {
  private_tiles(kernel, all);
  reloads_of_tile(kernel, all);
  leave_to_private_tile(all);
}

}  // namespace lab::metrics
