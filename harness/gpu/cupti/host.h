// The side of CUPTI that needs neither a GPU nor a driver: which metrics a chip has, what they
// mean, how many passes a list of them takes, and the value of a metric in a counter image.
#pragma once

#include <cupti_result.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/gpu/driver/handle.h"

struct CUpti_Profiler_Host_Object;

namespace lab::gpu {

using Bytes = std::vector<std::uint8_t>;

/// The version of the CUPTI that runs, such as 130001. It is a part of every cache key.
/// Throws CuptiError where there is none.
[[nodiscard]] std::uint32_t cupti_version();
/// The same; nothing where there is no CUPTI.
[[nodiscard]] std::optional<std::uint32_t> find_cupti_version();

/// Chips that this CUPTI can profile, such as GH100, sorted.
[[nodiscard]] std::vector<std::string> supported_chips();

/// The chip called `name`; an input error with the nearest name where CUPTI has none.
[[nodiscard]] std::string find_chip(const std::string& name);

/// The chip that most GPUs of a compute capability (90 for 9.0) have: which metrics there are is
/// then a good guess where no driver can tell. Empty: unknown.
[[nodiscard]] std::string usual_chip(int compute_capability);

/// A metric without its roll-up, such as dram__bytes_read.
struct MetricInfo {
  std::string name;
  std::string description;
  std::string unit;     ///< dimension, such as byte
  std::string counter;  ///< counter, ratio or throughput: which suffixes it takes
};

/// The settings of a chip's counters that a list of metrics needs.
struct ConfigImage {
  std::vector<std::string> metrics;
  Bytes bytes;
  std::size_t passes = 0;
};

/// One chip's metrics. Not to be shared between threads; several may be used side by side.
class Host {
 public:
  /// `availability` is what a driver said about this very GPU (see counters.h); without it, what
  /// the chip has in general. It must outlive the Host.
  /// Throws CuptiError where the chip is unknown or CUPTI lacks its helper libraries.
  explicit Host(std::string chip, const Bytes* availability = nullptr);

  [[nodiscard]] const std::string& chip() const { return chip_; }
  /// Every base metric of the chip, sorted by name.
  [[nodiscard]] std::vector<MetricInfo> metrics() const;
  /// CUPTI's answer when `metric` (with its suffix, such as dram__bytes_read.sum) is to be
  /// collected (cause.h). It refuses a whole list for one bad name without saying which, so each is
  /// tried alone.
  [[nodiscard]] CUptiResult try_metric(const std::string& metric) const;
  /// Whether it can be collected. Throws CuptiError where CUPTI did not answer.
  [[nodiscard]] bool has(const std::string& metric) const;
  /// Whether this is of one very GPU, not of its chip in general.
  [[nodiscard]] bool is_of_one_gpu() const {
    return availability_ != nullptr && !availability_->empty();
  }
  /// Those of `metrics` that the chip lacks, in their order.
  [[nodiscard]] std::vector<std::string> lacking(std::span<const std::string> metrics) const;
  /// Schedules `metrics` together. Throws CuptiError where one is unknown.
  [[nodiscard]] ConfigImage configure(std::span<const std::string> metrics) const;
  /// Values of `metrics` in range `range` of a decoded counter image, in their order. An
  /// impossible value (a ratio of nothing to nothing) is NaN.
  [[nodiscard]] std::vector<double> evaluate(const Bytes& counter_data, std::size_t range,
                                             std::span<const std::string> metrics) const;

 private:
  using Object = Handle<CUpti_Profiler_Host_Object*>;
  [[nodiscard]] Object open() const;

  std::string chip_;
  const Bytes* availability_;
  Object object_;  // for reading; configuring takes a fresh one, since metrics only add up
};

/// Metrics of the SASS Metrics API of `chip` by name, with their ids and descriptions.
struct SassMetric {
  std::string name;
  std::string description;
  std::uint64_t id = 0;
};
[[nodiscard]] std::vector<SassMetric> sass_metrics(const std::string& chip);

}  // namespace lab::gpu
