#include "harness/classes/study/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>

#include "harness/core/unicode.h"
#include "harness/labs/registry.h"
#include "harness/run/places.h"

namespace lab::study {

namespace {

// Of a question answered several times the last answer counts.
std::map<std::string, bool> last_answers(const std::vector<db::QuizAnswer>& answers, int lab) {
  std::map<std::string, bool> last;
  for (const db::QuizAnswer& answer : answers) {
    if (answer.lab == lab) last[answer.question] = answer.correct;
  }
  return last;
}

void count_answers(const std::vector<db::QuizAnswer>& answers, LabProgress& progress) {
  const std::map<std::string, bool> last = last_answers(answers, progress.lab);
  progress.answered = last.size();
  for (const auto& [question, right] : last) progress.answered_right += right ? 1 : 0;
  for (const db::QuizAnswer& answer : answers) {
    if (answer.lab == progress.lab) progress.last = std::max(progress.last, answer.given_at);
  }
}

void count_guesses(const std::vector<db::Guess>& guesses, LabProgress& progress) {
  std::map<std::string, bool> last;
  for (const db::Guess& guess : guesses) {
    if (guess.lab != progress.lab) continue;
    progress.last = std::max(progress.last, guess.made_at);
    last[guess.variant + guess.params + guess.metric] =
        guess.answer && guess.rule.empty() && is_meant(guess.guess, {*guess.answer, *guess.answer});
  }
  progress.guessed = last.size();
  for (const auto& [what, right] : last) progress.guessed_right += right ? 1 : 0;
}

db::LabRuns runs_of(const Records& records, int lab) {
  for (const db::LabRuns& of : records.runs) {
    if (of.lab == lab) return of;
  }
  return {};
}

bool is_here(const LabProgress& progress) {
  std::error_code ignored;
  return std::filesystem::exists(usual_file(find_lab(progress.called)), ignored);
}

bool is_about(const db::Guess& guess, const Lab& lab, const Point& point) {
  return guess.lab == lab.number && guess.variant == point.variant &&
         guess.metric == point.metric && guess.params == point.params.json();
}

// The newest guess of it; null: none was made.
const db::Guess* guess_of(const Lab& lab, const GuessTask& task,
                          const std::vector<db::Guess>& guesses) {
  const auto found = std::find_if(guesses.rbegin(), guesses.rend(), [&](const db::Guess& guess) {
    return is_about(guess, lab, task.point);
  });
  return found == guesses.rend() ? nullptr : &*found;
}

bool is_done(const Lab& lab, const Study& study, const Step& step, const Records& records) {
  const db::LabRuns runs = runs_of(records, lab.number);
  switch (step.kind) {
    case StepKind::kGuess:
      return guess_of(lab, study.guesses[step.number], records.guesses) != nullptr;
    case StepKind::kRun:
      return runs.lessons > 0;
    case StepKind::kExplain: {
      const auto last = last_answers(records.answers, lab.number);
      const auto found = last.find(study.questions[step.number].ask);
      return found != last.end() && found->second;
    }
    case StepKind::kWatch:
      return runs.own_kernels > 0;
    case StepKind::kFix:
      return runs.on_target > 0;
  }
  return false;
}

std::string command_of(const Lab& lab, const Study& study, const Step& step, const Records& records,
                       const std::string& file) {
  const std::string called = lab.called();
  switch (step.kind) {
    case StepKind::kGuess:
      return next_guess(lab, study, records.guesses) == step.number
                 ? "lab guess " + called
                 : fmt::format("lab guess {} --number {}", called, step.number + 1);
    case StepKind::kRun:
      return "lab run " + called;
    case StepKind::kExplain:
      return fmt::format("lab quiz {} --number {}", called, step.number + 1);
    case StepKind::kWatch:
    case StepKind::kFix:
      break;
  }
  return fmt::format("lab watch {} {}", called, safe_line(file));
}

}  // namespace

Records records_of(db::Store* store, const std::string& student) {
  if (store == nullptr) return {};
  return {db::guesses_of(*store, student), db::quiz_answers_of(*store, student),
          db::lab_runs_of(*store, student)};
}

std::vector<LabProgress> progress_of(const Records& records) {
  std::vector<LabProgress> all;
  for (const Lab& lab : all_labs()) {
    LabProgress one{lab.number, lab.called(), lab.title};
    if (run::has_lab_file(lab, kStudyFile)) one.questions = read_study(lab).questions.size();
    count_guesses(records.guesses, one);
    count_answers(records.answers, one);
    const db::LabRuns runs = runs_of(records, lab.number);
    one.runs = runs.runs;
    one.own_kernels = runs.own_kernels;
    one.on_target = runs.on_target > 0;
    one.last = std::max(one.last, runs.last_own);
    all.push_back(std::move(one));
  }
  return all;
}

std::size_t solved_of(const std::vector<LabProgress>& all) {
  return static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [](const LabProgress& one) { return one.on_target; }));
}

const Lab* lab_to_go_on_with(const std::vector<LabProgress>& all) {
  std::vector<const LabProgress*> open;
  for (const LabProgress& one : all) {
    if (!one.on_target && one.questions > 0) open.push_back(&one);
  }
  if (open.empty()) return nullptr;
  const auto newest = std::max_element(
      open.begin(), open.end(), [](const auto* a, const auto* b) { return a->last < b->last; });
  if (!(*newest)->last.empty()) return &find_lab((*newest)->called);
  const auto here =
      std::find_if(open.begin(), open.end(), [](const auto* one) { return is_here(*one); });
  return &find_lab((here == open.end() ? open.front() : *here)->called);
}

std::string usual_file(const Lab& lab) { return fmt::format("lab{}.cu", lab.called()); }

std::string file_of(const Lab& lab, const Records& records) {
  return runs_of(records, lab.number).file;
}

Level level_of(const Lab& lab, const Study& study, const Records& records,
               const std::string& file) {
  Level level;
  for (const Step& step : study.steps) {
    level.steps.push_back(
        {step, command_of(lab, study, step, records, file), is_done(lab, study, step, records)});
  }
  if (runs_of(records, lab.number).on_target > 0) return level;
  for (std::size_t i = 0; i < level.steps.size() && !level.next; ++i) {
    if (!level.steps[i].done) level.next = i;
  }
  return level;
}

std::size_t next_guess(const Lab& lab, const Study& study, const std::vector<db::Guess>& guesses) {
  std::optional<std::size_t> wrong;
  for (std::size_t i = 0; i < study.guesses.size(); ++i) {
    const GuessTask& task = study.guesses[i];
    const db::Guess* mine = guess_of(lab, task, guesses);
    if (mine == nullptr) return i;
    if (!wrong && !is_meant(mine->guess, theory_at(lab, task.point))) wrong = i;
  }
  return wrong.value_or(0);
}

}  // namespace lab::study
