#include "db/study.h"

#include <gtest/gtest.h>

#include "db/merge.h"
#include "tests/unit/db/support.h"

namespace lab::db {
namespace {

Guess some_guess(const std::string& student) {
  return {{}, student, 3, "stride", R"({"stride":6})", "shared_load_ways", 6};
}

TEST(Study, AGuessIsKeptAndSettled) {
  const TempFolder folder;
  Store open = Store::open(folder.file("x.db"), Mode::kCreate);
  Guess guess = some_guess("ada");
  add_guess(open, guess);
  EXPECT_EQ(guess.uuid.size(), 36u);
  EXPECT_EQ(guesses_of(open, "ada"), std::vector<Guess>{guess});
  EXPECT_TRUE(guesses_of(open, "").empty());
  guess.run_uuid = "12345678";
  guess.answer = 2;
  guess.rule = "the stride itself";
  settle_guess(open, guess);
  EXPECT_EQ(guesses_of(open, "ada"), std::vector<Guess>{guess});
}

TEST(Study, AnswersToAQuizAreKept) {
  const TempFolder folder;
  Store open = Store::open(folder.file("x.db"), Mode::kCreate);
  QuizAnswer wrong{{}, "", 3, "Which strides?", "2", false, {}};
  QuizAnswer right = wrong;
  right.given = "1";
  right.correct = true;
  add_quiz_answer(open, wrong);
  add_quiz_answer(open, right);
  EXPECT_EQ(quiz_answers_of(open, ""), (std::vector<QuizAnswer>{wrong, right}));
}

// Done again it changes nothing; a file handed in under a name is that student's.
TEST(Study, MergedByUuid) {
  const TempFolder folder;
  Store ada = Store::open(folder.file("ada.db"), Mode::kCreate);
  Store all = Store::open(folder.file("all.db"), Mode::kCreate);
  Guess guess = some_guess("");
  add_guess(ada, guess);
  QuizAnswer answer{{}, "", 3, "Which strides?", "2", false, {}};
  add_quiz_answer(ada, answer);
  MergeOptions options;
  options.student = "ada";
  EXPECT_EQ(merge(all, ada, options).study, 2);
  EXPECT_EQ(merge(all, ada, options).study, 0);
  guess.student = answer.student = "ada";
  EXPECT_EQ(guesses_of(all, "ada"), std::vector<Guess>{guess});
  EXPECT_EQ(quiz_answers_of(all, "ada"), std::vector<QuizAnswer>{answer});
}

TEST(Study, OnTargetIsARunWithNothingInExcess) {
  const TempFolder folder;
  Store open = Store::open(folder.file("x.db"), Mode::kCreate);
  RunRecord run = full_run();
  run.lab = 3;
  run.student = "ada";
  run.source_is_labs_own = false;
  run.status = RunStatus::kOk;
  run.cases = {full_case(0)};
  CaseRecord& record = run.cases.front();
  record.status = CaseStatus::kOk;
  for (Verdict& verdict : record.verdicts) {
    verdict.target = 4;
    verdict.excess = 1.5;
  }
  store(open, run);
  const auto missed = lab_runs_of(open, "ada");
  ASSERT_EQ(missed.size(), 1u);
  EXPECT_EQ(missed[0].own_kernels, 1);
  EXPECT_EQ(missed[0].on_target, 0);
  for (Verdict& verdict : record.verdicts) verdict.excess = 1;
  run.uuid.clear();
  store(open, run);
  const auto met = lab_runs_of(open, "ada");
  EXPECT_EQ(met[0].runs, 2);
  EXPECT_EQ(met[0].on_target, 1);
}

}  // namespace
}  // namespace lab::db
