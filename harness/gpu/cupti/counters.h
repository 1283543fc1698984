// The CUPTI range profiler, with its order of calls as types:
//   RangeProfiler (enabled on a context) -> Configured -> Decoded (values by name)
// AutoRange makes each launch a range; UserReplay leaves repeating the launches, with whatever has
// to be restored between them, to us.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "harness/gpu/cupti/host.h"
#include "harness/gpu/driver/device.h"

struct CUpti_RangeProfiler_Object;

namespace lab::gpu {

/// More ranges than this in one session make CUPTI refuse its configuration.
constexpr std::size_t kMaxRanges = 1900;

/// Makes CUPTI look at the driver and its devices. Until it has, some of its functions crash.
/// The driver must be running. Calling it again costs nothing.
void initialise_profiler();

/// The chip of device `device` (from 0) as CUPTI names it, such as GH100; empty: unknown to it.
/// Only after initialise_profiler.
[[nodiscard]] std::string chip_name(int device);

/// The counters that this GPU lets this process read, without those that MIG, virtualisation or
/// missing permission take away. Throws CuptiError where nothing may be counted. Call it before a
/// RangeProfiler is made.
[[nodiscard]] Bytes read_availability(const Context& context);

/// Counters of all ranges of a session.
class Decoded {
 public:
  Decoded(Bytes image, std::size_t ranges, std::size_t dropped)
      : image_(std::move(image)), ranges_(ranges), dropped_(dropped) {}
  [[nodiscard]] std::size_t ranges() const { return ranges_; }
  [[nodiscard]] std::size_t dropped() const { return dropped_; }
  /// Values of `metrics` in range `range`, in their order.
  [[nodiscard]] std::vector<double> values(const Host& host, std::size_t range,
                                           std::span<const std::string> metrics) const {
    return host.evaluate(image_, range, metrics);
  }

 private:
  Bytes image_;
  std::size_t ranges_;
  std::size_t dropped_;
};

class RangeProfiler;

/// Counters set for one list of metrics, ready to run its passes.
class Configured {
 public:
  /// Called after each pass (counted from 0) with the counters that have been read so far. Those of
  /// later passes do not have a value yet.
  using AfterPass = std::function<void(std::size_t pass, const Bytes& image)>;
  /// Calls `launches` once per pass and reads the counters of the pass. `launches` must wait for
  /// its kernels before it returns.
  [[nodiscard]] Decoded collect(const std::function<void()>& launches,
                                const AfterPass& after_pass) &&;

 private:
  friend class RangeProfiler;
  Configured(CUpti_RangeProfiler_Object* profiler, const ConfigImage& config,
             std::size_t max_ranges);
  CUpti_RangeProfiler_Object* profiler_;
  std::size_t passes_;
  Bytes image_;
};

/// Enabled on a context for as long as it lives; the context must outlive it.
class RangeProfiler {
 public:
  [[nodiscard]] explicit RangeProfiler(const Context& context);
  /// `max_ranges`: launches in one pass, at most kMaxRanges.
  [[nodiscard]] Configured configure(const ConfigImage& config, std::size_t max_ranges) const;

 private:
  Handle<CUpti_RangeProfiler_Object*> handle_;
};

}  // namespace lab::gpu
