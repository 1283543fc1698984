#include "harness/programs/serve/explain.h"

#include <fmt/format.h>

namespace lab::program {
namespace {

constexpr std::uint64_t kLowest = 65536;
constexpr std::uint64_t kModel = 0x0000001000000000U;

const Owned* nearest(const ProgramMemory& memory, std::uint64_t address) {
  const auto& all = memory.live();
  auto after = all.upper_bound(address);
  if (after == all.begin()) return nullptr;
  --after;
  return address - after->first < after->second.bytes + kGuardBytes ? &after->second : nullptr;
}

bool is_global(const Finding& finding) {
  return finding.space == Space::kGlobal || finding.space == Space::kGeneric;
}

}  // namespace

bool ends_the_launch(const Finding& finding) {
  if (finding.kind == FindingKind::kOutOfBounds) {
    // An index that wrapped is billions of elements away, where nothing is mapped.
    const bool far = finding.cause == FindingCause::kWrapped;
    return is_global(finding) && (far || finding.address < kLowest);
  }
  return finding.kind == FindingKind::kHostPointer || finding.kind == FindingKind::kUseAfterFree;
}

void explain(const ProgramMemory& memory, Finding& finding) {
  // What happens to lie where an index that wrapped leads is not what the kernel meant.
  if (finding.kind != FindingKind::kOutOfBounds || finding.cause == FindingCause::kWrapped) return;
  const std::uint64_t address = finding.address;
  if (const Owned* before = memory.freed(address)) {
    finding.kind = FindingKind::kUseAfterFree;
    finding.message =
        fmt::format("the kernel uses byte {} of '{}', which was freed{}", address - before->base,
                    before->name, before->freed.empty() ? " before" : " at " + before->freed);
    return;
  }
  const bool of_device = address >= kModel && address - kModel < kArenaBase + kArenaBytes - kModel;
  const bool global = is_global(finding);
  if (global && !of_device && address >= kLowest && address < (std::uint64_t{1} << 47U)) {
    finding.kind = FindingKind::kHostPointer;
    finding.message = fmt::format(
        "the kernel uses {:#x}, an address of the host's memory: give it a pointer from cudaMalloc",
        address);
  } else if (global && address < kLowest) {
    finding.message = fmt::format("the kernel uses a null pointer ({:#x})", address);
  } else if (const Owned* near = nearest(memory, address)) {
    if (!near->line.file.empty()) {
      finding.message += fmt::format("; it was allocated at {}", near->line.place());
    }
  }
}

}  // namespace lab::program
