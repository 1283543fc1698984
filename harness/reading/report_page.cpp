#include "harness/reading/report_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "harness/core/sections.h"
#include "harness/page/make.h"
#include "harness/reading/advice_page.h"
#include "harness/reading/appendix.h"
#include "harness/reading/came_to_text.h"
#include "harness/reading/case_name.h"
#include "harness/reading/cases_table.h"
#include "harness/reading/charts.h"
#include "harness/reading/figures.h"
#include "harness/reading/formulas.h"
#include "harness/reading/goal.h"
#include "harness/reading/looked_for.h"
#include "harness/reading/notes.h"
#include "harness/reading/run_page.h"
#include "harness/reading/run_reading.h"
#include "harness/reading/screen.h"
#include "harness/reading/source_page.h"
#include "harness/reading/times.h"
#include "metrics/advice.h"

namespace lab::reading {

namespace {

using page::Role;
using page::Tone;
using Blocks = std::vector<page::Block>;

// The lesson is the title of a lab's page.
Blocks header_blocks(const RunRecord& run, const Lab* lab, const std::string& title) {
  const RunReading all = read(run);
  const bool lesson = lab != nullptr && !lab->lesson.empty();
  Blocks blocks;
  if (lesson) blocks.push_back(page::sentence(title, Role::kResult, Tone::kStrong));
  blocks.push_back({page::heading(
      1, lesson ? lab->lesson : title,
      {run.started_at, run.backend, run.arch, run.gpu.empty() ? "no GPU" : run.gpu, run.student})});
  const bool bad = all.failed > 0 || all.verdicts.disagrees > 0;
  blocks.push_back(
      page::sentence(came_to_text(run, all), Role::kResult, bad ? Tone::kBad : Tone::kPlain));
  append(blocks, interrupted(run));
  Cases cases;
  for (const CaseRecord& record : run.cases) cases.push_back(&record);
  const std::string looked = looked_for_text(cases);
  if (!looked.empty()) blocks.push_back(page::sentence(looked, Role::kNote));
  return blocks;
}

/// The goal's numbers of a student's case.
Blocks goal_blocks(const CaseRecord& record, const Lab& lab) {
  const std::vector<GoalLine> lines = goal_lines(record, lab);
  if (lines.empty()) return {};
  const std::string from = lab.goal->from ? lab.goal->from->variant : "from";
  page::Table table{{{""}, {from, true}, {"yours", true}, {"target", true}}};
  table.columns.front().names = true;
  for (const GoalLine& line : lines) {
    const auto against = against_target(record, line.metric);
    page::Cell yours = page::number_cell(line.value);
    yours.marked = against && against->above();
    yours.tone = yours.marked ? Tone::kBad : Tone::kGood;
    const auto target = against ? std::optional(against->target) : std::nullopt;
    table.rows.push_back({{{lab::reading::title_of(line.metric)},
                           page::number_cell(line.from),
                           yours,
                           page::number_cell(target)}});
  }
  return {{std::move(table)}};
}

Blocks standing_blocks(const RunRecord& run, const Lab* lab) {
  const std::vector<Section> sections = sections_of(run);
  const bool one = sections.size() == 1 && has_target(sections.front().cases);
  const std::string all = one ? std::string() : standing_sentence(run, read(run));
  Blocks blocks;
  if (!all.empty()) blocks.push_back(page::sentence(all));
  for (const Section& section : sections) {
    if (!has_target(section.cases)) continue;
    Blocks stands = target_blocks(run, lab, section);
    if (stands.empty()) continue;
    blocks.push_back({page::Heading{3, name_of(section)}});
    append(blocks, std::move(stands));
    // A wrong kernel's counts are not held against the target.
    const CaseRecord& first = *section.cases.front();
    const bool any = results_of(section.cases) != Results::kNoneRight && !has_mistake(first);
    if (any && lab != nullptr) append(blocks, goal_blocks(first, *lab));
  }
  return blocks;
}

std::vector<metrics::Advice> advice_of(const CaseRecord& record, const Lab* lab,
                                       const metrics::Machine& machine, const AdviseAgain& again) {
  if (again) {
    if (auto found = again(record)) return std::move(*found);
  }
  metrics::Trials untried;
  untried.hint = hint_command(lab);
  return metrics::diagnose(record, machine, forbidden_in(lab, record), untried).advice;
}

Blocks advised_blocks(const RunRecord& run, const Lab* lab, const metrics::Machine& machine,
                      const AdviseAgain& again) {
  std::vector<metrics::Advice> all;
  for (const auto& cases : to_advise(run)) {
    const auto known = std::find_if(cases.begin(), cases.end(), [](const CaseRecord* record) {
      return record->status == CaseStatus::kOk && !record->accesses.empty() &&
             !record->lines.empty();
    });
    if (known == cases.end()) continue;
    const std::vector<metrics::Advice> found = advice_of(**known, lab, machine, again);
    all.insert(all.end(), found.begin(), found.end());
  }
  if (all.empty()) return {};
  Blocks blocks = {{page::Heading{2, "What to change"}}};
  append(blocks, advice_blocks(all, run, ""));
  return blocks;
}

/// The curve that shows a lab's lesson; empty: it has none.
std::optional<page::Chart> lead_curve(const std::vector<Section>& sections, const Lab* lab,
                                      const std::vector<std::string>& metrics) {
  if (lab == nullptr || !lab->screen || lab->screen->curve.empty()) return {};
  const std::string& metric = lab->screen->curve;
  for (const Section& section : sections) {
    const auto sweep = sweep_of(section);
    if (section.variant != lab->screen->rows.front().variant || !sweep) continue;
    const auto curves = curves_of(*sweep, metrics);
    if (std::find(curves.begin(), curves.end(), metric) == curves.end()) continue;
    return curve_chart(section, *sweep, metric);
  }
  return {};
}

Blocks charts_of_run(const RunRecord& run, const std::vector<Section>& telling,
                     const std::vector<std::string>& metrics, const metrics::Machine& machine) {
  Blocks blocks;
  for (auto& chart :
       {bars_chart(telling, metrics), agreement_chart(run), roofline_chart(telling, machine)}) {
    if (chart) blocks.push_back({*chart});
  }
  return blocks;
}

// A row per variant: its first case, as the terminal's ladder has it.
Blocks glance_blocks(std::vector<Section> sections, const Shown& shown,
                     const metrics::Machine& machine) {
  if (sections.size() < 2) return {};
  for (Section& section : sections) section.cases.resize(1);
  const std::string shared = shared_params(sections);
  return {{page::Heading{2, "All variants"}},
          page::sentence(fmt::format("One case of each{}{}.", shared.empty() ? "" : " at ", shared),
                         Role::kNote),
          {cases_table(sections, shown, &machine).table}};
}

// A table does not say by itself that its one number is theory's, the model's and the GPU's.
Blocks alike_blocks(const Section& section, const std::vector<std::string>& metrics) {
  std::set<std::string_view> sources;
  for (const MetricFigures& figures : all_figures(section.cases, {metrics, Detail::kFolded})) {
    if (figures.folded) sources.insert(figures.lines[0].of.begin(), figures.lines[0].of.end());
  }
  if (sources.size() < 2) return {};
  const std::string who = sources.size() == 3 ? "theory, model and measurement"
                                              : fmt::format("{}", fmt::join(sources, " and "));
  return {page::sentence(fmt::format("Where a metric has one number, {} are equal.", who),
                         Role::kNote)};
}

Blocks section_blocks(const Section& section, const Lab* lab,
                      const std::vector<std::string>& metrics, const metrics::Machine& machine,
                      const std::string& drawn_above) {
  Blocks blocks;
  const std::string fixed = values_of(*section.cases.front(), section.fixed);
  if (!fixed.empty()) blocks.push_back(page::sentence(fixed, Role::kNote));
  blocks.push_back({cases_table({section}, {metrics, Detail::kFolded}, &machine).table});
  append(blocks, alike_blocks(section, metrics));
  // The reason of an expected time is told once if several cases share it.
  for (const ToldTime& told : told_times(section)) {
    const std::string params = values_of(*told.first, section.varying);
    blocks.push_back(
        page::sentence(params + (params.empty() ? "" : ": ") + told.text, Role::kItem));
  }
  if (const auto sweep = sweep_of(section)) {
    for (const std::string& metric : curves_of(*sweep, metrics)) {
      page::Chart chart = curve_chart(section, *sweep, metric);
      if (chart.id != drawn_above) blocks.push_back({std::move(chart)});
    }
  }
  Blocks formulas = formula_blocks(section, variant_of(section, lab), metrics, Formulas::kAll);
  if (!formulas.empty()) {
    blocks.push_back({page::Fold{"Formulas", {}, {}, {}, std::move(formulas)}});
  }
  return blocks;
}

// A single variant is what the page is about, and so is whatever a student wrote.
Blocks cases_blocks(const std::vector<Section>& sections, const Lab* lab,
                    const std::vector<std::string>& metrics, const metrics::Machine& machine,
                    const std::string& drawn_above) {
  Blocks blocks;
  Blocks others;
  for (const Section& section : sections) {
    const Variant* variant = variant_of(section, lab);
    const std::string says = variant == nullptr ? std::string() : variant->summary;
    Blocks own = section_blocks(section, lab, metrics, machine, drawn_above);
    if (sections.size() == 1 || has_target(section.cases)) {
      blocks.push_back({page::Heading{2, name_of(section)}});
      if (!says.empty()) blocks.push_back(page::sentence(says));
      append(blocks, std::move(own));
    } else {
      others.push_back({page::Fold{name_of(section), says, {}, {}, std::move(own)}});
    }
  }
  if (!others.empty()) blocks.push_back({page::Heading{2, "Every case"}});
  append(blocks, std::move(others));
  return blocks;
}

page::Block environment_fold(const RunRecord& run) {
  page::Table table{{{""}, {""}}};
  table.columns.front().names = true;
  const auto add_row = [&](const std::string& key, const std::string& value) {
    table.rows.push_back({{{key}, {value}}});
  };
  for (const auto& [key, value] : run.environment) add_row(key, value);
  add_row("lab", run.program_version);
  add_row("run", run.uuid);
  return {page::Fold{"Machine and program", {}, {}, {}, {{std::move(table)}}}};
}

Blocks notes_of_run(const RunRecord& run, const std::vector<std::string>& metrics) {
  Blocks notes = all_notes_blocks(run, metrics);
  if (!notes.empty()) notes.insert(notes.begin(), {page::Heading{2, "Notes"}});
  return notes;
}

Blocks lesson_of(const RunRecord& run, const Lab* lab) {
  const auto screen = lab == nullptr ? std::nullopt : screen_of(run, *lab);
  if (!screen) return {};
  Blocks blocks = {page::sentence(screen->size, Role::kNote)};
  append(blocks, lesson_blocks(*screen, {}));
  return blocks;
}

}  // namespace

Report report_page(const RunRecord& run, const Lab* lab, const metrics::Machine& machine,
                   const AdviseAgain& again) {
  const std::vector<Section> sections = sections_of(run);
  const std::vector<std::string> metrics = metrics_of(run, lab);
  const std::vector<Section> telling = telling_first(sections, lab);
  const auto lead = lead_curve(sections, lab, metrics);
  const Shown shown =
      lab == nullptr ? Shown{metrics, Detail::kBrief} : headline_of(run, *lab, Detail::kBrief);
  Report report{run_heading(run, lab, "").words, {}};
  Blocks& blocks = report.page.blocks;
  blocks = header_blocks(run, lab, report.title);
  append(blocks, lesson_of(run, lab));
  append(blocks, standing_blocks(run, lab));
  // A student wants to know first what was found in their kernel.
  const bool own = run.source_is_labs_own;
  if (!own) append(blocks, notes_of_run(run, metrics));
  if (!own) append(blocks, advised_blocks(run, lab, machine, again));
  append(blocks, source_blocks(run, telling));
  append(blocks, touched_blocks(run));
  if (lead) blocks.push_back({*lead});
  append(blocks, charts_of_run(run, telling, metrics, machine));
  append(blocks, glance_blocks(telling, shown, machine));
  if (own) append(blocks, notes_of_run(run, metrics));
  append(blocks, cases_blocks(sections, lab, metrics, machine, lead ? lead->id : std::string()));
  constexpr std::size_t kLinesOfStalls = 12;
  append(blocks, stalls_blocks(run, kLinesOfStalls));
  blocks.push_back(environment_fold(run));
  return report;
}

}  // namespace lab::reading
