// The exact counters of kernels as they were: what `lab check --update` writes down, and how a
// later run differs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/classes/grade/code.h"
#include "harness/core/record.h"

namespace lab::grade {

/// One kernel on one architecture, as exact as the model is.
struct Snapshot {
  std::string name;  ///< of the case, with its parameters where it has several points
  std::string arch;
  std::string status;
  std::string compiler = {};  ///< NVRTC's version: another one may make other code
  CodeFacts code = {};
  std::map<std::string, double> counters = {};  ///< the model's, by metric
  /// SHA-256 of what each output held after the run, its beginning; by the argument's name.
  std::map<std::string, std::string> outputs = {};
};

[[nodiscard]] Snapshot snapshot_of(std::string name, const CaseRecord& record, CodeFacts code);

/// TOML, one table a snapshot, in their order.
[[nodiscard]] std::string baseline_text(const std::vector<Snapshot>& snapshots);
/// Input errors with line and caret.
[[nodiscard]] std::vector<Snapshot> read_baseline(const std::string& name, const std::string& text);

/// Changes since the baseline, a sentence each; empty: none.
[[nodiscard]] std::vector<std::string> changes(const Snapshot& before, const Snapshot& now);

}  // namespace lab::grade
