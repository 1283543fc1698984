#include "metrics/causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "harness/core/metric_keys.h"
#include "harness/core/text.h"
#include "metrics/values.h"

namespace lab::metrics {
namespace {

// A sample of a tenth of the blocks or more estimates counts of regular kernels this well.
constexpr double kSampleBand = 0.05;
// Two passes do not see the same arbitration: share of the count that may differ.
constexpr double kPassJitter = 0.01;

bool is_shared(const Evidence& evidence) { return evidence.key.rfind("shared_", 0) == 0; }

bool speaks_of_source(const Evidence& evidence) {
  return evidence.theory_row != nullptr && evidence.theory_row->level == Level::kAsWritten;
}

// The metric that instruction patching counts for a hardware counter of wavefronts or conflicts.
std::string sass_key(const std::string& key) {
  return key.substr(0, key.find('_', key.find('_') + 1)) + "_wavefronts_sass";
}

// Instruction patching read what was predicted for this operation: 1 yes, 0 no, empty unknown.
std::optional<bool> sass_as_predicted(const CaseRecord& record, const std::string& key) {
  const auto patched = value_of(record, key, SourceOf::kSass);
  if (!patched) return {};
  for (const auto source : {SourceOf::kTheory, SourceOf::kModel}) {
    if (const auto predicted = value_of(record, key, source)) return same(*patched, *predicted);
  }
  return {};
}

// True where some operation's patched wavefronts contradict their prediction.
bool sass_contradicts(const CaseRecord& record, const Metric& row) {
  std::vector<std::string_view> parts = row.derived.parts;
  if (parts.empty()) parts = {row.key};
  return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) {
    return sass_as_predicted(record, sass_key(std::string(part))) == false;
  });
}

// The model's prediction; else theory's.
std::optional<double> predicted(const CaseRecord& record, std::string_view key) {
  const auto model = value_of(record, key, SourceOf::kModel);
  return model ? model : value_of(record, key, SourceOf::kTheory);
}

// Whether so many more can be lost by what the kernel sends through the L1 data stage; where that
// is not known, they can.
bool can_be_lost(const CaseRecord& record, const Band& band, double more) {
  double passes = 0;
  for (const std::string_view key : {metric::kSharedLoadWavefronts, metric::kSharedStoreWavefronts,
                                     metric::kSharedAtomicWavefronts, metric::kWarpShuffles}) {
    const auto count = predicted(record, key);
    if (!count) return true;
    passes += *count;
  }
  return more <= band.above_per_pass * passes;
}

// The counters of single operations see nothing of shuffles, and are read in another pass.
std::string beside_operations(const CaseRecord& record) {
  std::string text;
  const auto shuffles = value_of(record, metric::kWarpShuffles, SourceOf::kModel).value_or(0);
  if (shuffles > 0) {
    text += "; " + number_text(shuffles) +
            " shuffles are among them, which the counters of loads, stores and atomics leave out";
  }
  if (const auto sum = value_of(record, metric::kSharedBankConflicts, SourceOf::kCupti)) {
    text += "; those counters read " + number_text(*sum) + " together, in another pass";
  }
  return text;
}

// The conflicts that addresses cause, without those that the chip's arbitration counter has; empty
// where it was not collected.
std::optional<double> told_apart(const CaseRecord& record) {
  const auto all = value_of(record, metric::kL1BankConflicts, SourceOf::kCupti);
  const auto lost = value_of(record, metric::kL1ArbitrationConflicts, SourceOf::kCupti);
  const auto global = value_of(record, metric::kL1GlobalConflicts, SourceOf::kCupti);
  if (!all || !lost) return {};
  return *all - *lost - global.value_or(0);
}

std::optional<std::string> arbitration_cause(const Evidence& evidence, const Interval& expected,
                                             const Seen& seen, const CaseRecord& record) {
  const Band& band = evidence.row->band;
  const double more = seen.value - expected.high;
  if (seen.value < expected.low || sass_contradicts(record, *evidence.row)) return {};
  if (band.above_per_pass > 0 && !can_be_lost(record, band, more)) return {};
  std::string reason =
      number_text(more) + " of " + number_text(seen.value) + " are " + std::string(band.cause);
  if (band.above_per_pass > 0) reason += beside_operations(record);
  if (evidence.key != metric::kSharedBankConflicts) return reason;
  const auto addresses = told_apart(record);
  if (!addresses) return reason;
  const double lost = *value_of(record, metric::kL1ArbitrationConflicts, SourceOf::kCupti);
  if (std::fabs(*addresses - expected.high) > kPassJitter * lost + 1) return {};
  return reason + "; told apart by the chip's arbitration counter: " + number_text(*addresses) +
         " are caused by addresses";
}

// Instruction patching, which tells such instructions apart, has to read what is expected.
std::optional<std::string> predication_cause(const Evidence& evidence, const Interval& expected,
                                             const Seen& seen, const CaseRecord& record) {
  const auto patched = value_of(record, evidence.key, SourceOf::kSass);
  if (seen.source == SourceOf::kSass || seen.value < expected.low) return {};
  if (!patched || !holds(expected, *patched)) return {};
  return number_text(seen.value - expected.high) + " of " + number_text(seen.value) + " are " +
         std::string(evidence.row->band.cause) + "; instruction patching counts " +
         number_text(*patched);
}

