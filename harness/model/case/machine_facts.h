// Facts that a kernel's machine code alone shows: the resources that a thread needs, and accesses
// that the compiler added to the PTX that the model runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/core/launch.h"
#include "harness/core/record.h"
#include "harness/kernel/cubin/cubin.h"
#include "harness/model/case/records.h"

namespace lab::model {

/// Registers and local memory per thread, shared memory per block, and the occupancy that these
/// allow on a GPU of architecture `arch`. Where the limits of the architecture are not known, the
/// first two. The list is empty where there is no machine code, or where it does not say.
[[nodiscard]] std::vector<Observation> machine_facts(const cubin::Function* machine,
                                                     const Launch& launch, const std::string& arch);

/// Accesses to local memory, in which the compiler keeps registers, of a kernel that makes none of
/// its own there.
struct Spills {
  std::uint64_t loads = 0;  ///< instructions of the machine code
  std::uint64_t stores = 0;
  /// The code has no branch that depends on anything: each warp executes each of them once. On an
  /// H200 a block of 32 warps made 32 * 112 loads and 32 * 104 stores of such a kernel.
  bool once = false;
};
[[nodiscard]] Spills spills_of(const cubin::Function* machine, const Program& program);

/// Where it is not known how often spilled registers are loaded and stored, local loads and stores
/// were not counted.
void add_uncounted(const Spills& spills, MachineCodeDiff& diff);
/// Where it is known, the requests of `warps` warps.
void count(const Spills& spills, std::uint64_t warps, std::vector<Observation>& observations);

}  // namespace lab::model
