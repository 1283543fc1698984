// lab verify: was a database edited? Runs stored kernels again in the model and compares.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <thread>
#include <utility>

#include "db/grades.h"
#include "db/verify.h"
#include "harness/classes/grade/recheck.h"
#include "harness/run/places.h"
#include "harness/run/session.h"
#include "harness/run/verify.h"
#include "tools/cli/arguments/measures.h"
#include "tools/cli/commands/later.h"
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
  if (run.cases == 0 && run.differences.empty()) return "none of its cases was run again";
  if (run.differences.empty()) return fmt::format("{} cases run again, all the same", run.cases);
  return fmt::format("{} cases run again, {} values differ", run.cases, run.differences.size());
}

// Printed below the runs: seals that anybody can make promise less than those made with a key.
constexpr const char* kNoKey =
    "Without a key whoever has lab can seal a file as this one is sealed: nobody can\n"
    "tell whether the newest runs or grades were deleted, whether times and measured\n"
    "values are a GPU's, and whether all of it was made anew from other kernels.\n"
    "LAB_SEAL_KEY seals what is stored from then on.";
constexpr const char* kByKey =
    "Runs, grades, names, deadlines and adjustments are sealed with the key or named\n"
    "above; guesses and answers have no seal, nor does a key tell an older copy of the\n"
    "whole file. --seal seals names, deadlines and adjustments as they are now.";

FileReport file_report(db::Store& store) {
  FileReport file{db::check_file(store), db::file_notes(store),
                  store.key().empty() ? kNoKey : kByKey};
  grade::Recheck points = grade::check_points(store);
  for (std::string& one : points.problems) file.problems.push_back(std::move(one));
  for (std::string& one : points.open) file.notes.push_back(std::move(one));
  return file;
}

void print(const FileReport& file) {
  for (const std::string& problem : file.problems) fmt::print("file: {}\n", safe_line(problem));
  for (const std::string& note : file.notes) fmt::print("note: {}\n", safe_line(note));
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
  std::map<std::string, int> left_out;
  for (const db::LeftOut& one : run.left_out) ++left_out[one.reason];
  for (const auto& [reason, cases] : left_out) {
    fmt::print("  {} cases not run again: {}\n", cases, safe_line(reason));
  }
  if (!run.seal_note.empty()) fmt::print("  no word on edits: {}\n", safe_line(run.seal_note));
}

run::VerifyOptions options_of(const Arguments& arguments, const Console& console) {
  constexpr std::int64_t kMostJobs = 256;
  constexpr std::int64_t kMostCases = 1000000;
  const auto cores = std::max(1U, std::thread::hardware_concurrency());
  run::VerifyOptions options;
  options.jobs = static_cast<std::size_t>(arguments.number("jobs", 1, kMostJobs).value_or(cores));
  const std::string sample = arguments.value("sample").value_or("");
  if (sample.ends_with("s") || sample.ends_with("m")) {
    options.budget_s = seconds_of("sample", sample);
  } else {
    options.sample =
        static_cast<std::size_t>(arguments.number("sample", 1, kMostCases).value_or(0));
  }
  options.cancelled = console.interrupted;
  return options;
}

}  // namespace

int run_verify(const Arguments& arguments, const Console& console) {
  const bool seals = arguments.has("seal");
  db::Store store =
      db::Store::open(database_path(arguments), seals ? db::Mode::kExisting : db::Mode::kReadOnly);
  store.set_key(run::seal_key());
  if (seals) db::seal_by_hand(store);
  const FileReport file = file_report(store);
  std::vector<run::VerifiedRun> verified;
  bool differ = !file.problems.empty();
  if (!arguments.has("json")) print(file);
  const std::vector<std::string> selectors = selectors_of(arguments, store);
  Progress progress(console.err);
  const auto show = [&] {
    progress.show(fmt::format("verify {}/{}", verified.size(), selectors.size()),
                  static_cast<double>(verified.size()) / static_cast<double>(selectors.size()));
  };
  if (!selectors.empty()) show();
  run::verify_runs(store, selectors, options_of(arguments, console), [&](run::VerifiedRun run) {
    differ = differ || !run.fine();
    progress.clear();
    if (!arguments.has("json")) print(run);
    verified.push_back(std::move(run));
    show();
  });
  progress.clear();
  if (arguments.has("json")) {
    fmt::print("{}\n", verified_json(file, verified));
  } else {
    fmt::print("{}\n", file.promise);
  }
  return differ ? 1 : 0;
}

}  // namespace lab::cli
