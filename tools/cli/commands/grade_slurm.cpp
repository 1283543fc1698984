#include "tools/cli/commands/grade_slurm.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "db/grades.h"
#include "db/merge.h"
#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/ncu/tool.h"
#include "harness/run/session.h"
#include "harness/run/temporary_folder.h"
#include "tools/cli/commands/merging.h"
#include "tools/cli/terminal/terminal.h"

namespace lab::cli {

namespace {

namespace fs = std::filesystem;

// A node may be taken away while it works; what fails each time has another cause.
constexpr int kAttempts = 3;

// A word of a shell's command line.
std::string shell_word(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

class Parts {
 public:
  explicit Parts(const SlurmClass& wanted)
      : wanted_(wanted), folder_(fs::absolute(wanted.database).string() + ".parts") {
    fs::create_directories(folder_);
  }

  [[nodiscard]] fs::path file(int part, const char* ending) const {
    return folder_ / fmt::format("part-{}.{}", part, ending);
  }

  /// Takes over the grades of the parts, those of a call that was stopped too.
  void collect(db::Store& store) const {
    for (int part = 1; part <= wanted_.parts; ++part) {
      if (!fs::exists(file(part, "db"))) continue;
      db::Store from = db::Store::open(file(part, "db").string(), db::Mode::kReadOnly);
      db::MergeOptions options;
      options.params = params_of_labs();
      static_cast<void>(db::merge(store, from, options));
      db::merge_grades(store, from, db::Trust::kAll);
    }
  }

  /// Each begins with what the class has: its seed, and grades that need not be given again.
  void begin(db::Store& store) const {
    for (int part = 1; part <= wanted_.parts; ++part) {
      fs::remove(file(part, "done"));
      fs::remove(file(part, "db"));
      db::Store fresh = run::open_database(file(part, "db").string());
      db::begin_part(fresh, store, wanted_.lab);
    }
    std::string script =
        "#!/bin/sh\npart=" + shell_word((folder_ / "part-").string()) + "$SLURM_ARRAY_TASK_ID\n";
    for (const std::string& word : wanted_.command) script += shell_word(word) + " ";
    script += fmt::format(
        "--db \"$part.db\" --shard \"$SLURM_ARRAY_TASK_ID/{}\" &&\n"
        "  touch \"$part.done\"\n",
        wanted_.parts);
    write_file((folder_ / "part.sh").string(), script, "the job");
  }

  [[nodiscard]] std::vector<int> left() const {
    std::vector<int> parts;
    for (int part = 1; part <= wanted_.parts; ++part) {
      if (!fs::exists(file(part, "done"))) parts.push_back(part);
    }
    return parts;
  }

  /// One array of all that is left; returns when it has ended.
  void submit(const std::vector<int>& parts) const {
    const run::TemporaryFolder printed("lab-slurm");
    std::vector<std::string> words = {
        "/usr/bin/env",
        "sbatch",
        "--wait",
        "--requeue",
        "--job-name=lab-grade",
        fmt::format("--array={}%{}", fmt::join(parts, ","), wanted_.at_once),
        "--output=" + (folder_ / "part-%a.log").string()};
    words.insert(words.end(), wanted_.sbatch.begin(), wanted_.sbatch.end());
    words.push_back((folder_ / "part.sh").string());
    const ncu::Ended ended = ncu::run_program(words, printed.path());
    // sbatch ends as its worst task does: that one is seen by what it left behind.
    if (ended.out.find("Submitted batch job") != std::string::npos) return;
    throw machine_error("sbatch did not take the job: " + safe_line(ended.err),
                        "--engine slurm needs Slurm's sbatch; without it, leave --engine out");
  }

 private:
  const SlurmClass& wanted_;
  fs::path folder_;
};

}  // namespace

void grade_on_slurm(const SlurmClass& wanted, db::Store& store) {
  const Parts parts(wanted);
  parts.collect(store);
  parts.begin(store);
  for (int attempt = 0; attempt < kAttempts && !parts.left().empty(); ++attempt) {
    parts.submit(parts.left());
  }
  parts.collect(store);
  for (const int part : parts.left()) {
    fmt::print(stderr, "part {} did not end well: {}\n", part,
               safe_line(parts.file(part, "log").string()));
  }
}

}  // namespace lab::cli
