// The cases of a program: launches of one kernel in one shape that cost the same are one, the first
// of which is described; what later ones find is added.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/core/backend.h"
#include "harness/core/looked.h"
#include "harness/core/metric_keys.h"
#include "harness/model/check/session.h"

namespace lab::program {

/// Warp instructions of a case; 0: not counted.
[[nodiscard]] double instructions_of(const CaseRecord& record);

class Cases {
 public:
  /// Launches of one shape whose counts differ by more than this are cases of their own...
  static constexpr double kAlike = 0.01;
  /// ...up to so many cases; the last of these takes the others, and says how far they differ.
  static constexpr std::size_t kMostOfOneShape = 8;

  explicit Cases(bool each_launch, bool with_totals = false)
      : each_launch_(each_launch), with_totals_(with_totals) {}

  /// `name`: the launch with its arguments.
  void add(CaseOutcome outcome, Looked looked, const std::string& name);
  /// What the GPU says of the case that was added last, where it is a new one.
  void add_measured(CaseRecord record);
  /// One more launch of that name, which did what the one before it did.
  void add_again(const std::string& name);
  /// Whether a launch of this kernel and shape was added.
  [[nodiscard]] bool knows(const CaseRecord& record) const;
  /// Whether a launch may turn out to be a new case: its shape has few of them, and its name is
  /// new.
  [[nodiscard]] bool may_be_new(const CaseRecord& record, const std::string& name) const;
  /// Returns the facts of the launch before it of the same name, or of its shape, which is known.
  [[nodiscard]] std::optional<lab::KernelFacts> facts_of(const CaseRecord& record,
                                                         const std::string& name) const;
  /// Of all launches.
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// How many launches each case stands for, by its index.
  [[nodiscard]] std::vector<std::uint64_t> launches() const;
  /// What all launches count together, by its metric: missing where one of them did not count it.
  [[nodiscard]] std::vector<Observation> totals() const;
  /// What the GPU says of each case, by its index; empty: it was not asked. Cases of which it says
  /// nothing are skipped.
  [[nodiscard]] std::vector<CaseRecord> measured() const;
  /// Gives all of them, in the order of their first launch.
  void hand_over(const std::function<void(CaseOutcome)>& finished);

 private:
  /// The counts that a launch is compared by: instructions, and what the hardware does for
  /// requests.
  [[nodiscard]] static const std::vector<std::string_view>& compared();
  /// By compared(); empty: not counted.
  using Counts = std::vector<std::optional<double>>;
  [[nodiscard]] static Counts counts_of(const CaseRecord& record);
  /// Instructions aside: these make no row of their own, since no column shows them.
  [[nodiscard]] static bool are_alike(const Counts& a, const Counts& b);

  /// By the catalogue's keys; empty: not counted.
  using Total = std::vector<std::pair<std::string_view, std::optional<double>>>;
  static Total counted_in(const CaseRecord& record);
  void add_to_totals(const Total& one);

  struct Row {
    CaseOutcome outcome;
    Counts counts = {};  ///< of its first launch, and the extremes of all:
    Counts least = {};
    Counts most = {};
    std::uint64_t launches = 1;
    std::uint64_t unchecked = 0;  ///< of these
  };
  [[nodiscard]] Row* row_for(const CaseRecord& record, const Counts& counts);
  static void join(Row& row, const CaseRecord& record, const Counts& counts);
  /// Notes how far the launches of a row differ.
  static void note_range(Row& row);

  bool each_launch_;
  bool with_totals_;
  std::map<std::string, std::vector<std::size_t>> of_shape_;  // by kernel and shape
  std::map<std::string, std::size_t> of_name_;
  std::map<std::string, Total> counted_;  // by name: what such a launch counted the last time
  std::map<std::string_view, std::optional<double>> totals_;  // of all launches
  std::map<std::string, std::size_t> names_of_shape_;         // how many there were
  std::vector<Row> rows_;
  std::map<std::size_t, CaseRecord> measured_;  // by index
  std::uint64_t count_ = 0;
};

}  // namespace lab::program
