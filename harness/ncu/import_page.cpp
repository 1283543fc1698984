#include "harness/ncu/import_page.h"

#include <fmt/format.h>

#include <cmath>

#include "harness/core/numbers.h"
#include "harness/core/text.h"
#include "harness/ncu/side_by_side.h"
#include "harness/ncu/unlike_page.h"
#include "harness/page/make.h"

namespace lab::ncu {

namespace {

std::string difference_text(const CounterRow& row) {
  const double difference = row.theirs - row.ours;
  if (difference == 0) return "0";
  const std::string sign = difference > 0 ? "+" : "";
  if (row.ours == 0) return sign + number_text(difference);
  constexpr double kTwoDigits = 10;  // more would be written with an exponent
  const double percent = 100 * difference / std::fabs(row.ours);
  return fmt::format("{}{} ({}{} %)", sign, number_text(difference), sign,
                     std::fabs(percent) < kTwoDigits ? fmt::format("{:.2g}", percent)
                                                     : brief_text(std::round(percent)));
}

page::Row row_of(const CounterRow& row) {
  const bool equal = row.equal == row.cases;
  const page::Tone unequal = row.cause.empty() ? page::Tone::kBad : page::Tone::kNote;
  const std::string why = row.cause.empty() ? "no cause is known" : row.cause;
  return {{{row.key},
           {std::string(name_of(row.source)), page::Tone::kDim},
           {std::to_string(row.cases)},
           {std::to_string(row.equal), equal ? page::Tone::kGood : unequal},
           {number_text(row.ours)},
           {number_text(row.theirs)},
           {difference_text(row), equal ? page::Tone::kDim : page::Tone::kStrong},
           {equal ? "" : row.where + ": " + why, page::Tone::kDim}}};
}

page::Table table_of(const std::vector<CounterRow>& rows) {
  page::Table table{{{"metric"},
                     {"source", false, false, "", page::Rank::kMore},
                     {"cases", true},
                     {"equal", true},
                     {"ours", true},
                     {"ncu", true},
                     {"difference", true},
                     {"largest at, and why", false, true}}};
  for (const CounterRow& row : rows) table.rows.push_back(row_of(row));
  return table;
}

// Which programs read the counters, where that is known.
std::string readers_text(const RunRecord& run) {
  const auto ncu = run.environment.find(std::string(kConditionPrefix) + "version");
  const auto cupti = run.environment.find("cupti");
  std::string out;
  if (ncu != run.environment.end()) out = "Theirs by Nsight Compute " + ncu->second;
  if (cupti != run.environment.end()) {
    out += (out.empty() ? "Ours by CUPTI " : ", ours by CUPTI ") + cupti->second;
  }
  return out.empty() ? out : out + ".";
}

void add_list(page::Page& page, std::string title, const std::vector<std::string>& lines) {
  page::append(page, {page::list_of(std::move(title), lines)});
}

void add_counters(page::Page& page, const RunRecord& run) {
  const std::vector<CounterRow> rows = counter_rows(run);
  if (rows.empty()) {
    page.blocks.push_back(page::paragraph(
        fmt::format("The run has no counters of its own: lab compare {} shows theory and the model "
                    "beside ncu's values.",
                    run.id)));
    return;
  }
  std::vector<page::Block> unlike =
      page::list_of("Taken under different conditions:", unlike_of(run));
  if (unlike.empty()) {
    unlike.push_back(
        page::sentence("Same conditions: GPU, machine code, cache and clock control."));
  }
  unlike.front().apart = true;
  page::append(page, {std::move(unlike)});
  page.blocks.push_back({table_of(rows), page::Rank::kMain, true});
}

}  // namespace

page::Page import_page(const Imported& imported) {
  const RunRecord& run = imported.run;
  page::Page page{{page::sentence(fmt::format(
      "Run {}: {} of {} cases have values of Nsight Compute: {} values from {} launches; {} cases "
      "by NVTX range, {} by kernel and launch.",
      run.id, imported.cases, run.cases.size(), imported.values, imported.launches,
      imported.by_range, imported.cases - imported.by_range))}};
  const std::string readers = readers_text(run);
  if (!readers.empty()) page.blocks.push_back(page::sentence(readers));
  add_list(page, fmt::format("Not matched: {} launches", imported.unmatched.size()),
           imported.unmatched);
  add_list(page, "Notes:", imported.notes);
  add_counters(page, run);
  return page;
}

}  // namespace lab::ncu
