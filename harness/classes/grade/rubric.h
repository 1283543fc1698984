// A lab's rubric: which cases a submission is run at, and what its points are given for.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/classes/grade/criteria.h"
#include "harness/core/backend.h"
#include "harness/core/lab.h"

namespace lab::grade {

/// How a whole program is run, and what it has to do.
struct ProgramRun {
  std::string name;
  std::vector<std::string> arguments = {};
  std::optional<std::string> output = {};  ///< that it has to print; empty: `script` decides
  double tolerance = 0;                    ///< of numbers in it, absolute or relative
  std::string script = {};                 ///< of the course, beside the rubric
  int status = 0;                          ///< that it has to end with
  double seconds = 10;  ///< of processor time, the model's included; twenty times that by the clock
  bool hidden = false;  ///< no output for students names its arguments or what was found there
  bool control = true;  ///< whether kernels have to make its output
};

/// `argument_2` for the second of its arguments, where it is a whole number: a criterion's `theory`
/// may name it.
[[nodiscard]] Params params_of(const ProgramRun& run);

struct Rubric {
  std::string name;  ///< of its file
  std::string text;
  std::string sha256;  ///< of `text`
  const Lab* lab = nullptr;
  std::string arch{kDefaultArch};
  double pass = 0;  ///< points
  double of = 0;    ///< all criteria's
  /// Of the input data; empty: drawn when a class is first graded, so that no submission holds the
  /// answer.
  std::optional<std::uint64_t> seed = {};
  /// That hidden sizes are drawn by; without draws it decides nothing.
  std::uint64_t drawn_by = 0;
  bool draws = false;
  std::vector<CaseRequest> requests = {};  ///< of all variants that a criterion names
  std::set<int> hidden = {};  ///< indices of cases whose parameters students are not told
  std::vector<Criterion> criteria = {};
  /// Of a whole program, which is no lab: then `lab` is this one, of the assignment's name alone.
  std::shared_ptr<const Lab> own_lab = {};
  std::vector<ProgramRun> runs = {};

  [[nodiscard]] bool of_program() const { return !runs.empty(); }
  [[nodiscard]] bool is_hidden(const CaseRecord& record) const;
  [[nodiscard]] bool is_hidden_run(const std::string& run) const;
};

/// Reads and validates; `lab` is the lab that is graded. Input errors with line and caret. `seed`
/// is the class's, where the text has none.
[[nodiscard]] Rubric read_rubric(const std::string& name, const std::string& text, const Lab& lab,
                                 std::uint64_t seed = 1);

/// An input error where the last criterion needs one that does not stand before it.
void expect_before(const TomlTable& table, const Rubric& rubric);
/// Takes `pass`, and throws an input error where there is no criterion or not as many points.
void expect_criteria(const TomlTable& root, Rubric& rubric);

/// The rubric as a class with that seed is graded by it: with the sizes that it draws.
[[nodiscard]] Rubric at_seed(const Rubric& rubric, std::uint64_t seed);

/// The names of the kernels that are asked for, without the arguments of templates.
[[nodiscard]] std::set<std::string> kernels_of(const Rubric& rubric);

/// `params = { rows = [97, 256], cols = "128..512*2" }` as sweeps; none: empty.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> read_sweeps(const TomlTable& table);

}  // namespace lab::grade
