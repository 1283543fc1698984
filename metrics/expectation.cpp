#include "metrics/expectation.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "harness/core/launch_facts.h"
#include "harness/core/metric_keys.h"
#include "metrics/time_flaws.h"
#include "metrics/time_terms.h"
#include "metrics/time_text.h"
#include "metrics/values.h"

namespace lab::metrics {
namespace {

constexpr double kWarpLanes = 32;

// Counts without which a time would leave out a part of the chip.
constexpr std::array kNeeded = {metric::kDramReadBytes,         metric::kDramWriteBytes,
                                metric::kL2ReadSectors,         metric::kGlobalLoadSectors,
                                metric::kGlobalStoreSectors,    metric::kSharedLoadWavefronts,
                                metric::kSharedStoreWavefronts, metric::kInstructions};

// Empty where all of them are known.
std::string missing_count(const CaseRecord& record, CountsOf whose) {
  for (const std::string_view key : kNeeded) {
    if (count_of(record, key, whose)) continue;
    const Observation* found = find_observation(record, key, SourceOf::kModel);
    if (found == nullptr) return fmt::format("the model did not count {}", key);
    const auto& missing = std::get<Missing>(found->value);
    return fmt::format("the model has no {}: {}", key, missing.text());
  }
  return {};
}

// Why nothing is expected of the case, whatever the machine; empty: something is.
std::string refusal(const CaseRecord& record, CountsOf whose) {
  if (!record.kernel_facts) return "the model did not run it";
  if (!record.kernel_facts->absent.empty()) return record.kernel_facts->absent;
  return missing_count(record, whose);
}

// By Term; 0: too few launches of the fixture tell.
using Withins = std::array<double, kWordsOf<Term>.size()>;
constexpr Withins kOfLabs = {0.08, 0.24, 0.11, 0, 0.35, 0.24, 0, 0, 0, 0.08, 0, 0, 0, 0.12};
// Of like terms together, since they are few: short launches, latency, DRAM, L2, atomics, the SM.
constexpr Withins kOfAnyone = {0.15, 0.34, 0.33, 0.31, 0.31, 0.3,  0.3,
                               0.31, 0.45, 0.45, 0.45, 0.45, 0.45, 0.15};
// The GPU whose launches they are.
constexpr std::string_view kHeldAgainst = "NVIDIA H200";

KernelFacts facts_of(const CaseRecord& record, const Shape& shape) {
  if (record.kernel_facts && record.kernel_facts->absent.empty()) return *record.kernel_facts;
  KernelFacts facts;
  const auto instructions = value_of(record, metric::kInstructions, SourceOf::kModel);
  facts.warp.instructions = instructions.value_or(0) / (shape.blocks * shape.warps);
  return facts;
}

// How a case's launch fills an SM of this architecture. Empty: not even one block fits.
std::optional<Shape> shape_of(const CaseRecord& record, std::string_view arch) {
  const KernelFacts facts = record.kernel_facts.value_or(KernelFacts());
  const std::uint64_t threads = record.launch.block.count();
  const BlockNeeds needs{threads, facts.registers,
                         facts.shared_bytes + record.launch.dynamic_shared_bytes};
  const std::uint64_t fit = resident_blocks(needs, arch);
  if (fit == 0) return {};
  Shape shape;
  shape.blocks = static_cast<double>(record.launch.grid.count());
  shape.warps = std::ceil(static_cast<double>(threads) / kWarpLanes);
  shape.resident = static_cast<double>(fit);
  return shape;
}

Machine of_known_arch(Machine machine, const CaseRecord& record) {
  if (machine.arch.empty()) machine.arch = record.arch;
  return machine;
}

}  // namespace

namespace {

// Of kernels that no rule knew, those that bring scattered pieces were off no more often than
// others: 5 of 13 by more than 15 %, and 16 of 42.
bool raises_chance(const std::optional<TimeFlaw>& flaw) { return flaw != TimeFlaw::kPieces; }

}  // namespace

std::optional<double> within(Term term, KernelOf kernel) {
  const Withins& all = kernel == KernelOf::kLab ? kOfLabs : kOfAnyone;
  const double part = all.at(static_cast<std::size_t>(term));
  return part > 0 ? std::optional(part) : std::nullopt;
}

std::optional<Launched> launched_on(const CaseRecord& record, const Machine& machine,
                                    CountsOf whose) {
  const Machine known = of_known_arch(machine, record);
  const auto rates = rates_of(known);
  const auto shape = shape_of(record, known.arch);
  if (!rates || !shape) return {};
  return Launched{time_counts(record, whose), facts_of(record, *shape), *shape, *rates};
}

ExpectedTime expect_time(const CaseRecord& record, const Machine& machine, CountsOf whose,
                         KernelOf kernel) {
  ExpectedTime expected;
  expected.gpu = machine.gpu;
  expected.origin = machine.origin;
  expected.calibrated = machine.basis == Basis::kCalibration;
  expected.reason = refusal(record, whose);
  if (!expected.reason.empty()) return expected;
  const auto launched = launched_on(record, machine, whose);
  if (!launched) {
    const bool known = rates_of(of_known_arch(machine, record)).has_value();
    expected.reason =
        known ? "not even one block fits on an SM" : "the GPU's memory, SMs or clock are not known";
    return expected;
  }
  const KernelTime time = launched->time();
  expected.ns = time.ns;
  expected.sets = time.sets();
  expected.reason = what_takes(time.sets(), {launched->counts, launched->facts}, launched->shape,
                               launched->rates);
  expected.off = flaw_of(*launched, time);
  if (kernel == KernelOf::kAnyone && !raises_chance(expected.off)) expected.off.reset();
  if (machine.gpu == kHeldAgainst && !expected.off) expected.within = within(time.sets(), kernel);
  return expected;
}

}  // namespace lab::metrics
