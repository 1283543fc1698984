// Shared memory: requests, wavefronts by two rules, and bank conflicts.
#include "metrics/rows.h"

#include "harness/core/metric_keys.h"

namespace lab::metrics {
namespace {

constexpr std::string_view kTable = "memory__shared_table";
constexpr Band kArbitration = {
    0, 0, true,
    "arbitration: the counter also counts cycles that shared accesses lose to other traffic of the "
    "L1 data stage"};

// Of 734 kernels an H200 counted in none fewer than addresses cause, and at most 0.13 more for each
// shared wavefront or shuffle; of 668 an H100 by the counters of loads and stores, 0.12.
constexpr Band kArbitrationOfAll = {
    .open_above = true,
    .cause =
        "arbitration: the counter also counts cycles that shared accesses and shuffles lose "
        "to other traffic of the L1 data stage",
    .above_per_pass = 0.5};

// The counters of loads, stores and atomics, which differ in a part of their names.
struct Names {
  std::string_view key, cupti, sass;
};
struct Operation {
  Names requests, wavefronts, wavefronts_sass, conflicts;
  std::string_view ways;
  std::string_view what;
};

const Operation kOperations[] = {
    {{metric::kSharedLoadRequests, "smsp__inst_executed_op_shared_ld_pred_on_any.sum",
      "smsp__sass_inst_executed_op_shared_ld.sum"},
     {metric::kSharedLoadWavefronts, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", ""},
     {metric::kSharedLoadWavefrontsSass, "",
      "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"},
     {metric::kSharedLoadBankConflicts, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
      ""},
     metric::kSharedLoadWays,
     "loads"},
    {{metric::kSharedStoreRequests, "smsp__inst_executed_op_shared_st_pred_on_any.sum",
      "smsp__sass_inst_executed_op_shared_st.sum"},
     {metric::kSharedStoreWavefronts, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", ""},
     {metric::kSharedStoreWavefrontsSass, "",
      "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum"},
     {metric::kSharedStoreBankConflicts, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
      ""},
     metric::kSharedStoreWays,
     "stores"},
    {{metric::kSharedAtomicRequests, "smsp__inst_executed_op_shared_atom_pred_on_any.sum",
      "smsp__sass_inst_executed_op_shared_atom.sum"},
     {metric::kSharedAtomicWavefronts, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
      ""},
     {metric::kSharedAtomicWavefrontsSass, "",
      "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"},
     {metric::kSharedAtomicBankConflicts,
      "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum", ""},
     metric::kSharedAtomicWays,
     "atomics"},
};

Metric row(const Names& names, std::string_view unit, Class metric_class, std::string_view text) {
  Metric metric{names.key, unit, metric_class, names.cupti, names.sass};
  metric.model = InModel::kCounted;
  metric.measured = names.sass.empty() ? SourceOf::kCupti : SourceOf::kSass;
  metric.table = kTable;
  metric.text = text;
  if (unit == "request") metric.band = kPredicatedOff;
  return metric;
}

void add(const Operation& operation, std::vector<Metric>& rows) {
  rows.push_back(row(operation.requests, "request", Class::kExact,
                     "Shared-memory instructions of this kind, counted once per warp, that had at "
                     "least one active lane."));
  auto wavefronts = row(operation.wavefronts, "wavefront", Class::kBanded,
                        "Passes through the L1 data stage, as the hardware counts them: an access "
                        "takes as many as its busiest bank has distinct words to deliver.");
  wavefronts.band = kArbitration;
  wavefronts.why_not = "instruction patching has a rule of its own: see the _sass key";
  rows.push_back(wavefronts);
  auto sass = row(operation.wavefronts_sass, "wavefront", Class::kExact,
                  "Wavefronts as instruction patching counts them from addresses: free of "
                  "arbitration, so equal to its prediction.");
  sass.why_not = "hardware counts wavefronts with arbitration: see the key without _sass";
  rows.push_back(sass);
  auto conflicts = row(operation.conflicts, "conflict", Class::kBanded,
                       "Wavefronts beyond those that the width of the accesses needs anyway.");
  conflicts.band = kArbitration;
  conflicts.why_not = "instruction patching counts wavefronts, not conflicts";
  rows.push_back(conflicts);
  Metric ways{operation.ways, "wavefront/request", Class::kExact};
  ways.derived = {Rule::kRatio, {operation.wavefronts_sass.key, operation.requests.key}};
  ways.model = InModel::kDerived;
  ways.measured = SourceOf::kSass;
  ways.table = kTable;
  ways.text =
      "Wavefronts per request: n is an n-way conflict for accesses of 4 bytes per lane; 8 and 16 "
      "bytes per lane need two and four even without one.";
  rows.push_back(ways);
}

// Instructions that move more than a lane asks for: matrices by rows, and copies past registers.
struct Movement {
  std::string_view key, unit, cupti, sass, why_not, text;
};
constexpr std::string_view kAmongLoads =
    "no counter of its own: the hardware counts it with shared loads";
constexpr std::string_view kAmongStores =
    "no counter of its own: the hardware counts it with shared stores";
constexpr std::string_view kNoCopyRule =
    "no rule is known that gives every count measured: both the source's banks and the "
    "destination's decide";
const Movement kMovements[] = {
    {metric::kMatrixLoadRequests, "request", "", "smsp__sass_inst_executed_op_ldsm.sum",
     "the hardware's counter is instruction patching's",
     "Matrix loads (ldmatrix), counted once per warp."},
    {metric::kMatrixLoadWavefronts, "wavefront", "", "", kAmongLoads,
     "Wavefronts of matrix loads: one for each matrix whose 8 rows of 16 bytes lie in different "
     "banks."},
    {metric::kMatrixLoadBankConflicts, "conflict", "", "", kAmongLoads,
     "Wavefronts of matrix loads beyond one for each matrix."},
    {metric::kMatrixStoreRequests, "request", "", "", kAmongStores,
     "Matrix stores (stmatrix), counted once per warp."},
    {metric::kMatrixStoreWavefronts, "wavefront", "", "", kAmongStores,
     "Wavefronts of matrix stores: one for each matrix whose 8 rows of 16 bytes lie in different "
     "banks."},
    {metric::kMatrixStoreBankConflicts, "conflict", "", "", kAmongStores,
     "Wavefronts of matrix stores beyond one for each matrix."},
    {metric::kAsyncCopyRequests, "request", "smsp__inst_executed_op_ldgsts.sum", "",
     "instruction patching has no counter that was held against it",
     "Asynchronous copies from global to shared memory (cp.async), counted once per warp: they are "
     "neither loads nor stores."},
    {metric::kAsyncCopySectors, "sector", "", "",
     "no counter of its own: the hardware counts it with global loads",
     "Sectors of asynchronous copies: those of the source, or past L1 (.cg) the pairs of a line of "
     "the source and a sector of the destination."},
};

Metric row(const Movement& movement) {
  Metric metric{movement.key, movement.unit, Class::kExact, movement.cupti, movement.sass};
  metric.model = InModel::kCounted;
  metric.measured = movement.sass.empty() ? SourceOf::kCupti : SourceOf::kSass;
  metric.why_not = movement.why_not;
  metric.text = movement.text;
  return metric;
}

}  // namespace

std::vector<Metric> shared_rows() {
  std::vector<Metric> rows;
  for (const auto& operation : kOperations) add(operation, rows);
  for (const auto& movement : kMovements) rows.push_back(row(movement));
  Metric all{metric::kSharedBankConflicts, "conflict", Class::kBanded};
  all.derived = {Rule::kSum,
                 {metric::kSharedLoadBankConflicts, metric::kSharedStoreBankConflicts,
                  metric::kSharedAtomicBankConflicts}};
  all.model = InModel::kDerived;
  all.band = kArbitration;
  all.table = kTable;
  all.text = "Bank conflicts of loads, stores and atomics together.";
  rows.push_back(all);
  Metric counter{metric::kSharedConflictsAll, "conflict", Class::kBanded,
                 "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"};
  counter.derived = all.derived;
  counter.model = InModel::kDerived;
  counter.band = kArbitrationOfAll;
  counter.why_not = "instruction patching counts wavefronts, not conflicts";
  counter.table = kTable;
  counter.text =
      "The one counter of all shared bank conflicts, without _op_ in its name: those of loads, "
      "stores and atomics that addresses cause, and what shared accesses and shuffles lose to "
      "arbitration.";
  rows.push_back(counter);
  Metric shuffles{metric::kWarpShuffles, "instruction", Class::kContext};
  shuffles.model = InModel::kCounted;
  shuffles.why_not = "no counter of them was held against the model";
  shuffles.text =
      "Shuffles that warps executed. They go through the L1 data stage like shared accesses, and "
      "what they lose there to arbitration is in shared_conflicts_all.";
  rows.push_back(shuffles);

  Metric copies{metric::kAsyncCopyBankConflicts, "conflict", Class::kContext,
                "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum"};
  copies.why_not = kNoCopyRule;
  copies.text =
      "Bank conflicts of asynchronous copies through L1 (.ca). Copies past L1 (.cg) have none.";
  rows.push_back(copies);

  Metric l1{metric::kL1BankConflicts, "conflict", Class::kContext,
            "l1tex__data_bank_conflicts_pipe_lsu.sum"};
  l1.why_not = "the banks of global accesses in L1 are hashed in a way that is not public";
  l1.table = kTable;
  l1.text = "Lost cycles of the L1 data stage of all kinds: shared, global, arbitration.";
  rows.push_back(l1);
  Metric lost{metric::kL1ArbitrationConflicts, "conflict", Class::kContext,
              "l1tex__data_bank_conflicts_type_arbitration.sum"};
  lost.why_not = "arbitration depends on time, which the model does not have";
  lost.table = kTable;
  lost.text = "Cycles of the L1 data stage lost to arbitration between its clients.";
  rows.push_back(lost);
  Metric global{metric::kL1GlobalConflicts, "conflict", Class::kContext,
                "l1tex__data_bank_conflicts_pipe_lsu_mem_gds.sum"};
  global.why_not = "the banks of global accesses in L1 are hashed in a way that is not public";
  global.table = kTable;
  global.text = "Bank conflicts of global accesses in the L1 data stage.";
  rows.push_back(global);
  return rows;
}

}  // namespace lab::metrics
