// Global and local memory: what the instructions of warps ask of L1.
#include "harness/core/metric_keys.h"
#include "metrics/rows.h"

namespace lab::metrics {
namespace {

constexpr std::string_view kBestValue =
    "The best value is 4, 8 or 16 for 4, 8 or 16 bytes per lane. A lower one can also mean that "
    "few lanes are active.";
constexpr std::string_view kLinesTogether =
    "hardware counts the lines of loads and stores together: see global_lines";
constexpr std::string_view kCachesLeftOut =
    "It leaves caches out: bytes that one access moves and does not use may serve the next one.";
constexpr std::string_view kNoByteCounter =
    "hardware does not count distinct bytes; a measured efficiency takes the model's bytes over "
    "the measured sectors";
constexpr std::string_view kReductionsApart =
    "The compiler makes a reduction (RED) of an atomic whose result is not used: it is counted "
    "under the other key.";
constexpr std::string_view kByHardwaresRule =
    "the model counts atomics as the hardware does: lanes on one address go one after the other";

// Three of 178 random patterns read one sector more than the rule on an H200.
constexpr Band kAtomicBand = {
    0.04, 1, false,
    "atomics of scattered lanes now and then cost the hardware one sector more than the rule says"};

}  // namespace

std::vector<Metric> global_rows() {
  return {
      {
          .key = metric::kGlobalLoadRequests,
          .title = "requests, read",
          .unit = "request",
          .metric_class = Class::kExact,
          .text = "Load instructions to global memory, counted once per warp, that had at least "
                  "one active lane.",
          .cupti = "smsp__inst_executed_op_global_ld_pred_on_any.sum",
          .sass = "smsp__sass_inst_executed_op_global_ld.sum",
          .model = InModel::kCounted,
          .counted = Counted{AccessKind::kGlobalLoad, Count::kRequests},
          .measured = SourceOf::kSass,
          .band = kPredicatedOff,
          .sets = {kDefault, kDefaultPatched},
          .ncu = {kL1, "Global Load", "Requests"},
          .traps = {kInactiveLanes, kMergedByCompiler},
      },
      {
          .key = metric::kGlobalLoadSectors,
          .title = "sectors, read",
          .unit = "sector",
          .metric_class = Class::kExact,
          .text = "32-byte sectors that the loads touch: for each instruction the distinct sectors "
                  "of its active lanes.",
          .cupti = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
          .sass = "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ld.sum",
          .model = InModel::kCounted,
          .counted = Counted{AccessKind::kGlobalLoad, Count::kSectors},
          .sets = {kDefault, kDefaultPatched},
          .ncu = {kL1, "Global Load", "Sectors"},
          .traps = {kMergedByCompiler},
      },
      {
          .key = metric::kGlobalLoadSectorsPerRequest,
          .title = "sectors per request, read",
          .unit = "sector/request",
          .metric_class = Class::kExact,
          .text = "Sectors that one load instruction touches. A coalesced load of 4, 8 or 16 bytes "
                  "per lane touches 4, 8 or 16.",
          .ready_made = "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio",
          .derived = {Rule::kRatio, {metric::kGlobalLoadSectors, metric::kGlobalLoadRequests}},
          .model = InModel::kDerived,
          .ncu = {kL1, "Global Load", "Sectors/Req"},
          .traps = {kBestValue, kReadyMadeCosts},
      },
      {
          .key = metric::kGlobalLoadLines,
          .title = "lines, read",
          .unit = "line",
          .metric_class = Class::kExact,
          .text = "Distinct 128-byte lines that each load touches, added up.",
          .model = InModel::kCounted,
          .counted = Counted{AccessKind::kGlobalLoad, Count::kLines},
          .measured = SourceOf::kSass,
          .ncu = {"Source page", {}, "L1 Tag Requests Global"},
          .why_not = kLinesTogether,
      },
      {
          .key = metric::kGlobalLoadLinesPerRequest,
          .title = "lines per request, read",
          .unit = "line/request",
          .metric_class = Class::kExact,
          .text = "Distinct 128-byte lines that one load instruction touches: what the first GPUs "
                  "moved in transactions. A coalesced load of 4 bytes per lane touches one.",
          .derived = {Rule::kRatio, {metric::kGlobalLoadLines, metric::kGlobalLoadRequests}},
          .model = InModel::kDerived,
      },
      {
          .key = metric::kGlobalLoadEfficiency,
          .title = "efficiency, read",
          .unit = "fraction",
          .metric_class = Class::kExact,
          .text = "Distinct bytes that the loads ask for over the bytes of the sectors they touch. "
                  "1: every byte moved was asked for.",
          .derived = {Rule::kRatio, {metric::kGlobalLoadBytes, metric::kGlobalLoadSectors}, 32},
          .model = InModel::kDerived,
          .traps = {kCachesLeftOut},
      },
      {
          .key = metric::kGlobalLoadBytes,
          .title = "bytes asked for, read",
          .unit = "byte",
          .metric_class = Class::kExact,
          .text = "Distinct bytes that each load asks for, added up.",
          .model = InModel::kCounted,
          .counted = Counted{AccessKind::kGlobalLoad, Count::kBytes},
          .measured = SourceOf::kSass,
          .why_not = kNoByteCounter,
      },
      {
          .key = metric::kGlobalStoreRequests,
          .title = "requests, write",
          .unit = "request",
          .metric_class = Class::kExact,
          .text = "Store instructions to global memory, counted once per warp, that had at least "
                  "one active lane.",
          .cupti = "smsp__inst_executed_op_global_st_pred_on_any.sum",
          .sass = "smsp__sass_inst_executed_op_global_st.sum",
          .model = InModel::kCounted,
          .counted = Counted{AccessKind::kGlobalStore, Count::kRequests},
          .measured = SourceOf::kSass,
          .band = kPredicatedOff,
          .sets = {kDefault, kDefaultPatched},
          .ncu = {kL1, "Global Store", "Requests"},
          .traps = {kInactiveLanes, kMergedByCompiler},
      },
      {
          .key = metric::kGlobalStoreSectors,
          .title = "sectors, write",
          .unit = "sector",
          .metric_class = Class::kExact,
          .text = "32-byte sectors that the stores touch: for each instruction the distinct "
                  "sectors of its active lanes.",
          .cupti = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
          .sass = "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_st.sum",
          .model = InModel::kCounted,
          .counted = Counted{AccessKind::kGlobalStore, Count::kSectors},
          .sets = {kDefault, kDefaultPatched},
          .ncu = {kL1, "Global Store", "Sectors"},
          .traps = {kMergedByCompiler},
      },
      {
          .key = metric::kGlobalStoreSectorsPerRequest,
          .title = "sectors per request, write",
          .unit = "sector/request",
          .metric_class = Class::kExact,
          .text = "Sectors that one store instruction touches.",
          .ready_made = "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio",
          .derived = {Rule::kRatio, {metric::kGlobalStoreSectors, metric::kGlobalStoreRequests}},
          .model = InModel::kDerived,
          .ncu = {kL1, "Global Store", "Sectors/Req"},
          .traps = {kBestValue, kReadyMadeCosts},
      },
      {
          .key = metric::kGlobalStoreLines,
          .title = "lines, write",
          .unit = "line",
          .metric_class = Class::kExact,
          .text = "Distinct 128-byte lines that each store touches, added up.",
          .model = InModel::kCounted,
          .counted = Counted{AccessKind::kGlobalStore, Count::kLines},
          .measured = SourceOf::kSass,
          .ncu = {"Source page", {}, "L1 Tag Requests Global"},
          .why_not = kLinesTogether,
      },
      {
          .key = metric::kGlobalStoreEfficiency,
          .title = "efficiency, write",
          .unit = "fraction",
          .metric_class = Class::kExact,
          .text = "Distinct bytes that the stores write over the bytes of the sectors they touch.",
          .derived = {Rule::kRatio, {metric::kGlobalStoreBytes, metric::kGlobalStoreSectors}, 32},
          .model = InModel::kDerived,
          .traps = {kCachesLeftOut},
      },
      {
          .key = metric::kGlobalStoreBytes,
          .title = "bytes asked for, write",
          .unit = "byte",
          .metric_class = Class::kExact,
          .text = "Distinct bytes that each store writes, added up.",
          .model = InModel::kCounted,
          .counted = Counted{AccessKind::kGlobalStore, Count::kBytes},
          .measured = SourceOf::kSass,
          .why_not = kNoByteCounter,
      },
      {
          .key = metric::kGlobalAtomicSectors,
          .title = "sectors, atomics",
          .unit = "sector",
          .metric_class = Class::kExact,
          .text = "Sectors of atomics whose result is used. Lanes that hit one address are served "
                  "one after the other.",
          .cupti = "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
          .model = InModel::kCounted,
          .counted = Counted{AccessKind::kGlobalAtomic, Count::kSectors},
          .band = kAtomicBand,
          .ncu = {kL1, "Global Atomic", "Sectors"},
          .traps = {kReductionsApart},
      },
      {
          .key = metric::kGlobalReductionSectors,
          .title = "sectors, reductions",
          .unit = "sector",
          .metric_class = Class::kExact,
          .text = "Sectors of atomics whose result is not used. Lanes that hit one address are "
                  "served one after the other.",
          .cupti = "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
          .model = InModel::kCounted,
          .counted = Counted{AccessKind::kGlobalReduction, Count::kSectors},
          .band = kAtomicBand,
          .ncu = {kL1, "Global Reduction", "Sectors"},
          .traps = {kReductionsApart},
      },
      {
          .key = metric::kGlobalAtomicSectorsSass,
          .title = "distinct sectors, atomics",
          .unit = "sector",
          .text = "Distinct sectors that atomics whose result is used touch, however many lanes "
                  "hit one address.",
          .sass = "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_atom.sum",
          .measured = SourceOf::kSass,
          .sets = {kDefaultPatched},
          .why_not = kByHardwaresRule,
      },
      {
          .key = metric::kGlobalReductionSectorsSass,
          .title = "distinct sectors, reductions",
          .unit = "sector",
          .text = "Distinct sectors that atomics whose result is not used touch, however many "
                  "lanes hit one address.",
          .sass = "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_red.sum",
          .measured = SourceOf::kSass,
          .sets = {kDefaultPatched},
          .why_not = kByHardwaresRule,
      },
      {
          .key = metric::kLocalLoadRequests,
          .title = "local requests, load",
          .unit = "request",
          .text =
              "Loads from local memory: spilled registers and arrays that are indexed at run time.",
          .cupti = "smsp__inst_executed_op_local_ld_pred_on_any.sum",
          .sass = "smsp__sass_inst_executed_op_local_ld.sum",
          .model = InModel::kCounted,
          .counted = Counted{AccessKind::kLocalLoad, Count::kRequests},
          .measured = SourceOf::kSass,
          .sets = {kDefaultPatched},
          .ncu = {kL1, "Local Load", "Requests"},
          .traps = {kInactiveLanes},
      },
      {
          .key = metric::kLocalStoreRequests,
          .title = "local requests, store",
          .unit = "request",
          .text =
              "Stores to local memory: spilled registers and arrays that are indexed at run time.",
          .cupti = "smsp__inst_executed_op_local_st_pred_on_any.sum",
          .sass = "smsp__sass_inst_executed_op_local_st.sum",
          .model = InModel::kCounted,
          .counted = Counted{AccessKind::kLocalStore, Count::kRequests},
          .measured = SourceOf::kSass,
          .sets = {kDefaultPatched},
          .ncu = {kL1, "Local Store", "Requests"},
          .traps = {kInactiveLanes},
      },
      {
          .key = metric::kGlobalLines,
          .title = "lines, read and write",
          .unit = "line",
          .text = "Distinct 128-byte lines of all loads and stores, each instruction by itself.",
          .sass = "smsp__sass_l1tex_tags_mem_global.sum",
          .derived = {Rule::kSum, {metric::kGlobalLoadLines, metric::kGlobalStoreLines}},
          .model = InModel::kDerived,
          .measured = SourceOf::kSass,
          .ncu = {"Source page", {}, "L1 Tag Requests Global"},
      },
  };
}

}  // namespace lab::metrics
