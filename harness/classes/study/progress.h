// What a student has done of the labs, and what comes next: read from the database that runs,
// guesses and answers are stored in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/study.h"
#include "harness/classes/study/study.h"
#include "harness/core/lab.h"

namespace lab::study {

/// One student's, of all labs.
struct Records {
  std::vector<db::Guess> guesses = {};
  std::vector<db::QuizAnswer> answers = {};
  std::vector<db::LabRuns> runs = {};
};
/// Without a store there are none.
[[nodiscard]] Records records_of(db::Store* store, const std::string& student);

/// A student's progress in a lab.
struct LabProgress {
  int lab = 0;
  std::string called;  ///< as `lab start` takes it
  std::string title;
  std::int64_t runs = 0;
  std::int64_t own_kernels = 0;  ///< runs of kernels that are not the lab's own
  bool on_target = false;        ///< one of them was, in all its cases: the lab is solved
  std::size_t guessed = 0;
  std::size_t guessed_right = 0;
  std::size_t questions = 0;  ///< of the quiz; 0: the lab asks nothing
  std::size_t answered = 0;
  std::size_t answered_right = 0;
  std::string last = {};  ///< when something of the student's own was stored; empty: never
};
/// Of every lab that there is, in their order.
[[nodiscard]] std::vector<LabProgress> progress_of(const Records& records);

/// How many labs are solved.
[[nodiscard]] std::size_t solved_of(const std::vector<LabProgress>& all);

/// The lab to go on with: of those begun and not solved the one that was worked on last, else the
/// first whose starter lies here, else the first that is not solved. Null: all are.
[[nodiscard]] const Lab* lab_to_go_on_with(const std::vector<LabProgress>& all);

/// The student's file that ran last; empty: none has.
[[nodiscard]] std::string file_of(const Lab& lab, const Records& records);
/// The file of a student who gave it no other name: lab3.cu.
[[nodiscard]] std::string usual_file(const Lab& lab);

/// A lab's steps as one student has done them.
struct Level {
  struct State {
    Step step;
    std::string command;  ///< that does it
    bool done = false;
  };
  std::vector<State> steps = {};
  std::optional<std::size_t> next = {};  ///< the first that is not done; empty: the lab is solved
};
/// `file` is the student's.
[[nodiscard]] Level level_of(const Lab& lab, const Study& study, const Records& records,
                             const std::string& file);

/// The first of the lab's guesses that has not been made yet; when all have been, the first that
/// was wrong, else the first.
[[nodiscard]] std::size_t next_guess(const Lab& lab, const Study& study,
                                     const std::vector<db::Guess>& guesses);

}  // namespace lab::study
