#include "metrics/ncu_names.h"

#include <algorithm>

#include "harness/core/metric_keys.h"
#include "harness/core/text.h"

namespace lab::metrics {
namespace {

constexpr std::string_view kShared = "Shared Memory";
constexpr std::string_view kL1 = "L1/TEX Cache";
constexpr std::string_view kL2 = "L2 Cache";
constexpr std::string_view kDevice = "Device Memory";

// Nsight Compute's documentation, "Memory Tables"; sections outside them by their labels.
const std::vector<NcuPlace> kPlaces = {
    {metric::kGlobalLoadRequests, kL1, "Global Load", "Requests"},
    {metric::kGlobalLoadSectors, kL1, "Global Load", "Sectors"},
    {metric::kGlobalLoadSectorsPerRequest, kL1, "Global Load", "Sectors/Req"},
    {metric::kGlobalStoreRequests, kL1, "Global Store", "Requests"},
    {metric::kGlobalStoreSectors, kL1, "Global Store", "Sectors"},
    {metric::kGlobalStoreSectorsPerRequest, kL1, "Global Store", "Sectors/Req"},
    {metric::kGlobalAtomicSectors, kL1, "Global Atomic", "Sectors"},
    {metric::kGlobalReductionSectors, kL1, "Global Reduction", "Sectors"},
    {metric::kLocalLoadRequests, kL1, "Local Load", "Requests"},
    {metric::kLocalStoreRequests, kL1, "Local Store", "Requests"},
    {metric::kL1LoadHitSectors, kL1, "Global Load", "Sectors x Hit Rate"},
    {metric::kL1HitRate, kL1, "Global Load", "Hit Rate"},
    {metric::kL1FillSectors, kL1, "Loads", "Sector Misses to L2"},
    {metric::kSharedLoadRequests, kShared, "Shared Load", "Requests"},
    {metric::kSharedLoadWavefronts, kShared, "Shared Load", "Wavefronts"},
    {metric::kSharedLoadBankConflicts, kShared, "Shared Load", "Bank Conflicts"},
    {metric::kSharedLoadWays, kShared, "Shared Load", "Wavefronts / Requests"},
    {metric::kSharedStoreRequests, kShared, "Shared Store", "Requests"},
    {metric::kSharedStoreWavefronts, kShared, "Shared Store", "Wavefronts"},
    {metric::kSharedStoreBankConflicts, kShared, "Shared Store", "Bank Conflicts"},
    {metric::kSharedStoreWays, kShared, "Shared Store", "Wavefronts / Requests"},
    {metric::kSharedAtomicRequests, kShared, "Shared Atomic", "Requests"},
    {metric::kSharedAtomicWavefronts, kShared, "Shared Atomic", "Wavefronts"},
    {metric::kSharedAtomicBankConflicts, kShared, "Shared Atomic", "Bank Conflicts"},
    {metric::kSharedAtomicWays, kShared, "Shared Atomic", "Wavefronts / Requests"},
    {metric::kSharedBankConflicts, kShared, "Total", "Bank Conflicts"},
    {metric::kL2ReadSectors, kL2, "L1/TEX Load", "Sectors"},
    {metric::kL2WriteSectors, kL2, "L1/TEX Store", "Sectors"},
    {metric::kL2Sectors, kL2, "L1/TEX Load and L1/TEX Store", "Sectors"},
    {metric::kL2HitSectors, kL2, "L1/TEX Total", "Sectors x Hit Rate"},
    {metric::kL2HitRate, kL2, "L1/TEX Total", "Hit Rate"},
    {metric::kL2FillSectors, kL2, "GPU Total", "Sector Misses to Device"},
    {metric::kDramReadBytes, kDevice, "Load", "Bytes"},
    {metric::kDramWriteBytes, kDevice, "Store", "Bytes"},
    {metric::kMovedBytes, kDevice, "Total", "Bytes"},
    {metric::kMovedBandwidth, kDevice, "Total", "Throughput"},
    {metric::kInstructions, "Instruction Statistics", "", "Executed Instructions"},
    {metric::kCycles, "GPU Speed Of Light Throughput", "", "Elapsed Cycles"},
    {metric::kDurationNs, "GPU Speed Of Light Throughput", "", "Duration"},
    {metric::kOccupancy, "Occupancy", "", "Achieved Occupancy"},
    {metric::kTheoreticalOccupancy, "Occupancy", "", "Theoretical Occupancy"},
    {metric::kRegistersPerThread, "Launch Statistics", "", "Registers Per Thread"},
    {metric::kSharedBytesPerBlock, "Launch Statistics", "",
     "Driver, Static and Dynamic Shared Memory Per Block"},
    {metric::kL1Carveout, "Launch Statistics", "", "Shared Memory Configuration Size"},
    {metric::kGlobalLoadLines, "Source page", "", "L1 Tag Requests Global"},
    {metric::kGlobalStoreLines, "Source page", "", "L1 Tag Requests Global"},
    {metric::kGlobalLines, "Source page", "", "L1 Tag Requests Global"},
    {metric::kSharedLoadWavefrontsSass, "Source page", "", "L1 Wavefronts Shared"},
    {metric::kSharedStoreWavefrontsSass, "Source page", "", "L1 Wavefronts Shared"},
    {metric::kSharedAtomicWavefrontsSass, "Source page", "", "L1 Wavefronts Shared"},
};

struct Trap {
  std::string_view keys;  // separated by spaces
  std::string_view text;
};

// Each was seen on an H200, or is said in NVIDIA's documentation of the counter.
constexpr Trap kTraps[] = {
    {"global_load_requests global_store_requests shared_load_requests shared_store_requests "
     "shared_atomic_requests local_load_requests local_store_requests",
     "Counters of instructions without _pred_on_any in their names include instructions whose "
     "lanes were all inactive. Those ask for nothing."},
    {"global_load_requests global_store_requests shared_load_requests shared_store_requests "
     "global_load_sectors global_store_sectors",
     "The compiler may merge neighbouring accesses into wider ones, unroll, or drop them: lab "
     "explain shows the machine code."},
    {"global_load_sectors_per_request global_store_sectors_per_request",
     "The best value is 4, 8 or 16 for 4, 8 or 16 bytes per lane. A lower one can also mean that "
     "few lanes are active."},
    {"global_load_sectors_per_request global_store_sectors_per_request l2_hit_rate l1_hit_rate",
     "CUPTI's ready-made ratio costs a pass of its own; lab divides the two counters itself."},
    {metric::kGlobalLoadSectorsPerRequest,
     "The ready-made ratio is "
     "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio."},
    {metric::kGlobalStoreSectorsPerRequest,
     "The ready-made ratio is "
     "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio."},
    {metric::kSharedConflictsAll,
     "Of 732 kernels an H200 counted what their addresses cause in 605, to the digit, and in none "
     "less. What is more is arbitration: at most 13 of 100 wavefronts. Two passes do not lose the "
     "same, so that the counters of loads, stores and atomics add up to more or to less."},
    {"shared_conflicts_all warp_shuffles",
     "Shuffles go through the same data stage: lab 10's bursts has no shared memory and reads "
     "557,766 for 10,485,760 of them. A kernel without either reads 0."},
    {"global_load_efficiency global_store_efficiency",
     "It leaves caches out: bytes that one access moves and does not use may serve the next one."},
    {"global_atomic_sectors global_reduction_sectors",
     "The compiler makes a reduction (RED) of an atomic whose result is not used: it is counted "
     "under the other key."},
    {"shared_load_wavefronts shared_store_wavefronts shared_atomic_wavefronts "
     "shared_load_bank_conflicts shared_store_bank_conflicts shared_atomic_bank_conflicts "
     "shared_bank_conflicts shared_conflicts_all l1_bank_conflicts",
     "It also counts cycles lost to arbitration: a kernel whose addresses have no conflict may "
     "show some. The _sass keys are free of that."},
    {"shared_load_bank_conflicts shared_store_bank_conflicts shared_load_ways shared_store_ways "
     "shared_load_wavefronts shared_store_wavefronts",
     "Accesses of 8 and 16 bytes per lane take 2 and 4 wavefronts anyway: those are not "
     "conflicts."},
    {"shared_atomic_bank_conflicts shared_atomic_wavefronts shared_atomic_ways",
     "Lanes on one address are conflicts of an atomic; for loads they are a broadcast."},
    {"l1_hit_rate l1_load_hit_sectors",
     "Which access finds its sector depends on the order of the warps, so it varies between runs. "
     "A sector that is still on its way counts as a hit."},
    {metric::kL2ReadSectors,
     "lts__t_sectors_op_read also counts traffic between the halves of L2 (GA100, GH100) and of "
     "other units: only srcunit_tex belongs to the kernel."},
    {"l2_read_sectors l1_fill_sectors",
     "On GH100, reads of one sector by several SMs merge on their way: L2 counts fewer sectors "
     "than the L1 caches receive."},
    {metric::kL2WriteSectors,
     "L1 merges stores that follow each other: fewer sectors reach L2 than the stores touch."},
    {"l2_hit_rate l2_hit_sectors",
     "Writes always hit: a kernel that mostly stores shows a high rate that says nothing."},
    {"dram_read_bytes l2_fill_sectors",
     "HBM parts fetch 64 bytes at a time: a lone sector costs two. Stores that leave a sector "
     "partly written read the rest of it."},
    {"dram_write_bytes moved_bytes moved_bandwidth",
     "L2 writes back late: outputs smaller than L2 show few or no bytes, and what earlier kernels "
     "left dirty may be written while this one runs."},
    {"dram_read_bytes dram_write_bytes l2_fill_sectors moved_bytes",
     "It counts the whole chip: copies, the display and other processes are included."},
    {"dram_read_bytes l2_read_sectors l2_hit_rate duration_ns",
     "It depends on what L2 held before. lab and Nsight Compute flush L2 before each pass unless "
     "told otherwise."},
    {metric::kDurationNs,
     "gpu__time_duration includes the launch; the time that lab shows comes from its timing loop. "
     "Nsight Compute locks the clocks to base unless told --clock-control none."},
    {"cycles duration_ns",
     "Clocks vary with temperature and load, and memory has a clock of its own."},
    {metric::kInstructions,
     "It counts machine code. The model counts PTX instructions, which differ. An instruction of a "
     "warp counts once, however many lanes are active."},
    {metric::kOccupancy,
     "It is an average over the time in which SMs are active: the last blocks lower it."},
    {metric::kTheoreticalOccupancy,
     "High occupancy is not a goal in itself: it only hides latency."},
    {metric::kRegistersPerThread,
     "The hardware allocates registers in units of 8 per thread: this is the number before "
     "rounding."},
    {metric::kEffectiveBandwidth,
     "It counts what the task needs, not what was moved. A value above the DRAM's peak means that "
     "a cache served a part."},
};

// Ratios that CUPTI has ready-made, by the row that has the same number.
struct ReadyMade {
  std::string_view key;
  std::string_view counter;
};
constexpr ReadyMade kReadyMade[] = {
    {metric::kGlobalLoadSectorsPerRequest,
     "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio"},
    {metric::kGlobalStoreSectorsPerRequest,
     "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio"},
};

constexpr std::string_view kChips =
    "GH100 TU102 TU104 TU106 TU116 TU117 GA100 GA102 GA103 GA104 GA106 GA107 GA10B AD102 AD103 "
    "AD104 AD106 AD107 GB100 GB102 GB110 GB10B GB202 GB203 GB205 GB206 GB207 GB20B";

bool has_word(std::string_view words, std::string_view word) {
  const auto all = split(words, ' ');
  return std::find(all.begin(), all.end(), word) != all.end();
}

bool names_counter(std::string_view counter, std::string_view name) {
  if (name.empty() || counter.substr(0, name.size()) != name) return false;
  return counter.size() == name.size() || counter[name.size()] == '.';
}

}  // namespace

const std::vector<NcuPlace>& ncu_places() { return kPlaces; }

const NcuPlace* find_ncu_place(std::string_view key) {
  const auto found = std::find_if(kPlaces.begin(), kPlaces.end(),
                                  [&](const NcuPlace& place) { return place.key == key; });
  return found == kPlaces.end() ? nullptr : &*found;
}

std::string ncu_place_text(std::string_view key) {
  const NcuPlace* place = find_ncu_place(key);
  if (place == nullptr) return {};
  const std::string section(place->section);
  const std::string column(place->column);
  if (place->row.empty()) return section + ": " + column;
  return "Memory Workload Analysis, " + section + ": row " + std::string(place->row) + ", column " +
         column;
}

std::vector<std::string_view> traps_of(std::string_view key) {
  std::vector<std::string_view> texts;
  for (const Trap& trap : kTraps) {
    if (has_word(trap.keys, key)) texts.push_back(trap.text);
  }
  return texts;
}

const std::vector<std::string_view>& known_chips() {
  static const std::vector<std::string_view> kEach = split(kChips, ' ');
  return kEach;
}

std::vector<NameOnChips> names_on_chips(const Metric& metric, SourceOf source) {
  std::vector<NameOnChips> out;
  if ((source == SourceOf::kSass ? metric.sass : metric.cupti).empty()) return out;
  for (const std::string_view chip : known_chips()) {
    const std::string name = counter_name(metric, source, chip).name;
    auto found =
        std::find_if(out.begin(), out.end(), [&](const auto& n) { return n.name == name; });
    if (found == out.end()) found = out.insert(out.end(), NameOnChips{name, {}});
    found->chips.push_back(chip);
  }
  std::stable_sort(out.begin(), out.end(), [](const NameOnChips& a, const NameOnChips& b) {
    return a.chips.size() > b.chips.size();
  });
  return out;
}

std::vector<const Metric*> rows_counted_by(std::string_view name) {
  std::vector<const Metric*> rows;
  for (const Metric& metric : catalogue()) {
    bool counted = names_counter(metric.sass, name);
    for (const NameOnChips& one : names_on_chips(metric, SourceOf::kCupti)) {
      counted = counted || names_counter(one.name, name);
    }
    for (const ReadyMade& ratio : kReadyMade) {
      counted = counted || (ratio.key == metric.key && names_counter(ratio.counter, name));
    }
    if (counted) rows.push_back(&metric);
  }
  return rows;
}

}  // namespace lab::metrics
