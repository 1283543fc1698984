// The file of `lab check`: kernels, how they are launched, and what they must keep to.
#pragma once

#include <string>
#include <vector>

#include "harness/classes/grade/criteria.h"
#include "harness/core/backend.h"
#include "harness/core/lab.h"

namespace lab::grade {

/// A file's kernel with a launch of its own, or a variant of a lab.
struct CheckCase {
  std::string name;
  const Lab* lab = nullptr;          ///< null: a kernel of a file
  std::optional<KernelText> theirs;  ///< null with a lab: the lab's own
  std::vector<CaseRequest> requests = {};
  std::vector<Criterion> criteria = {};
  bool shared_given = true;  ///< false: the file does not say how much dynamic shared memory
  int line = 0;
};

struct CheckFile {
  std::string name;                     ///< as it was given
  std::string baseline;                 ///< the path of its baseline, there or not
  std::vector<std::string> archs = {};  ///< at least one
  double timeout_s = 0;                 ///< of a case; 0: the default
  std::vector<CheckCase> cases = {};
};

/// Reads a check file and the kernels that it names, which lie relative to it. Input errors with
/// line and caret.
[[nodiscard]] CheckFile read_check_file(const std::string& path);

}  // namespace lab::grade
