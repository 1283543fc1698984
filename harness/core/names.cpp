// Names of the stored enumerations. A name, like its number, is for good.
#include <algorithm>
#include <array>
#include <utility>

#include "harness/core/record.h"

namespace lab {

namespace {

template <typename E, std::size_t N>
std::string_view lookup(const std::array<std::pair<E, std::string_view>, N>& names, E value) {
  const auto at = std::find_if(names.begin(), names.end(),
                               [&](const auto& entry) { return entry.first == value; });
  return at == names.end() ? std::string_view("unknown") : at->second;
}

constexpr std::array<std::pair<SourceOf, std::string_view>, 5> kSources = {{
    {SourceOf::kTheory, "theory"},
    {SourceOf::kModel, "model"},
    {SourceOf::kCupti, "cupti"},
    {SourceOf::kSass, "sass"},
    {SourceOf::kNcu, "ncu"},
}};

constexpr std::array<std::pair<CaseStatus, std::string_view>, 9> kStatuses = {{
    {CaseStatus::kOk, "ok"},
    {CaseStatus::kWrong, "wrong"},
    {CaseStatus::kFinding, "finding"},
    {CaseStatus::kRefused, "refused"},
    {CaseStatus::kError, "error"},
    {CaseStatus::kTimeout, "timeout"},
    {CaseStatus::kSkipped, "skipped"},
    {CaseStatus::kNotCompiled, "not_compiled"},
    {CaseStatus::kInterrupted, "interrupted"},
}};

constexpr std::array<std::pair<VerdictKind, std::string_view>, 7> kVerdicts = {{
    {VerdictKind::kNone, "not judged"},
    {VerdictKind::kAgrees, "agrees"},
    {VerdictKind::kExplained, "explained"},
    {VerdictKind::kDisagrees, "disagrees"},
    {VerdictKind::kContext, "context"},
    {VerdictKind::kMissing, "missing"},
    {VerdictKind::kTooSmall, "too small"},
}};

constexpr std::array<std::pair<Cache, std::string_view>, 2> kCaches = {{
    {Cache::kCold, "cold"},
    {Cache::kWarm, "warm"},
}};

constexpr std::array<std::pair<AccessLevel, std::string_view>, 2> kLevels = {{
    {AccessLevel::kSass, "sass"},
    {AccessLevel::kPtx, "ptx"},
}};

constexpr std::array<std::pair<FindingKind, std::string_view>, 26> kFindings = {{
    {FindingKind::kOutOfBounds, "out_of_bounds"},
    {FindingKind::kMisaligned, "misaligned"},
    {FindingKind::kUninitialised, "uninitialised"},
    {FindingKind::kSharedRace, "shared_race"},
    {FindingKind::kDivergentBarrier, "divergent_barrier"},
    {FindingKind::kBarrierDeadlock, "barrier_deadlock"},
    {FindingKind::kNoProgress, "no_progress"},
    {FindingKind::kInvalidWarpOperation, "invalid_warp_operation"},
    {FindingKind::kAssert, "assert"},
    {FindingKind::kTrap, "trap"},
    {FindingKind::kInvalidCall, "invalid_call"},
    {FindingKind::kGlobalRace, "global_race"},
    {FindingKind::kInvalidImage, "invalid_image"},
    {FindingKind::kInvalidBarrier, "invalid_barrier"},
    {FindingKind::kUseAfterFree, "use_after_free"},
    {FindingKind::kHostPointer, "host_pointer"},
    {FindingKind::kUncheckedError, "unchecked_error"},
    {FindingKind::kInvalidLaunch, "invalid_launch"},
    {FindingKind::kLeak, "leak"},
    {FindingKind::kMissingSync, "missing_sync"},
    {FindingKind::kDevicePointer, "device_pointer"},
    {FindingKind::kUnwaitedCopy, "unwaited_copy"},
    {FindingKind::kClusterRace, "cluster_race"},
    {FindingKind::kForbiddenCure, "forbidden_cure"},
    {FindingKind::kStaleRead, "stale_read"},
    {FindingKind::kSameValue, "same_value"},
}};

}  // namespace

std::string_view name_of(SourceOf source) { return lookup(kSources, source); }
std::string_view name_of(CaseStatus status) { return lookup(kStatuses, status); }
std::string_view name_of(VerdictKind verdict) { return lookup(kVerdicts, verdict); }
std::string_view name_of(Cache cache) { return lookup(kCaches, cache); }
std::string_view name_of(AccessLevel level) { return lookup(kLevels, level); }
std::string_view name_of(FindingKind kind) { return lookup(kFindings, kind); }

}  // namespace lab
