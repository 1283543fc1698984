#include "tools/cli/text/ncu_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/core/numbers.h"
#include "harness/core/text.h"
#include "harness/page/make.h"
#include "harness/reading/run_reading.h"
#include "tools/cli/text/page_text.h"
#include "tools/cli/text/table.h"
#include "tools/cli/text/unlike_text.h"

namespace lab::cli {

namespace {

std::string difference_text(const run::CounterRow& row) {
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

std::string rows_text(const std::vector<run::CounterRow>& rows, const Terminal& terminal) {
  Table table{{{"metric"},
               {"source"},
               {"cases", Align::kRight},
               {"equal", Align::kRight},
               {"ours", Align::kRight},
               {"ncu", Align::kRight},
               {"difference", Align::kRight},
               {"largest at, and why", Align::kLeft, true}}};
  for (const run::CounterRow& row : rows) {
    const bool equal = row.equal == row.cases;
    const bool bad = !equal && row.cause.empty();
    const std::string why = row.cause.empty() ? "no cause is known" : row.cause;
    table.rows.push_back({{safe_line(row.key)},
                          {std::string(name_of(row.source)), Tone::kDim},
                          {std::to_string(row.cases)},
                          {std::to_string(row.equal), equal ? Tone::kGood
                                                      : bad ? Tone::kBad
                                                            : Tone::kNote},
                          {number_text(row.ours)},
                          {number_text(row.theirs)},
                          {difference_text(row), equal ? Tone::kDim : Tone::kStrong},
                          {equal ? "" : safe_line(row.where + ": " + why), Tone::kDim}});
  }
  return table_text(table, terminal);
}

// Which programs read the counters, where that is known.
std::string readers_text(const RunRecord& run) {
  const auto ncu = run.environment.find(std::string(ncu::kConditionPrefix) + "version");
  const auto cupti = run.environment.find("cupti");
  std::string out;
  if (ncu != run.environment.end()) out = "Theirs by Nsight Compute " + safe_line(ncu->second);
  if (cupti != run.environment.end()) {
    out += (out.empty() ? "Ours by CUPTI " : ", ours by CUPTI ") + safe_line(cupti->second);
  }
  return out.empty() ? out : out + ".\n";
}

std::string list_text(std::string title, const std::vector<std::string>& lines,
                      const Terminal& terminal) {
  return page_text({page::list_of(std::move(title), lines)}, terminal);
}

}  // namespace

std::string imported_text(const run::Imported& imported, const Terminal& terminal) {
  const RunRecord& run = imported.run;
  const auto rows = run::counter_rows(run);
  std::string out = fmt::format(
      "Run {}: {} of {} cases have values of Nsight Compute: {} values from {} launches; {} cases "
      "by NVTX range, {} by kernel and launch.\n",
      run.id, imported.cases, run.cases.size(), imported.values, imported.launches,
      imported.by_range, imported.cases - imported.by_range);
  out += readers_text(run);
  out += list_text(fmt::format("Not matched: {} launches", imported.unmatched.size()),
                   imported.unmatched, terminal);
  out += list_text("Notes:", imported.notes, terminal);
  if (rows.empty()) {
    out += "\nThe run has no counters of its own: lab compare " + std::to_string(run.id) +
           " shows theory and the model beside ncu's values.\n";
  } else {
    const auto unlike = unlike_of(run);
    out += unlike.empty() ? "\nSame conditions: GPU, machine code, cache and clock control.\n"
                          : "\n" + list_text("Taken under different conditions:", unlike, terminal);
    out += "\n" + rows_text(rows, terminal);
  }
  const reading::VerdictCounts counts = reading::read(run).verdicts;
  return out + fmt::format(
                   "\n{} comparisons, ncu's values included: {} agree, {} explained, {} "
                   "disagree (lab compare {} lists them).\n",
                   counts.compared(), counts.agrees, counts.explained, counts.disagrees, run.id);
}

}  // namespace lab::cli
