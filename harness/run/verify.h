// A stored run once more in the model: was the database edited?
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "db/verify.h"
#include "harness/run/engines.h"

namespace lab::run {

/// What came of one run.
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

class Verifier {
 public:
  /// `labs_folder` holds the lab's own kernels, for cases that a student's file left to them.
  Verifier(std::string labs_folder, std::function<bool()> cancelled)
      : labs_folder_(std::move(labs_folder)), cancelled_(std::move(cancelled)) {}

  /// Starts the model's worker where a run first needs it. What cannot be checked is an error of
  /// this run alone.
  [[nodiscard]] VerifiedRun verify(db::Store& store, const std::string& selector);

 private:
  void run_again(const RunRecord& run, VerifiedRun& verified);
  EngineSet& engines();

  std::string labs_folder_;
  std::function<bool()> cancelled_;
  std::optional<EngineSet> engines_;
};

}  // namespace lab::run
