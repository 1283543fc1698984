// The exchange of threadIdx.x and threadIdx.y as a cure, by a run of the kernel that has it.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "harness/core/metric_keys.h"
#include "metrics/advice.h"
#include "metrics/advice_gain.h"
#include "metrics/values.h"

namespace lab::metrics {
namespace {

double counted(const CaseRecord& record, std::string_view metric) {
  return value_of(record, metric, SourceOf::kModel).value_or(0);
}

double all_sectors(const CaseRecord& record) {
  return counted(record, metric::kGlobalLoadSectors) + counted(record, metric::kGlobalStoreSectors);
}

double shared_wavefronts(const CaseRecord& record) {
  return counted(record, metric::kSharedLoadWavefronts) +
         counted(record, metric::kSharedStoreWavefronts) +
         counted(record, metric::kSharedAtomicWavefronts);
}

bool is_of_order(const Advice& advice) {
  return advice.rule == AdviceRule::kStrided || advice.rule == AdviceRule::kBlockShape;
}

void add_gain_of_run(const CaseRecord& record, const CaseRecord& exchanged, const Machine& machine,
                     Advice& advice) {
  const auto before = full_launch_of(record, machine);
  const auto after = full_launch_of(exchanged, machine);
  advice.known = Known::kUnknown;
  advice.gain = 0;
  if (!before || !after) return;
  const KernelTime was = before->time();
  advice.known = Known::kExpected;
  advice.bound = was.sets();
  advice.gain = std::max(0.0, 1 - after->time().ns / was.ns);
  advice.hidden = advice.gain == 0;
}

}  // namespace

void try_exchange(const CaseRecord& record, const CaseRecord& exchanged, const Machine& machine,
                  Diagnosis& found) {
  // What nobody has tried has to promise a good deal more to be the better one.
  constexpr double kAsGood = 0.75;
  // It changes no array, which a tile in between does.
  constexpr double kNearly = 0.9;
  const double before = all_sectors(record);
  const double after = all_sectors(exchanged);
  const bool ran = record.status == CaseStatus::kOk && exchanged.status == CaseStatus::kOk;
  if (!ran || after >= before || shared_wavefronts(exchanged) > shared_wavefronts(record)) return;
  const auto first = std::find_if(found.advice.begin(), found.advice.end(), is_of_order);
  if (first == found.advice.end()) return;
  if (before - after < (first->tried ? kNearly : kAsGood) * first->saved) return;
  Advice advice = *first;
  const Dim3& block = record.launch.block;
  advice.cure = fmt::format(
      "Write threadIdx.y for threadIdx.x and the other way round, in blocks of {} x {}.", block.y,
      block.x);
  advice.saved = before - after;
  advice.total = before;
  advice.unit = Saving::kSectors;
  advice.tried = true;
  add_gain_of_run(record, exchanged, machine, advice);
  const auto place = first - found.advice.begin();
  std::erase_if(found.advice, is_of_order);
  found.advice.insert(
      found.advice.begin() + std::min<std::ptrdiff_t>(place, std::ssize(found.advice)),
      std::move(advice));
}

}  // namespace lab::metrics
