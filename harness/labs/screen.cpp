#include "harness/labs/screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/core/error.h"
#include "harness/core/text.h"
#include "harness/core/unicode.h"
#include "harness/labs/keys.h"
#include "harness/labs/points.h"
#include "metrics/catalogue.h"

namespace lab::labs {
namespace {

constexpr std::size_t kFewestRows = 2;
constexpr std::size_t kMostRows = 8;
constexpr std::size_t kMostColumns = 4;
constexpr std::size_t kMostReasons = 4;
constexpr std::size_t kMostGoalMetrics = 3;

// `stride pad=0 stride=2`: the variant, and which of its points.
ScreenRow read_row(const Lab& lab, const PlacedText& text) {
  const std::size_t blank = std::min(text.text.find(' '), text.text.size());
  ScreenRow row{text.text.substr(0, blank)};
  const Variant& variant =
      told_at(text, [&]() -> const Variant& { return find_variant(lab, row.variant); });
  std::vector<Params> points = variant.points;
  points.insert(points.end(), variant.gpu_points.begin(), variant.gpu_points.end());
  row.points = blank == text.text.size()
                   ? std::move(points)
                   : pick_points(lab.params, {part_of(text, blank, text.text.size())}, points);
  if (row.points.empty()) {
    throw input_error(fmt::format("no point of '{}' is one of these", row.variant), {}, text.place);
  }
  return row;
}

class ScreenReader {
 public:
  ScreenReader(const TomlTable& table, const Lab& lab) : table_(table), lab_(lab) {
    table.expect_only(keys_of(KeyOf::kScreen));
  }

  Screen read(const std::function<Scope(const std::string&)>& scope_of) {
    screen_.size = safe_line(table_.text("size").value_or(""));
    for (const PlacedText& row : table_.formulas("rows")) {
      screen_.rows.push_back(read_row(lab_, row));
    }
    require("rows", screen_.rows.size(), kFewestRows, kMostRows);
    screen_.columns = table_.texts("columns");
    require("columns", screen_.columns.size(), 1, kMostColumns);
    for (const std::string& column : screen_.columns) require_metric(table_, "columns", column);
    screen_.bars = table_.text("bars").value_or("");
    if (!screen_.bars.empty()) require_column("bars", screen_.bars);
    screen_.curve = table_.text("curve").value_or("");
    if (!screen_.curve.empty()) require_metric(table_, "curve", screen_.curve);
    for (const TomlTable& one : table_.tables("because")) {
      screen_.because.push_back(read_reason(one, scope_of));
    }
    require("because", screen_.because.size(), 1, kMostReasons);
    return std::move(screen_);
  }

 private:
  void require(const char* key, std::size_t count, std::size_t least, std::size_t most) const {
    if (count >= least && count <= most) return;
    throw table_.wrong(key, fmt::format("a screen has {} to {} of '{}'", least, most, key));
  }

  static void require_metric(const TomlTable& table, const char* key, const std::string& metric) {
    if (metric == kTimeColumn || metric == kFindingColumn) return;
    table.placed(key, [&] { return &metrics::at(metric); });
  }

  void require_column(const char* key, const std::string& metric) const {
    const auto& columns = screen_.columns;
    if (std::find(columns.begin(), columns.end(), metric) != columns.end()) return;
    throw table_.wrong(key, fmt::format("'{}' is not one of the columns", metric),
                       suggestion(metric, columns));
  }

  ScreenReason read_reason(const TomlTable& table,
                           const std::function<Scope(const std::string&)>& scope_of) const {
    table.expect_only(keys_of(KeyOf::kReason));
    ScreenReason reason;
    const auto last = static_cast<std::int64_t>(screen_.rows.size());
    reason.row = static_cast<std::size_t>(table.whole("row", 1, last).value_or(1) - 1);
    reason.metric = table.required("metric", "the column that it explains");
    require_column("because", reason.metric);
    reason.says = safe_line(table.required("says", "why, in a few words"));
    const std::vector<PlacedText> formulas = table.formulas("is");
    if (formulas.size() != 1) throw table.wrong("is", "one formula whose value is the number");
    Scope scope = scope_of(screen_.rows[reason.row].variant);
    reason.formula = told_at(formulas.front(), [&] { return scope.number(formulas.front()); });
    return reason;
  }

  const TomlTable& table_;
  const Lab& lab_;
  Screen screen_;
};

}  // namespace

Screen read_screen(const TomlTable& table, const Lab& lab,
                   const std::function<Scope(const std::string&)>& scope_of) {
  return ScreenReader(table, lab).read(scope_of);
}

Goal read_goal(const TomlTable& table, const Lab& lab) {
  table.expect_only(keys_of(KeyOf::kGoal));
  Goal goal{table.required("variant", "the variant that students write"), table.texts("metrics")};
  table.placed("variant", [&] { return &find_variant(lab, goal.variant); });
  if (goal.metrics.empty() || goal.metrics.size() > kMostGoalMetrics) {
    throw table.wrong("metrics", fmt::format("a goal has 1 to {} metrics", kMostGoalMetrics));
  }
  for (const std::string& metric : goal.metrics) {
    table.placed("metrics", [&] { return &metrics::at(metric); });
  }
  const std::vector<PlacedText> from = table.formulas("from");
  if (!from.empty()) goal.from = read_row(lab, from.front());
  goal.says = safe_line(table.text("says").value_or(""));
  if (const auto word = table.text("forbids")) {
    const auto forbidden = from_word<Forbidden>(*word);
    if (!forbidden || *forbidden == Forbidden::kNothing) {
      throw table.wrong("forbids", fmt::format("a task cannot forbid '{}'", *word),
                        "it may forbid padding");
    }
    goal.forbidden = *forbidden;
    constexpr std::int64_t kMostOfAnyGpu = 1 << 20U;
    goal.most_shared =
        static_cast<std::uint64_t>(table.whole("shared_bytes", 1, kMostOfAnyGpu).value_or(0));
    if (goal.most_shared == 0) {
      throw table.wrong("forbids", "how much shared memory does the task take without padding?",
                        "shared_bytes = 4096");
    }
  } else if (table.has("shared_bytes")) {
    throw table.wrong("shared_bytes", "it goes with forbids = \"padding\"");
  }
  return goal;
}

Picture read_picture(const TomlTable& table, const Lab& lab) {
  table.expect_only(keys_of(KeyOf::kPicture));
  const std::vector<PlacedText> cases = table.formulas("case");
  if (cases.size() != 1) throw table.wrong("case", "one case: a variant, and which of its points");
  return {read_row(lab, cases.front()), safe_line(table.text("array").value_or(""))};
}

}  // namespace lab::labs
