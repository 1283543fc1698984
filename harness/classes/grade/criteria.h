// What is asked of a kernel, as data: the one language of rubrics and of `lab check`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/expression.h"
#include "harness/core/record.h"
#include "harness/labs/toml/table.h"

namespace lab::grade {

/// What a metric's value must keep to; empty members ask nothing.
struct Bounds {
  std::optional<double> at_least = {};
  std::optional<double> at_most = {};
  std::optional<double> equals = {};
  bool equals_theory = false;
  std::optional<double> min_excess = {};  ///< of value / theory
  std::optional<double> max_excess = {};

  [[nodiscard]] bool empty() const;
  /// `<= 4`, `excess 1 to 1.05`, `equals theory`.
  [[nodiscard]] std::string text() const;
};

enum class Demand : unsigned char {
  kStatus,    ///< the case ran as `status` says: `ok` is a right output and nothing found
  kFindings,  ///< it ran, and nothing was found but kinds in `allowed`
  kMetric,    ///< a metric, or a sum of several, keeps to its bounds
  kRatio,     ///< its time is at most that of variant `ratio_to`, times a bound; on a GPU alone
  kThrough,   ///< its output comes through shared memory: a control run without it is wrong
};

/// Fewer points for looser bounds.
struct Partial {
  Bounds bounds;
  double points = 0;
};

/// Holds where it holds in every case of its variant. Metrics and findings are never met by a case
/// whose output is wrong: what it costs, and what it leaves undone, says nothing.
struct Criterion {
  std::string name;
  double points = 0;  ///< 0: a condition, which others need
  /// Of a rubric, or a program's run; empty in a check file, where it stands in its case.
  std::string variant;
  std::string kernel = {};  ///< of a program: a pattern of names; empty: the program itself
  Demand demand = Demand::kStatus;
  CaseStatus status = CaseStatus::kOk;
  std::vector<std::string> allowed = {};  ///< kinds of findings
  std::string metric = {};                ///< or one of traffics()
  /// What the metric is held against, in place of the lab's theory.
  std::optional<Expr> theory = {};
  Bounds bounds = {};
  std::vector<Partial> partial = {};
  std::string ratio_to = {};
  std::vector<std::string> needs = {};  ///< criteria before it: it counts where they are met
  bool by_case = false;                 ///< each case brings its share of the points
  std::string feedback = {};            ///< what a student is told where it is not met
  int line = 0;                         ///< in its file

  /// `global_load_sectors: excess <= 1.05`, `status = ok`.
  [[nodiscard]] std::string threshold() const;
};

/// All that goes through a memory, whichever instruction moves it: a kernel that takes its data by
/// another way than the one that is counted has more of it than the task.
struct Traffic {
  std::string_view name;
  std::string_view unit;
  std::vector<std::string_view> parts;  ///< metrics; what theory says nothing of is not wanted
};
[[nodiscard]] const std::vector<Traffic>& traffics();

/// Whether launches' values of this metric (or one of traffics()) add up to a program's, of which
/// a quotient of two such sums is one, too.
[[nodiscard]] bool adds_up(std::string_view metric);

/// What a criterion is about, and so what its table may say.
enum class About : unsigned char {
  kCase,     ///< of a check file, in which it stands
  kVariant,  ///< of a lab: it has points
  kProgram,  ///< a run of a program, and kernels that it launches: it has points
};
/// Reads one `[[criterion]]` or `[[case.require]]`.
[[nodiscard]] Criterion read_criterion(const TomlTable& table, About about);

enum class Met : unsigned char {
  kYes,
  kPartly,
  kNo,
  kOpen,  ///< cannot be told here: no GPU, an instruction that is not modelled
};

/// One criterion, judged.
struct Judgement {
  Met met = Met::kNo;
  double points = 0;
  std::optional<double> value = {};   ///< of the worst case
  std::optional<double> excess = {};  ///< of the worst case
  Params params = {};                 ///< the worst case's
  std::string reason = {};            ///< a sentence; empty where it is met
};

/// The finding that the reason of points lost by this case names; null: it names none.
[[nodiscard]] const Finding* named_finding(const Criterion& criterion, const CaseRecord& record);

/// `cases` are those of the criterion's variant, `others` all of the run (for a ratio of times).
[[nodiscard]] Judgement judge(const Criterion& criterion,
                              const std::vector<const CaseRecord*>& cases,
                              const std::vector<CaseRecord>& others);

/// What a criterion goes by: the model's value, else what was measured. Not the number that people
/// are shown (metrics::best_value): points must not depend on the machine that graded.
[[nodiscard]] std::optional<double> graded_value(const CaseRecord& record,
                                                 const std::string& metric);

}  // namespace lab::grade
