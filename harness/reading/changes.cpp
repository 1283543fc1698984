#include "harness/reading/changes.h"

#include <fmt/format.h>

#include <utility>

#include "harness/core/numbers.h"
#include "harness/page/make.h"
#include "harness/page/numbers.h"
#include "harness/reading/case_name.h"
#include "harness/reading/case_reading.h"
#include "harness/reading/difference.h"
#include "harness/reading/figures.h"

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

}  // namespace

std::vector<page::Block> changes_blocks(const RunRecord& before, const RunRecord& now) {
  page::Table table{{{"case"}, {"now", false, true}, {"before"}}};
  std::size_t same = 0;
  for (const CaseRecord& record : now.cases) {
    const CaseRecord* old = counterpart(before, record);
    const Watched one = watched(record);
    if (old != nullptr && watched(*old) == one) {
      ++same;
      continue;
    }
    table.rows.push_back({{{title_of(record, " ")},
                           {summary_of(one), tone_of(one.reading.outcome)},
                           {old == nullptr ? "-" : was_text(watched(*old)), page::Tone::kDim}}});
  }
  if (table.rows.empty()) {
    return same > 0 ? std::vector{page::paragraph("Nothing changed.")} : std::vector<page::Block>();
  }
  std::vector<page::Block> blocks = {{std::move(table), page::Rank::kAlways, true}};
  if (same > 0) {
    blocks.push_back(
        page::sentence(page::counted(same, "other") + " as before.", page::Role::kNote));
  }
  return blocks;
}

}  // namespace lab::reading
