// L1's data stage beside plain accesses to shared memory: matrices by rows, copies past registers,
// shuffles, and the counters of all kinds together.
#include "harness/core/metric_keys.h"
#include "metrics/rows.h"

namespace lab::metrics {
namespace {

constexpr std::string_view kAmongLoads =
    "no counter of its own: the hardware counts it with shared loads";
constexpr std::string_view kAmongStores =
    "no counter of its own: the hardware counts it with shared stores";
constexpr std::string_view kShufflesToo =
    "Shuffles go through the same data stage: lab 10's bursts has no shared memory and reads "
    "557,766 for 10,485,760 of them. A kernel without either reads 0.";
constexpr std::string_view kHashedBanks =
    "the banks of global accesses in L1 are hashed in a way that is not public";
// Of 734 kernels an H200 counted in none fewer than addresses cause, and at most 0.13 more for each
// shared wavefront or shuffle; of 668 an H100 by the counters of loads and stores, 0.12.
constexpr Band kArbitrationOfAll = {
    .open_above = true,
    .cause =
        "arbitration: the counter also counts cycles that shared accesses and shuffles lose "
        "to other traffic of the L1 data stage",
    .above_per_pass = 0.5};

}  // namespace

std::vector<Metric> data_stage_rows() {
  return {
      {
          .key = metric::kMatrixLoadRequests,
          .title = "matrix requests, load",
          .unit = "request",
          .metric_class = Class::kExact,
          .text = "Matrix loads (ldmatrix), counted once per warp.",
          .sass = "smsp__sass_inst_executed_op_ldsm.sum",
          .model = InModel::kCounted,
          .counted = Counted{AccessKind::kMatrixLoad, Count::kRequests},
          .measured = SourceOf::kSass,
          .why_not = "the hardware's counter is instruction patching's",
      },
      {
          .key = metric::kMatrixLoadWavefronts,
          .title = "matrix wavefronts, load",
          .unit = "wavefront",
          .metric_class = Class::kExact,
          .text = "Wavefronts of matrix loads: one for each matrix whose 8 rows of 16 bytes lie in "
                  "different banks.",
          .model = InModel::kCounted,
          .counted = Counted{AccessKind::kMatrixLoad, Count::kWavefronts},
          .why_not = kAmongLoads,
      },
      {
          .key = metric::kMatrixLoadBankConflicts,
          .title = "matrix conflicts, load",
          .unit = "conflict",
          .metric_class = Class::kExact,
          .text = "Wavefronts of matrix loads beyond one for each matrix.",
          .model = InModel::kCounted,
          .counted = Counted{AccessKind::kMatrixLoad, Count::kConflicts},
          .why_not = kAmongLoads,
      },
      {
          .key = metric::kMatrixStoreRequests,
          .title = "matrix requests, store",
          .unit = "request",
          .metric_class = Class::kExact,
          .text = "Matrix stores (stmatrix), counted once per warp.",
          .model = InModel::kCounted,
          .counted = Counted{AccessKind::kMatrixStore, Count::kRequests},
          .why_not = kAmongStores,
      },
      {
          .key = metric::kMatrixStoreWavefronts,
          .title = "matrix wavefronts, store",
          .unit = "wavefront",
          .metric_class = Class::kExact,
          .text = "Wavefronts of matrix stores: one for each matrix whose 8 rows of 16 bytes lie "
                  "in different banks.",
          .model = InModel::kCounted,
          .counted = Counted{AccessKind::kMatrixStore, Count::kWavefronts},
          .why_not = kAmongStores,
      },
      {
          .key = metric::kMatrixStoreBankConflicts,
          .title = "matrix conflicts, store",
          .unit = "conflict",
          .metric_class = Class::kExact,
          .text = "Wavefronts of matrix stores beyond one for each matrix.",
          .model = InModel::kCounted,
          .counted = Counted{AccessKind::kMatrixStore, Count::kConflicts},
          .why_not = kAmongStores,
      },
      {
          .key = metric::kAsyncCopyRequests,
          .title = "copies, asynchronous",
          .unit = "request",
          .metric_class = Class::kExact,
          .text = "Asynchronous copies from global to shared memory (cp.async), counted once per "
                  "warp: they are neither loads nor stores.",
          .cupti = "smsp__inst_executed_op_ldgsts.sum",
          .model = InModel::kCounted,
          .counted = Counted{AccessKind::kAsyncCopy, Count::kRequests},
          .why_not = "instruction patching has no counter that was held against it",
      },
      {
          .key = metric::kAsyncCopySectors,
          .title = "sectors, asynchronous copies",
          .unit = "sector",
          .metric_class = Class::kExact,
          .text = "Sectors of asynchronous copies: those of the source, or past L1 (.cg) the pairs "
                  "of a line of the source and a sector of the destination.",
          .model = InModel::kCounted,
          .counted = Counted{AccessKind::kAsyncCopy, Count::kSectors},
          .why_not = "no counter of its own: the hardware counts it with global loads",
      },
      {
          .key = metric::kSharedBankConflicts,
          .title = "bank conflicts",
          .unit = "conflict",
          .metric_class = Class::kBanded,
          .text = "Bank conflicts of loads, stores and atomics together.",
          .derived = {Rule::kSum,
                      {metric::kSharedLoadBankConflicts, metric::kSharedStoreBankConflicts,
                       metric::kSharedAtomicBankConflicts}},
          .model = InModel::kDerived,
          .band = kArbitration,
          .ncu = {kShared, "Total", "Bank Conflicts"},
          .traps = {kWithArbitration},
      },
      {
          .key = metric::kSharedConflictsAll,
          .title = "hardware conflicts, shared",
          .unit = "conflict",
          .metric_class = Class::kBanded,
          .text = "The one counter of all shared bank conflicts, without _op_ in its name: those "
                  "of loads, stores and atomics that addresses cause, and what shared accesses and "
                  "shuffles lose to arbitration.",
          .cupti = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
          .derived = {Rule::kSum,
                      {metric::kSharedLoadBankConflicts, metric::kSharedStoreBankConflicts,
                       metric::kSharedAtomicBankConflicts}},
          .model = InModel::kDerived,
          .band = kArbitrationOfAll,
          .sets = {kDefault},
          .traps = {"Of 732 kernels an H200 counted what their addresses cause in 605, to the "
                    "digit, and in none less. What is more is arbitration: at most 13 of 100 "
                    "wavefronts. Two passes do not lose the same, so that the counters of loads, "
                    "stores and atomics add up to more or to less.",
                    kShufflesToo, kWithArbitration},
          .why_not = kNoConflictPatching,
      },
      {
          .key = metric::kWarpShuffles,
          .title = "shuffles",
          .unit = "instruction",
          .text = "Shuffles that warps executed. They go through the L1 data stage like shared "
                  "accesses, and what they lose there to arbitration is in shared_conflicts_all.",
          .model = InModel::kCounted,
          .traps = {kShufflesToo},
          .why_not = "no counter of them was held against the model",
      },
      {
          .key = metric::kAsyncCopyBankConflicts,
          .title = "conflicts, asynchronous copies",
          .unit = "conflict",
          .text = "Bank conflicts of asynchronous copies through L1 (.ca). Copies past L1 (.cg) "
                  "have none.",
          .cupti = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum",
          .why_not = "no rule is known that gives every count measured: both the source's banks "
                     "and the destination's decide",
      },
      {
          .key = metric::kL1BankConflicts,
          .title = "L1 conflicts, all",
          .unit = "conflict",
          .text = "Lost cycles of the L1 data stage of all kinds: shared, global, arbitration.",
          .cupti = "l1tex__data_bank_conflicts_pipe_lsu.sum",
          .sets = {kApart},
          .traps = {kWithArbitration},
          .why_not = kHashedBanks,
      },
      {
          .key = metric::kL1ArbitrationConflicts,
          .title = "L1 conflicts, arbitration",
          .unit = "conflict",
          .text = "Cycles of the L1 data stage lost to arbitration between its clients.",
          .cupti = "l1tex__data_bank_conflicts_type_arbitration.sum",
          .elsewhere = {{kBeforeHopper, ""}},
          .sets = {kApart},
          .why_not = "arbitration depends on time, which the model does not have",
      },
      {
          .key = metric::kL1GlobalConflicts,
          .title = "L1 conflicts, global",
          .unit = "conflict",
          .text = "Bank conflicts of global accesses in the L1 data stage.",
          .cupti = "l1tex__data_bank_conflicts_pipe_lsu_mem_gds.sum",
          .elsewhere = {{kBeforeHopper, "l1tex__data_bank_conflicts_pipe_lsu_mem_global.sum"}},
          .sets = {kApart},
          .why_not = kHashedBanks,
      },
  };
}

}  // namespace lab::metrics
