// The cases of a program: launches of one kernel in one shape are one, the first of which is
// described; what later ones find is added.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/backend.h"
#include "harness/model/check/session.h"

namespace lab::program {

/// Warp instructions of a case; 0: not counted.
[[nodiscard]] double instructions_of(const CaseRecord& record);

class Cases {
 public:
  explicit Cases(bool each_launch) : each_launch_(each_launch) {}

  void add(CaseOutcome outcome, model::check::Looked looked);
  /// What the GPU says of the case that was added last, where it is a new one.
  void add_measured(CaseRecord record);
  /// One more launch of a shape that is known, which did what one before it did.
  void add_again(const CaseRecord& record);
  [[nodiscard]] bool knows(const CaseRecord& record) const;
  /// Those of the first launch of a shape that is known.
  [[nodiscard]] std::optional<lab::KernelFacts> facts_of(const CaseRecord& record) const;
  /// Of all launches.
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// How many launches each case stands for, by its index.
  [[nodiscard]] const std::vector<std::uint64_t>& launches() const { return launches_; }
  /// What the GPU says of each case, by its index; empty: it was not asked.
  [[nodiscard]] const std::vector<CaseRecord>& measured() const { return measured_; }
  /// Gives all of them, in the order of their first launch.
  void hand_over(const std::function<void(CaseOutcome)>& finished);

 private:
  bool each_launch_;
  std::map<std::string, std::size_t> known_;  // by kernel and shape
  std::vector<CaseOutcome> outcomes_;
  std::vector<CaseRecord> measured_;
  std::vector<std::uint64_t> launches_;
  std::vector<std::uint64_t> unchecked_;  // of these
  /// Of a case's launches beside its first, what they execute as a share of that.
  struct Spread {
    double least = 1;
    double most = 1;
  };
  std::vector<Spread> spreads_;
  std::uint64_t count_ = 0;
};

}  // namespace lab::program
