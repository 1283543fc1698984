// lab verify: was a database edited? Runs stored kernels again in the model and compares.
#include <fmt/format.h>

#include <algorithm>

#include "db/verify.h"
#include "harness/run/places.h"
#include "harness/run/session.h"
#include "harness/run/verify.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/json/json.h"
#include "tools/cli/terminal/progress.h"

namespace lab::cli {

namespace {

std::vector<std::string> selectors_of(const Arguments& arguments, db::Store& store) {
  const auto& words = arguments.positionals();
  if (!words.empty() && words.front() != "all") return words;
  std::vector<std::string> all;
  for (const db::RunSummary& summary : store.list_runs(0)) {
    all.push_back(std::to_string(summary.run.id));
  }
  std::reverse(all.begin(), all.end());
  return all;
}

std::string verdict_of(const run::VerifiedRun& run) {
  if (!run.error.empty()) return "cannot be run again";
  if (run.differences.empty()) return fmt::format("{} cases run again, all the same", run.cases);
  return fmt::format("{} cases run again, {} values differ", run.cases, run.differences.size());
}

void print(const run::VerifiedRun& run) {
  fmt::print("run {} ({}): {}\n", run.id, safe_line(run.uuid.substr(0, 8)), verdict_of(run));
  for (const std::string& problem : run.problems) {
    fmt::print("  edited: {}\n", safe_line(problem));
  }
  if (!run.error.empty()) {
    fmt::print("  {}\n", safe_line(run.error.substr(0, run.error.find('\n'))));
  }
  for (const db::Difference& one : run.differences) {
    fmt::print("  case {}: {}: stored {}, found {}\n", one.index, safe_line(one.what),
               safe_line(one.stored), safe_line(one.found));
  }
  if (!run.left_out.empty()) {
    fmt::print("  {} cases not run again: {}\n", run.left_out.size(),
               safe_line(run.left_out.front().reason));
  }
  if (!run.seal_note.empty()) fmt::print("  no word on edits: {}\n", safe_line(run.seal_note));
}

int run_verify(const Arguments& arguments, const Console& console) {
  db::Store store = db::Store::open(database_path(arguments), db::Mode::kReadOnly);
  store.set_key(run::seal_key());
  const std::vector<std::string> problems = db::check_file(store);
  std::vector<run::VerifiedRun> verified;
  bool differ = !problems.empty();
  if (!arguments.has("json")) {
    for (const std::string& problem : problems) fmt::print("file: {}\n", safe_line(problem));
  }
  run::Verifier verifier(run::labs_folder(console.program), console.interrupted);
  const std::vector<std::string> selectors = selectors_of(arguments, store);
  Progress progress(console.err);
  for (const std::string& selector : selectors) {
    if (console.interrupted()) break;
    progress.show("verify",
                  static_cast<double>(verified.size()) / static_cast<double>(selectors.size()));
    verified.push_back(verifier.verify(store, selector));
    differ = differ || !verified.back().fine();
    if (arguments.has("json")) continue;
    progress.clear();
    print(verified.back());
  }
  progress.clear();
  if (arguments.has("json")) fmt::print("{}\n", verified_json(problems, verified));
  return differ ? 1 : 0;
}

}  // namespace

Command verify_command() {
  return {"verify",
          "Run stored kernels again in the model and compare: finds an edited database",
          {"RUN", "Runs by id or uuid; all (default): every run", 0, 1000},
          {database_option()},
          "  lab verify --db class.db\n  lab verify last",
          run_verify};
}

}  // namespace lab::cli
