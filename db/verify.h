// Was a stored run edited? What can be told without running it, and what a second run of the model
// is compared with.
#pragma once

#include <string>
#include <vector>

#include "db/store.h"
#include "harness/core/backend.h"
#include "harness/core/record.h"

namespace lab::db {

/// What is wrong with the file as it is: pages, references, kernel texts that do not have the hash
/// they are kept by, grades that are not what was sealed (with the store's key, where it has one).
/// One sentence each; empty: fine.
[[nodiscard]] std::vector<std::string> check_file(Store& store);

/// What a person has to look at: rows that a grader writes and that have no seal, and where there
/// is no key to fail by, views that another version may have written.
[[nodiscard]] std::vector<std::string> file_notes(Store& store);

struct LeftOut {
  int index = 0;       ///< the case's position in its run
  std::string reason;  ///< a sentence
};

/// A run to be executed again by the model.
struct Replay {
  BatchRequest batch;
  std::vector<LeftOut> left_out;
};

/// The stored kernel text, parameters, architecture and seed (environment key `seed`) of the cases
/// that have values of the model. Left out: probes (their arguments are not stored), cases that
/// the clock has ended (a second run would take as long), and cases that have no such values.
[[nodiscard]] Replay replay_of(const RunRecord& run);

/// A stored value that a second run does not have.
struct Difference {
  int index = 0;       ///< the case's position in its run
  std::string what;    ///< such as `model shared_load_wavefronts`, `status`, `verdict ...`
  std::string stored;  ///< numbers with all their digits
  std::string found;
};

/// The deterministic part of a case: status, correct, findings, values of theory and model, and
/// verdicts. `fresh` is the second run's case, judged together with the stored measurements (copy
/// them with with_measurements first). Metrics that only one of two program versions counts are no
/// difference, nor is how many findings it makes of one mistake, unless `same_program` made both.
/// Counts of a case that was ended by the clock depend on when, and are not compared.
[[nodiscard]] std::vector<Difference> differences(const CaseRecord& stored, const CaseRecord& fresh,
                                                  bool same_program = false);

/// `fresh` with the measurements of `stored`: what to judge.
[[nodiscard]] CaseRecord with_measurements(CaseRecord fresh, const CaseRecord& stored);

}  // namespace lab::db
