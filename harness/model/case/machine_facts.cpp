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

Spills spills_of(const cubin::Function* machine, const Program& program) {
  const bool own = std::any_of(program.sites.begin(), program.sites.end(),
                               [](const Site& site) { return site.space == ptx::Space::kLocal; });
  if (machine == nullptr || own) return {};
  Spills spills;
  spills.once = machine->jumps.empty();
  for (const cubin::MemoryInstruction& ins : machine->instructions) {
    const bool loads = ins.access.kind == cubin::Kind::kLoadLocal;
    if (!loads && ins.access.kind != cubin::Kind::kStoreLocal) continue;
    ++(loads ? spills.loads : spills.stores);
    spills.once = spills.once && !ins.access.predicated;
  }
  return spills;
}

void add_uncounted(const Spills& spills, MachineCodeDiff& diff) {
  if (spills.once) return;
  const auto add = [&](const char* kind, std::uint64_t number, const char* word) {
    if (number == 0) return;
    diff.uncounted.emplace(
        kind,
        fmt::format("registers are spilled: the machine code has {} {} of local memory, which "
                    "the PTX that the model runs has not",
                    number, word));
  };
  add("local_load", spills.loads, "loads");
  add("local_store", spills.stores, "stores");
}

void count(const Spills& spills, std::uint64_t warps, std::vector<Observation>& observations) {
  if (!spills.once) return;
  for (Observation& one : observations) {
    const bool loads = one.metric == metric::kLocalLoadRequests;
    if (!loads && one.metric != metric::kLocalStoreRequests) continue;
    const std::uint64_t number = loads ? spills.loads : spills.stores;
    if (number > 0) one.value = static_cast<double>(number * warps);
  }
}

}  // namespace lab::model
