#include "harness/reading/watch_page.h"

#include <fmt/format.h>

#include <utility>

#include "harness/core/numbers.h"
#include "harness/page/make.h"
#include "harness/reading/came_to_text.h"
#include "harness/reading/difference.h"
#include "harness/reading/figures.h"
#include "harness/reading/notes_page.h"
#include "harness/reading/run_reading.h"

namespace lab::reading {

namespace {

/// A case as it is told from the one before.
struct Watched {
  CaseReading reading;
  std::string trouble = {};  ///< why it has no standing; else empty
  bool mistaken = false;     ///< what was found is told apart
  friend bool operator==(const Watched&, const Watched&) = default;
};

Watched watched(const CaseRecord& record) {
  return {read(record), trouble_of(record), has_mistake(record) && !record.findings.empty()};
}

std::string times_text(double excess) { return brief_text(excess) + " x"; }

std::string summary_of(const Watched& one) {
  if (one.mistaken) return "finding";
  if (!one.trouble.empty()) return one.trouble;
  if (one.reading.standing != Standing::kAboveTarget) {
    return std::string(reading::name_of(one.reading.outcome));
  }
  const Against& furthest = *one.reading.furthest;
  return fmt::format("{} the target: {} {}, not {}", times_text(furthest.excess),
                     grouped_text(furthest.value), reading::title_of(furthest.metric),
                     grouped_text(furthest.target));
}

std::string was_text(const Watched& before) {
  if (before.reading.standing == Standing::kAboveTarget) {
    return times_text(before.reading.furthest->excess);
  }
  return std::string(name_of(before.reading.outcome));
}

std::vector<page::Block> changes_blocks(const RunRecord* before, const RunRecord& now) {
  page::Table table{{{"case"}, {"now", false, true}}};
  if (before != nullptr) table.columns.push_back({"before"});
  std::size_t same = 0;
  for (const CaseRecord& record : now.cases) {
    const CaseRecord* old = before == nullptr ? nullptr : counterpart(*before, record);
    const Watched one = watched(record);
    if (old != nullptr && watched(*old) == one) {
      ++same;
      continue;
    }
    page::Row row{{{record.variant + " " + record.params.text()},
                   {summary_of(one), tone_of(mood_of(one.reading.outcome))}}};
    if (before != nullptr) {
      row.cells.push_back({old == nullptr ? "-" : was_text(watched(*old)), page::Tone::kDim});
    }
    table.rows.push_back(std::move(row));
  }
  if (table.rows.empty()) {
    return same > 0 ? std::vector{page::sentence("Nothing changed.")} : std::vector<page::Block>();
  }
  std::vector<page::Block> blocks = {{std::move(table), page::Rank::kAlways}};
  if (same > 0) {
    blocks.push_back(page::sentence(
        fmt::format("{} other{} as before.", same, same == 1 ? "" : "s"), page::Role::kNote));
  }
  return blocks;
}

}  // namespace

page::Page watch_page(const RunRecord* before, const RunRecord& now) {
  page::Page page{changes_blocks(before, now)};
  std::vector<page::Block> mistakes = mistakes_blocks(now);
  if (!mistakes.empty()) {
    mistakes.front().apart = true;
    page::append(page, {std::move(mistakes)});
    return page;
  }
  const RunReading all = read(now);
  if (all.standing.cases == 0) return page;
  page.blocks.push_back(
      page::sentence(standing_sentence(now, all), page::Role::kResult,
                     all.standing.all_on_target() ? page::Tone::kGood : page::Tone::kNote));
  return page;
}

}  // namespace lab::reading
