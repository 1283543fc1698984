// lab runs: what is stored.
#include <fmt/format.h>

#include <algorithm>

#include "db/store.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/json/json.h"
#include "tools/cli/text/table.h"

namespace lab::cli {

namespace {

constexpr std::int64_t kShown = 20;

Cell outcome_of(const db::RunSummary& summary) {
  if (summary.run.status == "ok") return {"ok", Tone::kGood};
  if (summary.finished_at.empty()) return {"not finished", Tone::kNote};
  std::string text = safe_line(summary.run.status);
  if (summary.run.missing_cases) {
    text += fmt::format(", {} missing", *summary.run.missing_cases);
  }
  return {text, Tone::kBad};
}

// 2026-11-22 03:47, UTC, of 2026-11-22T03:47:29Z.
std::string when(const std::string& started_at) {
  std::string text = safe_line(started_at.substr(0, 16));
  std::replace(text.begin(), text.end(), 'T', ' ');
  return text;
}

std::vector<Cell> row_of(const db::RunSummary& summary) {
  const RunRecord& run = summary.run;
  const std::string lab = run.lab == 0 ? "probe" : std::to_string(run.lab);
  const Cell wrong =
      summary.not_ok > 0 ? Cell{std::to_string(summary.not_ok), Tone::kBad} : Cell{"0"};
  const Cell disagrees =
      summary.disagrees > 0 ? Cell{std::to_string(summary.disagrees), Tone::kBad} : Cell{"0"};
  return {{std::to_string(run.id)},
          {safe_line(run.uuid.substr(0, 8)), Tone::kDim},
          {when(run.started_at)},
          {lab},
          {safe_line(run.student)},
          {safe_line(run.gpu.empty() ? run.backend : run.gpu)},
          {std::to_string(summary.cases)},
          wrong,
          disagrees,
          outcome_of(summary)};
}

int run_runs(const Arguments& arguments, const Console& console) {
  const std::int64_t limit = arguments.number("limit", 0, 1000000).value_or(kShown);
  db::Store store = db::Store::open(database_path(arguments), db::Mode::kReadOnly);
  const std::vector<db::RunSummary> runs = store.list_runs(static_cast<int>(limit));
  if (arguments.has("json")) {
    fmt::print("{}\n", run_list_json(runs));
    return 0;
  }
  if (runs.empty()) {
    fmt::print("no runs yet: lab run 3 makes one\n");
    return 0;
  }
  Table table{{{"Run", Align::kRight},
               {"UUID"},
               {"Started, UTC", Align::kLeft, true},
               {"Lab", Align::kRight},
               {"Student", Align::kLeft, true},
               {"On", Align::kLeft, true},
               {"Cases", Align::kRight},
               {"Wrong", Align::kRight},
               {"Disagree", Align::kRight},
               {"Status", Align::kLeft, true}}};
  for (const db::RunSummary& summary : runs) table.rows.push_back(row_of(summary));
  fmt::print("{}", table_text(table, console.out));
  return 0;
}

}  // namespace

Command runs_command() {
  return {"runs",
          "List the runs in the database, newest first",
          {},
          {database_option(), {"limit", "N", "Show the newest N runs (default 20; 0: all)"}},
          "  lab runs\n  lab runs --db class.db --limit 0",
          run_runs,
          true};
}

}  // namespace lab::cli
