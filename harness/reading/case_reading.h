// The meaning of a stored case for people, decided once: pages, tables and files render it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/record.h"
#include "harness/page/page.h"

namespace lab::reading {

/// The result of a case. Stored by number: never renumber.
enum class Outcome : std::uint8_t {
  kNotCompared = 1,      ///< it ran, and nothing was there to compare
  kAgrees = 2,           ///< theory, model and measurement, those of them that there are
  kExplained = 3,        ///< they differ, each time with a cause that accounts for it
  kDisagrees = 4,        ///< they differ, and nothing explains it
  kExpectedFinding = 5,  ///< the variant exists to show what a checker found in it
  kOnTarget = 6,         ///< a student's kernel costs no more than the lab's theory
  kAboveTarget = 7,
  kTooLittle = 8,  ///< a student's kernel does less than its task needs, whatever came out
  kNoTarget = 9,   ///< a student's kernel of which no value can be held against its target
  // The case did not run to its end as it should: its status.
  kWrong = 10,
  kFinding = 11,
  kRefused = 12,
  kError = 13,
  kTimeout = 14,
  kSkipped = 15,
  kNotCompiled = 16,
};
/// `on target`, `wrong`: as SQL, JSON and tables have it.
[[nodiscard]] std::string_view name_of(Outcome outcome);
/// Every outcome, in the order of the numbers.
[[nodiscard]] const std::vector<Outcome>& all_outcomes();

/// How a student's kernel stands to the lab's theory, its target. Whether our prediction of the
/// kernel was right is another question, and changes nothing of it. Stored by number: never
/// renumber.
enum class Standing : std::uint8_t {
  kNone = 0,  ///< there is no target: the lab's own kernel, or a case that was skipped
  kOnTarget = 1,
  kAboveTarget = 2,
  kTooLittle = 3,  ///< it does less than its task needs, whatever came out
  kNoValue = 4,    ///< nothing can be held against the target
  kFailed = 5,     ///< a wrong result, a finding, a time-out: its counts are held against nothing
};
/// `on target`, `above target`; empty for kNone.
[[nodiscard]] std::string_view name_of(Standing standing);

/// How an outcome is to be shown.
[[nodiscard]] page::Tone tone_of(Outcome outcome);

/// The count of which a kernel has less than its task needs.
enum class Shortfall : std::uint8_t { kNone, kReads, kWrites };
/// `fewer sectors read than the task needs`; empty: of nothing.
[[nodiscard]] std::string_view sentence_of(Shortfall shortfall);

/// One metric of a student's kernel, held against its target.
struct Against {
  std::string metric;
  double value = 0;  ///< measured, else the model's
  double target = 0;
  double excess = 0;  ///< value / target
  [[nodiscard]] bool above() const { return excess > 1; }
  friend bool operator==(const Against&, const Against&) = default;
};

struct CaseReading {
  Outcome outcome = Outcome::kNotCompared;
  Standing standing = Standing::kNone;
  bool has_target = false;  ///< theory is the target of a kernel that is not the lab's own
  Shortfall shortfall = Shortfall::kNone;
  /// The metric that is furthest above its target; of those as far, a count before a ratio, what is
  /// paid before requests, and an exact one before others. Empty: nothing has a value and a target.
  std::optional<Against> furthest = {};
  friend bool operator==(const CaseReading&, const CaseReading&) = default;
};

/// The one reading of a case.
[[nodiscard]] CaseReading read(const CaseRecord& record);

/// Whether a checker found in the case what it should not have: before that is mended, what the
/// case costs, how it compares and how it stands is no matter.
[[nodiscard]] bool has_mistake(const CaseRecord& record);

/// Why a case has no standing: `wrong: out[5]: got 3, expected 4`, in a line, or what it does too
/// little of. Empty: nothing is amiss.
[[nodiscard]] std::string trouble_of(const CaseRecord& record);

/// The excess of the metric that is furthest above its target, used to sort cases; 0: no metric has
/// a target.
[[nodiscard]] double excess_of(const CaseRecord& record);

/// The outcome in a word or two, with its figure: `32 x target`, `on target`, `wrong`.
[[nodiscard]] std::string outcome_text(const CaseReading& reading);

/// One metric's; empty: it has no target, or no value.
[[nodiscard]] std::optional<Against> against_target(const CaseRecord& record,
                                                    std::string_view metric);

/// The furthest of some cases above a target, by the rule of CaseReading::furthest; empty: none has
/// any.
[[nodiscard]] std::optional<Against> furthest_of(const std::vector<const CaseRecord*>& cases);

}  // namespace lab::reading
