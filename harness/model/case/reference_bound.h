// How long a launch may run, by what its task takes.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "harness/core/job.h"
#include "harness/model/case/patience.h"
#include "harness/model/case/references.h"

namespace lab::model {

/// A kernel is given up once a core has run this many times the warp instructions of its task's
/// reference. But for the chases of dependent loads, which are far below what is always granted, no
/// variant of a lab runs 10 times as many.
inline constexpr std::uint64_t kTimesTheReference = 100;
/// Nobody looks before so many, which take a fraction of a second.
inline constexpr std::uint64_t kAlwaysGranted = 5'000'000;

/// The reference is run where a launch is long, beside it. A job without one has no bound. All
/// arguments must outlive the bound.
class ReferenceBound {
 public:
  ReferenceBound(const Job& job, References& references, Patience& patience)
      : job_(job), references_(references), patience_(patience) {}

  /// Whether so many warp instructions of one core are too many. All cores ask.
  [[nodiscard]] bool is_passed(std::uint64_t instructions);
  /// "100 times what the lab's reference takes (12,345 warp instructions)". It was passed.
  [[nodiscard]] std::string text() const;

 private:
  void ask(std::uint64_t instructions);

  const Job& job_;
  References& references_;
  Patience& patience_;
  std::mutex mutex_;
  std::atomic<std::uint64_t> limit_ = kAlwaysGranted;
  std::optional<std::uint64_t> reference_;  ///< its warp instructions, once they are known
};

}  // namespace lab::model
