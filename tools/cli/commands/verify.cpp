// lab verify: was a database edited? Runs stored kernels again in the model and compares.
#include <fmt/format.h>

#include <algorithm>

#include "db/verify.h"
#include "harness/core/error.h"
#include "labs/registry.h"
#include "metrics/compare.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/json/json.h"
#include "tools/cli/places.h"
#include "tools/cli/run_session.h"
#include "tools/cli/student_kernel.h"

namespace lab::cli {

namespace {

const CaseRecord* case_at(const RunRecord& run, int index) {
  const auto found = std::find_if(run.cases.begin(), run.cases.end(),
                                  [&](const auto& record) { return record.index == index; });
  return found == run.cases.end() ? nullptr : &*found;
}

// Judged again with what was measured then, so that verdicts can be compared too.
CaseRecord judged(const Lab& lab, bool own_kernel, const CaseRecord& fresh,
                  const CaseRecord& stored) {
  CaseRecord record = db::with_measurements(fresh, stored);
  metrics::judge({&find_variant(lab, stored.variant), own_kernel, {}}, record);
  return record;
}

class Verifier {
 public:
  explicit Verifier(const Surroundings& surroundings)
      : surroundings_(surroundings), labs_folder_(labs_folder(surroundings.program)) {}

  VerifiedRun verify(const RunRecord& run) {
    db::Replay replay = db::replay_of(run);
    VerifiedRun verified{run.id, run.uuid, replay.batch.cases.size(), replay.left_out, {}};
    const Lab* lab = lab_with_number(run.lab);
    if (replay.batch.cases.empty() || lab == nullptr) return verified;
    RunPlan plan;
    plan.lab = lab;
    plan.groups = groups_of(*lab, run, replay.batch);
    const std::vector<Group> groups = plan.groups;
    const RunRecord again = perform(std::move(plan), engines(), nullptr, surroundings_).run;
    for (const CaseRecord& fresh : again.cases) {
      const CaseRecord* stored = case_at(run, fresh.index);
      if (stored == nullptr) continue;
      const CaseRecord record = judged(*lab, own_kernel(groups, fresh.index), fresh, *stored);
      for (db::Difference& difference : db::differences(*stored, record)) {
        verified.differences.push_back(std::move(difference));
      }
    }
    return verified;
  }

 private:
  // Started when the first run needs it.
  EngineSet& engines() {
    if (!engines_) engines_.emplace("model");
    return *engines_;
  }

  // A student's file replaced some of the lab's kernels; the others were the lab's own.
  std::vector<Group> groups_of(const Lab& lab, const RunRecord& run, const BatchRequest& batch) {
    if (run.source_is_labs_own) return {{batch, true}};
    const std::string path = lab_file(labs_folder_, lab, "kernels.cu");
    return with_students_kernels(lab, batch, {path, read_text(path, "the lab's kernels")},
                                 batch.source, engines().any());
  }

  static bool own_kernel(const std::vector<Group>& groups, int index) {
    for (const Group& group : groups) {
      for (const CaseRequest& request : group.batch.cases) {
        if (request.index == index) return group.own_kernel;
      }
    }
    return true;
  }

  const Surroundings& surroundings_;
  std::string labs_folder_;
  std::optional<EngineSet> engines_;
};

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

void print(const VerifiedRun& run) {
  fmt::print("run {} ({}): ", run.id, safe_line(run.uuid.substr(0, 8)));
  if (run.differences.empty()) {
    fmt::print("{} cases run again, the same\n", run.cases);
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

int run_verify(const Arguments& arguments, const Surroundings& surroundings) {
  db::Store store = db::Store::open(database_path(arguments), db::Mode::kReadOnly);
  const std::vector<std::string> problems = db::check_file(store);
  std::vector<VerifiedRun> verified;
  bool differ = !problems.empty();
  if (!arguments.has("json")) {
    for (const std::string& problem : problems) fmt::print("file: {}\n", safe_line(problem));
  }
  Verifier verifier(surroundings);
  for (const std::string& selector : selectors_of(arguments, store)) {
    if (surroundings.interrupted()) break;
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
          "Run stored kernels again in the model and compare: an edited database is found",
          {"RUN", "Runs by id or uuid; all (default): every run", 0, 1000},
          {database_option()},
          "  lab verify --db class.db\n  lab verify last",
          run_verify};
}

}  // namespace lab::cli
