// Two values of one metric: has a kernel become better?
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "harness/core/record.h"

namespace lab::metrics {

/// Which way a metric is better for the kernel that has it.
enum class Aim : std::uint8_t { kLess, kMore, kNeither };

/// Of a metric of the catalogue; a raw counter has no aim.
[[nodiscard]] Aim aim_of(std::string_view key);

/// A value with the range that its samples span; a single or exact value spans none.
struct Sampled {
  double value = 0;
  double low = 0;
  double high = 0;
  bool measured = false;  ///< else the model's
};

enum class Change : std::uint8_t {
  kSame,
  kBetter,
  kWorse,
  kDiffers,  ///< of a metric with no aim
  kUnclear,  ///< the samples' ranges overlap: another run might say the opposite
};
[[nodiscard]] std::string_view name_of(Change change);

/// From `before` to `after`.
[[nodiscard]] Change change_of(Aim aim, const Sampled& before, const Sampled& after);

/// A case's value of a metric: measured where it was, else by the model; empty: neither.
[[nodiscard]] std::optional<Sampled> sampled_of(const CaseRecord& record, std::string_view key);

/// The timed launches in ns: the median, and the middle half of the samples as its range, since the
/// slowest launch of many says nothing. Empty: not timed.
[[nodiscard]] std::optional<Sampled> sampled_time(const CaseRecord& record);

}  // namespace lab::metrics
