// The only file that includes toml++ here: study.toml to records.
#include <fmt/format.h>
#include <fmt/ranges.h>

// It has an error for what it asserts of a table's name: `[# name` is a person's mistake.
#define TOML_ASSERT(expr) static_assert(true)
#include <toml++/toml.h>
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "harness/classes/study/study.h"
#include "harness/core/error.h"
#include "harness/core/numbers.h"
#include "harness/core/text.h"
#include "harness/formula/parse.h"
#include "harness/run/places.h"
#include "harness/run/starter.h"
#include "metrics/catalogue.h"

namespace lab::study {

namespace {

// FNV-1a: the same on every machine and in every version, as answers by number have to be.
std::uint32_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char letter : text) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
  }
  return static_cast<std::uint32_t>(hash >> 32);
}

bool is_a_number(const Choice& choice) {
  return choice.says.find_first_not_of("0123456789.") == std::string::npos;
}

// Authors like to put the right choice second: its text decides where it stands. Numbers stay in
// their order.
void shuffle(Question& question) {
  auto& choices = question.choices;
  if (std::all_of(choices.begin(), choices.end(), is_a_number)) return;
  const auto from = choices.begin() + static_cast<std::ptrdiff_t>(question.right);
  const auto to = hash_of(question.ask) % choices.size();
  const auto place = choices.begin() + static_cast<std::ptrdiff_t>(to);
  if (from < place) std::rotate(from, from + 1, place + 1);
  if (place < from) std::rotate(place, from, from + 1);
  question.right = to;
}

// Of a lab whose author wrote none.
std::vector<Step> usual_steps(const Study& study) {
  std::vector<Step> steps;
  if (!study.guesses.empty()) steps.push_back({StepKind::kGuess, 0, "say a number first"});
  steps.push_back({StepKind::kRun, 0, "the lesson on one screen"});
  if (!study.questions.empty()) steps.push_back({StepKind::kExplain, 0, "and why"});
  steps.push_back({StepKind::kWatch, 0, "your file as it is"});
  steps.push_back({StepKind::kFix, 0, "right, and on target"});
  return steps;
}

/// A file that is being read, for its errors.
class File {
 public:
  File(const Lab& lab) : lab_(lab), path_(run::lab_file(lab, kStudyFile)) {
    const std::string text = run::read_text(path_, "the lab's study");
    try {
      root_ = toml::parse(text, path_);
    } catch (const toml::parse_error& error) {
      throw input_error(std::string(error.description()), {},
                        Place{path_, static_cast<int>(error.source().begin.line),
                              static_cast<int>(error.source().begin.column)});
    }
  }

  Study read() const {
    const toml::table& start = table(root_, "start");
    Study study{plain(start, "variant"),
                text(start, "step"),
                text(start, "task"),
                {},
                {},
                {},
                {},
                {},
                {},
                {}};
    run::Starter cut = run::starter_of(lab_);
    study.starter = std::move(cut.text);
    study.answer = std::move(cut.answer);
    study.open = std::move(cut.open);
    told_at(start, [&] { return &find_variant(lab_, study.variant); });
    each("guess", [&](const toml::table& row) { study.guesses.push_back(guess(row)); });
    each("question", [&](const toml::table& row) { study.questions.push_back(question(row)); });
    each("hint", [&](const toml::table& row) { study.hints.push_back(text(row, "text")); });
    if (root_.contains("step")) {
      each("step", [&](const toml::table& row) { study.steps.push_back(step(row, study)); });
    } else {
      study.steps = usual_steps(study);
    }
    return study;
  }

 private:
  [[noreturn]] void fail(const toml::node& at, const std::string& message) const {
    throw input_error(message, {}, Place{path_, static_cast<int>(at.source().begin.line), 0});
  }

  const toml::table& table(const toml::table& in, std::string_view name) const {
    const toml::table* found = in[name].as_table();
    if (found == nullptr) fail(in, fmt::format("there is no table '{}'", name));
    return *found;
  }

  std::string plain(const toml::table& in, std::string_view name) const {
    const auto value = in[name].value<std::string>();
    if (!value) fail(in, fmt::format("there is no text '{}'", name));
    return *value;
  }

  template <typename Take>
  void each(std::string_view name, Take take) const {
    const toml::array* rows = root_[name].as_array();
    if (rows == nullptr) fail(root_, fmt::format("there is no [[{}]]", name));
    for (const toml::node& row : *rows) {
      const toml::table* one = row.as_table();
      if (one == nullptr) fail(row, fmt::format("[[{}]] is expected", name));
      take(*one);
    }
  }

  // Errors of a lab's names are told at the row that names them.
  template <typename Make>
  auto told_at(const toml::node& at, Make make) const -> decltype(make()) {
    try {
      return make();
    } catch (const Error& error) {
      throw input_error(error.what(), error.hint(),
                        Place{path_, static_cast<int>(at.source().begin.line), 0});
    }
  }

  std::string text(const toml::table& in, std::string_view name) const {
    return told_at(in, [&] { return filled(plain(in, name)); });
  }

  // `{{variant name=value ... metric}}` as its number.
  std::string filled(const std::string& text) const {
    std::string out;
    for (std::size_t at = 0;;) {
      const std::size_t open = text.find("{{", at);
      out += text.substr(at, open - at);
      if (open == std::string::npos) return out;
      const std::size_t close = text.find("}}", open);
      if (close == std::string::npos) throw input_error("'{{' without '}}'");
      out += number(text.substr(open + 2, close - open - 2));
      at = close + 2;
    }
  }

