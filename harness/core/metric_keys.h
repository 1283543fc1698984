// The keys of lab's metrics, as they are stored and printed: never renamed, since databases have
// them. What each means is its row in metrics/; a test holds the two lists together.
#pragma once

#include <string_view>

namespace lab::metric {

inline constexpr std::string_view kGlobalLoadRequests = "global_load_requests";
inline constexpr std::string_view kGlobalLoadSectors = "global_load_sectors";
inline constexpr std::string_view kGlobalLoadSectorsPerRequest = "global_load_sectors_per_request";
inline constexpr std::string_view kGlobalLoadLines = "global_load_lines";
inline constexpr std::string_view kGlobalLoadLinesPerRequest = "global_load_lines_per_request";
inline constexpr std::string_view kGlobalLoadEfficiency = "global_load_efficiency";
inline constexpr std::string_view kGlobalLoadBytes = "global_load_bytes";
inline constexpr std::string_view kGlobalStoreRequests = "global_store_requests";
inline constexpr std::string_view kGlobalStoreSectors = "global_store_sectors";
inline constexpr std::string_view kGlobalStoreSectorsPerRequest =
    "global_store_sectors_per_request";
inline constexpr std::string_view kGlobalStoreLines = "global_store_lines";
inline constexpr std::string_view kGlobalStoreEfficiency = "global_store_efficiency";
inline constexpr std::string_view kGlobalStoreBytes = "global_store_bytes";
inline constexpr std::string_view kGlobalAtomicSectors = "global_atomic_sectors";
inline constexpr std::string_view kGlobalReductionSectors = "global_reduction_sectors";
inline constexpr std::string_view kGlobalAtomicSectorsSass = "global_atomic_sectors_sass";
inline constexpr std::string_view kGlobalReductionSectorsSass = "global_reduction_sectors_sass";
inline constexpr std::string_view kLocalLoadRequests = "local_load_requests";
inline constexpr std::string_view kLocalStoreRequests = "local_store_requests";
inline constexpr std::string_view kGlobalLines = "global_lines";
inline constexpr std::string_view kSharedLoadRequests = "shared_load_requests";
inline constexpr std::string_view kSharedLoadWavefronts = "shared_load_wavefronts";
inline constexpr std::string_view kSharedLoadWavefrontsSass = "shared_load_wavefronts_sass";
inline constexpr std::string_view kSharedLoadBankConflicts = "shared_load_bank_conflicts";
inline constexpr std::string_view kSharedLoadWays = "shared_load_ways";
inline constexpr std::string_view kSharedStoreRequests = "shared_store_requests";
inline constexpr std::string_view kSharedStoreWavefronts = "shared_store_wavefronts";
inline constexpr std::string_view kSharedStoreWavefrontsSass = "shared_store_wavefronts_sass";
inline constexpr std::string_view kSharedStoreBankConflicts = "shared_store_bank_conflicts";
inline constexpr std::string_view kSharedStoreWays = "shared_store_ways";
inline constexpr std::string_view kSharedAtomicRequests = "shared_atomic_requests";
inline constexpr std::string_view kSharedAtomicWavefronts = "shared_atomic_wavefronts";
inline constexpr std::string_view kSharedAtomicWavefrontsSass = "shared_atomic_wavefronts_sass";
inline constexpr std::string_view kSharedAtomicBankConflicts = "shared_atomic_bank_conflicts";
inline constexpr std::string_view kSharedAtomicWays = "shared_atomic_ways";
inline constexpr std::string_view kMatrixLoadRequests = "matrix_load_requests";
inline constexpr std::string_view kMatrixLoadWavefronts = "matrix_load_wavefronts";
inline constexpr std::string_view kMatrixLoadBankConflicts = "matrix_load_bank_conflicts";
inline constexpr std::string_view kMatrixStoreRequests = "matrix_store_requests";
inline constexpr std::string_view kMatrixStoreWavefronts = "matrix_store_wavefronts";
inline constexpr std::string_view kMatrixStoreBankConflicts = "matrix_store_bank_conflicts";
inline constexpr std::string_view kAsyncCopyRequests = "async_copy_requests";
inline constexpr std::string_view kAsyncCopySectors = "async_copy_sectors";
inline constexpr std::string_view kSharedBankConflicts = "shared_bank_conflicts";
inline constexpr std::string_view kSharedConflictsAll = "shared_conflicts_all";
inline constexpr std::string_view kWarpShuffles = "warp_shuffles";
inline constexpr std::string_view kAsyncCopyBankConflicts = "async_copy_bank_conflicts";
inline constexpr std::string_view kL1BankConflicts = "l1_bank_conflicts";
inline constexpr std::string_view kL1ArbitrationConflicts = "l1_arbitration_conflicts";
inline constexpr std::string_view kL1GlobalConflicts = "l1_global_conflicts";
inline constexpr std::string_view kL1LoadHitSectors = "l1_load_hit_sectors";
inline constexpr std::string_view kL1HitRate = "l1_hit_rate";
inline constexpr std::string_view kL1FillSectors = "l1_fill_sectors";
inline constexpr std::string_view kL2ReadSectors = "l2_read_sectors";
inline constexpr std::string_view kL2WriteSectors = "l2_write_sectors";
inline constexpr std::string_view kL2HitSectors = "l2_hit_sectors";
inline constexpr std::string_view kL2HitRate = "l2_hit_rate";
inline constexpr std::string_view kL2FillSectors = "l2_fill_sectors";
inline constexpr std::string_view kDramReadBytes = "dram_read_bytes";
inline constexpr std::string_view kDramWriteBytes = "dram_write_bytes";
inline constexpr std::string_view kTextureRequests = "texture_requests";
inline constexpr std::string_view kTextureSectors = "texture_sectors";
inline constexpr std::string_view kSurfaceRequests = "surface_requests";
inline constexpr std::string_view kSurfaceSectors = "surface_sectors";
inline constexpr std::string_view kDramBusiestChannelBytes = "dram_busiest_channel_bytes";
inline constexpr std::string_view kDramMeanChannelBytes = "dram_mean_channel_bytes";
inline constexpr std::string_view kDramChannelBalance = "dram_channel_balance";
inline constexpr std::string_view kL2Sectors = "l2_sectors";
inline constexpr std::string_view kInstructions = "instructions";
inline constexpr std::string_view kCycles = "cycles";
inline constexpr std::string_view kDurationNs = "duration_ns";
inline constexpr std::string_view kOccupancy = "occupancy";
inline constexpr std::string_view kTheoreticalOccupancy = "theoretical_occupancy";
inline constexpr std::string_view kRegistersPerThread = "registers_per_thread";
inline constexpr std::string_view kSharedBytesPerBlock = "shared_bytes_per_block";
inline constexpr std::string_view kLocalBytesPerThread = "local_bytes_per_thread";
inline constexpr std::string_view kL1Carveout = "l1_carveout";
inline constexpr std::string_view kWorkingThreads = "working_threads";
inline constexpr std::string_view kNeededBytes = "needed_bytes";
inline constexpr std::string_view kMovedBytes = "moved_bytes";
inline constexpr std::string_view kEffectiveBandwidth = "effective_bandwidth";
inline constexpr std::string_view kMovedBandwidth = "moved_bandwidth";

// Habits: counts by line for advice alone, which no table shows and nothing stores
// (harness/model/case/habits.h). Those without a line are of the kernel as a whole.
inline constexpr std::string_view kThreads = "launched_threads";  ///< beside kWorkingThreads
/// Those that work, and those that calculate without an access to memory of their own.
inline constexpr std::string_view kBusyThreads = "busy_threads";
/// Threads that had exited when others of their block passed a barrier, of all threads of these.
inline constexpr std::string_view kGoneThreads = "gone_threads";
inline constexpr std::string_view kMetThreads = "met_threads";
inline constexpr std::string_view kPassedWithout = "passed_without";  ///< 1 at that barrier's line
inline constexpr std::string_view kMemoryRequests = "memory_requests";
inline constexpr std::string_view kMemoryLanes = "memory_lanes";
inline constexpr std::string_view kConstantRequests = "constant_requests";
inline constexpr std::string_view kConstantPlaces = "constant_places";  ///< that these ask for
/// Sectors of loads from where the warp has just stored, and of stores to there once more; and
/// those of the stores alone.
inline constexpr std::string_view kRepeatedSectors = "repeated_sectors";
inline constexpr std::string_view kRepeatedStores = "repeated_stores";
/// Sectors of loads that a warp did just so the last time that it came there.
inline constexpr std::string_view kReloadedSectors = "reloaded_sectors";
/// The same where no loop is around the load: another instruction loaded the element, or an
/// unrolled loop's earlier round.
inline constexpr std::string_view kAgainSectors = "again_sectors";
/// Loads and stores whose addresses come of values that were loaded, of those by line.
inline constexpr std::string_view kIndexedRequests = "indexed_requests";
/// Requests in a loop.
inline constexpr std::string_view kLoopedRequests = "looped_requests";
/// Requests whose value decides whether the loop around them goes on, and those of loops that wait
/// for another thread.
inline constexpr std::string_view kSearchRequests = "search_requests";
inline constexpr std::string_view kWaitRequests = "wait_requests";
/// Additions, maxima and the like as the machine code makes them: an instruction that adds for all
/// lanes at once is one. The words that each request changes; those that each block changes; lanes
/// whose last addition was to the same word in an earlier round of a loop; and lanes that use what
/// stood there before.
inline constexpr std::string_view kGlobalAdders = "global_adders";
inline constexpr std::string_view kGlobalAdded = "global_added";
inline constexpr std::string_view kSharedAdders = "shared_adders";
inline constexpr std::string_view kSharedAdded = "shared_added";
inline constexpr std::string_view kBlockAdded = "block_added";
inline constexpr std::string_view kRepeatedAdders = "repeated_adders";
inline constexpr std::string_view kUsedAdders = "used_adders";
/// How many words additions to global memory span, from the first to the last that changes.
inline constexpr std::string_view kAddedWords = "added_words";
/// Lanes that try to take a lock, and threads that do; lanes of compare-and-swap in a loop that
/// tries again, and the words that each request is for.
inline constexpr std::string_view kLockTries = "lock_tries";
inline constexpr std::string_view kLockThreads = "lock_threads";
inline constexpr std::string_view kSwapTries = "swap_tries";
inline constexpr std::string_view kSwapWords = "swap_words";
/// Lanes that load from shared memory what they have written there, of arrays in which no thread
/// reads what another wrote.
inline constexpr std::string_view kOwnWords = "own_words";
/// Sectors of loads whose elements the block has in shared memory, that a load from there spares.
inline constexpr std::string_view kTiledSectors = "tiled_sectors";
/// Barriers of blocks, and those that order nothing: no thread of the block writes between the
/// barrier before and this one, nor between this one and the next.
inline constexpr std::string_view kBarriersPassed = "barriers_passed";
inline constexpr std::string_view kNeedlessBarriers = "needless_barriers";
/// Sectors of a line's wasteful loads and stores, and how many they would be if the threads of a
/// block took the elements of each instruction in the order in which they lie in memory.
inline constexpr std::string_view kLoadsTried = "load_sectors_tried";
inline constexpr std::string_view kLoadsInOrder = "load_sectors_in_order";
inline constexpr std::string_view kStoresTried = "store_sectors_tried";
inline constexpr std::string_view kStoresInOrder = "store_sectors_in_order";
/// Instructions of warps: numbers made doubles and doubles other numbers, arithmetic in double,
/// loads and stores of doubles, calls of printf.
inline constexpr std::string_view kWidened = "widened";
inline constexpr std::string_view kNarrowed = "narrowed";
inline constexpr std::string_view kDoubleArithmetic = "double_instructions";
inline constexpr std::string_view kDoublesMoved = "doubles_moved";
inline constexpr std::string_view kPrinted = "printf_calls";
/// Bytes of an output from its first to the last that is stored, and all that it has, where an
/// input is read to the same share.
inline constexpr std::string_view kReachedBytes = "reached_bytes";
inline constexpr std::string_view kReachableBytes = "reachable_bytes";

}  // namespace lab::metric
