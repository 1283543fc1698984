// lab progress: what of the labs a student has done.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "db/study.h"
#include "harness/labs/registry.h"
#include "harness/run/places.h"
#include "harness/study/study.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/json/json_study.h"
#include "tools/cli/text/table.h"

namespace lab::cli {

namespace {

// Of a question answered several times the last answer counts.
void count_answers(const std::vector<db::QuizAnswer>& answers, LabProgress& progress) {
  std::map<std::string, bool> last;
  for (const db::QuizAnswer& answer : answers) {
    if (answer.lab == progress.lab) last[answer.question] = answer.correct;
  }
  progress.answered = last.size();
  for (const auto& [question, right] : last) progress.answered_right += right ? 1 : 0;
}

void count_guesses(const std::vector<db::Guess>& guesses, LabProgress& progress) {
  std::map<std::string, bool> last;
  for (const db::Guess& guess : guesses) {
    if (guess.lab != progress.lab) continue;
    last[guess.variant + guess.params + guess.metric] =
        guess.answer && guess.rule.empty() &&
        study::is_meant(guess.guess, {*guess.answer, *guess.answer});
  }
  progress.guessed = last.size();
  for (const auto& [what, right] : last) progress.guessed_right += right ? 1 : 0;
}

std::vector<LabProgress> progress_of(db::Store* store, const std::string& student) {
  std::vector<db::Guess> guesses;
  std::vector<db::QuizAnswer> answers;
  std::vector<db::LabRuns> runs;
  if (store != nullptr) {
    guesses = db::guesses_of(*store, student);
    answers = db::quiz_answers_of(*store, student);
    runs = db::lab_runs_of(*store, student);
  }
  std::vector<LabProgress> all;
  for (const Lab& lab : all_labs()) {
    LabProgress one{lab.number, lab.called(), lab.title};
    if (run::has_lab_file(lab, study::kStudyFile)) {
      one.questions = study::read_study(lab).questions.size();
    }
    count_guesses(guesses, one);
    count_answers(answers, one);
    for (const db::LabRuns& of : runs) {
      if (of.lab != lab.number) continue;
      one.runs = of.runs;
      one.own_kernels = of.own_kernels;
      one.on_target = of.on_target > 0;
    }
    all.push_back(std::move(one));
  }
  return all;
}

Cell kernel_cell(const LabProgress& one) {
  if (one.on_target) return {"on target", Tone::kGood};
  if (one.own_kernels > 0) return {"not yet on target", Tone::kNote};
  return {"-", Tone::kDim};
}

// A lab that was begun comes before the first of those that were not.
std::string next_lab_text(const std::vector<LabProgress>& all) {
  const auto first_of = [&](const auto& holds) {
    return std::find_if(all.begin(), all.end(), [&](const LabProgress& one) {
      return !one.on_target && one.questions > 0 && holds(one);
    });
  };
  const auto begun = first_of(
      [](const LabProgress& one) { return one.runs > 0 || one.guessed > 0 || one.answered > 0; });
  const auto next = begun != all.end() ? begun : first_of([](const LabProgress&) { return true; });
  if (next == all.end()) return {};
  const bool has_kernel = next->own_kernels > 0;
  return fmt::format("Next: lab {} {}\n", has_kernel ? "hint" : "start", next->called);
}

std::string progress_text(const std::vector<LabProgress>& all, const Terminal& terminal) {
  const auto share = [](std::size_t right, std::size_t of) {
    return of == 0 ? Cell{"-", Tone::kDim} : Cell{fmt::format("{} of {}", right, of)};
  };
  Table table{{{"lab", Align::kRight},
               {"", Align::kLeft, true},
               {"runs", Align::kRight},
               {"guessed right", Align::kRight},
               {"quiz", Align::kRight},
               {"own kernel"}}};
  std::size_t done = 0;
  for (const LabProgress& one : all) {
    done += one.on_target ? 1 : 0;
    table.rows.push_back(
        {{one.called},
         {one.title},
         one.runs == 0 ? Cell{"-", Tone::kDim} : Cell{std::to_string(one.runs)},
         share(one.guessed_right, one.guessed),
         one.answered == 0 ? Cell{"-", Tone::kDim} : share(one.answered_right, one.questions),
         kernel_cell(one)});
  }
  std::string out = table_text(table, terminal, 0);
  out += fmt::format("\n{} of {} labs with a kernel of one's own on target.\n", done, all.size());
  return out + next_lab_text(all);
}

int run_progress(const Arguments& arguments, const Console& console) {
  const std::string path = database_path(arguments);
  const std::string student = arguments.value("student").value_or("");
  std::optional<db::Store> store;
  std::error_code ignored;
  // Who has not begun has no database yet; a name that was typed must be there.
  if (arguments.has("db") || std::filesystem::exists(path, ignored)) {
    store = db::Store::open(path, db::Mode::kReadOnly);
  }
  const std::vector<LabProgress> all = progress_of(store ? &*store : nullptr, student);
  if (arguments.has("json")) {
    fmt::print("{}\n", progress_json(student, all));
  } else {
    fmt::print("{}", progress_text(all, console.out));
  }
  return 0;
}

}  // namespace

Command progress_command() {
  return {"progress",
          "Show what of the labs is done: runs, guesses, quizzes, kernels on target",
          {},
          {{"student", "NAME", "Whose (default: of runs that name nobody)"}, database_option()},
          "  lab progress",
          run_progress};
}

}  // namespace lab::cli
