#include "tools/cli/text/standing_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "metrics/catalogue.h"
#include "tools/cli/text/case_view.h"
#include "tools/cli/text/cells.h"
#include "tools/cli/text/figures.h"
#include "tools/cli/text/table.h"

namespace lab::cli {

namespace {

// A count says what is paid; a ratio of counts only how it comes.
bool is_count(const std::string& key) {
  const metrics::Metric* row = metrics::find(key);
  return row == nullptr || row->derived.rule != metrics::Rule::kRatio;
}

bool is_exact(const std::string& key) {
  const metrics::Metric* row = metrics::find(key);
  return row != nullptr && row->metric_class == metrics::Class::kExact;
}

const Verdict* furthest_of(const CaseRecord& record) {
  const Verdict* furthest = nullptr;
  std::array<double, 3> most = {};
  for (const Verdict& verdict : record.verdicts) {
    if (!verdict.target || !verdict.excess) continue;
    const std::array<double, 3> rank = {*verdict.excess, is_count(verdict.metric) ? 1.0 : 0.0,
                                        is_exact(verdict.metric) ? 1.0 : 0.0};
    if (furthest != nullptr && rank <= most) continue;
    most = rank;
    furthest = &verdict;
  }
  return furthest;
}

std::string trouble_of(const CaseRecord& record) {
  if (record.status != CaseStatus::kOk) {
    const std::string why = record.reason.substr(0, record.reason.find('\n'));
    return fmt::format("{}{}{}", name_of(record.status), why.empty() ? "" : ": ", why);
  }
  return shortfall(record);
}

std::string name_of_case(const CaseRecord& record) {
  return safe_line(record.variant + " " + record.params.text());
}

std::string times_text(double excess) { return fmt::format("{:.3g} x", excess); }

}  // namespace

bool has_own_target(const CaseRecord& record) {
  return std::any_of(record.verdicts.begin(), record.verdicts.end(),
                     [](const Verdict& verdict) { return verdict.target.has_value(); });
}

Standing standing_of(const CaseRecord& record) {
  Standing standing;
  standing.trouble = trouble_of(record);
  if (const Verdict* furthest = furthest_of(record)) {
    standing.metric = furthest->metric;
    standing.target = furthest->target;
    standing.excess = *furthest->excess;
    standing.value = *furthest->target * *furthest->excess;
    const std::vector<MetricView> views = metric_views(record);
    if (const MetricView* view = find_view(views, furthest->metric)) {
      const auto measured = view->measured();
      const auto model = view->value(SourceOf::kModel);
      if (measured) standing.value = measured->value;
      if (!measured && model) standing.value = model;
    }
  }
  standing.on_target = standing.trouble.empty() && standing.excess <= 1;
  return standing;
}

std::string standing_text(const RunRecord& run, const Terminal& terminal) {
  std::size_t cases = 0;
  std::size_t good = 0;
  const CaseRecord* furthest = nullptr;
  Standing worst;
  for (const CaseRecord& record : run.cases) {
    // One that failed may have no verdicts; it is of the student's file all the same.
    if (!has_own_target(record) && (run.source_is_labs_own || record.status == CaseStatus::kOk)) {
      continue;
    }
    ++cases;
    const Standing standing = standing_of(record);
    good += standing.on_target ? 1 : 0;
    if (standing.excess <= std::max(worst.excess, 1.0)) continue;
    worst = standing;
    furthest = &record;
  }
  if (cases == 0) return {};
  std::string text = fmt::format("{} of {} on target", good, cases);
  if (furthest != nullptr) {
    text += fmt::format(". Furthest from it: {}, {} the target in {}", name_of_case(*furthest),
                        times_text(worst.excess), title_of(worst.metric));
  }
  std::string out;
  for (const std::string& line : wrapped(text + ".", terminal.width)) {
    out += toned(line, good == cases ? Tone::kGood : Tone::kNote, terminal) + "\n";
  }
  return out;
}

namespace {

const CaseRecord* same_case(const RunRecord* run, const CaseRecord& record) {
  if (run == nullptr) return nullptr;
  const auto found = std::find_if(run->cases.begin(), run->cases.end(), [&](const auto& other) {
    return other.variant == record.variant && other.params == record.params;
  });
  return found == run->cases.end() ? nullptr : &*found;
}

std::string summary_of(const Standing& standing) {
  if (!standing.trouble.empty()) return safe_line(standing.trouble);
  if (standing.metric.empty()) return "no target";
  if (standing.on_target) return "on target";
  return fmt::format("{} the target: {} {}, not {}", times_text(standing.excess),
                     grouped_text(standing.value.value_or(0)), title_of(standing.metric),
                     grouped_text(standing.target.value_or(0)));
}

// What it was is worth a word only where it is of the same metric.
std::string was_text(const Standing& before) {
  if (before.on_target) return "on target";
  if (!before.trouble.empty()) {
    return safe_line(before.trouble.substr(0, before.trouble.find(':')));
  }
  return times_text(before.excess);
}

}  // namespace

std::string changes_text(const RunRecord* before, const RunRecord& now, const Terminal& terminal) {
  Table table{{{"case"}, {"now", Align::kLeft, true}}};
  if (before != nullptr) table.columns.push_back({"before"});
  std::size_t same = 0;
  for (const CaseRecord& record : now.cases) {
    const CaseRecord* old = same_case(before, record);
    const Standing standing = standing_of(record);
    if (old != nullptr && standing_of(*old) == standing) {
      ++same;
      continue;
    }
    const Tone tone = standing.on_target         ? Tone::kGood
                      : standing.trouble.empty() ? Tone::kNote
                                                 : Tone::kBad;
    std::vector<Cell> row = {{name_of_case(record)}, {summary_of(standing), tone}};
    if (before != nullptr) {
      row.push_back({old == nullptr ? "-" : was_text(standing_of(*old)), Tone::kDim});
    }
    table.rows.push_back(std::move(row));
  }
  std::string out = table.rows.empty() ? "" : table_text(table, terminal, kTableIndent);
  if (same > 0) {
    out += table.rows.empty()
               ? "Nothing changed.\n"
               : fmt::format("  {} other{} as before.\n", same, same == 1 ? "" : "s");
  }
  return out;
}

}  // namespace lab::cli
