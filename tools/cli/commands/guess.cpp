// lab guess: a number said before it is counted, kept, and set beside theory, model, measurement.
#include <fmt/format.h>

#include <algorithm>

#include "db/study.h"
#include "harness/classes/study/study.h"
#include "harness/core/error.h"
#include "harness/core/numbers.h"
#include "harness/core/text.h"
#include "harness/labs/registry.h"
#include "harness/page/make.h"
#include "harness/reading/figures.h"
#include "harness/reading/metric_view.h"
#include "harness/run/places.h"
#include "harness/run/session.h"
#include "tools/cli/arguments/run_options.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/commands/lab_run.h"
#include "tools/cli/commands/learning.h"
#include "tools/cli/commands/print_page.h"
#include "tools/cli/json/json_study.h"
#include "tools/cli/terminal/ask.h"

namespace lab::cli {

namespace {

// Wrong rules of the lab's tasks of this number. At a point of no task, those that hold at any:
// a rule that names no parameter was made for its task's point.
std::vector<study::WrongRule> rules_of(const study::Study& study, const study::Point& point) {
  std::vector<study::WrongRule> rules;
  for (const study::GuessTask& task : study.guesses) {
    if (task.point.variant != point.variant || task.point.metric != point.metric) continue;
    const bool same = task.point.params == point.params;
    for (const study::WrongRule& wrong : task.wrong) {
      if (same || !wrong.is.names().empty()) rules.push_back(wrong);
    }
  }
  return rules;
}

std::string ask_of(const study::Study& study, const study::Point& point) {
  for (const study::GuessTask& task : study.guesses) {
    if (task.point == point) return task.ask;
  }
  return fmt::format("{} at {}: {}?", point.variant, point.params.text(),
                     reading::title_of(point.metric));
}

// The task that a person asks for by name; the lab's first task of that kind fills in the rest.
study::GuessTask named_task(const Lab& lab, const study::Study& study, const Arguments& arguments) {
  Params given;
  for (const std::string& text : arguments.values("param")) {
    auto [name, value] = run::parse_param(text);
    given.set(name, std::move(value));
  }
  const auto variant = arguments.value("variant");
  const auto metric = arguments.value("metric");
  const auto known =
      std::find_if(study.guesses.begin(), study.guesses.end(), [&](const study::GuessTask& task) {
        return (!variant || task.point.variant == *variant) &&
               (!metric || task.point.metric == *metric);
      });
  const study::Point& like = (known == study.guesses.end() ? study.guesses.front() : *known).point;
  const std::string of = variant.value_or(like.variant);
  if (of == like.variant) {
    for (const auto& [name, value] : like.params.all()) {
      if (!given.has(name)) given.set(name, to_text(value));
    }
  }
  study::GuessTask task{{}, study::point_of(lab, of, given, metric.value_or(like.metric))};
  task.ask = ask_of(study, task.point);
  task.wrong = rules_of(study, task.point);
  return task;
}

bool names_task(const Arguments& arguments) {
  return arguments.has("variant") || arguments.has("param") || arguments.has("metric");
}

const study::GuessTask& numbered_task(const Lab& lab, const study::Study& study,
                                      const Arguments& arguments, db::Store* store) {
  const auto count = static_cast<std::int64_t>(study.guesses.size());
  if (const auto number = arguments.number("number", 1, count)) {
    return study.guesses[static_cast<std::size_t>(*number - 1)];
  }
  const std::string student = arguments.value("student").value_or("");
  const auto guesses =
      store == nullptr ? std::vector<db::Guess>() : db::guesses_of(*store, student);
  return study.guesses[study::next_guess(lab, study, guesses)];
}

study::GuessTask task_of(const Lab& lab, const study::Study& study, const Arguments& arguments,
                         db::Store* store) {
  return names_task(arguments) ? named_task(lab, study, arguments)
                               : numbered_task(lab, study, arguments, store);
}

// A guess that nothing can be set beside is not asked for.
void require_compiler(run::EngineSet& engines) {
  const auto& values = engines.environment().values;
  const auto missing = values.find("nvrtc_missing");
  if (missing == values.end()) return;
  throw machine_error(missing->second,
                      "lab doctor says how to get one; lab quiz, lab hint and lab show need none");
}

page::Page question_page(const study::GuessTask& task, const Lab& lab) {
  return {{{page::Heading{1, fmt::format("Lab {}: {}", lab.called(), lab.title)}},
           page::sentence(task.ask)}};
}

double guessed(const Arguments& arguments, const Console& console) {
  if (const auto answer = arguments.value("answer")) return study::read_number(*answer);
  for (;;) {
    const auto line = ask_line("Your guess: ", console.interrupted);
    if (!line) throw input_error("no guess was made", "type a number, or give --answer N");
    try {
      return study::read_number(*line);
    } catch (const Error& error) {
      fmt::print(stderr, "{}", safe_text(render(error)));
    }
  }
}

GuessResult result_of(const Lab& lab, const study::GuessTask& task, double guess,
                      const RunRecord& run) {
  GuessResult result{task.ask,
                     task.point.variant,
                     task.point.params,
                     task.point.metric,
                     guess,
                     study::theory_at(lab, task.point)};
  result.formula = study::formula_at(lab, task.point).text_with_terms();
  const reading::MetricView view = reading::view_of(run.cases.front(), task.point.metric);
  result.model = view.value(SourceOf::kModel);
  if (const auto measured = view.measured()) result.measured = measured->value;
  const auto best = view.best();
  result.value = best ? best->value : result.theory.low;
  result.right = study::is_meant(guess, result.theory);
  result.rule = study::rule_for(lab, task.point, task.wrong, guess);
  result.run = run.id;
  return result;
}

// The numbers below each other. The formula stands beside its number where it is short; where
// nothing is left to put in, it is the number.
page::Page numbers_page(const GuessResult& result, const Expr& formula) {
  constexpr std::size_t kShort = 50;  // characters
  const auto row = [](const std::string& name, page::Cell cell, const std::string& why = {}) {
    return page::Row{{{name}, std::move(cell), {why}}};
  };
  const std::vector<std::string> beside = lines_of(formula, kShort, 1);
  const bool plain = formula.opened().operation() == Operation::kNumber;
  page::Table table{{{"", false, false}, {"", true}, {"", false, true}}};
  table.columns.front().names = true;
  table.rows = {row("you", page::number_cell(result.guess)),
                row("theory", page::number_cell(result.theory.low, result.theory.high),
                    plain || beside.empty() ? "" : beside.front()),
                row("model", page::number_cell(result.model)),
                row("measured", page::number_cell(result.measured),
                    result.measured ? "" : "no GPU measured it")};
  page::Page page{{{std::move(table), page::Rank::kAlways, true}}};
  if (beside.empty()) page.blocks.push_back({page::Formula{"theory", {}, formula}});
  return page;
}

std::string verdict_text(const Lab& lab, const study::Point& point, const GuessResult& result) {
  const std::string answer = study::with_unit(result.theory, result.metric);
  if (result.right) return fmt::format("Right: {}.", answer);
  const std::string why = !result.rule.empty()
                              ? result.rule
                              : fmt::format("I don't recognise how you got {}. {}",
                                            grouped_text(result.guess), study::why_at(lab, point));
  return fmt::format("No, it is {}. {}", answer, why);
}

page::Page result_page(const GuessResult& result, const Expr& formula) {
  page::Page page = numbers_page(result, formula);
  page.blocks.push_back(
      page::paragraph(result.told, result.right ? page::Tone::kGood : page::Tone::kNote));
  return page;
}

int run_guess(const Arguments& arguments, const Console& console) {
  const Lab& lab = find_lab(arguments.positionals().front());
  const study::Study study = study::read_study(lab);
  const std::string student = arguments.value("student").value_or("");
  std::optional<db::Store> store = open_store(arguments);
  const study::GuessTask task = task_of(lab, study, arguments, store ? &*store : nullptr);
  // An error is told before anybody guesses.
  static_cast<void>(study::theory_at(lab, task.point));
  run::EngineSet engines(
      workers_from(arguments, console, backend_from(arguments, run::Backends::kAuto)));
  require_compiler(engines);
  const bool json = arguments.has("json");
  PageParts parts(arguments, console);
  if (!json) parts.add(question_page(task, lab));
  const double number = guessed(arguments, console);
  db::Guess guess{
      {},    student, lab.number, task.point.variant, task.point.params.json(), task.point.metric,
      number};
  if (store) db::add_guess(*store, guess);
  CaseRequest request;
  request.variant = task.point.variant;
  request.params = task.point.params;
  const RunRecord run =
      run_lab({&lab, {std::move(request)}, {}, student, store ? &*store : nullptr}, arguments,
              engines, console)
          .run;
  if (run.cases.empty()) return 0;  // Ctrl-C: the guess is kept, the answer is open
  GuessResult result = result_of(lab, task, number, run);
  result.told = verdict_text(lab, task.point, result);
  if (store) {
    guess.run_uuid = run.uuid;
    guess.answer = result.value;
    guess.rule = result.rule;
    db::settle_guess(*store, guess);
  }
  if (json) {
    fmt::print("{}\n", guess_json(lab, result));
    return 0;
  }
  parts.add(result_page(result, study::formula_at(lab, task.point)));
  if (store) parts.add(next_page(next_command(lab, study::records_of(&*store, student))));
  parts.end();
  return 0;
}

}  // namespace

Command guess_command() {
  std::vector<Option> options = {
      {"number", "N", "Which of the lab's guesses (default: the first not made)"},
      {"variant", "NAME", "Guess a number of this variant"},
      {"param", "NAME=VALUE", "Value of a parameter", true},
      {"metric", "METRIC", "Guess this metric"},
      {"answer", "N", "The guess, in place of typing it: 4, 0.125, 1/8"},
      {"student", "NAME", "Whose guess it is"},
      database_option(),
      {"no-store", "", "Don't store guess and run"},
      page_option()};
  for (Option& option : lab_run_options()) options.push_back(std::move(option));
  return {"guess",
          "Guess a lab's number before it runs; then see it, and which wrong rule gives yours",
          {"LAB", "A lab's number or name: 3, bank_conflicts", 1, 1},
          std::move(options),
          "  lab guess 3 --answer 2\n  lab guess 3 --variant stride --param stride=6 --answer 6",
          run_guess};
}

}  // namespace lab::cli
