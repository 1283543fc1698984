#include "harness/model/case/case_facts.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "harness/core/buffer.h"
#include "harness/core/chip.h"
#include "harness/core/metric_keys.h"
#include "harness/model/case/instruction_kinds.h"
#include "harness/model/case/launch_memory.h"
#include "harness/model/case/machine_code_diff.h"
#include "harness/model/case/ready_launch.h"
#include "harness/model/case/records.h"
#include "harness/model/facts/facts.h"

namespace lab::model {

namespace {

// Addresses may come of whole numbers, and what takes little room is no matter.
bool stays_zero(const BufferSpec& spec) {
  constexpr std::size_t kLittle = std::size_t{4} << 20U;
  const bool numbers = spec.type == ElementType::kF32 || spec.type == ElementType::kF64 ||
                       spec.type == ElementType::kF16 || spec.type == ElementType::kBf16;
  const bool nobody_reads = spec.fill.kind == Fill::Kind::kPoison;
  return spec.fill.kind != Fill::Kind::kBytes && spec.pointers.empty() &&
         bytes_of(spec) > kLittle && (numbers || nobody_reads);
}

void add_buffer(const BufferSpec& spec, Buffers& buffers) {
  if (stays_zero(spec)) {
    buffers.add_zeros(spec.name, bytes_of(spec));
  } else {
    buffers.add(spec.name, initial_bytes(spec));
  }
}

Buffers sparse_buffers(const Job& job) {
  Buffers buffers;
  for (const ArgSpec& arg : job.args) {
    if (const auto* spec = std::get_if<BufferSpec>(&arg)) add_buffer(*spec, buffers);
  }
  for (const BufferSpec& spec : job.buffers) add_buffer(spec, buffers);
  return buffers;
}

// What each block reads of L2 is its own: all of them read as often as the few, block for block.
void note_reads(const GridResult& result, std::vector<Observation>& all) {
  const double more = static_cast<double>(result.blocks) / static_cast<double>(result.blocks_run);
  for (Observation& one : all) {
    if (one.metric != metric::kL2ReadSectors) continue;
    one.value = std::round(more * static_cast<double>(result.block_reads));
  }
}

}  // namespace

std::uint64_t arrays_begin(const Job& job) {
  const auto buffers = buffers_of(job);
  const bool of_lab = std::any_of(buffers.begin(), buffers.end(), [](const auto& one) {
    return one.second->direction != Direction::kInOut;
  });
  return of_lab ? kOfLabs : kOfPrograms;
}

void note_put_back(const Job& job, KernelFacts& facts) {
  for (const auto& [name, spec] : buffers_of(job)) {
    if (spec->direction == Direction::kIn && spec->pointers.empty()) continue;
    const auto bytes = static_cast<double>(bytes_of(*spec));
    const Fill::Kind kind = spec->fill.kind;
    facts.restored_bytes += bytes;
    if (kind != Fill::Kind::kZero && kind != Fill::Kind::kPoison) facts.copied_bytes += bytes;
  }
}

void run_few_blocks(const Job& job, const LoadedKernel& kernel,
                    const std::function<bool()>& stopped, CaseRecord& record) {
  const ptx::Function& entry = entry_for(kernel, job.kernel, job.launch);
  Buffers buffers = sparse_buffers(job);
  LaunchMemory memory(job, kernel.loaded.module, entry, buffers);
  const ReadyLaunch ready = ready_launch(place_of(memory), kernel, job.launch);
  FewBlocks few = few_blocks(ready.program, kernel.loaded.image.find(kernel.name), job.launch,
                             memory.memory(), stopped, 0, arrays_begin(job));
  record.kernel_facts = std::move(few.facts);
  if (!record.kernel_facts->absent.empty()) return;
  note_put_back(job, *record.kernel_facts);
  GridResult& result = few.result;
  record.notes.instructions = executed_kinds(ready.program, result);
  result.sample_step = std::max<std::uint64_t>(2, result.blocks / result.blocks_run);
  record.facts.sampled_blocks = result.blocks_run;
  record.observations = observations(ready.program, result, dram_fetch_bytes(record.arch),
                                     machine_code_diff(ready.program, ready.map, result));
  note_reads(result, record.observations);
}

}  // namespace lab::model
