// The JSON documents of the commands that students learn with.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/classes/study/progress.h"
#include "harness/classes/study/study.h"
#include "harness/core/lab.h"

namespace lab::cli {

/// `lab start --json`
[[nodiscard]] std::string start_json(const Lab& lab, const study::Study& study,
                                     const std::string& file, const study::Level& level);

/// `lab hint --json`; `number` is 0 for the answer.
[[nodiscard]] std::string hint_json(const Lab& lab, std::int64_t number, std::int64_t of,
                                    const std::string& text);

struct AnsweredQuestion {
  std::string ask;
  std::string given;
  bool right = false;
  std::string answer = {};  ///< with the formula, where it is a number
  std::string told = {};    ///< the same as a person is told it: with its unit
  std::string rule = {};    ///< why the given answer is wrong; empty: it is right, or none is known
  std::string why = {};
};
/// `lab quiz --json`
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
  std::string told = {};  ///< whether it is right, and why not
  double value = 0;       ///< what it is held to be: measured, else the model's, else theory's
  std::int64_t run = 0;   ///< 0: not stored
};
/// `lab guess --json`
[[nodiscard]] std::string guess_json(const Lab& lab, const GuessResult& result);

/// `lab progress --json`
[[nodiscard]] std::string progress_json(const std::string& student,
                                        const std::vector<study::LabProgress>& labs);

}  // namespace lab::cli
