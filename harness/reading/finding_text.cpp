#include "harness/reading/finding_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>

namespace lab::reading {

namespace {

// `3`, or `3,1` and `3,1,2` where the others are not 0.
std::string index_text(const Dim3& index) {
  if (index.z != 0) return fmt::format("({}, {}, {})", index.x, index.y, index.z);
  if (index.y != 0) return fmt::format("({}, {})", index.x, index.y);
  return std::to_string(index.x);
}

/// Names stay as they are written: a kernel's, a call's.
std::string with_capital(std::string text) {
  constexpr std::string_view kWords[] = {"the ", "a ", "an "};
  const bool word = std::any_of(std::begin(kWords), std::end(kWords),
                                [&](std::string_view one) { return text.starts_with(one); });
  if (word)
    text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

}  // namespace

std::string sentence_of(const Finding& finding) {
  if (severity_of(finding.kind) == Severity::kRemark) {
    return fmt::format("Remark: {}.", finding.message);
  }
  const std::string who =
      fmt::format("Block {}, thread {}", index_text(finding.block), index_text(finding.thread));
  if (is_of_host(finding) || finding.kind == FindingKind::kForbiddenCure) {
    return with_capital(finding.message) + ".";
  }
  // A message that names an array begins with the verb. Runs of before schema 15 name none.
  const bool does = finding.kind == FindingKind::kOutOfBounds && !finding.array.empty() &&
                    finding.cause == FindingCause::kNone;
  return fmt::format("{}{}{}.", who, does ? " " : ": ", finding.message);
}

bool is_of_host(const Finding& finding) {
  switch (finding.kind) {
    case FindingKind::kUncheckedError:
    case FindingKind::kInvalidLaunch:
    case FindingKind::kLeak:
    case FindingKind::kMissingSync:
    case FindingKind::kDevicePointer:
      return true;
    case FindingKind::kUseAfterFree:
    case FindingKind::kHostPointer:
    case FindingKind::kOutOfBounds:
    case FindingKind::kUninitialised:
      return finding.kernel.empty();
    default:
      return false;
  }
}

std::string_view cure_of(const Finding& finding) {
  switch (finding.cause) {
    case FindingCause::kNone:
      break;
    case FindingCause::kNeverEnds:
      return "Let each round bring its condition closer to false.";
    case FindingCause::kLanesOutside:
      return "Let all lanes take part, those without data with a 0, or begin with a smaller "
             "offset.";
    case FindingCause::kOverlap:
      return "Place the second array behind the last element of the first.";
    case FindingCause::kWrapped:
      return "Compute the index in 64 bits, as in (size_t)row * width: a guard such as if (i < n) "
             "lets a negative index pass.";
    case FindingCause::kLostUpdate:
      return "Use an atomic (atomicAdd), or add up in a reduction: a barrier leaves the updates of "
             "all threads but one lost.";
    case FindingCause::kUnfenced:
      return "Put __threadfence() between the write and the atomic that tells of it.";
  }
  switch (finding.kind) {
    case FindingKind::kOutOfBounds:
      if (finding.last_element > finding.element && finding.element >= 0 &&
          !finding.array.empty()) {
        return "Take the last elements one by one where a whole vector does not fit, such as "
               "if (i + 3 < n).";
      }
      return finding.element < 0 && !finding.array.empty()
                 ? "Guard the access against an index below 0."
                 : "Guard the access with the number of elements, such as if (i < n).";
    case FindingKind::kMisaligned:
      return "Let wide accesses begin at a multiple of their size, or take single elements.";
    case FindingKind::kUninitialised:
      return "Write it before it is read: __shared__ arrays and outputs do not begin as zeros.";
    case FindingKind::kSharedRace:
      return "Put __syncthreads() between the two accesses (__syncwarp() within a warp).";
    case FindingKind::kUnwaitedCopy:
      return "Wait for the copy first: its own thread by its group, others at __syncthreads() "
             "after "
             "that; or each at the copy's mbarrier.";
    case FindingKind::kClusterRace:
      return "Put cluster.sync() between the two accesses: __syncthreads() waits for one block "
             "alone.";
    case FindingKind::kGlobalRace:
      return "Use an atomic, or give each thread an element of its own.";
    case FindingKind::kDivergentBarrier:
    case FindingKind::kBarrierDeadlock:
      return "Move the barrier out of the branch, so that every thread of the block reaches it.";
    case FindingKind::kNoProgress:
      return "No thread does what this loop waits for: look at its condition.";
    case FindingKind::kInvalidWarpOperation:
      return "Let all lanes that the mask names reach the call, or name those that do.";
    case FindingKind::kInvalidBarrier:
      return "Initialise the barrier, and use it only while it lives.";
    case FindingKind::kUseAfterFree:
      return "Free it after the last kernel that uses it.";
    case FindingKind::kHostPointer:
      return "Copy the data with cudaMemcpy to memory of cudaMalloc, and pass that.";
    case FindingKind::kUncheckedError:
      return "Look at what the call returns; after a launch, at cudaGetLastError().";
    case FindingKind::kInvalidLaunch:
      return "At most 1,024 threads per block, and 48 KiB of shared memory unless more is asked "
             "for.";
    case FindingKind::kLeak:
      return "Free it with cudaFree.";
    case FindingKind::kMissingSync:
      return "Call cudaDeviceSynchronize() between the launch and the use.";
    case FindingKind::kDevicePointer:
      return "Copy with cudaMemcpy, or allocate with cudaMallocManaged.";
    case FindingKind::kSameValue:
      return "One thread can store it alone.";
    case FindingKind::kForbiddenCure:
      return "Choose where each element lies within the tile as it is.";
    case FindingKind::kStaleRead:  // the message says it
    case FindingKind::kAssert:
    case FindingKind::kTrap:
    case FindingKind::kInvalidCall:
    case FindingKind::kInvalidImage:
      break;
  }
  return {};
}

}  // namespace lab::reading
