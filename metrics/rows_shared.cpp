// Shared memory: requests, wavefronts by two rules, and bank conflicts.
#include "harness/core/metric_keys.h"
#include "metrics/rows.h"

namespace lab::metrics {
namespace {

constexpr std::string_view kWideAccesses =
    "Accesses of 8 and 16 bytes per lane take 2 and 4 wavefronts anyway: those are not conflicts.";
constexpr std::string_view kSeeSass =
    "instruction patching has a rule of its own: see the _sass key";
constexpr std::string_view kSeeWithoutSass =
    "hardware counts wavefronts with arbitration: see the key without _sass";
constexpr std::string_view kOneAddress =
    "Lanes on one address are conflicts of an atomic; for loads they are a broadcast.";

}  // namespace

std::vector<Metric> shared_rows() {
  return {
      {
          .key = metric::kSharedLoadRequests,
          .title = "shared requests, load",
          .unit = "request",
          .metric_class = Class::kExact,
          .text = "Shared-memory instructions of this kind, counted once per warp, that had at "
                  "least one active lane.",
          .cupti = "smsp__inst_executed_op_shared_ld_pred_on_any.sum",
          .sass = "smsp__sass_inst_executed_op_shared_ld.sum",
          .model = InModel::kCounted,
          .counted = Counted{AccessKind::kSharedLoad, Count::kRequests},
          .measured = SourceOf::kSass,
          .band = kPredicatedOff,
          .sets = {kDefault, kDefaultPatched},
          .ncu = {kShared, "Shared Load", "Requests"},
          .traps = {kInactiveLanes, kMergedByCompiler},
      },
      {
          .key = metric::kSharedLoadWavefronts,
          .title = "hardware wavefronts, load",
          .unit = "wavefront",
          .metric_class = Class::kBanded,
          .text = "Passes through the L1 data stage, as the hardware counts them: an access takes "
                  "as many as its busiest bank has distinct words to deliver.",
          .cupti = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
          .model = InModel::kCounted,
          .counted = Counted{AccessKind::kSharedLoad, Count::kWavefronts},
          .band = kArbitration,
          .sets = {kDefault},
          .ncu = {kShared, "Shared Load", "Wavefronts"},
          .traps = {kWithArbitration, kWideAccesses},
          .why_not = kSeeSass,
      },
      {
          .key = metric::kSharedLoadWavefrontsSass,
          .title = "wavefronts, load",
          .unit = "wavefront",
          .metric_class = Class::kExact,
          .text = "Wavefronts as instruction patching counts them from addresses: free of "
                  "arbitration, so equal to its prediction.",
          .sass = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
          .model = InModel::kCounted,
          .counted = Counted{AccessKind::kSharedLoad, Count::kWavefrontsByAddress},
          .measured = SourceOf::kSass,
          .sets = {kDefaultPatched},
          .ncu = {"Source page", {}, "L1 Wavefronts Shared"},
          .why_not = kSeeWithoutSass,
      },
      {
          .key = metric::kSharedLoadBankConflicts,
          .title = "bank conflicts, load",
          .unit = "conflict",
          .metric_class = Class::kBanded,
          .text = "Wavefronts beyond those that the width of the accesses needs anyway.",
          .cupti = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
          .model = InModel::kCounted,
          .counted = Counted{AccessKind::kSharedLoad, Count::kConflicts},
          .band = kArbitration,
          .sets = {kDefault},
          .ncu = {kShared, "Shared Load", "Bank Conflicts"},
          .traps = {kWithArbitration, kWideAccesses},
          .why_not = kNoConflictPatching,
      },
      {
          .key = metric::kSharedLoadWays,
          .title = "n-way bank conflict, load",
          .unit = "wavefront/request",
          .metric_class = Class::kExact,
          .text = "Wavefronts per request: n is an n-way conflict for accesses of 4 bytes per "
                  "lane; 8 and 16 bytes per lane need two and four even without one.",
          .derived = {Rule::kRatio,
                      {metric::kSharedLoadWavefrontsSass, metric::kSharedLoadRequests}},
          .model = InModel::kDerived,
          .measured = SourceOf::kSass,
          .ncu = {kShared, "Shared Load", "Wavefronts / Requests"},
          .traps = {kWideAccesses},
      },
      {
          .key = metric::kSharedStoreRequests,
          .title = "shared requests, store",
          .unit = "request",
          .metric_class = Class::kExact,
          .text = "Shared-memory instructions of this kind, counted once per warp, that had at "
                  "least one active lane.",
          .cupti = "smsp__inst_executed_op_shared_st_pred_on_any.sum",
          .sass = "smsp__sass_inst_executed_op_shared_st.sum",
          .model = InModel::kCounted,
          .counted = Counted{AccessKind::kSharedStore, Count::kRequests},
          .measured = SourceOf::kSass,
          .band = kPredicatedOff,
          .sets = {kDefault, kDefaultPatched},
          .ncu = {kShared, "Shared Store", "Requests"},
          .traps = {kInactiveLanes, kMergedByCompiler},
      },
      {
          .key = metric::kSharedStoreWavefronts,
          .title = "hardware wavefronts, store",
          .unit = "wavefront",
          .metric_class = Class::kBanded,
          .text = "Passes through the L1 data stage, as the hardware counts them: an access takes "
                  "as many as its busiest bank has distinct words to deliver.",
          .cupti = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
          .model = InModel::kCounted,
          .counted = Counted{AccessKind::kSharedStore, Count::kWavefronts},
          .band = kArbitration,
          .sets = {kDefault},
          .ncu = {kShared, "Shared Store", "Wavefronts"},
          .traps = {kWithArbitration, kWideAccesses},
          .why_not = kSeeSass,
      },
      {
          .key = metric::kSharedStoreWavefrontsSass,
          .title = "wavefronts, store",
          .unit = "wavefront",
          .metric_class = Class::kExact,
          .text = "Wavefronts as instruction patching counts them from addresses: free of "
                  "arbitration, so equal to its prediction.",
          .sass = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
          .model = InModel::kCounted,
          .counted = Counted{AccessKind::kSharedStore, Count::kWavefrontsByAddress},
          .measured = SourceOf::kSass,
          .sets = {kDefaultPatched},
          .ncu = {"Source page", {}, "L1 Wavefronts Shared"},
          .why_not = kSeeWithoutSass,
      },
      {
          .key = metric::kSharedStoreBankConflicts,
          .title = "bank conflicts, store",
          .unit = "conflict",
          .metric_class = Class::kBanded,
          .text = "Wavefronts beyond those that the width of the accesses needs anyway.",
          .cupti = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
          .model = InModel::kCounted,
          .counted = Counted{AccessKind::kSharedStore, Count::kConflicts},
          .band = kArbitration,
          .sets = {kDefault},
          .ncu = {kShared, "Shared Store", "Bank Conflicts"},
          .traps = {kWithArbitration, kWideAccesses},
          .why_not = kNoConflictPatching,
      },
      {
          .key = metric::kSharedStoreWays,
          .title = "n-way bank conflict, store",
          .unit = "wavefront/request",
          .metric_class = Class::kExact,
          .text = "Wavefronts per request: n is an n-way conflict for accesses of 4 bytes per "
                  "lane; 8 and 16 bytes per lane need two and four even without one.",
          .derived = {Rule::kRatio,
                      {metric::kSharedStoreWavefrontsSass, metric::kSharedStoreRequests}},
          .model = InModel::kDerived,
          .measured = SourceOf::kSass,
          .ncu = {kShared, "Shared Store", "Wavefronts / Requests"},
          .traps = {kWideAccesses},
      },
      {
          .key = metric::kSharedAtomicRequests,
          .title = "shared requests, atomic",
          .unit = "request",
          .metric_class = Class::kExact,
          .text = "Shared-memory instructions of this kind, counted once per warp, that had at "
                  "least one active lane.",
          .cupti = "smsp__inst_executed_op_shared_atom_pred_on_any.sum",
          .sass = "smsp__sass_inst_executed_op_shared_atom.sum",
          .model = InModel::kCounted,
          .counted = Counted{AccessKind::kSharedAtomic, Count::kRequests},
          .measured = SourceOf::kSass,
          .band = kPredicatedOff,
          .sets = {kDefaultPatched},
          .ncu = {kShared, "Shared Atomic", "Requests"},
          .traps = {kInactiveLanes},
      },
      {
          .key = metric::kSharedAtomicWavefronts,
          .title = "hardware wavefronts, atomic",
          .unit = "wavefront",
          .metric_class = Class::kBanded,
          .text = "Passes through the L1 data stage, as the hardware counts them: an access takes "
                  "as many as its busiest bank has distinct words to deliver.",
          .cupti = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
          .model = InModel::kCounted,
          .counted = Counted{AccessKind::kSharedAtomic, Count::kWavefronts},
          .band = kArbitration,
          .ncu = {kShared, "Shared Atomic", "Wavefronts"},
          .traps = {kWithArbitration, kOneAddress},
          .why_not = kSeeSass,
      },
      {
          .key = metric::kSharedAtomicWavefrontsSass,
          .title = "wavefronts, atomic",
          .unit = "wavefront",
          .metric_class = Class::kExact,
          .text = "Wavefronts as instruction patching counts them from addresses: free of "
                  "arbitration, so equal to its prediction.",
          .sass = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
          .model = InModel::kCounted,
          .counted = Counted{AccessKind::kSharedAtomic, Count::kWavefrontsByAddress},
          .measured = SourceOf::kSass,
          .sets = {kDefaultPatched},
          .ncu = {"Source page", {}, "L1 Wavefronts Shared"},
          .why_not = kSeeWithoutSass,
      },
      {
          .key = metric::kSharedAtomicBankConflicts,
          .title = "bank conflicts, atomic",
          .unit = "conflict",
          .metric_class = Class::kBanded,
          .text = "Wavefronts beyond those that the width of the accesses needs anyway.",
          .cupti = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum",
          .model = InModel::kCounted,
          .counted = Counted{AccessKind::kSharedAtomic, Count::kConflicts},
          .band = kArbitration,
          .ncu = {kShared, "Shared Atomic", "Bank Conflicts"},
          .traps = {kWithArbitration, kOneAddress},
          .why_not = kNoConflictPatching,
      },
      {
          .key = metric::kSharedAtomicWays,
          .title = "n-way bank conflict, atomic",
          .unit = "wavefront/request",
          .metric_class = Class::kExact,
          .text = "Wavefronts per request: n is an n-way conflict for accesses of 4 bytes per "
                  "lane; 8 and 16 bytes per lane need two and four even without one.",
          .derived = {Rule::kRatio,
                      {metric::kSharedAtomicWavefrontsSass, metric::kSharedAtomicRequests}},
          .model = InModel::kDerived,
          .measured = SourceOf::kSass,
          .ncu = {kShared, "Shared Atomic", "Wavefronts / Requests"},
          .traps = {kOneAddress},
      },
  };
}

}  // namespace lab::metrics
