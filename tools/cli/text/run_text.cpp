#include "tools/cli/text/run_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/core/error.h"
#include "harness/core/sections.h"
#include "harness/core/text.h"
#include "metrics/formulas.h"
#include "tools/cli/text/case_view.h"
#include "tools/cli/text/table.h"

namespace lab::cli {

namespace {

constexpr std::size_t kNotesShown = 8;
// Formulas that take more are left to `lab show`, which derives them.
constexpr std::size_t kFormulaLines = 2;

struct Shape {
  std::vector<std::string> metrics;
  bool model = false;     ///< whether any case has a value from the model
  bool measured = false;  ///< whether any case has a measured value
  bool target = false;    ///< whether the lab's theory is a target here
};

std::string fixed_text(const Section& section) {
  std::string text;
  for (const std::string& name : section.fixed) {
    const ParamValue& value = section.cases.front()->params.all().find(name)->second;
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, safe_line(to_text(value)));
  }
  return text;
}

Shape shape_of(const RunRecord& run, const std::vector<std::string>& metrics) {
  Shape shape{metrics};
  for (const CaseRecord& record : run.cases) {
    for (const MetricView& view : metric_views(record)) {
      shape.model = shape.model || view.value(SourceOf::kModel).has_value();
      shape.measured = shape.measured || view.measured().has_value();
      shape.target = shape.target || (view.verdict != nullptr && view.verdict->target);
    }
  }
  return shape;
}

const MetricView* find_view(const std::vector<MetricView>& views, const std::string& key) {
  const auto found =
      std::find_if(views.begin(), views.end(), [&](const auto& view) { return view.key == key; });
  return found == views.end() ? nullptr : &*found;
}

Cell number_cell(std::optional<double> value) {
  return value ? Cell{number_text(*value)} : Cell{"-", Tone::kDim};
}

Cell interval_cell(const std::optional<metrics::Interval>& interval) {
  return interval ? Cell{metrics::cell_text(*interval)} : Cell{"-", Tone::kDim};
}

std::vector<Cell> value_cells(const MetricView* view, const Shape& shape) {
  std::vector<Cell> cells = {interval_cell(view == nullptr ? std::nullopt : view->theory())};
  if (shape.model) cells.push_back(interval_cell(view == nullptr ? std::nullopt : view->model()));
  if (shape.measured) {
    const auto measured = view == nullptr ? std::nullopt : view->measured();
    cells.push_back(number_cell(measured ? std::optional(measured->value) : std::nullopt));
  }
  return cells;
}

Cell excess_cell(const CaseRecord& record) {
  double worst = 0;
  for (const Verdict& verdict : record.verdicts) {
    worst = std::max(worst, verdict.excess.value_or(0));
  }
  if (worst <= 0) return {"no target", Tone::kDim};
  if (worst <= 1) return {"on target", Tone::kGood};
  return {fmt::format("{:.3g} x target", worst), Tone::kNote};
}

Cell outcome_cell(const CaseRecord& record, const Shape& shape) {
  if (record.status != CaseStatus::kOk) {
    const bool skipped = record.status == CaseStatus::kSkipped;
    return {std::string(name_of(record.status)), skipped ? Tone::kDim : Tone::kBad};
  }
  const VerdictCounts counts = count_verdicts(record);
  if (counts.disagrees > 0) return {"disagrees", Tone::kBad};
  if (shape.target) return excess_cell(record);
  if (counts.explained > 0) return {"explained", Tone::kNote};
  if (counts.agrees > 0) return {"agrees", Tone::kGood};
  if (!record.findings.empty()) return {"expected finding", Tone::kGood};
  return {"no comparison", Tone::kDim};
}

std::vector<Cell> param_cells(const CaseRecord& record, const Section& section) {
  std::vector<Cell> cells;
  for (const std::string& name : section.varying) {
    const auto found = record.params.all().find(name);
    const bool has = found != record.params.all().end();
    cells.push_back(has ? Cell{safe_line(to_text(found->second))} : Cell{"-", Tone::kDim});
  }
  return cells;
}

std::vector<Column> value_columns(const Shape& shape, const std::string& group) {
  std::vector<Column> columns = {{shape.target ? "target" : "theory", Align::kRight, false, group}};
  if (shape.model) columns.push_back({"model", Align::kRight, false, group});
  if (shape.measured) columns.push_back({"measured", Align::kRight, false, group});
  return columns;
}

std::vector<Column> param_columns(const Section& section) {
  std::vector<Column> columns;
  for (const std::string& name : section.varying) columns.push_back({name, Align::kRight});
  return columns;
}

template <typename T>
void append(std::vector<T>& to, std::vector<T> what) {
  std::move(what.begin(), what.end(), std::back_inserter(to));
}

// One row per case, the metrics side by side.
Table wide_table(const Section& section, const Shape& shape) {
  Table table{param_columns(section)};
  for (const std::string& metric : shape.metrics) {
    append(table.columns, value_columns(shape, metric));
  }
  table.columns.push_back({"verdict"});
  for (const CaseRecord* record : section.cases) {
    const std::vector<MetricView> views = metric_views(*record);
    std::vector<Cell> row = param_cells(*record, section);
    for (const std::string& metric : shape.metrics) {
      append(row, value_cells(find_view(views, metric), shape));
    }
    row.push_back(outcome_cell(*record, shape));
    table.rows.push_back(std::move(row));
  }
  return table;
}

// A metric's own verdict; for a failed case its status.
Cell metric_cell(const MetricView* view, const CaseRecord& record, const Shape& shape) {
  if (record.status != CaseStatus::kOk) return outcome_cell(record, shape);
  if (view == nullptr || view->verdict == nullptr) return {"-", Tone::kDim};
  const VerdictKind kind = view->verdict->kind;
  const bool bad = kind == VerdictKind::kDisagrees;
  return {std::string(name_of(kind)), bad ? Tone::kBad : Tone::kPlain};
}

// One row per case and metric: for terminals too narrow for the other table.
Table long_table(const Section& section, const Shape& shape) {
  Table table{param_columns(section)};
  table.columns.push_back({"metric"});
  append(table.columns, value_columns(shape, ""));
  table.columns.push_back({"verdict"});
  for (const CaseRecord* record : section.cases) {
    const std::vector<MetricView> views = metric_views(*record);
    std::vector<Cell> first = param_cells(*record, section);
    for (const std::string& metric : shape.metrics) {
      std::vector<Cell> row = first;
      row.push_back({metric});
      append(row, value_cells(find_view(views, metric), shape));
      row.push_back(metric_cell(find_view(views, metric), *record, shape));
      table.rows.push_back(std::move(row));
      first.assign(section.varying.size(), Cell{});
    }
  }
  return table;
}

// The case whose numbers say most: neither all parameters at their least nor at their greatest.
const CaseRecord& example_case(const Section& section) {
  return *section.cases[section.cases.size() > 2 ? 2 : section.cases.size() - 1];
}

std::string values_of(const CaseRecord& record, const std::vector<std::string>& names) {
  std::vector<std::string> values;
  for (const std::string& name : names) {
    const auto found = record.params.all().find(name);
    if (found == record.params.all().end()) continue;
    values.push_back(fmt::format("{}={}", name, safe_line(to_text(found->second))));
  }
  return fmt::format("{}", fmt::join(values, " "));
}

// A formula as it is over the section's cases; with an example's values put in, where that fits a
// line and says more.
struct Shown {
  std::vector<std::string> lines;
  std::string example = {};
  std::string as_written = {};  // where the compiler changes what the source asks for
};

// As it was stored by a version whose lab had another formula, or no lab.
Shown stored_formula(const std::string& formula, std::size_t width) {
  auto lines = wrapped(formula, static_cast<int>(width) - 4);  // ' ...'
  if (lines.size() <= kFormulaLines) return {lines};
  lines.resize(kFormulaLines);
  lines.back() += " ...";
  return {lines};
}

// Empty where the example has no value, such as a ratio of nothing.
std::optional<double> value_at(const Expr& formula, const FormulaNames& names) {
  try {
    return formula.value(names);
  } catch (const Error&) {
    return {};
  }
}

Shown shown_formula(const TheoryRow& row, const Variant& variant, const Section& section,
                    std::size_t width) {
  const Expr formula = metrics::over_cases(row.formula, variant, section.cases);
  Shown shown{lines_of(formula, width, kFormulaLines)};
  if (shown.lines.empty()) return stored_formula(row.formula.general_text(), width);
  if (row.as_written) {
    const Expr written = metrics::over_cases(*row.as_written, variant, section.cases);
    const auto lines = lines_of(written, width - 12, 1);
    if (!lines.empty() && lines != shown.lines) shown.as_written = "as written: " + lines.front();
  }
  const CaseRecord& example = example_case(section);
  const FormulaNames names = metrics::names_of(variant, example);
  const Expr opened = formula.opened();
  const std::string filled = opened.with_values(names).text();
  const auto value = value_at(opened, names);
  if (!value) return shown;
  const std::string result = number_text(*value);
  if (filled == result && opened.text() == result) return shown;
  const std::string where = values_of(example, section.varying);
  shown.example = fmt::format("{}{}", where.empty() ? "" : where + ": ",
                              filled == result ? result : filled + " = " + result);
  if (where.empty()) shown.example.insert(0, "= ");
  if (shown.example.size() > width) shown.example.clear();
  return shown;
}

// Beside its metric where one line holds the formula, else below it.
std::string legend_entry(const std::string& metric, std::size_t longest, const Shown& shown,
                         const Terminal& terminal) {
  const std::size_t beside = longest + 4;
  const auto room = static_cast<std::size_t>(terminal.width) - beside;
  const bool below = shown.lines.size() > 1 || shown.lines.front().size() > room;
  const std::string margin(below ? 4 : beside, ' ');
  std::string out = fmt::format("  {:<{}}", metric, below ? 0 : longest + 2);
  if (below) out += "\n" + margin;
  out += fmt::format("{}\n", fmt::join(shown.lines, "\n" + margin));
  if (!shown.as_written.empty()) out += (below ? margin : "    ") + shown.as_written + "\n";
  if (shown.example.empty()) return out;
  const bool fits =
      shown.example.size() <= static_cast<std::size_t>(terminal.width) - margin.size();
  return out + (fits ? margin : "    ") + toned(shown.example, Tone::kDim, terminal) + "\n";
}

// A headline metric's formula, below it the same with an example's values.
std::string legend(const Section& section, const Variant* variant, const Shape& shape,
                   const Terminal& terminal) {
  const std::vector<MetricView> views = metric_views(example_case(section));
  std::size_t longest = 0;
  for (const std::string& metric : shape.metrics) longest = std::max(longest, metric.size());
  const auto width = static_cast<std::size_t>(terminal.width) - 4;
  std::string out;
  for (const std::string& metric : shape.metrics) {
    const MetricView* view = find_view(views, metric);
    if (view == nullptr || view->verdict == nullptr || view->verdict->formula.empty()) continue;
    const std::string& formula = view->verdict->formula;
    const auto* row = variant == nullptr ? nullptr : metrics::theory_row(*variant, metric);
    const bool is_current = row != nullptr && row->formula.general_text() == formula;
    out += legend_entry(metric, longest,
                        is_current ? shown_formula(*row, *variant, section, width)
                                   : stored_formula(safe_line(formula), width),
                        terminal);
  }
  return out;
}

std::string case_name(const CaseRecord& record, const Section& section) {
  const std::string values = values_of(record, section.varying);
  return values.empty() ? section.variant : values;
}

std::string finding_text(const Finding& finding) {
  std::string text = fmt::format("{}: {}", name_of(finding.kind), safe_line(finding.message));
  if (finding.line > 0) {
    text = fmt::format("{}:{}: {}", safe_line(finding.file), finding.line, text);
  }
  if (!finding.source.empty()) text += fmt::format("\n    {}", safe_line(finding.source));
  return text;
}

// Broken into lines of at most `width` columns; lines that begin with spaces are texts of their own
// and stay as they are.
std::vector<std::string> broken(std::string_view line, int width) {
  if (line.substr(0, 1) == " ") return {std::string(line)};
  return wrapped(line, width);
}

// What was said of which cases: equal texts are said once.
class Notes {
 public:
  void add(const std::string& text, const std::string& of) {
    const auto known = std::find_if(notes_.begin(), notes_.end(),
                                    [&](const Note& note) { return note.text == text; });
    if (known == notes_.end()) {
      notes_.push_back({text, {of}});
    } else {
      known->of.push_back(of);
    }
  }

