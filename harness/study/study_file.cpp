// The only file that includes toml++ here: study.toml to records.
#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>

#include "harness/core/error.h"
#include "harness/core/numbers.h"
#include "harness/core/text.h"
#include "harness/language/parse.h"
#include "harness/run/places.h"
#include "harness/run/starter.h"
#include "harness/study/study.h"
#include "metrics/catalogue.h"

namespace lab::study {

namespace {

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
    Study study{
        plain(start, "variant"), text(start, "step"), text(start, "task"), {}, {}, {}, {}, {}};
    run::Starter cut = run::starter_of(lab_);
    study.starter = std::move(cut.text);
    study.answer = std::move(cut.answer);
    told_at(start, [&] { return &find_variant(lab_, study.variant); });
    each("guess", [&](const toml::table& row) { study.guesses.push_back(guess(row)); });
    each("question", [&](const toml::table& row) { study.questions.push_back(question(row)); });
    each("hint", [&](const toml::table& row) { study.hints.push_back(text(row, "text")); });
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

  GuessTask guess(const toml::table& row) const {
    GuessTask task{text(row, "ask"), point(row), {}};
    const toml::array* wrong = row["wrong"].as_array();
    if (wrong == nullptr) return task;
    for (const toml::node& one : *wrong) {
      const toml::table* rule = one.as_table();
      if (rule == nullptr) fail(one, "a wrong rule is { is = \"...\", rule = \"...\" }");
      task.wrong.push_back(told_at(one, [&] {
        return WrongRule{language::parse_expression(plain(*rule, "is")), text(*rule, "rule")};
      }));
    }
    return task;
  }

  Question question(const toml::table& row) const {
    Question question{text(row, "ask"), {}, 0, {}, text(row, "why")};
    const toml::array* choices = row["choices"].as_array();
    if (choices == nullptr) {
      question.point = point(row);
      static_cast<void>(told_at(row, [&] { return theory_at(lab_, *question.point); }));
      return question;
    }
    for (const toml::node& choice : *choices) {
      const auto words = choice.value<std::string>();
      if (!words) fail(choice, "a choice is a text");
      question.choices.push_back(told_at(choice, [&] { return filled(*words); }));
    }
    const auto right = row["right"].value<std::int64_t>();
    if (!right || *right < 1 || *right > std::ssize(question.choices)) {
      fail(row, "'right' is the number of the right choice, from 1");
    }
    question.right = static_cast<std::size_t>(*right - 1);
    return question;
  }

  const Lab& lab_;
  std::string path_;
  toml::table root_;
};

}  // namespace

Study read_study(const Lab& lab) { return File(lab).read(); }

}  // namespace lab::study
