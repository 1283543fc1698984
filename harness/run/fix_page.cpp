#include "harness/run/fix_page.h"

#include <fmt/format.h>

#include <set>

#include "harness/core/numbers.h"
#include "harness/core/text.h"
#include "harness/model/layout/reason.h"
#include "harness/page/make.h"
#include "harness/reading/case_name.h"
#include "harness/reading/line_costs.h"
#include "harness/run/fix_text.h"

namespace lab::run {

namespace {

using layout::Family;
using layout::Layout;

std::string count(std::uint64_t number) { return grouped_text(static_cast<double>(number)); }

page::Cell count_cell(std::uint64_t number, page::Tone tone = page::Tone::kPlain) {
  page::Cell cell = page::number_cell(static_cast<double>(number));
  cell.tone = tone;
  return cell;
}

std::string_view cost_unit(const ArrayFix& fix) {
  return fix.problem.global ? "sectors" : "wavefronts";
}

page::Table lines_table(const ArrayFix& fix) {
  page::Table table{{{"line", true},
                     {},
                     {"requests", true, false, "", page::Rank::kMore},
                     {std::string(cost_unit(fix)), true},
                     {"at least", true}}};
  for (const UsedLine& line : fix.lines) {
    const bool bad = line.cost > line.least;
    page::Row& row = table.rows.emplace_back();
    row.cells = {{line.line > 0 ? std::to_string(line.line) : std::string()},
                 {std::string(lab::name_of(line.op))},
                 count_cell(line.requests),
                 count_cell(line.cost, bad ? page::Tone::kNote : page::Tone::kPlain),
                 count_cell(line.least)};
  }
  return table;
}

page::Table layouts_table(const ArrayFix& fix) {
  page::Table table{{{"layout", false, true},
                     {std::string(cost_unit(fix)), true},
                     {"bytes", true, false, "", page::Rank::kMore},
                     {}}};
  const auto add = [&](const layout::Candidate& one, std::string note, page::Tone tone) {
    page::Row& row = table.rows.emplace_back();
    row.cells = {{layout_text(fix, one.layout)},
                 count_cell(one.cost, tone),
                 count_cell(one.bytes),
                 {std::move(note)}};
  };
  layout::Candidate now = fix.solution.now;
  now.layout.family = Family::kAsIs;
  add(now, "", fix.solution.better.empty() ? page::Tone::kPlain : page::Tone::kNote);
  for (const layout::Candidate& one : fix.solution.better) {
    const bool best = &one == &fix.solution.better.front();
    add(one, best ? "best" : "", best ? page::Tone::kGood : page::Tone::kPlain);
  }
  return table;
}

page::Heading heading_of(const ArrayFix& fix) {
  std::string shape;
  if (has_rows(fix)) {
    for (const auto& extent : fix.declared->extents) shape += fmt::format("[{}]", *extent.value);
  }
  return {2,
          fmt::format("{}{}: {} memory, {} bytes, elements of {}", array_name(fix), shape,
                      lab::name_of(fix.array.space), count(fix.array.bytes), fix.problem.element)};
}

page::Block best_text(const ArrayFix& fix, const std::string& more) {
  const Layout& best = fix.solution.better.front().layout;
  page::Text text{{{"Best", page::Tone::kGood},
                   {fmt::format(": {}. {}{}", layout_text(fix, best),
                                layout::reason_text(fix.problem, best), more)}}};
  return {std::move(text), page::Rank::kAlways};
}

// The declaration as it is and with another last extent.
page::Source declaration(const ArrayFix& fix, const std::string& extent, const RunRecord& run) {
  const int line = fix.declared->line;
  const std::string is = source::with_last_extent(run.source_text, *fix.declared, extent);
  return {{{run.source_name, line, std::string(line_of(run.source_text, line)), page::Sign::kGoes},
           {run.source_name, line, is, page::Sign::kComes}}};
}

// The lines that access it, each as it stands.
page::Source accesses_of(const ArrayFix& fix, const RunRecord& run) {
  std::set<int> numbers;
  for (const UsedLine& line : fix.lines) numbers.insert(line.line);
  numbers.erase(0);
  page::Source source;
  for (const int number : numbers) {
    const std::string text(trim(line_of(run.source_text, number)));
    if (!text.empty()) source.lines.push_back({{}, number, text});
  }
  return source;
}

// Every line that changes: the declaration, and each access where an element is named anew.
void add_change(const ArrayFix& fix, const RunRecord& run, page::Page& page) {
  const layout::Candidate& best = fix.solution.better.front();
  if (!names_anew(fix)) {
    page.blocks.push_back({declaration(fix, padded_extent(fix, best.layout), run)});
    return;
  }
  if (grows_by_declaration(fix, best)) {
    const std::string extent = std::to_string(best.bytes / fix.problem.element);
    page.blocks.push_back({declaration(fix, extent, run)});
  }
  page.blocks.push_back(page::sentence(rule_text(fix, best) + ":"));
  page.blocks.push_back({accesses_of(fix, run)});
}

// Names the blocks and warps over which the saving was counted.
std::string covered_text(const ArrayFix& fix, const CaseRecord& record) {
  const std::uint64_t blocks = record.launch.grid.count();
  const std::uint64_t run = record.facts.sampled_blocks.value_or(blocks);
  if (fix.ran) return "counted in a run of the changed kernel, which leaves the same results.";
  if (fix.array.untraced > 0) {
    return fmt::format("counted over part of its accesses: {} were not examined.",
                       count(fix.array.untraced));
  }
  if (run < blocks) {
    return fmt::format("counted over a sample of {} of {} blocks.", count(run), count(blocks));
  }
  return blocks == 1 ? "counted over every access of the one block."
                     : fmt::format("counted over every access of all {} blocks.", count(blocks));
}

std::string saving_text(const ArrayFix& fix, const CaseRecord& record) {
  const layout::Solution& solution = fix.solution;
  return fmt::format("Saves {} of {} {}, {}",
                     count(solution.now.cost - solution.better.front().cost),
                     count(solution.now.cost), cost_unit(fix), covered_text(fix, record));
}

std::string bound_text(const ArrayFix& fix) {
  const bool reached = fix.solution.better.front().cost == fix.solution.least;
  if (reached) {
    return fix.problem.global ? "No layout takes fewer: every byte that is moved was asked for."
                              : "No layout takes fewer: no conflict is left.";
  }
  return fmt::format("Best of {} layouts; what is asked for alone would take {}.",
                     count(fix.solution.tried), count(fix.solution.least));
}

// An array with nothing to do about it, in a sentence.
std::string quiet_text(const ArrayFix& fix) {
  const layout::Solution& solution = fix.solution;
  std::string text =
      fmt::format("{}: {} {}", array_name(fix), count(solution.now.cost), cost_unit(fix));
  if (fix.array.untraced > 0) {
    text += fmt::format(" in part of its accesses ({} not examined)", count(fix.array.untraced));
  }
  if (solution.now.cost == solution.least) {
    return text + (fix.problem.global ? ", nothing wasted." : ", no conflict.");
  }
  if (solution.better.empty()) {
    return text + fmt::format(
                      " where what is asked for alone would take {}; none of {} layouts "
                      "takes fewer.",
                      count(solution.least), count(solution.tried));
  }
  return text + fmt::format(". No layout helps: the best of {} would take {}.",
                            count(solution.tried), count(solution.better.front().cost));
}

page::Page layouts_of(const RunRecord& run, const std::vector<ArrayFix>& fixes) {
  page::Page page;
  for (const ArrayFix& fix : fixes) {
    if (!fix.solution.helps()) continue;
    page.blocks.push_back({heading_of(fix), page::Rank::kAlways, true});
    page.blocks.push_back({lines_table(fix)});
    page.blocks.push_back({layouts_table(fix), page::Rank::kAlways, true});
    page.blocks.push_back(best_text(fix, ""));
    page.blocks.back().apart = true;
    add_change(fix, run, page);
    page.blocks.push_back(
        page::sentence(saving_text(fix, run.cases.front()) + " " + bound_text(fix)));
  }
  bool first = true;
  for (const ArrayFix& fix : fixes) {
    if (fix.solution.helps()) continue;
    page.blocks.push_back(page::sentence(quiet_text(fix)));
    page.blocks.back().apart = std::exchange(first, false);
  }
  return page;
}

/// The other order of indices, in words, and whether it is the first thing to try.
struct Exchange {
  std::string text;
  bool better = false;
};

Exchange exchange_of(const CaseRecord& now, const CaseRecord& then) {
  const reading::LineCost before = reading::modelled_cost(now);
  const reading::LineCost after = reading::modelled_cost(then);
  std::string changes;
  const auto add = [&](double was, double is, std::string_view unit) {
    if (was == 0 && is == 0) return;
    changes += fmt::format("{}{} -> {} {}", changes.empty() ? "" : ", ", grouped_text(was),
                           grouped_text(is), unit);
  };
  const double sectors[] = {before.sectors.value_or(0), after.sectors.value_or(0)};
  const double wavefronts[] = {before.wavefronts.value_or(0), after.wavefronts.value_or(0)};
  add(sectors[0], sectors[1], "sectors");
  add(wavefronts[0], wavefronts[1], "wavefronts");
  const bool better = exchange_helps(now, then);
  return {fmt::format(
              "threadIdx.x and threadIdx.y exchanged, in blocks of {} x {}: {}. {}",
              now.launch.block.y, now.launch.block.x, changes,
              better ? "Better in all. Write threadIdx.y for threadIdx.x and the other way round: "
                       "no array changes. Layouts of the kernel as it is:"
                     : "No gain."),
          better};
}

}  // namespace

bool exchange_helps(const CaseRecord& now, const CaseRecord& exchanged) {
  if (now.status != CaseStatus::kOk || exchanged.status != CaseStatus::kOk) return false;
  const reading::LineCost before = reading::modelled_cost(now);
  const reading::LineCost after = reading::modelled_cost(exchanged);
  const double sectors[] = {before.sectors.value_or(0), after.sectors.value_or(0)};
  const double wavefronts[] = {before.wavefronts.value_or(0), after.wavefronts.value_or(0)};
  return sectors[1] <= sectors[0] && wavefronts[1] <= wavefronts[0] &&
         sectors[1] + wavefronts[1] < sectors[0] + wavefronts[0];
}

page::Page fix_page(const RunRecord& run, const std::vector<ArrayFix>& fixes,
                    const CaseRecord* exchanged) {
  const CaseRecord& record = run.cases.front();
  page::Page page;
  page.blocks.push_back({reading::case_heading(record, run.source_name), page::Rank::kAlways});
  if (fixes.empty()) {
    page.blocks.push_back(
        page::paragraph("The kernel accesses no array in global or shared memory."));
    return page;
  }
  const bool tried = exchanged != nullptr && exchanged->status == CaseStatus::kOk;
  const Exchange exchange = tried ? exchange_of(record, *exchanged) : Exchange{};
  // The exchange changes no array, so it is tried first.
  if (exchange.better) page.blocks.push_back(page::paragraph(exchange.text));
  append(page, layouts_of(run, fixes));
  if (tried && !exchange.better) page.blocks.push_back(page::paragraph(exchange.text));
  return page;
}

page::Page tile_page(const ArrayFix& tile) {
  page::Page page;
  page.blocks.push_back({heading_of(tile), page::Rank::kAlways});
  if (!tile.solution.helps()) {
    page.blocks.push_back(page::sentence(quiet_text(tile)));
    return page;
  }
  page.blocks.push_back({layouts_table(tile), page::Rank::kAlways});
  page.blocks.push_back(best_text(tile, " " + bound_text(tile)));
  page.blocks.back().apart = true;
  return page;
}

}  // namespace lab::run