  std::string text(int width) const {
    std::string out;
    for (std::size_t i = 0; i < notes_.size() && i < kNotesShown; ++i) {
      const Note& note = notes_[i];
      const std::string more =
          note.of.size() > 1 ? fmt::format(" and {} more", note.of.size() - 1) : std::string();
      const std::string whole = fmt::format("{}{}: {}", note.of.front(), more, note.text);
      for (const std::string_view line : split(whole, '\n')) {
        std::string indent = "  ";
        for (const std::string& part : broken(line, width - 6)) {
          out += indent + part + "\n";
          indent = "      ";
        }
      }
    }
    if (notes_.size() > kNotesShown) {
      out += fmt::format("  and {} more of these; lab compare shows all of them\n",
                         notes_.size() - kNotesShown);
    }
    return out;
  }

 private:
  struct Note {
    std::string text;
    std::vector<std::string> of;
  };
  std::vector<Note> notes_;
};

// A compiler's words have many lines: the first ones, set apart from what is around them.
std::string reason_text(const std::string& reason) {
  constexpr std::size_t kLines = 6;
  const std::vector<std::string_view> lines = split(trim(reason), '\n');
  std::string text = safe_line(lines.front());
  for (std::size_t i = 1; i < lines.size() && i < kLines; ++i) {
    text += "\n    " + safe_line(lines[i]);
  }
  if (lines.size() > kLines) text += "\n    ...";
  return text;
}

std::string notes_text(const Section& section, int width) {
  Notes notes;
  for (const CaseRecord* record : section.cases) {
    const std::string name = case_name(*record, section);
    for (const Finding& finding : record->findings) notes.add(finding_text(finding), name);
    if (!record->reason.empty()) {
      notes.add(fmt::format("{}: {}", name_of(record->status), reason_text(record->reason)), name);
    }
    for (const Verdict& verdict : record->verdicts) {
      if (verdict.kind != VerdictKind::kDisagrees && verdict.kind != VerdictKind::kExplained) {
        continue;
      }
      notes.add(fmt::format("{} {}: {}", safe_line(verdict.metric), name_of(verdict.kind),
                            safe_line(verdict.reason)),
                name);
    }
  }
  return notes.text(width);
}

// Without the metrics that say nothing of this variant: no theory, and no value anywhere.
Shape without_silent_metrics(Shape shape, const Section& section) {
  const auto silent = [&](const std::string& metric) {
    return std::none_of(section.cases.begin(), section.cases.end(), [&](const CaseRecord* record) {
      const std::vector<MetricView> views = metric_views(*record);
      const MetricView* view = find_view(views, metric);
      return view != nullptr &&
             (view->theory() || view->value(SourceOf::kModel) || view->measured());
    });
  };
  auto& metrics = shape.metrics;
  metrics.erase(std::remove_if(metrics.begin(), metrics.end(), silent), metrics.end());
  return shape;
}

// Null where the lab, or a variant that it had when the case ran, is not there.
const Variant* variant_of(const Section& section, const Lab* lab) {
  if (lab == nullptr) return nullptr;
  const auto& variants = lab->variants;
  const auto found = std::find_if(variants.begin(), variants.end(),
                                  [&](const Variant& v) { return v.name == section.variant; });
  return found == variants.end() ? nullptr : &*found;
}

std::string section_text(const Section& section, const Lab* lab, const Shape& of_run,
                         const Terminal& terminal) {
  const Shape shape = without_silent_metrics(of_run, section);
  std::string head = toned(safe_line(section.variant), Tone::kStrong, terminal);
  const Variant* variant = variant_of(section, lab);
  if (variant != nullptr) head += "  " + variant->summary;
  if (!section.fixed.empty()) head += "\n  " + fixed_text(section);
  constexpr int kIndent = 2;
  Table table = wide_table(section, shape);
  if (natural_width(table) + kIndent > terminal.width) table = long_table(section, shape);
  const std::string formulas = legend(section, variant, shape, terminal);
  const std::string notes = notes_text(section, terminal.width);
  return head + "\n" + formulas + (formulas.empty() ? "" : "\n") +
         table_text(table, terminal, kIndent) + (notes.empty() ? "" : "\n") + notes;
}

std::string plural(std::size_t count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

std::string cases_summary(const RunRecord& run) {
  std::map<CaseStatus, std::size_t> by_status;
  std::size_t unchecked = 0;
  for (const CaseRecord& record : run.cases) {
    ++by_status[record.status];
    if (record.status == CaseStatus::kOk && !record.correct) ++unchecked;
  }
  const std::uint64_t missing = run.missing_cases.value_or(0);
  std::string text = missing == 0 ? plural(run.cases.size(), "case")
                                  : fmt::format("{} of {}", run.cases.size(),
                                                plural(run.cases.size() + missing, "case"));
  text += ":";
  std::string_view separator = " ";
  for (const auto& [status, count] : by_status) {
    const std::string name(status == CaseStatus::kOk ? "correct" : name_of(status));
    const std::size_t shown = status == CaseStatus::kOk ? count - unchecked : count;
    if (shown == 0) continue;
    text += fmt::format("{}{} {}", separator, shown, name);
    separator = ", ";
  }
  if (unchecked > 0) text += fmt::format("{}{} not checked", separator, unchecked);
  return text;
}

std::string verdict_summary(const RunRecord& run, const Terminal& terminal) {
  const VerdictCounts counts = count_verdicts(run);
  if (counts.compared() == 0) return {};
  std::string text = plural(counts.compared(), "comparison") + ": ";
  text += toned(fmt::format("{} agree", counts.agrees), Tone::kGood, terminal);
  if (counts.explained > 0) {
    text += ", " + toned(fmt::format("{} explained", counts.explained), Tone::kNote, terminal);
  }
  if (counts.disagrees > 0) {
    text += ", " + toned(fmt::format("{} disagree", counts.disagrees), Tone::kBad, terminal);
  }
  return ". " + text;
}

std::string title(const RunRecord& run, const Lab* lab, const Terminal& terminal) {
  const std::string name =
      run.lab == 0 ? "Probe of " + safe_line(run.source_name)
                   : fmt::format("Lab {}{}", run.lab, lab == nullptr ? "" : ": " + lab->title);
  std::string text = toned(name, Tone::kStrong, terminal);
  text += fmt::format("  ({}, {}", safe_line(run.backend), safe_line(run.arch));
  if (!run.gpu.empty()) text += ", " + safe_line(run.gpu);
  if (!run.source_is_labs_own && run.lab != 0) text += ", kernel " + safe_line(run.source_name);
  return text + ")\n\n";
}

}  // namespace

std::string interrupted_text(const RunRecord& run, const Terminal& terminal) {
  const std::uint64_t missing = run.missing_cases.value_or(0);
  if (missing == 0) return {};
  return toned(fmt::format("Interrupted: {} missing.", plural(missing, "case")), Tone::kBad,
               terminal) +
         "\n";
}

std::string run_text(const RunRecord& run, const Lab* lab, const RunTextOptions& options,
                     const Terminal& terminal) {
  std::vector<std::string> metrics = options.metrics;
  if (metrics.empty() && lab != nullptr) metrics = lab->headline;
  const Shape shape = shape_of(run, metrics);
  std::string out = title(run, lab, terminal);
  for (const Section& section : sections_of(run)) {
    out += section_text(section, lab, shape, terminal) + "\n";
  }
  out += cases_summary(run) + verdict_summary(run, terminal) + ".\n";
  out += interrupted_text(run, terminal);
  if (!shape.measured && run.gpu.empty()) out += "Nothing was measured: the run used no GPU.\n";
  if (!options.stored_in.empty() && run.id > 0) {
    out += fmt::format("Stored as run {} in {}.\n", run.id, safe_line(options.stored_in));
  }
  return out;
}

}  // namespace lab::cli