  std::string number(const std::string& words) const {
    const std::vector<std::string_view> parts = split(words, ' ');
    if (parts.size() < 2) throw input_error(fmt::format("'{{{{{}}}}}' needs a metric", words));
    Params given;
    for (std::size_t i = 1; i + 1 < parts.size(); ++i) {
      const std::size_t equals = parts[i].find('=');
      if (equals == std::string_view::npos) {
        throw input_error(fmt::format("'{}' is not name=value", parts[i]));
      }
      given.set(std::string(parts[i].substr(0, equals)), std::string(parts[i].substr(equals + 1)));
    }
    const Point point =
        point_of(lab_, std::string(parts.front()), given, std::string(parts.back()));
    const metrics::Interval value = theory_at(lab_, point);
    return value.low == value.high
               ? brief_text(value.low)
               : fmt::format("{} to {}", brief_text(value.low), brief_text(value.high));
  }

  Point point(const toml::table& row) const {
    Params given;
    if (const toml::table* params = row["params"].as_table()) {
      for (const auto& [name, value] : *params) {
        const auto text = value.value<std::string>();
        const auto whole = value.value<std::int64_t>();
        if (!text && !whole) fail(value, "a parameter is a whole number or a text");
        given.set(std::string(name.str()), whole ? std::to_string(*whole) : *text);
      }
    }
    return told_at(
        row, [&] { return point_of(lab_, plain(row, "variant"), given, plain(row, "metric")); });
  }

  // Of how many a step of this kind names one; 0: it names none.
  static std::size_t count_of(StepKind kind, const Study& study) {
    if (kind == StepKind::kGuess) return study.guesses.size();
    return kind == StepKind::kExplain ? study.questions.size() : 0;
  }

  Step step(const toml::table& row, const Study& study) const {
    const auto kind = from_word<StepKind>(plain(row, "do"));
    if (!kind) {
      fail(row, fmt::format("'do' is one of {}", fmt::join(kWordsOf<StepKind>, ", ")));
    }
    Step step{*kind, 0, text(row, "says")};
    const std::size_t count = count_of(*kind, study);
    if (count == 0) return step;
    const auto number = row["number"].value<std::int64_t>().value_or(0);
    if (number < 1 || number > static_cast<std::int64_t>(count)) {
      fail(row, fmt::format("'number' says which [[{}]], from 1 to {}",
                            *kind == StepKind::kGuess ? "guess" : "question", count));
    }
    step.number = static_cast<std::size_t>(number - 1);
    return step;
  }

  std::vector<WrongRule> wrong_rules(const toml::table& row) const {
    std::vector<WrongRule> rules;
    const toml::array* wrong = row["wrong"].as_array();
    if (wrong == nullptr) return rules;
    for (const toml::node& one : *wrong) {
      const toml::table* rule = one.as_table();
      if (rule == nullptr) fail(one, "a wrong rule is { is = \"...\", rule = \"...\" }");
      rules.push_back(told_at(one, [&] {
        return WrongRule{language::parse_expression(plain(*rule, "is")), text(*rule, "rule")};
      }));
    }
    return rules;
  }

  GuessTask guess(const toml::table& row) const {
    return {text(row, "ask"), point(row), wrong_rules(row)};
  }

  std::vector<std::string> texts(const toml::table& row, std::string_view name) const {
    std::vector<std::string> all;
    const toml::array* rows = row[name].as_array();
    if (rows == nullptr) return all;
    for (const toml::node& one : *rows) {
      const auto words = one.value<std::string>();
      if (!words) fail(one, fmt::format("each of '{}' is a text", name));
      all.push_back(told_at(one, [&] { return filled(*words); }));
    }
    return all;
  }

  // `wrong` goes through the choices but for the right one, in their order.
  void add_reasons(const toml::table& row, Question& question) const {
    const std::vector<std::string> reasons = texts(row, "wrong");
    if (reasons.empty()) return;
    if (reasons.size() + 1 != question.choices.size()) {
      fail(row, "'wrong' has a sentence for each choice but the right one");
    }
    auto next = reasons.begin();
    for (std::size_t i = 0; i < question.choices.size(); ++i) {
      if (i != question.right) question.choices[i].wrong = *next++;
    }
  }

  Question question(const toml::table& row) const {
    Question question{text(row, "ask"), {}, 0, {}, {}, text(row, "why")};
    for (std::string& choice : texts(row, "choices")) question.choices.push_back({choice});
    if (question.choices.empty()) {
      question.point = point(row);
      question.wrong = wrong_rules(row);
      static_cast<void>(told_at(row, [&] { return theory_at(lab_, *question.point); }));
      return question;
    }
    const auto right = row["right"].value<std::int64_t>();
    if (!right || *right < 1 || *right > std::ssize(question.choices)) {
      fail(row, "'right' is the number of the right choice, from 1");
    }
    question.right = static_cast<std::size_t>(*right - 1);
    add_reasons(row, question);
    shuffle(question);
    return question;
  }

  const Lab& lab_;
  std::string path_;
  toml::table root_;
};

}  // namespace

Study read_study(const Lab& lab) { return File(lab).read(); }

}  // namespace lab::study
