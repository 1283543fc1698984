#include "metrics/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "harness/core/metric_keys.h"
#include "harness/core/numbers.h"
#include "metrics/advice_gain.h"
#include "metrics/advice_kernel.h"
#include "metrics/ceilings.h"
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

// The additions that the launch makes most of.
bool is_of_hot_word(const Kernel& kernel, const Advice& advice) {
  if (advice.unit != Saving::kAdditions || advice.memory != Space::kGlobal) return false;
  const Line* most = kernel.most(metric::kGlobalAdders);
  return most != nullptr && most->number == advice.line && most->file == advice.file;
}

// The launch once the advice was taken.
FullLaunch cured(const Advice& advice, const std::vector<Advice>& all, const Kernel& kernel,
                 FullLaunch launch) {
  for (const Advice& one : all) {
    if (!is_of_one_cure(advice, one)) continue;
    if (one.unit == Saving::kWavefronts) launch = with_wavefronts(launch, one.saved);
    if (is_of_hot_word(kernel, one)) launch = with_additions(launch, one.saved / one.total);
    if (one.unit != Saving::kSectors) continue;
    const auto save = one.op == AccessOp::kLoad ? with_loads : with_stores;
    launch = save(launch, {one.saved, excess_lines(kernel, one)});
  }
  return launch;
}

Known what_is_known(const Kernel& kernel, const Advice& advice, TimeTerm bound) {
  if (is_of_hot_word(kernel, advice)) return Known::kExpected;
  if (advice.unit == Saving::kWavefronts) return Known::kExpected;
  if (advice.unit != Saving::kSectors) return Known::kUnknown;
  // L1 has much of it today, and shared memory takes wavefronts instead.
  constexpr std::array kFromL1 = {AdviceRule::kReuse, AdviceRule::kReloads,
                                  AdviceRule::kAccumulates};
  if (std::find(kFromL1.begin(), kFromL1.end(), advice.rule) != kFromL1.end()) {
    return Known::kUnknown;
  }
  // How many lines go together was never measured. Of three cures that were timed all gained less
  // than was expected.
  return bound == TimeTerm::kTags ? Known::kAtMost : Known::kExpected;
}

constexpr double kSeen = 0.01;  // a gain of less is none

void add_gain(const KernelTime& before, const KernelTime& after, std::optional<double> measured_ns,
              Advice& advice) {
  advice.gain = std::max(0.0, 1 - after.ns / before.ns);
  if (!advice.of_many) {
    advice.before_ns = before.ns;
    advice.after_ns = after.ns;
  }
  advice.hidden = advice.gain < kSeen;
  // Where a rate was guessed at, or something is hidden, the measured time says what is left to
  // gain.
  if (!measured_ns || !(advice.hidden || advice.known == Known::kAtMost)) return;
  const double most = advice.hidden ? most_of_measured(*measured_ns, before, after)
                                    : std::max(0.0, 1 - after.ns / *measured_ns);
  if (most < kSeen) return;
  advice.gain = most;
  advice.known = Known::kMeasured;
}

// Writes the gains, and gives the time as it is.
std::optional<KernelTime> add_gains(const Kernel& kernel, const Machine& machine,
                                    std::vector<Advice>& all) {
  const auto launch = full_launch_of(kernel.record, machine);
  if (!launch) return {};
  const KernelTime before = launch->time();
  for (Advice& advice : all) {
    advice.bound = before.sets();
    advice.of_many = launch->times > 1;
    advice.known = what_is_known(kernel, advice, *advice.bound);
    if (advice.known == Known::kUnknown) continue;
    add_gain(before, cured(advice, all, kernel, *launch).time(), cold_time_of(kernel.record),
             advice);
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
    case AdviceRule::kReloads:
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
  if (other.proof == Proof::kGuessed) advice.proof = Proof::kGuessed;
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

void leave_out_trifles(std::vector<Advice>& all) {
  constexpr double kNoticed = 0.05;
  const auto trifle = [](const Advice& one) {
    if (one.only_for_time && one.gain < kNoticed) return true;
    return is_of_whole_kernel(one.unit) && one.saved < kWorthwhile * one.total;
  };
  all.erase(std::remove_if(all.begin(), all.end(), trifle), all.end());
}

// Nobody has tried it: the fault stands, and so does the cure, without a number.
void leave_out_guesses(std::vector<Advice>& all) {
  for (Advice& one : all) {
    if (one.proof != Proof::kGuessed) continue;
    one.at_most = std::exchange(one.saved, 0);
    one.total = 0;
    one.unit = Saving::kNone;
    one.gain = one.before_ns = one.after_ns = 0;
    one.known = Known::kUnknown;
  }
}

}  // namespace

Diagnosis diagnose(const CaseRecord& record, const Machine& machine, Forbidden forbidden,
                   const Trials& trials) {
  const Kernel kernel = kernel_of(record, forbidden, trials);
  std::vector<Advice> all;
  for (const auto rules :
       {advise_on_shared, advise_on_global, advise_on_reloads, advise_on_reuse, advise_on_atomics,
        advise_on_threads, advise_on_arithmetic, advise_on_tiles}) {
    rules(kernel, all);
  }
  leave_to_tiles(all);
  std::optional<KernelTime> expected = add_gains(kernel, machine, all);
  rank_advice(all);
  tell_once(all);
  leave_out_trifles(all);
  if (all.size() > kMost) all.resize(kMost);
  leave_out_guesses(all);
  return {std::move(all), std::move(expected)};
}

std::string_view name_of(AdviceRule rule) { return word_of(rule); }

bool is_of_layout(const Advice& advice) {
  constexpr std::array kRules = {AdviceRule::kSharedConflicts, AdviceRule::kStrided,
                                 AdviceRule::kStructures, AdviceRule::kMisaligned};
  return !advice.hinted && std::find(kRules.begin(), kRules.end(), advice.rule) != kRules.end();
}

std::string_view name_of(Proof proof) { return word_of(proof); }

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
  const bool measured = advice.known == Known::kMeasured;
  const std::string_view of = advice.of_many && !measured ? " of many such blocks" : "";
  constexpr double kNsPerUs = 1000;
  if (advice.gain >= kSeen) {
    const std::string times =
        advice.before_ns > 0 && !measured
            ? fmt::format(" ({} -> {} us)", brief_text(advice.before_ns / kNsPerUs),
                          brief_text(advice.after_ns / kNsPerUs))
            : "";
    return fmt::format(", {}{:.0f} % of the {} time{}{}",
                       advice.known == Known::kExpected ? "" : "at most ", 100 * advice.gain,
                       measured ? "measured" : "expected", of, times);
  }
  if (!advice.bound || advice.known == Known::kUnknown) return {};
  const std::string time =
      advice.before_ns > 0 ? fmt::format(" at {} us", brief_text(advice.before_ns / kNsPerUs)) : "";
  return fmt::format("; the time{} stays{}: what sets it is {}", of, time, name_of(*advice.bound));
}

bool lacks_accesses(const CaseRecord& record) {
  const Trials none;
  const Kernel kernel = kernel_of(record, Forbidden::kNothing, none);
  const double requests = kernel.total(metric::kMemoryRequests);
  return std::any_of(kernel.lines.begin(), kernel.lines.end(), [&](const Line& line) {
    return line.accesses.empty() && line.cost(metric::kMemoryRequests) > kWorthwhile * requests;
  });
}

std::vector<Advice> advise(const CaseRecord& record, const Machine& machine, Forbidden forbidden) {
  return diagnose(record, machine, forbidden).advice;
}

}  // namespace lab::metrics
