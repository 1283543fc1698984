// `lab check`: kernels held against what their file asks and against their baseline. In the model
// alone, so that the same text gives the same answer everywhere.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/classes/grade/baseline.h"
#include "harness/classes/grade/check_file.h"
#include "harness/run/engines.h"

namespace lab::grade {

/// One requirement of a case on one architecture.
struct CheckedCriterion {
  std::string name;
  Met met = Met::kNo;
  std::string reason = {};  ///< with the parameters of the case that fails
};

/// Something that is not as it should be, and where it stands.
struct Problem {
  std::string file;
  int line = 0;
  std::string text;
};

/// One case on one architecture.
struct Checked {
  std::string name;
  std::string arch;
  int line = 0;  ///< in the check file
  double seconds = 0;
  std::string error = {};  ///< why it could not be run, such as the compiler's text
  std::vector<CheckedCriterion> criteria = {};
  std::vector<std::string> changes = {};  ///< against the baseline
  std::vector<Snapshot> snapshots = {};   ///< one for each of its points
  std::string looked_for = {};            ///< what was looked for in its points, and what was not
  std::string no_baseline = {};           ///< why nothing was compared; empty: it was
  /// What keeps it from being fine: at the line of the kernel that costs most or has changed, else
  /// at the case in the check file.
  std::vector<Problem> problems = {};

  [[nodiscard]] bool fine() const;
};

/// Cases of the baseline that no check has any more, on architectures that were checked: renamed,
/// or gone.
[[nodiscard]] std::vector<std::string> unchecked(const std::vector<Snapshot>& baseline,
                                                 const std::vector<Checked>& all);

struct CheckOptions {
  bool with_code = true;  ///< compile each kernel once more, for its registers and accesses
  std::function<bool()> cancelled = {};
  std::function<void(std::size_t done, std::size_t all)> progress = {};
};

/// Runs every case on every architecture. `baseline` may be empty.
[[nodiscard]] std::vector<Checked> check(const CheckFile& file,
                                         const std::vector<Snapshot>& baseline,
                                         run::EngineSet& engines, const CheckOptions& options);

}  // namespace lab::grade
