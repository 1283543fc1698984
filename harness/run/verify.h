// A stored run once more in the model: was the database edited?
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "db/verify.h"

namespace lab::run {

/// One run, verified.
struct VerifiedRun {
  std::int64_t id = 0;
  std::string uuid;
  std::size_t cases = 0;  ///< that were run again
  std::vector<db::LeftOut> left_out = {};
  std::vector<db::Difference> differences = {};
  std::vector<std::string> problems = {};  ///< what its seal says: sentences
  std::string seal_note = {};              ///< why the seal says nothing; empty: it does
  std::string error = {};                  ///< why it cannot be run again; empty: it was

  [[nodiscard]] bool fine() const {
    return differences.empty() && problems.empty() && error.empty();
  }
};

struct VerifyOptions {
  std::size_t jobs = 1;  ///< runs at a time, each in a worker of its own
  /// Of each run only this many cases are run again, drawn anew each time, so that nobody knows
  /// which; 0: all of them. Seals cover every case.
  std::size_t sample = 0;
  /// All of it takes about this long: cases are drawn from each run for its share of the time; 0:
  /// as long as it takes.
  double budget_s = 0;
  std::function<bool()> cancelled = {};
};

/// Verifies runs; `told` gets each on the caller's thread, in the order of `selectors`. What cannot
/// be checked is an error of this run alone; a run that is not there is thrown.
void verify_runs(db::Store& store, const std::vector<std::string>& selectors,
                 const VerifyOptions& options, const std::function<void(VerifiedRun)>& told);

}  // namespace lab::run
