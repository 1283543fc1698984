// lab verify: was a database edited? Runs stored kernels again in the model and compares.
#include <fmt/format.h>

#include <algorithm>

#include "db/verify.h"
#include "harness/run/places.h"
#include "harness/run/verify.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/json/json.h"

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

void print(const run::VerifiedRun& run) {
  fmt::print("run {} ({}): ", run.id, safe_line(run.uuid.substr(0, 8)));
  if (run.differences.empty()) {
    fmt::print("{} cases run again, all the same\n", run.cases);
  } else {
    fmt::print("{} cases run again, {} values differ\n", run.cases, run.differences.size());
  }
  for (const db::Difference& one : run.differences) {
    fmt::print("  case {}: {}: stored {}, found {}\n", one.index, safe_line(one.what),
               safe_line(one.stored), safe_line(one.found));
  }
  if (!run.left_out.empty()) {
    fmt::print("  {} cases not run again: {}\n", run.left_out.size(),
               safe_line(run.left_out.front().reason));
  }
}

int run_verify(const Arguments& arguments, const Console& console) {
  db::Store store = db::Store::open(database_path(arguments), db::Mode::kReadOnly);
  const std::vector<std::string> problems = db::check_file(store);
  std::vector<run::VerifiedRun> verified;
  bool differ = !problems.empty();
  if (!arguments.has("json")) {
    for (const std::string& problem : problems) fmt::print("file: {}\n", safe_line(problem));
  }
  run::Verifier verifier(run::labs_folder(console.program), console.interrupted);
  for (const std::string& selector : selectors_of(arguments, store)) {
    if (console.interrupted()) break;
    verified.push_back(verifier.verify(store.load_run(selector)));
    differ = differ || !verified.back().differences.empty();
    if (!arguments.has("json")) print(verified.back());
  }
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
