// What a lab asks of a student beside its kernels: steps, guesses, hints and a quiz. They are data:
// `study.toml` in the lab's folder.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/expression.h"
#include "harness/core/lab.h"
#include "harness/core/words.h"
#include "metrics/values.h"

namespace lab::study {

/// A number of a lab: one metric of one variant at one point.
struct Point {
  std::string variant;
  Params params;  ///< default values, but for what the file or a person says
  std::string metric;
  friend bool operator==(const Point&, const Point&) = default;
};

/// A way to get it wrong: the number it gives, and in words what it takes for what.
struct WrongRule {
  Expr is;  ///< over formula_names() and `answer`
  std::string rule;
};

struct GuessTask {
  std::string ask;
  Point point;
  std::vector<WrongRule> wrong = {};
};

struct Choice {
  std::string says;
  std::string wrong = {};  ///< why it is wrong; empty: it is right, or the lab does not say
};

/// Of several choices one is right; or the answer is a number of the lab.
struct Question {
  std::string ask;
  std::vector<Choice> choices = {};
  std::size_t right = 0;  ///< of the choices, from 0
  std::optional<Point> point = {};
  std::vector<WrongRule> wrong = {};  ///< of a number
  std::string why;
};

/// What a student does in a step. The program sees in the database that it is done.
enum class StepKind : std::uint8_t {
  kGuess,    ///< a number of the lab was guessed, be it right or wrong
  kRun,      ///< the lab's own kernels have run
  kExplain,  ///< a question was answered right
  kWatch,    ///< the student's file has run
  kFix,      ///< it was right and on target: the lab is solved
};

struct Step {
  StepKind kind = StepKind::kRun;
  std::size_t number = 0;  ///< of the guesses, or of the questions, from 0
  std::string says;        ///< what it is about, in a few words
};

struct Study {
  std::string variant;  ///< that the starter asks for
  std::string step;     ///< what to do first
  std::string task;     ///< what the kernel does, for the starter's heading
  std::vector<GuessTask> guesses = {};
  std::vector<Question> questions = {};
  std::vector<Step> steps = {};         ///< three to five, the last one kFix
  std::vector<std::string> hints = {};  ///< from the first push to what to change
  std::string starter;                  ///< the student's file without its heading
  std::string answer;                   ///< the lines of code
  std::vector<std::string> open = {};   ///< the starter's lines in their place
};

/// Lines of a student's file that are still the starter's own.
struct OpenPart {
  int line = 0;  ///< the first; 0: there are none
  std::vector<std::string> lines = {};
};
/// Lines of `source`, one below the other, that wait for the student's: from the first comment on,
/// else the first line of code.
[[nodiscard]] OpenPart open_part_of(const Study& study, std::string_view source);

/// Reads study.toml of the lab. Texts have their numbers put in: `{{variant stride=2 metric}}` is
/// the value of the lab's formula there. Throws an input error with file and line.
inline constexpr const char* kStudyFile = "study.toml";
[[nodiscard]] Study read_study(const Lab& lab);

/// The file that a student starts from: its heading names `file`, which it is going to be.
[[nodiscard]] std::string starter_text(const Lab& lab, const Study& study, const std::string& file);

/// A point of the variant: `given` in place of the default values of what it reads.
[[nodiscard]] Point point_of(const Lab& lab, const std::string& variant, const Params& given,
                             const std::string& metric);

/// The value of the lab's formula there; an input error where it has none.
[[nodiscard]] metrics::Interval theory_at(const Lab& lab, const Point& point);
/// The formula without what does not matter there: `gcd(stride, 32)`.
[[nodiscard]] Expr formula_at(const Lab& lab, const Point& point);

/// Why it is so, in a sentence of the lab's; empty: it gives none.
[[nodiscard]] std::string why_at(const Lab& lab, const Point& point);
/// `2 wavefronts per request`; a fraction has no unit.
[[nodiscard]] std::string with_unit(const metrics::Interval& value, const std::string& metric);

/// Whether a person who says `guess` means `answer`: equal to three digits.
[[nodiscard]] bool is_meant(double guess, const metrics::Interval& answer);

/// The wrong rule that gives `guess`: of `own` the first, else of those that hold for any lab.
/// Empty: none does.
[[nodiscard]] std::string rule_for(const Lab& lab, const Point& point,
                                   const std::vector<WrongRule>& own, double guess);

/// What of a study leads nowhere: a guess without a value, a wrong rule that has none or gives the
/// right number, a wrong choice that nothing is said of, no hints. In sentences.
[[nodiscard]] std::vector<std::string> problems_of(const Lab& lab, const Study& study);

/// A number as people write it: 4, 0.125, 1,024, 1/8; an input error for anything else.
[[nodiscard]] double read_number(const std::string& text);

}  // namespace lab::study

namespace lab {

template <>
inline constexpr auto kWordsOf<study::StepKind> =
    std::to_array<std::string_view>({"guess", "run", "explain", "watch", "fix"});

}  // namespace lab
