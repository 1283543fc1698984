// lab merge: the runs of other databases into one.
#include <fmt/format.h>

#include <filesystem>

#include "db/grades.h"
#include "db/merge.h"
#include "harness/core/error.h"
#include "harness/labs/registry.h"
#include "harness/run/session.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/commands/merging.h"
#include "tools/cli/json/json.h"
#include "tools/cli/terminal/progress.h"

namespace lab::cli {

std::map<int, std::set<std::string>> params_of_labs() {
  std::map<int, std::set<std::string>> params;
  for (const Lab& lab : all_labs()) {
    std::set<std::string>& names = params[lab.number];
    for (const ParamSpec& spec : lab.params) names.insert(spec.name);
  }
  return params;
}

namespace {

// Why a database could not be read or stored; with --keep-going the others are taken.
std::string failure_of(const Error& error) {
  return error.fault() == Fault::kInternal ? std::string("it cannot be stored: ") + error.what()
                                           : std::string(error.what());
}

class Merging {
 public:
  Merging(const Arguments& arguments, const Console& console)
      : arguments_(arguments), console_(console), progress_(console.err) {}

  std::vector<Merged> run() {
    const auto& paths = arguments_.positionals();
    // All are opened before the first is read into ours: a wrong name changes nothing.
    if (!arguments_.has("keep-going")) {
      for (const std::string& path : paths) {
        static_cast<void>(db::Store::open(path, db::Mode::kReadOnly));
      }
    }
    db::Store into = run::open_database(database_path(arguments_));
    std::vector<Merged> merged;
    for (std::size_t i = 0; i < paths.size() && !console_.interrupted(); ++i) {
      merged.push_back(take(into, paths[i], i, paths.size()));
    }
    progress_.clear();
    return merged;
  }

 private:
  Merged take(db::Store& into, const std::string& path, std::size_t index, std::size_t count) {
    db::MergeOptions options;
    options.params = params_of_labs();
    options.cancelled = console_.interrupted;
    if (arguments_.has("student-from-filename")) {
      options.student = std::filesystem::path(path).stem().string();
    }
    options.progress = [&](double fraction) {
      progress_.show("merge", (static_cast<double>(index) + fraction) / static_cast<double>(count));
    };
    try {
      db::Store from = db::Store::open(path, db::Mode::kReadOnly);
      const db::MergeResult result = db::merge(into, from, options);
      const db::Trust trust = arguments_.has("grades") ? db::Trust::kAll : db::Trust::kOurKey;
      return {path, result, db::merge_grades(into, from, trust), {}};
    } catch (const Error& error) {
      if (!arguments_.has("keep-going")) throw;
      return {path, {}, {}, failure_of(error)};
    }
  }

  const Arguments& arguments_;
  const Console& console_;
  Progress progress_;
};

void print(const Merged& one) {
  if (!one.failure.empty()) {
    fmt::print("{}: nothing taken: {}\n", safe_line(one.path), safe_line(one.failure));
    return;
  }
  const db::MergeResult& result = one.result;
  fmt::print("{}: {} runs added, {} completed, {} already there; {} cases stored\n",
             safe_line(one.path), result.added, result.completed, result.present, result.cases);
  if (result.study > 0) fmt::print("  {} guesses and answers to quizzes\n", result.study);
  for (const std::string& uuid : result.differ) {
    fmt::print("  run {} differs from the stored one, which stays\n", safe_line(uuid));
  }
  for (const std::string& why : result.refused) fmt::print("  not taken: {}\n", safe_line(why));
  const db::MergedGrades& grades = one.grades;
  if (grades.added > 0) fmt::print("  {} grades\n", grades.added);
  for (const std::string& why : grades.refused) fmt::print("  not taken: {}\n", safe_line(why));
  for (const std::string& older : grades.behind) {
    fmt::print("  behind a newer one: {}\n", safe_line(older));
  }
  if (grades.left > 0) {
    fmt::print("  {} grades left out, which LAB_SEAL_KEY has not sealed; --grades takes them\n",
               grades.left);
  }
}

int run_merge(const Arguments& arguments, const Console& console) {
  const std::vector<Merged> merged = Merging(arguments, console).run();
  bool wrong = false;
  for (const Merged& one : merged) {
    wrong = wrong || !one.result.differ.empty() || !one.result.refused.empty() ||
            !one.grades.refused.empty() || !one.failure.empty();
  }
  if (arguments.has("json")) {
    fmt::print("{}\n", merged_json(merged));
  } else {
    for (const Merged& one : merged) print(one);
  }
  return wrong ? 1 : 0;
}

}  // namespace

Command merge_command() {
  return {"merge",
          "Add the runs of other databases to one; merging again changes nothing",
          {"FROM", "Databases to read", 1, 10000},
          {database_option(),
           {"student-from-filename", "", "The runs of ada.db are ada's, whatever they say"},
           {"grades", "",
            "Also take grades that your LAB_SEAL_KEY has not sealed: from databases of your own"},
           {"keep-going", "", "Take the others where a database cannot be read"}},
          "  lab merge ada.db bob.db --db class.db\n"
          "  lab merge ada.db --db course.db --student-from-filename --keep-going",
          run_merge};
}

}  // namespace lab::cli
