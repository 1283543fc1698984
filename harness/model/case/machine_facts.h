// What a kernel's machine code alone shows: what a thread of it needs, and what the compiler added
// to the PTX that the model runs.
#pragma once

#include <vector>

#include "harness/core/launch.h"
#include "harness/core/record.h"
#include "harness/cubin/cubin.h"
#include "harness/model/case/records.h"

namespace lab::model {

/// Registers and local memory per thread, shared memory per block, and the occupancy that these
/// allow on a GPU of architecture `arch`. Of an architecture whose limits are not known, the first
/// two. Where there is no machine code or it does not say, nothing.
[[nodiscard]] std::vector<Observation> machine_facts(const cubin::Function* machine,
                                                     const Launch& launch, const std::string& arch);

/// Registers that the compiler keeps in local memory are accesses that no PTX has: where a kernel
/// makes none of its own there, those of the machine code are known by number, and how often they
/// are executed is not, so that local loads or stores were not counted.
void add_spills(const cubin::Function* machine, const Program& program, MachineCodeDiff& diff);

}  // namespace lab::model
