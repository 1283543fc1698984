// How long a case may take, and whether the user still wants it.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <utility>

#include "harness/core/backend.h"

namespace lab::model {

/// The seconds that a case of `batch` may take.
[[nodiscard]] inline double seconds_of(const BatchRequest& batch) {
  constexpr double kDefaultTimeout = 120;
  return batch.timeout_s > 0 ? batch.timeout_s : kDefaultTimeout;
}

/// Time limit and cancellation of a case; every core asks.
class Patience {
 public:
  Patience(double seconds, std::function<bool()> cancelled)
      : end_(Clock::now() +
             std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))),
        wanted_no_more_(std::move(cancelled)) {}
  [[nodiscard]] bool stopped() {
    if (Clock::now() > end_) late_ = true;
    if (wanted_no_more_ && wanted_no_more_()) cancelled_ = true;
    return late_ || cancelled_;
  }
  [[nodiscard]] bool late() const { return late_; }
  [[nodiscard]] bool cancelled() const { return cancelled_; }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point end_;
  std::function<bool()> wanted_no_more_;
  std::atomic<bool> late_ = false;
  std::atomic<bool> cancelled_ = false;
};

}  // namespace lab::model
