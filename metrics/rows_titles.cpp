// A short title for each metric: what heads a column that people read.
#include "metrics/rows.h"

namespace lab::metrics {
namespace {

struct Title {
  std::string_view key;
  std::string_view title;
};

// `what, of which`: neighbouring columns of one `what` share it as a heading.
constexpr Title kTitles[] = {
    {"global_load_requests", "requests, read"},
    {"global_load_sectors", "sectors, read"},
    {"global_load_sectors_per_request", "sectors per request, read"},
    {"global_load_lines", "lines, read"},
    {"global_load_lines_per_request", "lines per request, read"},
    {"global_load_efficiency", "efficiency, read"},
    {"global_load_bytes", "bytes asked for, read"},
    {"global_store_requests", "requests, write"},
    {"global_store_sectors", "sectors, write"},
    {"global_store_sectors_per_request", "sectors per request, write"},
    {"global_store_lines", "lines, write"},
    {"global_store_efficiency", "efficiency, write"},
    {"global_store_bytes", "bytes asked for, write"},
    {"global_atomic_sectors", "sectors, atomics"},
    {"global_reduction_sectors", "sectors, reductions"},
    {"global_atomic_sectors_sass", "distinct sectors, atomics"},
    {"global_reduction_sectors_sass", "distinct sectors, reductions"},
    {"local_load_requests", "local requests, load"},
    {"local_store_requests", "local requests, store"},
    {"global_lines", "lines, read and write"},
    {"shared_load_requests", "shared requests, load"},
    {"shared_load_wavefronts", "hardware wavefronts, load"},
    {"shared_load_wavefronts_sass", "wavefronts, load"},
    {"shared_load_bank_conflicts", "bank conflicts, load"},
    {"shared_load_ways", "ways, load"},
    {"shared_store_requests", "shared requests, store"},
    {"shared_store_wavefronts", "hardware wavefronts, store"},
    {"shared_store_wavefronts_sass", "wavefronts, store"},
    {"shared_store_bank_conflicts", "bank conflicts, store"},
    {"shared_store_ways", "ways, store"},
    {"shared_atomic_requests", "shared requests, atomic"},
    {"shared_atomic_wavefronts", "hardware wavefronts, atomic"},
    {"shared_atomic_wavefronts_sass", "wavefronts, atomic"},
    {"shared_atomic_bank_conflicts", "bank conflicts, atomic"},
    {"shared_atomic_ways", "ways, atomic"},
    {"matrix_load_requests", "matrix requests, load"},
    {"matrix_load_wavefronts", "matrix wavefronts, load"},
    {"matrix_load_bank_conflicts", "matrix conflicts, load"},
    {"matrix_store_requests", "matrix requests, store"},
    {"matrix_store_wavefronts", "matrix wavefronts, store"},
    {"matrix_store_bank_conflicts", "matrix conflicts, store"},
    {"async_copy_requests", "copies, asynchronous"},
    {"async_copy_sectors", "sectors, asynchronous copies"},
    {"async_copy_bank_conflicts", "conflicts, asynchronous copies"},
    {"texture_requests", "requests, textures"},
    {"texture_sectors", "sectors, textures"},
    {"surface_requests", "requests, surfaces"},
    {"surface_sectors", "sectors, surfaces"},
    {"shared_bank_conflicts", "bank conflicts"},
    {"shared_conflicts_all", "hardware conflicts, shared"},
    {"warp_shuffles", "shuffles"},
    {"l1_bank_conflicts", "L1 conflicts, all"},
    {"l1_arbitration_conflicts", "L1 conflicts, arbitration"},
    {"l1_global_conflicts", "L1 conflicts, global"},
    {"l1_load_hit_sectors", "L1 sectors, hit"},
    {"l1_hit_rate", "hit rate, L1"},
    {"l1_fill_sectors", "L1 sectors, filled"},
    {"l2_read_sectors", "L2 sectors, read"},
    {"l2_write_sectors", "L2 sectors, write"},
    {"l2_hit_sectors", "L2 sectors, hit"},
    {"l2_hit_rate", "hit rate, L2"},
    {"l2_fill_sectors", "L2 sectors, filled"},
    {"dram_read_bytes", "DRAM bytes, read"},
    {"dram_write_bytes", "DRAM bytes, write"},
    {"dram_busiest_channel_bytes", "channel bytes, busiest"},
    {"dram_mean_channel_bytes", "channel bytes, mean"},
    {"dram_channel_balance", "channel bytes, busiest / mean"},
    {"l2_sectors", "L2 sectors, both ways"},
    {"instructions", "warp instructions"},
    {"cycles", "SM cycles"},
    {"duration_ns", "launch time, ns"},
    {"occupancy", "occupancy, reached"},
    {"theoretical_occupancy", "occupancy, possible"},
    {"registers_per_thread", "registers per thread"},
    {"shared_bytes_per_block", "shared bytes per block"},
    {"local_bytes_per_thread", "local bytes per thread"},
    {"l1_carveout", "shared part of L1, bytes"},
    {"needed_bytes", "bytes, needed"},
    {"moved_bytes", "bytes, moved"},
    {"effective_bandwidth", "GB/s, needed"},
    {"moved_bandwidth", "GB/s, moved"},
};

}  // namespace

std::string_view title_of(std::string_view key) {
  for (const Title& row : kTitles) {
    if (row.key == key) return row.title;
  }
  return {};
}

}  // namespace lab::metrics
