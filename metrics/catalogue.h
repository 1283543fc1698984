// The catalogue of metrics: one row per metric, with its unit, its class and where its value is
// from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/record.h"

namespace lab::metrics {

/// How a prediction of the metric may be held against a measurement.
enum class Class : std::uint8_t {
  kExact,    ///< follows from addresses alone: all values must be equal
  kBanded,   ///< has jitter with a named cause: `Metric::band` says how much and why
  kContext,  ///< time, occupancy, hit rates: shown, never judged
};
[[nodiscard]] std::string_view name_of(Class metric_class);

/// Values computed by us from others of the same source.
enum class Rule : std::uint8_t {
  kNone,
  kRatio,  ///< parts[0] / (factor * parts[1])
  kSum,    ///< parts[0] + parts[1] + ...
};

struct Derivation {
  Rule rule = Rule::kNone;
  std::vector<std::string_view> parts = {};
  double factor = 1;
};

/// Where the model has the metric from.
enum class InModel : std::uint8_t {
  kCounted,   ///< counted while interpreting
  kDerived,   ///< by `derived`, from counted metrics
  kCompiled,  ///< a property of the compiled kernel and the launch
  kNone,      ///< not modelled: `Metric::why_not` says why
};

/// How far hardware may lie from a prediction, and why.
struct Band {
  double relative = 0;                ///< share of the prediction, both ways
  double absolute = 0;                ///< in the metric's unit, both ways
  bool open_above = false;            ///< any value at or above the prediction has the cause
  std::string_view cause = {};        ///< of more than predicted
  std::string_view cause_below = {};  ///< of less; empty: nothing explains a shortage
  /// Bytes that other users of the chip may add per microsecond of the kernel's time. They only
  /// add, so of several repeats the least is closest to the kernel's own traffic. 0: nobody else
  /// counts.
  double others_per_us = 0;
  /// And what they now and then add at once.
  double others_at_once = 0;
  /// And what they added at once in few of many runs: it explains a value, and makes no prediction
  /// too small to be judged.
  double others_rarely = 0;
  /// Of `open_above`, for the kernel's shared wavefronts and shuffles each: no more than this comes
  /// on top of the prediction. 0: nobody knows a bound.
  double above_per_pass = 0;
};

/// The memory instructions that hardware counts apart.
enum class AccessKind : std::uint8_t {
  kGlobalLoad,
  kGlobalStore,
  kGlobalAtomic,     ///< of which something uses the result
  kGlobalReduction,  ///< of which nothing does
  kLocalLoad,
  kLocalStore,
  kSharedLoad,
  kSharedStore,
  kSharedAtomic,  ///< one machine instruction, whether its result is used or not
  kMatrixLoad,
  kMatrixStore,
  kAsyncCopy,  ///< a load and a store to the model, and one machine instruction
};

/// As in the keys of its metrics: global_load, matrix_store.
[[nodiscard]] std::string_view name_of(AccessKind kind);

/// What is counted of the requests of a kind, added up.
enum class Count : std::uint8_t {
  kRequests,
  kSectors,              ///< distinct ones of each request, of 32 bytes
  kLines,                ///< distinct ones of each request, of 128 bytes
  kBytes,                ///< distinct ones of each request
  kWavefronts,           ///< as the hardware's counter has them
  kWavefrontsByAddress,  ///< as instruction patching has them
  kConflicts,            ///< wavefronts beyond those that the width needs
};

struct Counted {
  AccessKind kind;
  Count count;
};

/// Chips whose counter has another name, or none.
struct OnChips {
  std::string_view chips;  ///< separated by spaces
  std::string_view name;   ///< empty: they have none
};

/// A cell of Nsight Compute's pages: in the section's table the row and the column, or a label.
struct NcuPlace {
  std::string_view section = {};  ///< Shared Memory, L1/TEX Cache, ...; empty: no page shows it
  std::string_view row = {};      ///< empty: the section has a list of labels, not a table
  std::string_view column = {};
};

/// Counters that are collected together.
enum class Set : std::uint8_t { kDefault, kArbitration };
struct InSet {
  Set set;
  SourceOf by;
};

/// All that is known of a metric, but for its value.
struct Metric {
  std::string_view key;
  /// A few words that head a column. `what, of which`: neighbouring columns of one `what` share it.
  std::string_view title;
  std::string_view unit;
  Class metric_class = Class::kContext;
  std::string_view text;                ///< what it is, for a student
  std::string_view cupti = {};          ///< hardware counter with its rollup; empty: none
  std::string_view sass = {};           ///< counter by instruction patching; empty: none
  double scale = 1;                     ///< a counter's value times this is in `unit`
  std::vector<OnChips> elsewhere = {};  ///< where `cupti` has another name
  std::string_view ready_made = {};     ///< a ratio of CUPTI's that is the same number
  Derivation derived = {};
  InModel model = InModel::kNone;
  std::optional<Counted> counted = {};   ///< where the model adds it up by access
  SourceOf measured = SourceOf::kCupti;  ///< the source that counts as the measurement
  Band band = {};
  std::vector<InSet> sets = {};
  NcuPlace ncu = {};
  std::vector<std::string_view> traps = {};  ///< how it can mislead, the rarest last
  std::string_view why_not = {};             ///< why a source is missing for good
};

/// All rows, grouped by subject. Their order is the order of tables.
[[nodiscard]] const std::vector<Metric>& catalogue();

/// The row of `key`; null where there is none, such as for a raw CUPTI name.
[[nodiscard]] const Metric* find(std::string_view key);

/// The row of `key`; an input error with the nearest key where there is none.
[[nodiscard]] const Metric& at(std::string_view key);

}  // namespace lab::metrics
