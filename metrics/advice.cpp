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
#include "metrics/advice_pattern.h"
#include "metrics/values.h"

namespace lab::metrics {
namespace {

constexpr std::size_t kMost = 3;
// Advice that would save less than this share of a kernel's accesses of the kind is not given.
constexpr double kWorthwhile = 0.1;
constexpr double kLanes = 32;

/// A source line's costs by metric, as the model counted them.
using Costs = std::map<std::string, double, std::less<>>;

/// A line with the instructions that one warp executed there.
struct Line {
  std::string file;
  int number = 0;
  Costs costs;
  std::vector<const Access*> accesses;

  [[nodiscard]] double cost(std::string_view metric) const {
    const auto found = costs.find(metric);
    return found == costs.end() ? 0 : found->second;
  }
  /// The instruction of this kind that `worst` ranks highest; null: none was seen.
  template <typename Worst>
  [[nodiscard]] const Access* worst(Space space, AccessOp op, const Worst& rank) const {
    const Access* found = nullptr;
    for (const Access* one : accesses) {
      if (one->space != space || one->op != op) continue;
      if (found == nullptr || rank(*one) > rank(*found)) found = one;
    }
    return found;
  }
};

struct Kernel {
  const CaseRecord& record;
  std::vector<Line> lines;

  [[nodiscard]] double total(std::string_view metric) const {
    double sum = 0;
    for (const Line& line : lines) sum += line.cost(metric);
    return sum;
  }
};

// Accesses name no file; those of a header's line are taken for the own file's, which is the one
// that a student reads.
Kernel kernel_of(const CaseRecord& record) {
  std::map<std::pair<std::string, int>, Line> lines;
  for (const LineObservation& one : record.lines) {
    if (one.source != SourceOf::kModel) continue;
    Line& line = lines[{one.file, one.line}];
    line.file = one.file;
    line.number = one.line;
    line.costs[one.metric] += one.value;
  }
  Kernel kernel{record, {}};
  for (auto& [key, line] : lines) {
    for (const Access& access : record.accesses) {
      if (access.line == line.number) line.accesses.push_back(&access);
    }
    kernel.lines.push_back(std::move(line));
  }
  return kernel;
}

Advice advice_at(const Line& line, AdviceRule rule, std::string finding, std::string_view cure) {
  Advice advice;
  advice.rule = rule;
  advice.file = line.file;
  advice.line = line.number;
  advice.finding = std::move(finding);
  advice.cure = cure;
  return advice;
}

// ---- shared memory ------------------------------------------------------------------------------

std::string_view conflict_cure(const Pattern& pattern, const Access& access) {
  if (access.op == AccessOp::kAtomic) {
    return "Give each warp a copy of its own and add the copies up, or combine equal ones first.";
  }
  if (!pattern.stride) {
    return "Sort what the lanes ask for, or give each lane a place in a bank of its own.";
  }
  if (*pattern.stride % (32 * kBankBytes) == 0) {
    return "Pad each row by one element, or permute its elements (column ^ row).";
  }
  return "Let neighbouring lanes take neighbouring words, or make the stride odd by a word of "
         "padding.";
}

std::string crowd_text(const Pattern& pattern, const Access& access) {
  const Crowd crowd = crowd_of(access);
  std::string text =
      fmt::format("{} lanes want {} words of bank {}", pattern.lanes, crowd.words, crowd.bank);
  if (pattern.stride && *pattern.stride % kBankBytes == 0) {
    text += fmt::format(", at a stride of {} words", std::abs(*pattern.stride) / kBankBytes);
  }
  return text;
}

// Loads and stores of a line with one pattern are one fault.
void add_conflicts(Advice advice, std::vector<Advice>& all) {
  for (Advice& one : all) {
    if (one.line != advice.line || one.file != advice.file || one.finding != advice.finding)
      continue;
    one.saved += advice.saved;
    return;
  }
  all.push_back(std::move(advice));
}

// The accesses are those of one warp. What others make conflict is known by its counts alone.
std::optional<Advice> conflicts_elsewhere(const Line& line, AccessOp op, double conflicts) {
  if (op == AccessOp::kAtomic) return {};
  const double requests = line.cost(fmt::format("shared_{}_requests", name_of(op)));
  const double wavefronts = line.cost(fmt::format("shared_{}_wavefronts", name_of(op)));
  if (requests <= 0) return {};
  return advice_at(
      line, AdviceRule::kSharedConflicts,
      fmt::format("a {} takes {:.3g} wavefronts on average and {:.3g} without "
                  "conflicts, though the first warp's has none",
                  name_of(op), wavefronts / requests, (wavefronts - conflicts) / requests),
      "Draw another warp (--warp BLOCK,WARP). Rows that are padded by whole words of 4 "
      "bytes, an odd number of them, begin in banks of their own.");
}

void shared_conflicts(const Kernel& kernel, AccessOp op, std::vector<Advice>& all) {
  const std::string prefix = fmt::format("shared_{}_", name_of(op));
  double wavefronts = 0;
  for (const std::string_view one : {metric::kSharedLoadWavefronts, metric::kSharedStoreWavefronts,
                                     metric::kSharedAtomicWavefronts}) {
    wavefronts += kernel.total(one);
  }
  for (const Line& line : kernel.lines) {
    const double conflicts = line.cost(prefix + "bank_conflicts");
    if (conflicts < kWorthwhile * wavefronts) continue;
    const Access* access =
        line.worst(Space::kShared, op, [](const Access& one) { return one.conflicts; });
    std::optional<Advice> advice;
    if (access == nullptr || access->conflicts == 0) {
      advice = conflicts_elsewhere(line, op, conflicts);
    } else if (crowd_of(*access).words >= 2) {
      const Pattern pattern = pattern_of(*access);
      advice = advice_at(line, AdviceRule::kSharedConflicts, crowd_text(pattern, *access),
                         conflict_cure(pattern, *access));
    }
    // Atomics on one word wait for each other without a conflict: see same_address.
    if (!advice) continue;
    advice->saved = conflicts;
    advice->total = wavefronts;
    advice->unit = Saving::kWavefronts;
    add_conflicts(std::move(*advice), all);
  }
}

// ---- global memory ------------------------------------------------------------------------------

// Sectors of a line beyond those that its bytes fill; an instruction touches one at least.
double excess_sectors(const Line& line, AccessOp op) {
  const std::string prefix = fmt::format("global_{}_", name_of(op));
  const double least =
      std::max(line.cost(prefix + "bytes") / kSectorBytes, line.cost(prefix + "requests"));
  return line.cost(prefix + "sectors") - least;
}

// Other fields of the structures that these lanes walk through.
bool has_fields(const Kernel& kernel, const Access& access, std::int64_t stride) {
  return std::any_of(
      kernel.record.accesses.begin(), kernel.record.accesses.end(), [&](const Access& other) {
        const Pattern pattern = pattern_of(other);
        const bool same = other.space == Space::kGlobal && other.buffer == access.buffer &&
                          pattern.stride == stride;
        const std::int64_t apart = std::abs(pattern.first - pattern_of(access).first);
        return same && apart > 0 && apart < std::abs(stride);
      });
}

struct Spread {
  AdviceRule rule;
  std::string finding;
  std::string_view cure;
};

constexpr std::int64_t kLargestStructure = 128;  // bytes: a wider stride is a row's

Spread spread_of(const Kernel& kernel, const Access& access) {
  const Pattern pattern = pattern_of(access);
  const std::int64_t bytes = access.bytes_per_lane;
  if (!pattern.stride) {
    return {AdviceRule::kScattered,
            fmt::format("{} lanes touch {} sectors in no order", pattern.lanes, access.sectors),
            "Sort the indices, or bring whole rows to shared memory and pick there."};
  }
  const std::int64_t stride = std::abs(*pattern.stride);
  if (stride == bytes && pattern.runs > 2) {
    return {AdviceRule::kScattered,
            fmt::format("{} lanes touch {} sectors in {} runs of neighbours", pattern.lanes,
                        access.sectors, pattern.runs),
            "Bring whole rows to shared memory and pick there."};
  }
  if (stride == bytes) {
    return {AdviceRule::kMisaligned,
            fmt::format("the warp begins {} bytes into a sector: {} sectors where {} would do",
                        pattern.first % 32, access.sectors, access.sectors - 1),
            "Begin each row at a multiple of 32 bytes: pad the rows, or shift the index."};
  }
  const std::string apart =
      fmt::format("neighbouring lanes are {} bytes apart and take {} each", stride, bytes);
  if (stride <= kLargestStructure && has_fields(kernel, access, *pattern.stride)) {
    return {AdviceRule::kStructures, apart,
            "Keep each field in an array of its own (a structure of arrays)."};
  }
  if (stride > kLargestStructure) {
    return {AdviceRule::kStrided, apart,
            "Let threadIdx.x run along the rows; where one side cannot, go through a tile in "
            "shared memory."};
  }
  return {AdviceRule::kStrided, apart, "Let neighbouring lanes take neighbouring elements."};
}

// Each second lane, say, takes each second element: what is in vain is the lanes.
bool is_dense_but_for_idle_lanes(const Access& access) {
  const Pattern pattern = pattern_of(access);
  return pattern.every > 1 && pattern.stride &&
         *pattern.stride == pattern.every * access.bytes_per_lane;
}

void global_sectors(const Kernel& kernel, AccessOp op, std::vector<Advice>& all) {
  const double sectors =
      kernel.total(metric::kGlobalLoadSectors) + kernel.total(metric::kGlobalStoreSectors);
  for (const Line& line : kernel.lines) {
    const double excess = excess_sectors(line, op);
    if (excess < kWorthwhile * sectors) continue;
    const Access* access = line.worst(Space::kGlobal, op, [](const Access& one) {
      return one.sectors * kSectorBytes - one.bytes_per_lane * pattern_of(one).addresses;
    });
    if (access == nullptr || is_dense_but_for_idle_lanes(*access)) continue;
    Spread spread = spread_of(kernel, *access);
    all.push_back(advice_at(line, spread.rule, std::move(spread.finding), spread.cure));
    all.back().saved = excess;
    all.back().total = sectors;
    all.back().unit = Saving::kSectors;
    all.back().op = op;
  }
}

// ---- atomics ------------------------------------------------------------------------------------

void same_address(const Kernel& kernel, Space space, AccessOp op, std::vector<Advice>& all) {
  for (const Line& line : kernel.lines) {
    const Access* access =
        line.worst(space, op, [](const Access& one) { return pattern_of(one).lanes; });
    if (access == nullptr) continue;
    const Pattern pattern = pattern_of(*access);
    if (2 * pattern.addresses > pattern.lanes) continue;
    const bool one = pattern.addresses == 1;
    all.push_back(advice_at(
        line, AdviceRule::kSameAddress,
        one ? fmt::format("{} lanes change one word of {} memory, one after the other",
                          pattern.lanes, name_of(space))
            : fmt::format("{} lanes change {} words of {} memory", pattern.lanes, pattern.addresses,
                          name_of(space)),
        "Combine within the warp first (shuffles, __reduce_add_sync), then once per warp or "
        "block."));
    all.back().saved = pattern.lanes - pattern.addresses;
    all.back().total = pattern.lanes;
    all.back().unit = Saving::kAdditions;
  }
}

// ---- lanes --------------------------------------------------------------------------------------

std::string_view partial_cure(const Pattern& pattern) {
  if (pattern.every > 1) {
    return "Let the first threads work (t < n), so that whole warps are done early.";
  }
  return "Share the work among all lanes; for the last steps of a reduction, shuffles.";
}

// Blocks whose size is not a multiple of a warp leave lanes idle in every instruction.
void partial_blocks(const Kernel& kernel, std::vector<Advice>& all) {
  const auto threads = static_cast<double>(kernel.record.launch.block.count());
  const double slots = std::ceil(threads / kLanes) * kLanes;
  if (threads == 0 || (slots - threads) / slots < kWorthwhile) return;
  Advice advice;
  advice.rule = AdviceRule::kPartialWarps;
  advice.finding = fmt::format("blocks of {} threads use {} of {} lanes", threads, threads, slots);
  advice.cure = "Make the block's threads a multiple of 32.";
  advice.saved = slots - threads;
  advice.total = slots;
  advice.unit = Saving::kLanes;
  all.push_back(std::move(advice));
}

double requests_at(const Line& line) {
  constexpr std::string_view kSuffix = "_requests";
  double sum = 0;
  for (const auto& [metric, value] : line.costs) {
    if (metric.ends_with(kSuffix)) sum += value;
  }
  return sum;
}

// The line's instruction with the most lanes of those that leave some idle, where a quarter of the
// lanes and more stand still on average. One lane alone speaks for its warp, such as for the sum of
// a reduction.
const Access* partial_example(const Line& line) {
  constexpr double kFew = 24;
  const Access* most = nullptr;
  int most_lanes = 1;
  double lanes = 0;
  for (const Access* one : line.accesses) {
    const int here = pattern_of(*one).lanes;
    lanes += here;
    if (here <= most_lanes || here == static_cast<int>(kLanes)) continue;
    most = one;
    most_lanes = here;
  }
  return lanes <= kFew * static_cast<double>(line.accesses.size()) ? most : nullptr;
}

// Where such lines are a good part of all: the one lane that stores a block's sum is not.
void partial_warps(const Kernel& kernel, std::vector<Advice>& all) {
  constexpr double kGoodPart = 0.25;
  if (static_cast<double>(kernel.record.launch.block.count()) < kLanes) return;  // see above
  const Line* most = nullptr;
  double partial = 0;
  double total = 0;
  for (const Line& line : kernel.lines) {
    const double requests = requests_at(line);
    total += requests;
    if (partial_example(line) == nullptr) continue;
    partial += requests;
    if (most == nullptr || requests > requests_at(*most)) most = &line;
  }
  if (most == nullptr || partial < kGoodPart * total) return;
  const Pattern pattern = pattern_of(*partial_example(*most));
  const std::string which = pattern.every > 1 ? fmt::format(", one in {}", pattern.every) : "";
  all.push_back(advice_at(*most, AdviceRule::kPartialWarps,
                          fmt::format("{} of 32 lanes work{}", pattern.lanes, which),
                          partial_cure(pattern)));
  all.back().saved = kLanes - pattern.lanes;
  all.back().total = kLanes;
  all.back().unit = Saving::kLanes;
}

// ---- local memory -------------------------------------------------------------------------------

void local_memory(const Kernel& kernel, std::vector<Advice>& all) {
  const Line* most = nullptr;
  double requests = 0;
  double total = 0;
  for (const Line& line : kernel.lines) {
    const double here =
        line.cost(metric::kLocalLoadRequests) + line.cost(metric::kLocalStoreRequests);
    total += here;
    if (here <= requests) continue;
    requests = here;
    most = &line;
  }
  const auto bytes = value_of(kernel.record, metric::kLocalBytesPerThread, SourceOf::kModel);
  if (most != nullptr) {
    all.push_back(advice_at(
        *most, AdviceRule::kLocalMemory,
        "a per-thread array is kept in local memory, which goes through L1 and L2 to DRAM",
        "Index it by constants alone (unroll the loop), or keep it in shared "
        "memory."));
    all.back().saved = total;
    all.back().total = total;
    all.back().unit = Saving::kLocalRequests;
  } else if (bytes.value_or(0) > 0) {
    Advice advice;
    advice.rule = AdviceRule::kLocalMemory;
    advice.finding =
        fmt::format("registers are spilled to {} bytes of local memory per thread", *bytes);
    advice.cure = "Let a thread keep less at once, or allow it more registers (__launch_bounds__).";
    all.push_back(std::move(advice));
  }
}

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

// Fields of a structure are parted all at once.
bool is_of_one_cure(const Advice& a, const Advice& b) {
  return &a == &b || (a.rule == AdviceRule::kStructures && b.rule == a.rule && b.op == a.op);
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

}  // namespace

Diagnosis diagnose(const CaseRecord& record, const Machine& machine) {
  const Kernel kernel = kernel_of(record);
  std::vector<Advice> all;
  for (const AccessOp op : {AccessOp::kLoad, AccessOp::kStore, AccessOp::kAtomic}) {
    shared_conflicts(kernel, op, all);
  }
  for (const AccessOp op : {AccessOp::kLoad, AccessOp::kStore}) global_sectors(kernel, op, all);
  for (const AccessOp op : {AccessOp::kAtomic, AccessOp::kReduction}) {
    same_address(kernel, Space::kGlobal, op, all);
    same_address(kernel, Space::kShared, op, all);
  }
  partial_blocks(kernel, all);
  partial_warps(kernel, all);
  local_memory(kernel, all);
  std::vector<Use> expected = add_gains(kernel, machine, all);
  std::stable_sort(all.begin(), all.end(), [](const Advice& a, const Advice& b) {
    const auto rank = [](const Advice& one) {
      return std::tuple(one.hidden ? 0 : -one.gain, -one.gain, -share_of(one), one.line);
    };
    return rank(a) < rank(b);
  });
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