// The timing loop's, else what the counters' own pass took.
double microseconds(const CaseRecord& record) {
  if (record.timing) return record.timing->median_ns / 1000;
  return value_of(record, metric::kDurationNs, SourceOf::kCupti).value_or(0) / 1000;
}

/// The most that other users of the chip may add to a counter while the kernel runs.
double others(const Band& band, const CaseRecord& record) {
  return band.others_per_us * microseconds(record) + band.others_at_once;
}

std::optional<std::string> band_cause(const Metric& row, const Interval& expected, const Seen& seen,
                                      const CaseRecord& record) {
  const Band& band = row.band;
  const double low = expected.low - band.relative * expected.low - band.absolute;
  const double high = expected.high + band.relative * expected.high + band.absolute +
                      others(band, record) + band.others_rarely;
  const Observation* all = find_observation(record, row.key, seen.source);
  const bool repeated = band.others_per_us > 0 && all->samples > 1 && all->min;
  const double least = repeated ? *all->min : seen.value;
  if (seen.value < low || std::min(seen.value, least) > high) return {};
  const bool above = seen.value > expected.high;
  const std::string_view cause = above ? band.cause : band.cause_below;
  if (cause.empty()) return {};
  std::string reason = std::string(name_of(seen.source)) + " has " + number_text(seen.value) +
                       ", " +
                       number_text(above ? seen.value - expected.high : expected.low - seen.value) +
                       (above ? " above" : " below") + " the prediction: " + std::string(cause);
  if (seen.value > high) {
    reason += "; the least of " + std::to_string(all->samples) + " is " + number_text(least);
  }
  return reason;
}

// Registers that the machine code spills go to local memory, which the PTX knows nothing of; local
// memory is written through to L2. A request has 32 lanes of 16 bytes at most.
constexpr double kMostSectorsOfRequest = 16;
struct Spilled {
  std::string_view key, requests, noun;
};
constexpr Spilled kSpilled[] = {
    {metric::kL2WriteSectors, metric::kLocalStoreRequests, "stores"},
    {metric::kL2ReadSectors, metric::kLocalLoadRequests, "loads"},
};

std::optional<std::string> spill_cause(const Evidence& evidence, const Interval& expected,
                                       const Seen& seen, const CaseRecord& record) {
  for (const Spilled& spilled : kSpilled) {
    if (evidence.key != spilled.key || seen.value <= expected.high) continue;
    const auto requests = measured(record, spilled.requests);
    const double own = value_of(record, spilled.requests, SourceOf::kModel).value_or(0);
    if (!requests || requests->value <= own) continue;
    const double more = seen.value - expected.high;
    if (more > kMostSectorsOfRequest * (requests->value - own)) continue;
    return number_text(more) + " of " + number_text(seen.value) +
           " are local memory's: the machine code spills registers, in " +
           number_text(requests->value - own) + " " + std::string(spilled.noun);
  }
  return {};
}

// The metric's range in the machine code, which may do otherwise than the PTX that the model ran.
// Where the model gives no range, its value alone; empty where it has none.
std::optional<Interval> machine_code_range(const CaseRecord& record, std::string_view key) {
  const Metric* row = find(key);
  if (row == nullptr) return {};
  if (row->derived.rule == Rule::kNone) {
    const Observation* model = find_observation(record, key, SourceOf::kModel);
    if (model == nullptr || !model->has_value()) return {};
    const double value = model->number();
    return Interval{model->min.value_or(value), model->max.value_or(value)};
  }
  const bool ratio = row->derived.rule == Rule::kRatio;
  Interval range;
  for (std::size_t i = 0; i < row->derived.parts.size(); ++i) {
    const auto part = machine_code_range(record, row->derived.parts[i]);
    const bool divides = ratio && i == 1;
    if (!part || (divides && part->high <= 0)) return {};
    const double factor = divides ? row->derived.factor : 1;
    range.low = divides ? range.low / (factor * part->high) : range.low + part->low;
    range.high = divides ? range.high / (factor * part->low) : range.high + part->high;
  }
  return range;
}

// The model's notes on the metric's accesses.
std::string machine_code_lines(const CaseRecord& record, std::string_view key) {
  const Metric* row = find(key);
  if (record.notes.machine_code.empty() || row == nullptr) return {};
  std::string text;
  for (const AccessNote& note : record.notes.machine_code) {
    if (row->counted && note.access == name_of(row->counted->kind)) {
      text += (text.empty() ? "" : "; ") + note.says;
    }
  }
  if (!text.empty()) return text;
  for (const std::string_view part : row->derived.parts) {
    if (text.empty()) text = machine_code_lines(record, part);
  }
  return text;
}

