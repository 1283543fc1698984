// What a student said before looking: guesses of a lab's numbers, and answers to its quiz.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/store.h"
#include "harness/core/params.h"

namespace lab::db {

/// A number guessed before the case ran, and what it turned out to be.
struct Guess {
  std::string uuid = {};     ///< made by add_guess where it is empty
  std::string student = {};  ///< empty: nobody was named
  int lab = 0;
  std::string variant;
  std::string params;  ///< canonical JSON, as cases have it
  std::string metric;
  double guess = 0;
  std::string made_at = {};           ///< ISO 8601, UTC; filled in by add_guess
  std::string run_uuid = {};          ///< the run that answered; empty: none did
  std::optional<double> answer = {};  ///< empty as long as none did
  std::string rule = {};              ///< the wrong rule that gives the guess; empty: none known
  friend bool operator==(const Guess&, const Guess&) = default;
};

struct QuizAnswer {
  std::string uuid = {};
  std::string student = {};
  int lab = 0;
  std::string question;  ///< its text: numbers of questions change
  std::string given;
  bool correct = false;
  std::string given_at = {};
  friend bool operator==(const QuizAnswer&, const QuizAnswer&) = default;
};

/// Each is one transaction, on the disk when it returns.
void add_guess(Store& store, Guess& guess);
/// Stores run_uuid, answer and rule of a guess that is there.
void settle_guess(Store& store, const Guess& guess);
void add_quiz_answer(Store& store, QuizAnswer& answer);

/// Of one student (empty: those that name nobody), in the order of time.
[[nodiscard]] std::vector<Guess> guesses_of(Store& store, const std::string& student);
[[nodiscard]] std::vector<QuizAnswer> quiz_answers_of(Store& store, const std::string& student);

/// A student's runs of one lab.
struct LabRuns {
  int lab = 0;
  std::int64_t runs = 0;
  std::int64_t lessons = 0;      ///< of them with the lab's own kernels, those of guesses left out
  std::int64_t own_kernels = 0;  ///< of them with kernels that are not the lab's own
  std::int64_t on_target = 0;    ///< of these with all results right and nothing above its target
  std::string file = {};         ///< the newest file of these kernels, as it was named
  std::string last_own = {};     ///< when it ran
};
[[nodiscard]] std::vector<LabRuns> lab_runs_of(Store& store, const std::string& student);

/// Adds what `from` has under a uuid that `into` lacks. `student`, where it is not empty, is whose
/// they are. Returns how many were added.
std::int64_t merge_study(Store& into, Store& from, const std::string& student);

}  // namespace lab::db
