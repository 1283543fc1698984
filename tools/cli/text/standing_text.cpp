#include "tools/cli/text/standing_text.h"

#include <fmt/format.h>

#include "harness/reading/came_to_text.h"
#include "harness/reading/difference.h"
#include "harness/reading/run_reading.h"
#include "tools/cli/text/cells.h"
#include "tools/cli/text/table.h"

namespace lab::cli {

namespace {

using reading::Standing;

/// A case as `lab watch` tells it from the one before.
struct Watched {
  reading::CaseReading reading;
  std::string trouble = {};  ///< why it has no standing; else empty
  bool mistaken = false;     ///< what was found is told apart
  friend bool operator==(const Watched&, const Watched&) = default;
};

Watched watched(const CaseRecord& record) {
  return {reading::read(record), reading::trouble_of(record),
          record.status == CaseStatus::kFinding && !record.findings.empty()};
}

std::string name_of_case(const CaseRecord& record) {
  return safe_line(record.variant + " " + record.params.text());
}

std::string times_text(double excess) { return brief_text(excess) + " x"; }

}  // namespace

std::string standing_text(const RunRecord& run, const Terminal& terminal) {
  const reading::RunReading read = reading::read(run);
  if (read.standing.cases == 0) return {};
  const Tone tone = read.standing.all_on_target() ? Tone::kGood : Tone::kNote;
  return toned_paragraph(reading::standing_sentence(run, read), tone, terminal);
}

namespace {

std::string summary_of(const Watched& one) {
  if (one.mistaken) return "finding";
  if (!one.trouble.empty()) return safe_line(one.trouble);
  if (one.reading.standing != Standing::kAboveTarget) {
    return std::string(name_of(one.reading.outcome));
  }
  const reading::Against& furthest = *one.reading.furthest;
  return fmt::format("{} the target: {} {}, not {}", times_text(furthest.excess),
                     grouped_text(furthest.value), title_of(furthest.metric),
                     grouped_text(furthest.target));
}

std::string was_text(const Watched& before) {
  if (before.reading.standing == Standing::kAboveTarget) {
    return times_text(before.reading.furthest->excess);
  }
  return std::string(name_of(before.reading.outcome));
}

}  // namespace

std::string changes_text(const RunRecord* before, const RunRecord& now, const Terminal& terminal) {
  Table table{{{"case"}, {"now", Align::kLeft, true}}};
  if (before != nullptr) table.columns.push_back({"before"});
  std::size_t same = 0;
  for (const CaseRecord& record : now.cases) {
    const CaseRecord* old = before == nullptr ? nullptr : reading::counterpart(*before, record);
    const Watched one = watched(record);
    if (old != nullptr && watched(*old) == one) {
      ++same;
      continue;
    }
    const Tone tone = tone_of(reading::mood_of(one.reading.outcome));
    std::vector<Cell> row = {{name_of_case(record)}, {summary_of(one), tone}};
    if (before != nullptr) {
      row.push_back({old == nullptr ? "-" : was_text(watched(*old)), Tone::kDim});
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
