#include "metrics/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "harness/core/metric_keys.h"
#include "metrics/advice_gain.h"
#include "metrics/advice_kernel.h"
#include "metrics/values.h"

namespace lab::metrics {
namespace {

constexpr std::size_t kMost = 3;

// ---- ranking ------------------------------------------------------------------------------------

// Lines of global memory beyond those that the bytes of the advised line fill.
double excess_lines(const Kernel& kernel, const Advice& advice) {
  constexpr double kLineBytes = 128;
  const std::string prefix = fmt::format("global_{}_", name_of(advice.op));
  for (const Line& line : kernel.lines) {
    if (line.number != advice.line || line.file != advice.file) continue;
    const double least =
        std::max(line.cost(prefix + "bytes") / kLineBytes, line.cost(prefix + "requests"));
    return std::max(0.0, line.cost(prefix + "lines") - least);
  }
  return 0;
}

// Fields of a structure are parted all at once, and what runs along the rows runs along all.
bool is_of_one_cure(const Advice& a, const Advice& b) {
  return &a == &b || (a.rule == b.rule && a.cure == b.cure && a.unit == b.unit);
}

bool is_scattered(const Advice& advice, AccessOp op) {
  return advice.rule == AdviceRule::kScattered && advice.op == op;
}

// The traffic that is left once the advice was taken.
Traffic cured(const Advice& advice, const std::vector<Advice>& all, const Kernel& kernel,
              Traffic traffic) {
  for (const Advice& one : all) {
    if (!is_of_one_cure(advice, one)) continue;
    if (one.unit == Saving::kWavefronts) traffic.shared_wavefronts -= one.saved;
    if (one.unit != Saving::kSectors) continue;
    const auto save = one.op == AccessOp::kLoad ? with_loads : with_stores;
    traffic = save(traffic, one.saved, excess_lines(kernel, one));
  }
  if (is_scattered(advice, AccessOp::kLoad)) traffic.scattered_loads = false;
  if (is_scattered(advice, AccessOp::kStore)) traffic.scattered_stores = false;
  return traffic;
}

// L2 puts the parts of a sector together that two warps store. It moves no byte of DRAM more for
// that (lab 1's store at offset 1), and yet an H200 took 18 % less for the same bytes where no
// sector came in parts. At which rate it does so was not measured.
bool is_of_parts(const Advice& advice) {
  return advice.rule == AdviceRule::kMisaligned && advice.op == AccessOp::kStore;
}

Known what_is_known(const Advice& advice, Resource bound) {
  if (advice.unit == Saving::kWavefronts) return Known::kExpected;
  if (advice.unit != Saving::kSectors || is_of_parts(advice)) return Known::kUnknown;
  // L1 has much of it today, and shared memory takes wavefronts instead.
  if (advice.rule == AdviceRule::kReuse || advice.rule == AdviceRule::kAccumulates) {
    return Known::kUnknown;
  }
  // A line per clock is a guess. Where lines decide, an H200's L1 looked up 0.8 to 1.4 of them (lab
  // 4's write_coalesced, lab 1's gather): the kernel as it is takes less than is expected, and so
  // less of its time goes. Of three cures that were timed all gained less than the guess.
  return bound == Resource::kL1 ? Known::kAtMost : Known::kExpected;
}

constexpr double kSeen = 0.01;  // a gain of less is none

void add_gain(const std::vector<Use>& before, const std::vector<Use>& after,
              std::optional<double> measured_ns, Advice& advice) {
  advice.gain = std::max(0.0, 1 - after.front().least_ns / before.front().least_ns);
  advice.hidden = advice.gain < kSeen;
  // Where a rate was guessed at, or something is hidden, the measured time says what is left to
  // gain.
  if (!measured_ns || !(advice.hidden || advice.known == Known::kAtMost)) return;
  const double most = advice.hidden ? most_of_measured(*measured_ns, before, after)
                                    : std::max(0.0, 1 - after.front().least_ns / *measured_ns);
  if (most < kSeen) return;
  advice.gain = most;
  advice.known = Known::kMeasured;
}

// Writes the gains, and gives the time as it is.
std::vector<Use> add_gains(const Kernel& kernel, const Machine& machine, std::vector<Advice>& all) {
  Traffic traffic = traffic_of(kernel.record);
  for (const Advice& advice : all) {
    traffic.scattered_loads |= is_scattered(advice, AccessOp::kLoad);
    traffic.scattered_stores |= is_scattered(advice, AccessOp::kStore);
  }
  std::vector<Use> before = expected_uses(traffic, machine);
  if (before.empty() || before.front().least_ns <= 0) return {};
  for (Advice& advice : all) {
    advice.bound = before.front().resource;
    advice.known = what_is_known(advice, *advice.bound);
    if (advice.known == Known::kUnknown) continue;
    add_gain(before, expected_uses(cured(advice, all, kernel, traffic), machine),
             cold_time_of(kernel.record), advice);
  }
  return before;
}

double share_of(const Advice& advice) { return advice.total > 0 ? advice.saved / advice.total : 0; }

// What is wrong comes before what is slow, and what makes the rest idle before the rest.
int urgency_of(AdviceRule rule) {
  switch (rule) {
    case AdviceRule::kUnwritten:
    case AdviceRule::kReturnBeforeBarrier:
      return 0;
    case AdviceRule::kIdleThreads:
    case AdviceRule::kAccumulates:
      return 1;
    default:
      return 2;
  }
}

// What a tile in shared memory does away with needs no other block.
void leave_to_tiles(std::vector<Advice>& all) {
  const auto tiles = [&](const Advice& shape) {
    return shape.rule == AdviceRule::kBlockShape &&
           std::any_of(all.begin(), all.end(), [&](const Advice& one) {
             return one.rule == AdviceRule::kReuse && one.line == shape.line;
           });
  };
  all.erase(std::remove_if(all.begin(), all.end(), tiles), all.end());
}

void rank_advice(std::vector<Advice>& all) {
  std::stable_sort(all.begin(), all.end(), [](const Advice& a, const Advice& b) {
    const auto rank = [](const Advice& one) {
      return std::tuple(urgency_of(one.rule), one.hidden ? 0 : -one.gain, -one.gain, -share_of(one),
                        one.line);
    };
    return rank(a) < rank(b);
  });
}

// Totals of sectors and wavefronts are the kernel's.
bool is_of_whole_kernel(Saving unit) {
  return unit == Saving::kSectors || unit == Saving::kWavefronts;
}

void add_to(const Advice& other, Advice& advice) {
  advice.saved += other.saved;
  if (!is_of_whole_kernel(advice.unit)) advice.total += other.total;
  const bool told = other.line == advice.line && other.file == advice.file;
  const bool known =
      std::find(advice.also.begin(), advice.also.end(), other.line) != advice.also.end();
  if (other.line > 0 && !told && !known) advice.also.push_back(other.line);
}

// A cure is told once, at the line where it gains most.
void tell_once(std::vector<Advice>& all) {
  std::vector<Advice> once;
  for (Advice& one : all) {
    const auto told = std::find_if(once.begin(), once.end(),
                                   [&](const Advice& other) { return is_of_one_cure(one, other); });
    if (told == once.end()) {
      once.push_back(std::move(one));
    } else {
      add_to(one, *told);
    }
  }
  all = std::move(once);
}

}  // namespace

Diagnosis diagnose(const CaseRecord& record, const Machine& machine) {
  const Kernel kernel = kernel_of(record);
  std::vector<Advice> all;
  for (const auto rules : {advise_on_shared, advise_on_global, advise_on_reuse, advise_on_atomics,
                           advise_on_threads, advise_on_arithmetic}) {
    rules(kernel, all);
  }
  leave_to_tiles(all);
  std::vector<Use> expected = add_gains(kernel, machine, all);
  rank_advice(all);
  tell_once(all);
  if (all.size() > kMost) all.resize(kMost);
  return {std::move(all), std::move(expected)};
}

std::string_view name_of(AdviceRule rule) { return word_of(rule); }

bool is_of_layout(const Advice& advice) {
  constexpr std::array kRules = {AdviceRule::kSharedConflicts, AdviceRule::kStrided,
                                 AdviceRule::kStructures, AdviceRule::kMisaligned};
  return std::find(kRules.begin(), kRules.end(), advice.rule) != kRules.end();
}

std::string_view name_of(Saving unit) { return word_of(unit); }

std::string_view name_of(Known known) {
  switch (known) {
    case Known::kExpected:
      return "expected";
    case Known::kAtMost:
      return "at most";
    case Known::kMeasured:
      return "at most of measured";
    case Known::kUnknown:
      break;
  }
  return "unknown";
}

std::string gain_text(const Advice& advice) {
  if (advice.gain >= kSeen) {
    return fmt::format(", {}{:.0f} % of the {} time",
                       advice.known == Known::kExpected ? "" : "at most ", 100 * advice.gain,
                       advice.known == Known::kMeasured ? "measured" : "expected");
  }
  if (!advice.bound) return {};
  if (advice.known != Known::kUnknown) {
    return fmt::format("; the time stays, for {} sets it", name_of(*advice.bound));
  }
  if (!is_of_parts(advice)) return {};
  return "; how long L2 takes to put the parts of a sector together is not known";
}

std::vector<Advice> advise(const CaseRecord& record, const Machine& machine) {
  return diagnose(record, machine).advice;
}

}  // namespace lab::metrics
