// Global and local memory: what the instructions of warps ask of L1.
#include "metrics/rows.h"

#include "harness/core/metric_keys.h"

namespace lab::metrics {
namespace {

constexpr std::string_view kL1Table = "memory__first_level_cache_table";
constexpr std::string_view kNoByteCounter =
    "hardware does not count distinct bytes; a measured efficiency takes the model's bytes over "
    "the measured sectors";
constexpr std::string_view kByHardwaresRule =
    "the model counts atomics as the hardware does: lanes on one address go one after the other";
constexpr std::string_view kLinesTogether =
    "hardware counts the lines of loads and stores together: see global_lines";

Metric requests(std::string_view key, std::string_view cupti, std::string_view sass,
                std::string_view text) {
  Metric row{key, "request", Class::kExact, cupti, sass};
  row.model = InModel::kCounted;
  row.measured = SourceOf::kSass;
  row.band = kPredicatedOff;
  row.table = kL1Table;
  row.text = text;
  return row;
}

Metric sectors(std::string_view key, std::string_view cupti, std::string_view sass,
               std::string_view text) {
  Metric row{key, "sector", Class::kExact, cupti, sass};
  row.model = InModel::kCounted;
  row.table = kL1Table;
  row.text = text;
  return row;
}

Metric ratio(std::string_view key, std::string_view unit, Derivation derivation,
             std::string_view text) {
  Metric row{key, unit, Class::kExact};
  row.derived = std::move(derivation);
  row.model = InModel::kDerived;
  row.table = kL1Table;
  row.text = text;
  return row;
}

Metric model_only(std::string_view key, std::string_view unit, std::string_view why_not,
                  std::string_view text) {
  Metric row{key, unit, Class::kExact};
  row.model = InModel::kCounted;
  row.measured = SourceOf::kSass;
  row.table = kL1Table;
  row.why_not = why_not;
  row.text = text;
  return row;
}

// Three of 178 random patterns read one sector more than the rule on an H200.
constexpr Band kAtomicBand = {
    0.04, 1, false,
    "atomics of scattered lanes now and then cost the hardware one sector more than the rule says"};

Metric atomic_sectors(std::string_view key, std::string_view cupti, std::string_view text) {
  auto row = sectors(key, cupti, {}, text);
  row.band = kAtomicBand;
  return row;
}

// Instruction patching counts an atomic's sectors like a load's: 24 lanes on four sectors and 8 on
// one address of a fifth are 5, where the hardware counts 12 (H200).
Metric touched_sectors(std::string_view key, std::string_view sass, std::string_view text) {
  Metric row{key, "sector", Class::kContext, {}, sass};
  row.measured = SourceOf::kSass;
  row.why_not = kByHardwaresRule;
  row.table = kL1Table;
  row.text = text;
  return row;
}

}  // namespace

std::vector<Metric> global_rows() {
  std::vector<Metric> rows = {
      requests(metric::kGlobalLoadRequests, "smsp__inst_executed_op_global_ld_pred_on_any.sum",
               "smsp__sass_inst_executed_op_global_ld.sum",
               "Load instructions to global memory, counted once per warp, that had at least one "
               "active lane."),
      sectors(metric::kGlobalLoadSectors, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
              "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ld.sum",
              "32-byte sectors that the loads touch: for each instruction the distinct sectors of "
              "its active lanes."),
      ratio(metric::kGlobalLoadSectorsPerRequest, "sector/request",
            {Rule::kRatio, {metric::kGlobalLoadSectors, metric::kGlobalLoadRequests}},
            "Sectors that one load instruction touches. A coalesced load of 4, 8 or 16 bytes per "
            "lane touches 4, 8 or 16."),
      model_only(metric::kGlobalLoadLines, "line", kLinesTogether,
                 "Distinct 128-byte lines that each load touches, added up."),
      ratio(metric::kGlobalLoadLinesPerRequest, "line/request",
            {Rule::kRatio, {metric::kGlobalLoadLines, metric::kGlobalLoadRequests}},
            "Distinct 128-byte lines that one load instruction touches: what the first GPUs moved "
            "in transactions. A coalesced load of 4 bytes per lane touches one."),
      ratio(metric::kGlobalLoadEfficiency, "fraction",
            {Rule::kRatio, {metric::kGlobalLoadBytes, metric::kGlobalLoadSectors}, 32},
            "Distinct bytes that the loads ask for over the bytes of the sectors they touch. 1: "
            "every byte moved was asked for."),
      model_only(metric::kGlobalLoadBytes, "byte", kNoByteCounter,
                 "Distinct bytes that each load asks for, added up."),
      requests(metric::kGlobalStoreRequests, "smsp__inst_executed_op_global_st_pred_on_any.sum",
               "smsp__sass_inst_executed_op_global_st.sum",
               "Store instructions to global memory, counted once per warp, that had at least one "
               "active lane."),
      sectors(metric::kGlobalStoreSectors, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
              "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_st.sum",
              "32-byte sectors that the stores touch: for each instruction the distinct sectors of "
              "its active lanes."),
      ratio(metric::kGlobalStoreSectorsPerRequest, "sector/request",
            {Rule::kRatio, {metric::kGlobalStoreSectors, metric::kGlobalStoreRequests}},
            "Sectors that one store instruction touches."),
      model_only(metric::kGlobalStoreLines, "line", kLinesTogether,
                 "Distinct 128-byte lines that each store touches, added up."),
      ratio(metric::kGlobalStoreEfficiency, "fraction",
            {Rule::kRatio, {metric::kGlobalStoreBytes, metric::kGlobalStoreSectors}, 32},
            "Distinct bytes that the stores write over the bytes of the sectors they touch."),
      model_only(metric::kGlobalStoreBytes, "byte", kNoByteCounter,
                 "Distinct bytes that each store writes, added up."),
      atomic_sectors(metric::kGlobalAtomicSectors,
                     "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
                     "Sectors of atomics whose result is used. Lanes that hit one address are "
                     "served one after the other."),
      atomic_sectors(metric::kGlobalReductionSectors,
                     "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
                     "Sectors of atomics whose result is not used. Lanes that hit one address are "
                     "served one after the other."),
      touched_sectors(metric::kGlobalAtomicSectorsSass,
                      "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_atom.sum",
                      "Distinct sectors that atomics whose result is used touch, however many "
                      "lanes hit one address."),
      touched_sectors(metric::kGlobalReductionSectorsSass,
                      "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_red.sum",
                      "Distinct sectors that atomics whose result is not used touch, however many "
                      "lanes hit one address."),
      requests(metric::kLocalLoadRequests, "smsp__inst_executed_op_local_ld_pred_on_any.sum",
               "smsp__sass_inst_executed_op_local_ld.sum",
               "Loads from local memory: spilled registers and arrays that are indexed at run "
               "time."),
      requests(metric::kLocalStoreRequests, "smsp__inst_executed_op_local_st_pred_on_any.sum",
               "smsp__sass_inst_executed_op_local_st.sum",
               "Stores to local memory: spilled registers and arrays that are indexed at run "
               "time."),
  };
  Metric lines{metric::kGlobalLines, "line", Class::kContext, "",
               "smsp__sass_l1tex_tags_mem_global.sum"};
  lines.derived = {Rule::kSum, {metric::kGlobalLoadLines, metric::kGlobalStoreLines}};
  lines.model = InModel::kDerived;
  lines.measured = SourceOf::kSass;
  lines.table = kL1Table;
  lines.text = "Distinct 128-byte lines of all loads and stores, each instruction by itself.";
  rows.push_back(lines);
  // ptxas decides about registers and spills: PTX has neither.
  for (auto& row : rows) {
    if (row.key.substr(0, 6) != "local_") continue;
    row.metric_class = Class::kContext;
    row.band = {};
  }
  return rows;
}

}  // namespace lab::metrics
