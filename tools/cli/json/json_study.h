// The JSON documents of the commands that students learn with.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/lab.h"
#include "harness/study/study.h"

namespace lab::cli {

/// `lab start --json`: {"lab", "file", "variant", "step"}
[[nodiscard]] std::string start_json(const Lab& lab, const study::Study& study,
                                     const std::string& file);

/// `lab hint --json`: {"lab", "number", "of", "text"}; number is null for the answer.
[[nodiscard]] std::string hint_json(const Lab& lab, std::int64_t number, std::int64_t of,
                                    const std::string& text);

struct AnsweredQuestion {
  std::string ask;
  std::string given;
  bool right = false;
  std::string answer;
  std::string why;
};
/// `lab quiz --json`: {"lab", "of", "questions": [{"ask", "given", "right", "answer", "why"}]}
[[nodiscard]] std::string quiz_json(const Lab& lab, std::size_t of,
                                    const std::vector<AnsweredQuestion>& questions);

/// A guess and what came of it.
struct GuessResult {
  std::string ask;
  std::string variant;
  Params params;
  std::string metric;
  double guess = 0;
  metrics::Interval theory;
  std::string formula = {};
  std::optional<double> model = {};
  std::optional<double> measured = {};
  bool right = false;
  std::string rule = {};  ///< the wrong rule that gives the guess; empty: none known
  std::int64_t run = 0;   ///< 0: not stored
};
/// `lab guess --json`: {"lab", "ask", "variant", "params", "metric", "guess", "theory",
/// "theory_high", "formula", "model", "measured", "right", "rule", "run"}
[[nodiscard]] std::string guess_json(const Lab& lab, const GuessResult& result);

/// A student's progress in a lab.
struct LabProgress {
  int lab = 0;
  std::string called;  ///< as `lab start` takes it
  std::string title;
  std::int64_t runs = 0;
  std::int64_t own_kernels = 0;  ///< runs of kernels that are not the lab's own
  bool on_target = false;        ///< one of them was, in all its cases
  std::size_t guessed = 0;
  std::size_t guessed_right = 0;
  std::size_t questions = 0;  ///< of the quiz
  std::size_t answered = 0;
  std::size_t answered_right = 0;
};
/// `lab progress --json`: {"student", "labs": [{"lab", "title", "runs", "own_kernels", "on_target",
/// "guessed", "guessed_right", "questions", "answered", "answered_right"}]}
[[nodiscard]] std::string progress_json(const std::string& student,
                                        const std::vector<LabProgress>& labs);

}  // namespace lab::cli