// The machine code asks memory in other portions than the PTX: the model says where, and how far
// its counts may lie from those of the hardware.
std::optional<std::string> machine_code_cause(const Evidence& evidence, const Interval& expected,
                                              const Seen& seen, const CaseRecord& record) {
  const auto range = machine_code_range(record, evidence.key);
  if (!range || same(*range, expected) || !holds(*range, seen.value)) return {};
  std::string lines = machine_code_lines(record, evidence.key);
  if (lines.empty()) lines = "the machine code has other accesses";
  return number_text(seen.value) + " where the PTX has " + text(expected) + ": " + lines;
}

std::string merged_text(double fewer, double expected) {
  return "the compiler merged neighbouring accesses: " + number_text(fewer) + " as compiled, " +
         number_text(expected) + " as written";
}

// How often a block looks at the word that it waits for is the scheduler's to say.
std::optional<std::string> grid_barrier_cause(const Evidence& evidence, const CaseRecord& record) {
  if (!record.notes.grid_barrier || evidence.key.rfind("global_load_", 0) != 0) {
    return {};
  }
  return "blocks wait for the whole grid by loading a word again and again: how often depends on "
         "when the others arrive";
}

// The model leaves out what printf's buffer costs, which lies in the GPU's memory.
std::optional<std::string> printf_cause(const Evidence& evidence, const Interval& expected,
                                        const Seen& seen, const CaseRecord& record) {
  const bool of_traffic = evidence.key.starts_with("l2_") || evidence.key.starts_with("dram_") ||
                          evidence.key.starts_with("moved_");
  if (!of_traffic || record.notes.printed.empty() || seen.value <= expected.high) return {};
  return "what the kernel prints goes through memory, too, and is in no count of the model";
}

}  // namespace

std::optional<std::string> model_cause(const Evidence& evidence, const Interval& expected,
                                       const CaseRecord& record, const Variant* variant) {
  const double value = evidence.model->low;
  const bool ptx_level = record.facts.access_level == AccessLevel::kPtx;
  // Fewer and wider accesses: each count falls, their ratio may rise.
  const bool is_ratio = evidence.row != nullptr && evidence.row->derived.rule == Rule::kRatio;
  if (is_shared(evidence) && !speaks_of_source(evidence) && ptx_level && variant != nullptr &&
      variant->merged && (value > expected.low || is_ratio)) {
    return "the model counted the accesses of the PTX, which the compiler then merged: " +
           number_text(value) + " as written, " + text(expected) + " as compiled";
  }
  if (is_shared(evidence) && speaks_of_source(evidence) && !ptx_level && value < expected.low) {
    return merged_text(value, expected.low);
  }
  const auto atomic = value_of(record, metric::kGlobalAtomicSectors, SourceOf::kModel);
  if (evidence.key == metric::kGlobalReductionSectors && ptx_level && atomic &&
      same(*atomic + value, expected.low)) {
    return "the model counted " + number_text(*atomic) +
           " sectors as atomics, as the PTX has them; nobody uses their results, so the compiler "
           "makes them reductions";
  }
  if (evidence.key == metric::kGlobalReductionSectors && ptx_level && atomic &&
      variant != nullptr && variant->merged && *atomic + value > expected.low) {
    return "the model counted " + number_text(*atomic) +
           " sectors of atomics, as the PTX has them; the compiler combines the lanes of a warp "
           "first";
  }
  const auto sampled = record.facts.sampled_blocks;
  if (sampled && std::fabs(value - expected.low) <= kSampleBand * expected.low) {
    return fmt::format("the model ran a sample of the blocks ({}/{}) and estimates {}", *sampled,
                       record.launch.grid.count(), number_text(value));
  }
  return {};
}

std::optional<std::string> noise_reason(const Evidence& evidence, const Interval& expected,
                                        const CaseRecord& record) {
  if (evidence.row == nullptr || evidence.row->band.others_per_us == 0) return {};
  const Band& band = evidence.row->band;
  const double noise = std::floor(band.absolute + others(band, record));
  if (evidence.hardware.empty() || expected.high >= noise) return {};
  return fmt::format("{} {}s predicted, and up to {} of others on the chip are counted as well",
                     text(expected), evidence.row->unit, number_text(noise));
}

std::optional<std::string> hardware_cause(const Evidence& evidence, const Interval& expected,
                                          const Seen& seen, const CaseRecord& record) {
  if (auto cause = grid_barrier_cause(evidence, record)) return cause;
  if (is_shared(evidence) && speaks_of_source(evidence) && seen.value < expected.low) {
    return merged_text(seen.value, expected.low);
  }
  if (auto cause = spill_cause(evidence, expected, seen, record)) return cause;
  if (auto cause = machine_code_cause(evidence, expected, seen, record)) return cause;
  if (auto cause = printf_cause(evidence, expected, seen, record)) return cause;
  if (evidence.row == nullptr || evidence.row->band.cause.empty()) return {};
  if (evidence.row->unit == "request") return predication_cause(evidence, expected, seen, record);
  if (evidence.row->band.open_above) return arbitration_cause(evidence, expected, seen, record);
  return band_cause(*evidence.row, expected, seen, record);
}

}  // namespace lab::metrics
