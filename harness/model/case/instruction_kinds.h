// Which kind an instruction of PTX is of, and how many of each a launch executed.
#pragma once

#include <vector>

#include "harness/core/instruction_kinds.h"
#include "harness/model/code/decoded.h"
#include "harness/model/execute/grid.h"

namespace lab::model {

[[nodiscard]] InstructionKind kind_of(const ptx::Instruction& instruction);

/// The kinds that the blocks that ran executed, from how often warps entered each basic block: an
/// instruction whose guard is false for all lanes is among them. In the order of InstructionKind.
[[nodiscard]] std::vector<ExecutedKind> executed_kinds(const Program& program,
                                                       const GridResult& result);

}  // namespace lab::model
