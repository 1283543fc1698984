// Cures by a run of the kernel that has them: threadIdx.x and threadIdx.y exchanged, and a block of
// another shape.
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

// The numbers of the cured kernel's own run.
void add_run(const CaseRecord& record, const CaseRecord& cured, const Machine& machine,
             Advice& advice) {
  advice.saved = all_sectors(record) - all_sectors(cured);
  advice.total = all_sectors(record);
  advice.unit = Saving::kSectors;
  advice.proof = Proof::kTried;
  const auto before = full_launch_of(record, machine);
  const auto after = full_launch_of(cured, machine);
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

bool is_of_shape(const Advice& advice) {
  return advice.rule == AdviceRule::kBlockShape ||
         (advice.rule == AdviceRule::kStrided && advice.proof == Proof::kGuessed);
}

std::optional<Launch> widened(const Launch& launch) {
  constexpr std::uint32_t kWarpWide = 32;
  const Dim3& block = launch.block;
  if (block.x >= kWarpWide || block.z != 1 || block.count() % kWarpWide != 0) return {};
  Launch wider = launch;
  wider.block = {kWarpWide, static_cast<std::uint32_t>(block.count() / kWarpWide), 1};
  const std::uint64_t columns = std::uint64_t{launch.grid.x} * block.x;
  const std::uint64_t rows = std::uint64_t{launch.grid.y} * block.y;
  if (columns % wider.block.x != 0 || rows % wider.block.y != 0) return {};
  wider.grid.x = static_cast<std::uint32_t>(columns / wider.block.x);
  wider.grid.y = static_cast<std::uint32_t>(rows / wider.block.y);
  return wider;
}

void try_wider_block(const CaseRecord& record, const CaseRecord& wider, const Machine& machine,
                     Diagnosis& found) {
  const bool ran = record.status == CaseStatus::kOk && wider.status == CaseStatus::kOk;
  if (!ran || all_sectors(wider) >= all_sectors(record) ||
      shared_wavefronts(wider) > shared_wavefronts(record)) {
    return;
  }
  for (Advice& advice : found.advice) {
    if (!is_of_shape(advice)) continue;
    advice.cure = fmt::format(
        "Make the block {} x {} in place of {} x {}, so that a warp is one row.",
        wider.launch.block.x, wider.launch.block.y, record.launch.block.x, record.launch.block.y);
    add_run(record, wider, machine, advice);
  }
}

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
  if (before - after <
      (first->proof == Proof::kTried ? kNearly * first->saved : kAsGood * first->at_most)) {
    return;
  }
  Advice advice = *first;
  const Dim3& block = record.launch.block;
  advice.cure = fmt::format(
      "Write threadIdx.y for threadIdx.x and the other way round, in blocks of {} x {}.", block.y,
      block.x);
  add_run(record, exchanged, machine, advice);
  const auto place = first - found.advice.begin();
  std::erase_if(found.advice, is_of_order);
  found.advice.insert(
      found.advice.begin() + std::min<std::ptrdiff_t>(place, std::ssize(found.advice)),
      std::move(advice));
}

}  // namespace lab::metrics
