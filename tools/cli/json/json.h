// Every JSON document that the program prints. README.md specifies the keys, which scripts read.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "db/calibration.h"
#include "db/grades.h"
#include "db/merge.h"
#include "db/store.h"
#include "harness/core/lab.h"
#include "harness/core/record.h"
#include "harness/core/whole_program.h"
#include "harness/labs/registry.h"
#include "harness/run/verify.h"
#include "metrics/advice.h"
#include "metrics/catalogue.h"
#include "metrics/stalls.h"

namespace lab::cli {

/// `lab list --json`
[[nodiscard]] std::string labs_json(const LabList& labs);

/// A row of the table of exercises in labs/README.md.
struct Exercise {
  std::string lab;  ///< its number, or two: 3, 9
  std::string exercise, run, claim, found;
};
/// `lab list --sources --json`
[[nodiscard]] std::string exercises_json(const std::vector<Exercise>& exercises);

/// `lab show N --json`
[[nodiscard]] std::string lab_json(const Lab& lab, const std::string& handout_path);

/// The changes to make in cases of a run, by the case's index, if any were sought.
using Diagnoses = std::map<int, metrics::Diagnosis>;

/// `lab run --json`, `lab compare --json`, `lab map --json`; `found` is of each run, or empty.
[[nodiscard]] std::string runs_json(const std::vector<RunRecord>& runs,
                                    const std::vector<Diagnoses>& found = {});
/// The same of a whole program's run, with what it did beside its launches under `program`.
[[nodiscard]] std::string exec_json(const RunRecord& run, const ProgramReport& report,
                                    const std::string& compiler, const Diagnoses& found);
/// `lab probe --json`: the same of one run, with what to change in its first case.
[[nodiscard]] std::string probe_json(const RunRecord& run,
                                     const std::optional<metrics::Diagnosis>& found);

/// `lab runs --json`
[[nodiscard]] std::string run_list_json(const std::vector<db::RunSummary>& runs);

/// A row of the catalogue with its counters' names on one chip.
struct MetricOnChip {
  const metrics::Metric* metric = nullptr;
  std::string cupti = {};
  std::string sass = {};
  bool lacking = false;  ///< the chip has no counter for it
};

/// `lab metrics --json`; chip and passes are null without --chip.
[[nodiscard]] std::string metrics_json(const std::vector<MetricOnChip>& rows,
                                       const std::vector<metrics::StallReason>& stalls,
                                       const std::string& chip, int passes);

/// `lab explain --json`: shares are of the expected time on `machine`.
[[nodiscard]] std::string lines_json(const RunRecord& run, const metrics::Machine& machine);

/// `lab report --json`
[[nodiscard]] std::string report_json(std::int64_t run, const std::string& file);

/// `lab completion --json`, `lab man --json`
[[nodiscard]] std::string text_file_json(const std::string& name, const std::string& text);

/// `lab calibrate --json`
[[nodiscard]] std::string calibration_json(const db::Calibration& calibration);

/// One database, as `lab merge` read it.
struct Merged {
  std::string path;
  db::MergeResult result;
  db::MergedGrades grades = {};
  std::string failure = {};  ///< why nothing of it was taken; empty: it was
};
/// `lab merge --json`
[[nodiscard]] std::string merged_json(const std::vector<Merged>& merged);

/// The words of `lab verify` on a file as a whole.
struct FileReport {
  std::vector<std::string> problems;
  std::vector<std::string> notes;  ///< for a person to look at
  std::string promise;             ///< what can be told with the key that there is, or without one
};
/// `lab verify --json`
[[nodiscard]] std::string verified_json(const FileReport& file,
                                        const std::vector<run::VerifiedRun>& runs);

/// One thing that `lab doctor` looks at.
enum class Ability : unsigned char { kYes, kLimited, kNo };
struct Check {
  std::string name;
  Ability ability = Ability::kNo;
  std::string found;
  std::string advice;
};

/// `lab doctor --json`
[[nodiscard]] std::string checks_json(const std::vector<Check>& checks, const std::string& summary);

}  // namespace lab::cli
