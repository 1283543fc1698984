// From counts per instruction to observations with keys of the catalogue.
#pragma once

#include <string>
#include <vector>

#include "harness/core/record.h"
#include "harness/model/grid.h"
#include "harness/model/program.h"

namespace lab::model {

/// All metrics that the model counts. Where blocks were sampled, counts are scaled to the grid and
/// what depends on all blocks is Missing{sampled}. `dram_block_bytes`: what DRAM reads at a time.
[[nodiscard]] std::vector<Observation> observations(const Program& program,
                                                    const GridResult& result,
                                                    std::uint32_t dram_block_bytes);

/// The same per source line; instructions and what memory instructions cost.
[[nodiscard]] std::vector<LineObservation> line_observations(const Program& program,
                                                             const GridResult& result);

/// 64 on GPUs with HBM, 32 on others.
[[nodiscard]] std::uint32_t dram_block_bytes(const std::string& arch);

}  // namespace lab::model
