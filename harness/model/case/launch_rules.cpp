#include "harness/model/case/launch_rules.h"

#include "harness/model/execute/grid.h"

namespace lab::model {

KernelNeeds needs_of(const ptx::Function& entry, const cubin::Function* machine) {
  KernelNeeds needs;
  needs.max_threads = static_cast<std::uint32_t>(entry.max_threads);
  needs.cluster = {entry.cluster[0], entry.cluster[1], entry.cluster[2]};
  if (machine == nullptr) return needs;
  needs.registers = machine->registers.value_or(0);
  needs.static_shared = machine->shared_bytes;
  return needs;
}

KernelNeeds needs_of(const Program& program) {
  KernelNeeds needs;
  needs.registers = program.registers;
  needs.static_shared = program.shared_bytes;
  return needs;
}

void require_launch(const ptx::Function& entry, const Launch& launch) {
  require_shape(needs_of(entry, nullptr), launch);
}

void require_fits(const Program& program, const Launch& launch) {
  require_room(needs_of(program), launch, limits_of(program.module->target));
}

void require_residents(const Program& program, const Launch& launch) {
  require_at_once(launch, kMultiprocessors, blocks_at_once(program, launch) / kMultiprocessors);
}

}  // namespace lab::model
