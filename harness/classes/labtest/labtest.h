// Holds a lab to account: its files, formulas, kernels, rubric, texts and commands.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/lab.h"
#include "harness/run/engines.h"

namespace lab::labtest {

enum class Outcome : std::uint8_t { kOk, kWrong, kNotRun };

/// One thing that was looked at.
struct Check {
  std::string name;                        ///< such as kernels
  std::string told = {};                   ///< what was looked at: 12 kernels; or why nothing was
  std::vector<std::string> problems = {};  ///< what is wrong and where
  bool ran = true;
  double seconds = 0;

  [[nodiscard]] Outcome outcome() const {
    if (!problems.empty()) return Outcome::kWrong;
    return ran ? Outcome::kOk : Outcome::kNotRun;
  }
};
[[nodiscard]] std::string_view name_of(Outcome outcome);

struct Settings {
  int points = 20;         ///< random ones of each variant; 0: none
  std::uint64_t seed = 0;  ///< of the random points; 0: the usual one
  std::string program;     ///< the path of `lab` itself, which runs the commands of the texts
  std::function<bool()> cancelled = {};
  /// Work done of the check under way, in [0, 1].
  std::function<void(const std::string& check, double fraction)> progress = {};
};

/// All checks of a lab, each handed to `told` when it is done. Runs the lab's kernels in the model,
/// by the workers of `engines`.
void test_lab(const Lab& lab, const Settings& settings, run::EngineSet& engines,
              const std::function<void(const Check&)>& told);

/// What is said of a lab whose lab.toml can't be read.
[[nodiscard]] Check unread(const Error& error);

}  // namespace lab::labtest
