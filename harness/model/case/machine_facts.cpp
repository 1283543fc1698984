#include "harness/model/case/machine_facts.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/launch_facts.h"
#include "harness/core/metric_keys.h"

namespace lab::model {
namespace {

Observation observed(std::string_view metric, double value) {
  return {std::string(metric), SourceOf::kModel, value};
}

}  // namespace

std::vector<Observation> machine_facts(const cubin::Function* machine, const Launch& launch,
                                       const std::string& arch) {
  std::vector<Observation> facts;
  if (machine == nullptr || !machine->registers) return facts;
  facts.push_back(observed(metric::kRegistersPerThread, *machine->registers));
  if (machine->local_bytes) {
    facts.push_back(observed(metric::kLocalBytesPerThread, *machine->local_bytes));
  }
  const GpuLimits* const gpu = find_limits(arch);
  if (gpu == nullptr) return facts;
  const BlockNeeds needs{launch.block.count(), *machine->registers,
                         machine->shared_bytes + launch.dynamic_shared_bytes};
  facts.push_back(observed(metric::kSharedBytesPerBlock,
                           static_cast<double>(needs.shared_bytes + gpu->shared_reserved)));
  facts.push_back(observed(metric::kTheoreticalOccupancy, residency(needs, *gpu).occupancy));
  return facts;
}

void add_spills(const cubin::Function* machine, const Program& program, MachineCodeDiff& diff) {
  const bool own = std::any_of(program.sites.begin(), program.sites.end(),
                               [](const Site& site) { return site.space == ptx::Space::kLocal; });
  if (machine == nullptr || own) return;
  for (const bool loads : {true, false}) {
    const auto wanted = loads ? cubin::Kind::kLoadLocal : cubin::Kind::kStoreLocal;
    const auto count = std::count_if(machine->instructions.begin(), machine->instructions.end(),
                                     [&](const auto& ins) { return ins.access.kind == wanted; });
    if (count == 0) continue;
    diff.uncounted.emplace(
        loads ? "local_load" : "local_store",
        fmt::format("registers are spilled: the machine code has {} {} of local memory, which the "
                    "PTX that the model runs has not",
                    count, loads ? "loads" : "stores"));
  }
}

}  // namespace lab::model
