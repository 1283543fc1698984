// lab runs: what is stored, and one run of it as it was printed.
#include <fmt/format.h>

#include <algorithm>

#include "db/store.h"
#include "harness/labs/registry.h"
#include "harness/run/plan.h"
#include "harness/run/screen_map.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/commands/learning.h"
#include "tools/cli/commands/shown_run.h"
#include "tools/cli/json/json.h"
#include "tools/cli/terminal/pager.h"
#include "tools/cli/text/page_text.h"
#include "tools/cli/text/table.h"

namespace lab::cli {

namespace {

constexpr std::int64_t kShown = 20;

Cell outcome_of(const db::RunSummary& summary) {
  if (summary.run.status == RunStatus::kOk) return {"ok", Tone::kGood};
  if (summary.finished_at.empty()) return {"not finished", Tone::kNote};
  std::string text(name_of(summary.run.status));
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
  const std::string lab = run.lab == 0 ? "probe" : run.called();
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

bool has_case(const RunRecord& run, const CaseRequest& wanted) {
  return std::any_of(run.cases.begin(), run.cases.end(), [&](const CaseRecord& record) {
    return record.variant == wanted.variant && record.params == wanted.params;
  });
}

bool has_variant(const RunRecord& run, const CaseRequest& wanted) {
  return std::any_of(run.cases.begin(), run.cases.end(),
                     [&](const CaseRecord& record) { return record.variant == wanted.variant; });
}

// Leaves the points that `lab run` takes by itself, where the run has all of them and others too.
// Returns how many it took away.
std::size_t keep_telling(RunRecord& run, const Lab& lab) {
  run::Selection selection;
  selection.for_gpu = !run.gpu.empty();
  std::vector<CaseRequest> telling = run::plan_cases(lab, selection);
  // A lab may have got more variants since.
  std::erase_if(telling, [&](const CaseRequest& wanted) { return !has_variant(run, wanted); });
  const bool whole = std::all_of(telling.begin(), telling.end(),
                                 [&](const CaseRequest& wanted) { return has_case(run, wanted); });
  if (!whole) return 0;
  const auto told = [&](const CaseRecord& record) {
    return std::any_of(telling.begin(), telling.end(), [&](const CaseRequest& wanted) {
      return record.variant == wanted.variant && record.params == wanted.params;
    });
  };
  const std::size_t before = run.cases.size();
  const auto end = std::remove_if(run.cases.begin(), run.cases.end(),
                                  [&](const CaseRecord& record) { return !told(record); });
  run.cases.erase(end, run.cases.end());
  return before - run.cases.size();
}

int show_one(const std::string& selector, const Arguments& arguments, const Console& console) {
  const std::string path = database_path(arguments);
  db::Store store = db::Store::open(path, db::Mode::kReadOnly);
  RunRecord run = store.load_run(selector);
  if (arguments.has("json")) {
    fmt::print("{}\n", runs_json({run}));
    return 0;
  }
  const Lab* lab = lab_with_number(run.lab);
  reading::RunView view;
  view.all = arguments.has("all");
  view.stored = shown_place(path);
  if (lab != nullptr && !view.all) {
    view.left_out = keep_telling(run, *lab);
    view.lesson = true;
    view.next = next_of(*lab, &store, run.student);
    const CaseRecord* const pictured = run::pictured_case(run, *lab);
    if (pictured != nullptr) view.picture = run::mapped_access(pictured->accesses);
    view.has_picture = view.picture || !run::draws_access(*lab);
  }
  const Pager pager(!arguments.has("no-pager"));
  fmt::print("{}", page_text(shown_run(run, lab, view, &store), console.out));
  return 0;
}

int run_runs(const Arguments& arguments, const Console& console) {
  if (!arguments.positionals().empty()) {
    return show_one(arguments.positionals().front(), arguments, console);
  }
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
          "List the runs in the database, newest first, or show one again",
          {"RUN", "Show this run: its id, the start of its uuid, or last", 0, 1},
          {database_option(),
           {"limit", "N", "Show the newest N runs (default 20; 0: all)"},
           {"all", "", "Of one run every case, not the telling ones alone; show every source"}},
          "  lab runs\n  lab runs --db class.db --limit 0\n  lab runs last",
          run_runs,
          true};
}

}  // namespace lab::cli
