#include "harness/reading/run_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/core/numbers.h"
#include "harness/core/sections.h"
#include "harness/core/text.h"
#include "harness/page/make.h"
#include "harness/page/numbers.h"
#include "harness/reading/came_to_text.h"
#include "harness/reading/case_name.h"
#include "harness/reading/cases_table.h"
#include "harness/reading/changes.h"
#include "harness/reading/charts.h"
#include "harness/reading/formulas.h"
#include "harness/reading/goal.h"
#include "harness/reading/line_costs.h"
#include "harness/reading/looked_for.h"
#include "harness/reading/notes.h"
#include "harness/reading/run_reading.h"
#include "harness/reading/screen.h"
#include "harness/reading/times.h"

namespace lab::reading {

namespace {

using page::Rank;
using page::Role;
using page::Tone;

constexpr std::size_t kMostRows = 3;  // of a variant in a ladder
constexpr int kSlide = 80;            // columns of a lesson
constexpr int kSlideLines = 20;
constexpr int kPageLines = 60;

/// Sections that are told by one table.
using Group = std::vector<Section>;

bool all_plain(const Group& group, const Shown& shown) {
  return std::all_of(group.begin(), group.end(), [&](const Section& section) {
    return reading::all_plain(section.cases, shown);
  });
}

// A student's file is what the run is about: variants that it does not define only where something
// has to be said of them.
std::vector<Section> shown_sections(const RunRecord& run, const Shown& shown) {
  std::vector<Section> sections = sections_of(run);
  const auto targets = [](const Section& section) { return has_target(section.cases); };
  if (shown.side_by_side() || std::none_of(sections.begin(), sections.end(), targets)) {
    return sections;
  }
  std::erase_if(sections, [&](const Section& section) {
    return !targets(section) && reading::all_plain(section.cases, shown);
  });
  return sections;
}

// Variants with few points are the rows of one table, at the place of the first of them.
std::vector<Group> groups_of(std::vector<Section> sections, const Shown& shown) {
  std::vector<Group> groups;
  std::size_t ladder = 0;  // its place + 1
  for (Section& section : sections) {
    const bool alone =
        shown.side_by_side() || section.cases.size() > kMostRows || has_target(section.cases);
    if (!alone && ladder > 0) {
      groups[ladder - 1].push_back(std::move(section));
      continue;
    }
    groups.push_back({std::move(section)});
    if (!alone) ladder = groups.size();
  }
  return groups;
}

// The variant, what it is, and the parameters that are the same everywhere.
page::Heading head_of(const Group& group, const Lab* lab) {
  const std::string shared = shared_params(group);
  if (group.size() > 1) return {2, shared.empty() ? "Variants" : "Variants at " + shared};
  const Variant* variant = variant_of(group.front(), lab);
  return page::heading(2, name_of(group.front()),
                       {variant == nullptr ? std::string() : variant->summary, shared});
}

// Which variant of a ladder moves the bytes that its task needs at the lowest rate.
std::vector<page::Block> slowest_blocks(const Group& group, const std::string& lab) {
  const auto slowest = slowest_of(group);
  if (!slowest) return {};
  const std::string& name = slowest->section->variant;
  return {page::paragraph(fmt::format("Slowest for what it moves: {}, {} of {} GB/s.", name,
                                      brief_text(slowest->rate), brief_text(slowest->most))),
          page::sentence(fmt::format("lab explain {} --variant {}", lab, name), Role::kNote)};
}

/// The run and how it is shown.
struct Of {
  const RunRecord& run;
  const Lab* lab;
  const Shown& shown;
};

// The picture of the first sweep: a run has one.
std::vector<page::Block> curve_of(const Of& of, const Group& group,
                                  const std::vector<std::string>& metrics) {
  const Section& first = group.front();
  const bool is_first = first.cases.front() == &of.run.cases.front();
  const Variant* variant = variant_of(first, of.lab);
  const bool one = metrics.size() == 1 && group.size() == 1 && variant != nullptr;
  if (!is_first || !one || of.shown.side_by_side() || first.cases.size() <= kMostRows) return {};
  return steps_chart(first, *variant, metrics.front());
}

std::vector<page::Block> group_blocks(const Of& of, const Group& group) {
  const Section& first = group.front();
  const bool ladder = group.size() > 1;
  std::vector<page::Block> blocks = {{head_of(group, of.lab), Rank::kAlways, true}};
  if (has_target(first.cases) && !of.shown.side_by_side()) {
    append(blocks, target_blocks(of.run, of.lab, first));
  } else {
    CasesTable cases = cases_table(group, of.shown);
    if (!cases.table.columns.empty()) {
      blocks.push_back({std::move(cases.table), Rank::kAlways});
    }
    append(blocks, curve_of(of, group, cases.metrics));
    if (!ladder) {
      append(blocks,
             formula_blocks(first, variant_of(first, of.lab), cases.metrics,
                            of.shown.side_by_side() ? Formulas::kExample : Formulas::kBrief));
    } else if (of.lab != nullptr) {
      append(blocks, ladder_formulas(group, *of.lab, cases.metrics));
    }
  }
  std::vector<page::Block> notes = notes_blocks(group, of.shown);
  if (ladder && !notes.empty()) notes.front().apart = true;
  append(blocks, std::move(notes));
  if (ladder) append(blocks, slowest_blocks(group, of.run.called()));
  return blocks;
}

// A group that is as predicted may be put away, unless it stands first.
void add_groups(std::vector<page::Block>& blocks, const Of& of, bool whole) {
  const std::vector<Section> sections = shown_sections(of.run, of.shown);
  bool first = true;
  for (const Group& group : groups_of(sections, of.shown)) {
    std::vector<page::Block> more = group_blocks(of, group);
    if (first || whole || group.size() > 1 || !all_plain(group, of.shown)) {
      append(blocks, std::move(more));
    } else {
      more.front().apart = false;
      blocks.push_back({page::Fold{group.front().variant, "", "As predicted, too: ",
                                   ". --variant NAME shows one.", std::move(more)},
                        Rank::kDetail, true});
    }
    first = false;
  }
  const std::size_t others = sections_of(of.run).size() - sections.size();
  if (others == 0) return;
  blocks.push_back(page::paragraph(page::counted(others, "other variant") +
                                   " with the lab's own kernels: as theory says."));
}

// A student's kernel has none of them in brief: its target comes first.
std::vector<page::Block> own_tables(const RunRecord& run, const Lab* lab, bool all) {
  if (lab == nullptr || (!all && !run.source_is_labs_own)) return {};
  return lab_tables(*lab, run.cases, all);
}

void add_table(std::vector<page::Block>& blocks, const TextTable& plain) {
  for (const std::string_view part : split(plain.title, '\n')) {
    blocks.push_back(page::sentence(std::string(part), Role::kResult, Tone::kStrong));
    blocks.back().apart = part.data() == plain.title.data();
  }
  page::Table table;
  for (const std::string& title : plain.header) {
    table.columns.push_back({title, false, !table.columns.empty()});
  }
  for (const auto& row : plain.rows) {
    page::Row& cells = table.rows.emplace_back();
    for (const std::string& text : row) cells.cells.push_back({text});
  }
  blocks.push_back({std::move(table), Rank::kAlways});
}

std::vector<page::Block> came_to_blocks(const RunRecord& run, const RunReading& read, bool all) {
  Cases cases;
  for (const CaseRecord& record : run.cases) cases.push_back(&record);
  std::vector<page::Block> blocks = {
      page::sentence(came_to_text(run, read), Role::kResult,
                     read.verdicts.disagrees > 0 ? Tone::kBad : Tone::kPlain)};
  const std::string looked = all ? looked_for_text(cases) : not_looked_for_text(cases);
  if (!looked.empty()) blocks.push_back(page::sentence(looked));
  return blocks;
}

std::optional<page::Step> stored_step(const RunRecord& run, const RunView& view) {
  if (!view.stored || run.id == 0) return {};
  return page::Step{fmt::format("Stored as run {}{}.", run.id,
                                view.stored->empty() ? "" : " in " + *view.stored)};
}

page::Page lesson_page(const RunRecord& run, const Lab& lab, const ScreenReading& screen,
                       const RunView& view) {
  page::Page page{
      {{run_heading(run, &lab, screen.size), Rank::kAlways}, {page::sentence(lab.lesson)}},
      kSlideLines,
      kSlide};
  std::vector<page::Block> picture = lesson_picture(run, lab, screen, view.picture);
  if (!view.has_picture) {
    picture.push_back(page::sentence(
        "The picture was not stored with this run: lab map " + run.called() + " draws it.",
        Role::kNote, Tone::kDim));
  }
  append(page.blocks, lesson_blocks(screen, std::move(picture)));
  append(page.blocks, came_to_blocks(run, read(run), false));
  const std::string called = run.called();
  page::Steps steps{{{"Next", view.next.empty() ? "lab start " + called : view.next},
                     {"All numbers", fmt::format("lab run {} --all", called)}}};
  if (auto stored = stored_step(run, view)) steps.items.push_back(std::move(*stored));
  page.blocks.push_back({std::move(steps), Rank::kAlways});
  return page;
}

void add_steps(std::vector<page::Block>& blocks, const RunRecord& run, const RunReading& read,
               const RunView& view) {
  page::Steps steps;
  if (view.left_out > 0) {
    steps.items.push_back({page::counted(view.left_out, "more case"), "--all"});
  }
  const auto stored = stored_step(run, view);
  if (stored) steps.items.push_back({"Every metric", "lab compare"});
  if (read.stuck) steps.items.push_back({"Stuck?", "lab hint " + run.called()});
  if (stored) steps.items.push_back(*stored);
  if (!steps.items.empty()) blocks.push_back({std::move(steps), Rank::kAlways});
}

Shown shown_of(const RunRecord& run, const Lab* lab, const RunView& view) {
  const Detail detail = !view.metrics.empty() ? Detail::kAsked
                        : view.all            ? Detail::kEverySource
                                              : Detail::kBrief;
  const Shown shown{view.metrics, detail};
  return !shown.asked() && lab != nullptr ? headline_of(run, *lab, detail) : shown;
}

// The standing of all cases of a student's file; one variant says it in its own sentence.
std::vector<page::Block> standing_blocks(const RunRecord& run, const RunReading& read) {
  const bool several = std::any_of(run.cases.begin(), run.cases.end(), [&](const auto& record) {
    return record.variant != run.cases.front().variant;
  });
  if (read.standing.cases < 2 || !several) return {};
  return {page::paragraph(standing_sentence(run, read),
                          read.standing.all_on_target() ? Tone::kGood : Tone::kNote)};
}

}  // namespace

page::Heading run_heading(const RunRecord& run, const Lab* lab, const std::string& size) {
  page::Heading heading;
  heading.words =
      run.lab == 0 ? "Probe of " + run.source_name
                   : fmt::format("Lab {}{}", run.called(), lab == nullptr ? "" : ": " + lab->title);
  if (!run.source_is_labs_own && run.lab != 0) heading.words += ", " + run.source_name;
  if (!size.empty()) heading.facts.push_back(size);
  heading.facts.insert(heading.facts.end(), {run.backend, run.arch});
  if (!run.gpu.empty()) heading.facts.push_back(run.gpu);
  return heading;
}

std::vector<page::Block> lab_tables(const Lab& lab, const std::vector<CaseRecord>& cases,
                                    bool all) {
  constexpr std::size_t kTables = 2;
  if (!lab.tables) return {};
  std::vector<TextTable> tables = lab.tables(cases);
  if (!all && tables.size() > kTables) tables.resize(kTables);
  std::vector<page::Block> blocks;
  for (const TextTable& plain : tables) add_table(blocks, plain);
  return blocks;
}

std::vector<page::Block> target_blocks(const RunRecord& run, const Lab* lab,
                                       const Section& section) {
  const std::string sentence = target_sentence(section.cases);
  if (sentence.empty()) return {};
  std::vector<page::Block> blocks = {{page::sentence(sentence)}};
  const Cases clean = without_mistakes(section.cases);
  const auto furthest = furthest_of(clean);
  if (furthest && furthest->above()) {
    const auto line =
        reading::costliest_line(*section.cases.front(), run.source_name, furthest->metric);
    if (line) {
      blocks.push_back({page::Source{{{run.source_name, *line, source_line(run, *line)}}}});
    }
  }
  // A wrong kernel's counts are not held against the target.
  if (furthest && results_of(clean) != Results::kNoneRight) {
    blocks.push_back(
        {target_table(section, lab, told_metric(clean, *furthest, lab)), Rank::kAlways, true});
  }
  const std::string success = success_sentence(section.cases, lab);
  if (!success.empty()) blocks.push_back(page::paragraph(success, Tone::kGood));
  return blocks;
}

page::Page run_page(const RunRecord& run, const Lab* lab, const RunView& view) {
  const auto screen =
      view.lesson && lab != nullptr ? screen_of(run, *lab) : std::optional<ScreenReading>();
  if (screen) return lesson_page(run, *lab, *screen, view);
  const RunReading all = read(run);
  const Shown shown = shown_of(run, lab, view);
  const bool whole = view.whole || shown.side_by_side();
  const bool watched = !view.saved.empty();
  page::Page page{{{run_heading(run, lab, ""), Rank::kAlways}}, whole ? 0 : kPageLines};
  if (watched) std::get<page::Heading>(page.blocks[0].is).facts.push_back("saved " + view.saved);
  if (view.before != nullptr) append(page.blocks, changes_blocks(*view.before, run));
  add_groups(page.blocks, {run, lab, shown}, whole);
  append(page.blocks, standing_blocks(run, all));
  append(page.blocks, own_tables(run, lab, view.all));
  std::vector<page::Block> closing = came_to_blocks(run, all, shown.side_by_side());
  closing.front().apart = true;
  closing.front().rank = Rank::kAlways;
  append(page.blocks, std::move(closing));
  append(page.blocks, interrupted(run));
  if (!shown.side_by_side()) append(page.blocks, mechanisms_blocks(run, shown.metrics));
  if (run.gpu.empty() && !all.summary.anything_measured) {
    page.blocks.push_back(page::sentence("Nothing was measured: the run used no GPU."));
    if (watched) page.blocks.back().rank = Rank::kDetail;
  }
  add_steps(page.blocks, run, all, view);
  return page;
}

}  // namespace lab::reading
