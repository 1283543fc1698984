#include "tools/cli/text/target_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "harness/core/text.h"
#include "metrics/catalogue.h"
#include "tools/cli/text/cells.h"

namespace lab::cli {

namespace {

const Verdict* target_of(const CaseRecord& record, const std::string& metric) {
  for (const Verdict& verdict : record.verdicts) {
    if (verdict.metric == metric && verdict.target) return &verdict;
  }
  return nullptr;
}

// A count says what is paid; a ratio of counts only how it comes.
bool is_ratio(const std::string& key) {
  const metrics::Metric* row = metrics::find(key);
  return row != nullptr && row->derived.rule == metrics::Rule::kRatio;
}

bool is_headline(const std::string& key, const Shown& shown) {
  return std::find(shown.metrics.begin(), shown.metrics.end(), key) != shown.metrics.end();
}

/// The metric that is furthest from its target, of those as far the one that says most.
std::string worst_metric(const Section& section, const Shown& shown) {
  std::string worst;
  std::array<double, 3> most = {};
  for (const CaseRecord* record : section.cases) {
    for (const Verdict& verdict : record->verdicts) {
      if (!verdict.target || !verdict.excess) continue;
      const std::array<double, 3> rank = {*verdict.excess, is_ratio(verdict.metric) ? 0.0 : 1.0,
                                          is_headline(verdict.metric, shown) ? 1.0 : 0.0};
      if (!worst.empty() && rank <= most) continue;
      most = rank;
      worst = verdict.metric;
    }
  }
  return worst;
}

std::optional<double> value_in(const CaseRecord& record, const std::string& metric) {
  const std::vector<MetricView> views = metric_views(record);
  const MetricView* view = find_view(views, metric);
  if (view == nullptr) return {};
  const auto measured = view->measured();
  return measured ? std::optional(measured->value) : view->value(SourceOf::kModel);
}

// Of this metric alone: others may be on target.
Cell excess_cell(const CaseRecord& record, const Verdict* target) {
  if (record.status != CaseStatus::kOk || count_verdicts(record).disagrees > 0) {
    return outcome_cell(record);
  }
  if (target == nullptr || !target->excess) return {"no target", Tone::kDim};
  if (*target->excess <= 1) return outcome_cell(record);
  return {fmt::format("{:.3g} x", *target->excess), Tone::kNote};
}

Table table_of(const Section& section, const std::string& metric) {
  Table table;
  for (const std::string& name : section.varying) table.columns.push_back({name, Align::kRight});
  const Heading heading = heading_of(title_of(metric));
  table.columns.push_back({heading.own, Align::kRight, false, heading.above});
  table.columns.push_back({"target", Align::kRight});
  table.columns.push_back({"", Align::kRight});
  for (const CaseRecord* record : section.cases) {
    const Verdict* target = target_of(*record, metric);
    std::vector<Cell> row;
    for (const std::string& name : section.varying) {
      const auto found = record->params.all().find(name);
      const bool has = found != record->params.all().end();
      row.push_back(has ? Cell{safe_line(to_text(found->second))} : number_cell({}));
    }
    row.push_back(number_cell(value_in(*record, metric)));
    row.push_back(number_cell(target == nullptr ? std::nullopt : target->target));
    row.push_back(excess_cell(*record, target));
    table.rows.push_back(std::move(row));
  }
  return table;
}

bool is_on_target(const CaseRecord& record) {
  return record.status == CaseStatus::kOk && worst_excess(record) <= 1 && shortfall(record).empty();
}

constexpr const char* kNoneRight = "no result is right";

std::string results_text(const Section& section) {
  const auto count = [&](bool correct) {
    return std::count_if(section.cases.begin(), section.cases.end(),
                         [&](const auto* record) { return record->correct == correct; });
  };
  const auto right = count(true);
  if (right == std::ssize(section.cases)) return "results are right";
  if (right == 0) return count(false) > 0 ? kNoneRight : "results were not checked";
  return fmt::format("{} of {} results are right", right, section.cases.size());
}

std::string sentence(const Section& section, const std::string& metric) {
  const auto good = std::count_if(section.cases.begin(), section.cases.end(),
                                  [](const auto* record) { return is_on_target(*record); });
  double worst = 0;
  for (const CaseRecord* record : section.cases) {
    const Verdict* target = target_of(*record, metric);
    if (target != nullptr) worst = std::max(worst, target->excess.value_or(0));
  }
  std::string text =
      fmt::format("{} of {} on target: {}", good, section.cases.size(), results_text(section));
  if (worst > 1) text += fmt::format("; {:.3g} times the target in {}", worst, title_of(metric));
  for (const CaseRecord* record : section.cases) {
    const std::string less = shortfall(*record);
    if (!less.empty()) return fmt::format("{}; {}.", text, less);
  }
  return text + ".";
}

// `mine.cu:14   sum += tile[...];`: the line with most of the metric, where counts by line are
// known.
std::string costliest_line(const RunRecord& run, const Section& section,
                           const std::string& metric) {
  std::map<int, double> by_line;
  for (const LineObservation& one : section.cases.front()->lines) {
    const bool counts = one.metric == metric && one.source == SourceOf::kModel;
    if (counts && one.file == run.source_name) by_line[one.line] += one.value;
  }
  const auto most =
      std::max_element(by_line.begin(), by_line.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == by_line.end() || most->second <= 0) return {};
  return fmt::format("  {}:{}   {}\n", safe_line(run.source_name), most->first,
                     safe_line(trim(line_of(run.source_text, most->first))));
}

}  // namespace

bool has_targets(const Section& section) {
  return std::any_of(section.cases.begin(), section.cases.end(), [](const CaseRecord* record) {
    return std::any_of(record->verdicts.begin(), record->verdicts.end(),
                       [](const Verdict& verdict) { return verdict.target.has_value(); });
  });
}

std::string target_text(const RunRecord& run, const Section& section, const Shown& shown,
                        const Terminal& terminal) {
  const std::string metric = worst_metric(section, shown);
  std::string out;
  // What a kernel counts that does not do its work is no standing.
  const bool any_right = results_text(section) != kNoneRight;
  if (!metric.empty() && any_right)
    out = table_text(table_of(section, metric), terminal, kTableIndent) + "\n";
  for (const std::string& line : wrapped(sentence(section, metric), terminal.width)) {
    out += line + "\n";
  }
  const bool over = std::any_of(section.cases.begin(), section.cases.end(),
                                [](const auto* record) { return worst_excess(*record) > 1; });
  return over ? out + costliest_line(run, section, metric) : out;
}

}  // namespace lab::cli
