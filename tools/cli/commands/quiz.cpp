// lab quiz: a lab's questions, one by one; answers are kept.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "db/study.h"
#include "harness/classes/study/study.h"
#include "harness/core/error.h"
#include "harness/core/numbers.h"
#include "harness/core/text.h"
#include "harness/labs/registry.h"
#include "harness/page/make.h"
#include "harness/run/places.h"
#include "harness/run/session.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/commands/learning.h"
#include "tools/cli/commands/print_page.h"
#include "tools/cli/json/json_study.h"
#include "tools/cli/terminal/ask.h"

namespace lab::cli {

namespace {

std::string right_answer(const Lab& lab, const study::Question& question) {
  if (!question.point) {
    return fmt::format("{}: {}", question.right + 1, question.choices[question.right].says);
  }
  const metrics::Interval value = study::theory_at(lab, *question.point);
  const std::string number =
      value.low == value.high
          ? grouped_text(value.low)
          : fmt::format("{} to {}", grouped_text(value.low), grouped_text(value.high));
  const std::string formula = study::formula_at(lab, *question.point).text();
  return formula == number ? number : fmt::format("{} = {}", number, formula);
}

// The choice, from 0; an input error where the answer is of the wrong kind.
std::size_t choice_of(const study::Question& question, const std::string& given) {
  std::size_t choice = 0;
  const std::string_view word = trim(given);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), choice);
  if (error != std::errc() || end != word.data() + word.size() || choice < 1 ||
      choice > question.choices.size()) {
    throw input_error(fmt::format("'{}' is none of the choices", word),
                      fmt::format("answer with a number from 1 to {}", question.choices.size()));
  }
  return choice - 1;
}

AnsweredQuestion judged(const Lab& lab, const study::Question& question, const std::string& given) {
  AnsweredQuestion answered{question.ask, std::string(trim(given))};
  answered.answer = right_answer(lab, question);
  answered.why = question.why;
  if (question.point) {
    const double number = study::read_number(given);
    const metrics::Interval value = study::theory_at(lab, *question.point);
    answered.right = study::is_meant(number, value);
    answered.told = study::with_unit(value, question.point->metric);
    answered.rule = study::rule_for(lab, *question.point, question.wrong, number);
  } else {
    const std::size_t choice = choice_of(question, given);
    answered.right = choice == question.right;
    answered.told = fmt::format("choice {}", question.right + 1);
    answered.rule = question.choices[choice].wrong;
  }
  return answered;
}

page::Page question_page(const study::Question& question, std::size_t number, std::size_t count) {
  page::Page page{{page::paragraph(fmt::format("{} of {}. {}", number, count, question.ask))}};
  for (std::size_t i = 0; i < question.choices.size(); ++i) {
    page.blocks.push_back(
        page::sentence(fmt::format("{}  {}", i + 1, question.choices[i].says), page::Role::kItem));
  }
  return page;
}

/// The source of answers: --answer, one after the other, else what is typed.
class Answers {
 public:
  Answers(const Arguments& arguments, const Console& console)
      : given_(arguments.values("answer")), console_(console) {}

  std::optional<std::string> next() {
    if (given_.empty()) return ask_line("Your answer: ", console_.interrupted);
    if (used_ == given_.size()) return {};
    return given_[used_++];
  }
  [[nodiscard]] bool typed() const { return given_.empty(); }

 private:
  std::vector<std::string> given_;
  const Console& console_;
  std::size_t used_ = 0;
};

// A slip of the keyboard is asked for again; --answer is bad usage.
std::optional<AnsweredQuestion> asked(const Lab& lab, const study::Question& question,
                                      Answers& answers) {
  for (;;) {
    const auto given = answers.next();
    if (!given) return {};
    try {
      return judged(lab, question, *given);
    } catch (const Error& error) {
      if (!answers.typed()) throw;
      fmt::print(stderr, "{}", safe_text(render(error)));
    }
  }
}

// The questions of the lab with their numbers: all, or that of --number.
struct Numbered {
  std::size_t number;  // from 1
  const study::Question* question;
};

std::vector<Numbered> chosen(const study::Study& study, const Arguments& arguments) {
  const auto count = static_cast<std::int64_t>(study.questions.size());
  const auto only = arguments.number("number", 1, count);
  std::vector<Numbered> all;
  for (std::size_t i = 0; i < study.questions.size(); ++i) {
    if (!only || static_cast<std::size_t>(*only) == i + 1)
      all.push_back({i + 1, &study.questions[i]});
  }
  return all;
}

void store_answer(db::Store& store, const Lab& lab, const std::string& student,
                  const AnsweredQuestion& answered) {
  db::QuizAnswer stored{{}, student, lab.number, answered.ask, answered.given, answered.right, {}};
  db::add_quiz_answer(store, stored);
}

page::Page verdict_page(const AnsweredQuestion& answered) {
  const std::string verdict =
      answered.right ? "Right." : fmt::format("No, it is {}.", answered.told);
  page::Page page{{page::sentence(verdict, page::Role::kNote,
                                  answered.right ? page::Tone::kGood : page::Tone::kNote)}};
  for (const std::string& why : {answered.rule, answered.why}) {
    if (!why.empty()) page.blocks.push_back(page::sentence(why, page::Role::kNote));
  }
  return page;
}

page::Page score_page(const std::vector<AnsweredQuestion>& done, std::size_t of) {
  const auto right = std::count_if(done.begin(), done.end(),
                                   [](const AnsweredQuestion& one) { return one.right; });
  const std::string open =
      done.size() < of ? fmt::format("; {} not answered", of - done.size()) : std::string();
  return {{page::paragraph(fmt::format("{} of {} right{}.", right, of, open))}};
}

int run_quiz(const Arguments& arguments, const Console& console) {
  const Lab& lab = find_lab(arguments.positionals().front());
  const study::Study study = study::read_study(lab);
  const std::string student = arguments.value("student").value_or("");
  const bool json = arguments.has("json");
  const std::vector<Numbered> questions = chosen(study, arguments);
  std::optional<db::Store> store;
  if (!arguments.has("no-store")) store = run::open_database(database_path(arguments));
  Answers answers(arguments, console);
  std::vector<AnsweredQuestion> done;
  PageParts parts(arguments, console);
  for (const auto& [number, question] : questions) {
    if (!json) parts.add(question_page(*question, number, study.questions.size()));
    const auto answered = asked(lab, *question, answers);
    if (!answered) break;
    done.push_back(*answered);
    if (store) store_answer(*store, lab, student, *answered);
    if (!json) parts.add(verdict_page(*answered));
  }
  if (json) {
    fmt::print("{}\n", quiz_json(lab, study.questions.size(), done));
    return 0;
  }
  if (questions.size() > 1) parts.add(score_page(done, questions.size()));
  if (store) parts.add(next_page(next_command(lab, study::records_of(&*store, student))));
  parts.end();
  return 0;
}

}  // namespace

Command quiz_command() {
  return {"quiz",
          "Ask a lab's questions, and say at once what is right and why",
          {"LAB", "A lab's number or name: 3, bank_conflicts", 1, 1},
          {{"number", "N", "This question alone (default: all)"},
           {"answer", "ANSWER", "Answer the questions in their order, in place of typing", true},
           {"student", "NAME", "Whose answers they are"},
           database_option(),
           {"no-store", "", "Don't store the answers"},
           page_option()},
          "  lab quiz 3 --answer 4 --answer 1",
          run_quiz};
}

}  // namespace lab::cli
