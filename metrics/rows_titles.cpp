// A short title for each metric: what heads a column that people read.
#include "metrics/rows.h"

#include "harness/core/metric_keys.h"

namespace lab::metrics {
namespace {

struct Title {
  std::string_view key;
  std::string_view title;
};

// `what, of which`: neighbouring columns of one `what` share it as a heading.
constexpr Title kTitles[] = {
    {metric::kGlobalLoadRequests, "requests, read"},
    {metric::kGlobalLoadSectors, "sectors, read"},
    {metric::kGlobalLoadSectorsPerRequest, "sectors per request, read"},
    {metric::kGlobalLoadLines, "lines, read"},
    {metric::kGlobalLoadLinesPerRequest, "lines per request, read"},
    {metric::kGlobalLoadEfficiency, "efficiency, read"},
    {metric::kGlobalLoadBytes, "bytes asked for, read"},
    {metric::kGlobalStoreRequests, "requests, write"},
    {metric::kGlobalStoreSectors, "sectors, write"},
    {metric::kGlobalStoreSectorsPerRequest, "sectors per request, write"},
    {metric::kGlobalStoreLines, "lines, write"},
    {metric::kGlobalStoreEfficiency, "efficiency, write"},
    {metric::kGlobalStoreBytes, "bytes asked for, write"},
    {metric::kGlobalAtomicSectors, "sectors, atomics"},
    {metric::kGlobalReductionSectors, "sectors, reductions"},
    {metric::kGlobalAtomicSectorsSass, "distinct sectors, atomics"},
    {metric::kGlobalReductionSectorsSass, "distinct sectors, reductions"},
    {metric::kLocalLoadRequests, "local requests, load"},
    {metric::kLocalStoreRequests, "local requests, store"},
    {metric::kGlobalLines, "lines, read and write"},
    {metric::kSharedLoadRequests, "shared requests, load"},
    {metric::kSharedLoadWavefronts, "hardware wavefronts, load"},
    {metric::kSharedLoadWavefrontsSass, "wavefronts, load"},
    {metric::kSharedLoadBankConflicts, "bank conflicts, load"},
    {metric::kSharedLoadWays, "n-way bank conflict, load"},
    {metric::kSharedStoreRequests, "shared requests, store"},
    {metric::kSharedStoreWavefronts, "hardware wavefronts, store"},
    {metric::kSharedStoreWavefrontsSass, "wavefronts, store"},
    {metric::kSharedStoreBankConflicts, "bank conflicts, store"},
    {metric::kSharedStoreWays, "n-way bank conflict, store"},
    {metric::kSharedAtomicRequests, "shared requests, atomic"},
    {metric::kSharedAtomicWavefronts, "hardware wavefronts, atomic"},
    {metric::kSharedAtomicWavefrontsSass, "wavefronts, atomic"},
    {metric::kSharedAtomicBankConflicts, "bank conflicts, atomic"},
    {metric::kSharedAtomicWays, "n-way bank conflict, atomic"},
    {metric::kMatrixLoadRequests, "matrix requests, load"},
    {metric::kMatrixLoadWavefronts, "matrix wavefronts, load"},
    {metric::kMatrixLoadBankConflicts, "matrix conflicts, load"},
    {metric::kMatrixStoreRequests, "matrix requests, store"},
    {metric::kMatrixStoreWavefronts, "matrix wavefronts, store"},
    {metric::kMatrixStoreBankConflicts, "matrix conflicts, store"},
    {metric::kAsyncCopyRequests, "copies, asynchronous"},
    {metric::kAsyncCopySectors, "sectors, asynchronous copies"},
    {metric::kAsyncCopyBankConflicts, "conflicts, asynchronous copies"},
    {metric::kTextureRequests, "requests, textures"},
    {metric::kTextureSectors, "sectors, textures"},
    {metric::kSurfaceRequests, "requests, surfaces"},
    {metric::kSurfaceSectors, "sectors, surfaces"},
    {metric::kSharedBankConflicts, "bank conflicts"},
    {metric::kSharedConflictsAll, "hardware conflicts, shared"},
    {metric::kWarpShuffles, "shuffles"},
    {metric::kWorkingThreads, "threads that work"},
    {metric::kL1BankConflicts, "L1 conflicts, all"},
    {metric::kL1ArbitrationConflicts, "L1 conflicts, arbitration"},
    {metric::kL1GlobalConflicts, "L1 conflicts, global"},
    {metric::kL1LoadHitSectors, "L1 sectors, hit"},
    {metric::kL1HitRate, "hit rate, L1"},
    {metric::kL1FillSectors, "L1 sectors, filled"},
    {metric::kL2ReadSectors, "L2 sectors, read"},
    {metric::kL2WriteSectors, "L2 sectors, write"},
    {metric::kL2HitSectors, "L2 sectors, hit"},
    {metric::kL2HitRate, "hit rate, L2"},
    {metric::kL2FillSectors, "L2 sectors, filled"},
    {metric::kDramReadBytes, "DRAM bytes, read"},
    {metric::kDramWriteBytes, "DRAM bytes, write"},
    {metric::kDramBusiestChannelBytes, "channel bytes, busiest"},
    {metric::kDramMeanChannelBytes, "channel bytes, mean"},
    {metric::kDramChannelBalance, "channel bytes, busiest / mean"},
    {metric::kL2Sectors, "L2 sectors, both ways"},
    {metric::kInstructions, "warp instructions"},
    {metric::kCycles, "SM cycles"},
    {metric::kDurationNs, "launch time, ns"},
    {metric::kOccupancy, "occupancy, reached"},
    {metric::kTheoreticalOccupancy, "occupancy, possible"},
    {metric::kRegistersPerThread, "registers per thread"},
    {metric::kSharedBytesPerBlock, "shared bytes per block"},
    {metric::kLocalBytesPerThread, "local bytes per thread"},
    {metric::kL1Carveout, "shared part of L1, bytes"},
    {metric::kNeededBytes, "bytes, needed"},
    {metric::kMovedBytes, "bytes, moved"},
    {metric::kEffectiveBandwidth, "GB/s, effective"},
    {metric::kMovedBandwidth, "GB/s, moved"},
};

}  // namespace

std::string_view title_of(std::string_view key) {
  for (const Title& row : kTitles) {
    if (row.key == key) return row.title;
  }
  return {};
}

}  // namespace lab::metrics
