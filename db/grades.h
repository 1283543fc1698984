// Grades and what belongs to them, kept beside the runs that they were given for.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "db/store.h"
#include "harness/core/record.h"
#include "harness/core/words.h"

namespace lab::db {

struct Student {
  std::string student;  ///< what submissions are called by
  std::string name = {};
  std::string email = {};
};

/// A row of table rubrics.
struct RubricRow {
  std::string sha256;
  int lab = 0;
  std::string text;
  std::uint64_t seed = 0;
  double pass = 0;
  double of = 0;
};

/// The case that decided a criterion: its parameters, unless nobody is to learn its size.
class DecidingCase {
 public:
  DecidingCase() = default;  ///< there is none
  explicit DecidingCase(std::string params) : text_(std::move(params)) {}
  [[nodiscard]] static DecidingCase hidden() { return DecidingCase(std::string(kHidden)); }
  [[nodiscard]] static DecidingCase from_text(std::string text) {
    return DecidingCase(std::move(text));
  }

  [[nodiscard]] bool is_hidden() const { return text_ == kHidden; }
  /// The parameters, `hidden`, or nothing.
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  static constexpr std::string_view kHidden = "hidden";  // no parameters look like it
  std::string text_ = {};
};

/// A row of table criteria. `points` is empty where it could not be told.
struct CriterionRow {
  std::string name;
  std::string variant;
  std::optional<double> points = {};
  double of = 0;
  std::string metric = {};
  std::optional<double> value = {};
  std::optional<double> excess = {};
  std::string threshold = {};
  DecidingCase params = {};
  std::string reason = {};
};

/// The end of a submission. Stored by its word.
enum class GradeStatus : std::uint8_t {
  kOk,
  kWrong,
  kFinding,
  kTimeout,
  kError,
  kManual,  ///< a person has to say
  kNotCompiled,
  kNoKernel,  ///< handed in, but no kernel of the lab
  kMissing,   ///< nothing was handed in
};
[[nodiscard]] std::string_view name_of(GradeStatus status);

/// A row of table grades with its criteria.
struct GradeRow {
  std::int64_t id = 0;
  std::string student;
  int lab = 0;
  std::string rubric_sha256;
  std::string source_sha256 = {};  ///< of the submission with all it includes; empty: missing
  std::optional<std::int64_t> run = {};
  std::string file = {};
  GradeStatus status = GradeStatus::kOk;
  std::string reason = {};
  std::optional<double> points = {};  ///< empty: a person has to say
  double of = 0;
  std::optional<double> seconds = {};
  std::optional<std::uint64_t> memory_bytes = {};
  std::string submitted_at = {};
  std::string graded_at = {};            ///< ISO 8601, UTC; empty, to be stored: now
  std::string feedback = {};             ///< Markdown, for the student
  std::string fingerprints_sha256 = {};  ///< of its kernels' fingerprints; empty: there are none
  std::vector<CriterionRow> criteria = {};
};

/// A row of view gradebook, with what outputs show beside.
struct GradebookRow {
  GradeRow grade;
  std::string name = {};
  double adjusted = 0;
  std::optional<double> total = {};
  std::optional<bool> passed = {};
  std::vector<std::string> adjustments = {};  ///< `+5: the figure was wrong`
};

/// The rubric as it is stored, stored now where it is new: the seed of the first time stays.
[[nodiscard]] RubricRow keep_rubric(Store& store, const RubricRow& rubric);

/// Adds students; what is known of one is replaced.
void put_students(Store& store, const std::vector<Student>& students);

/// Seals names, deadlines and adjustments as they are, with the store's key.
void seal_by_hand(Store& store);

[[nodiscard]] std::vector<Student> students(Store& store);

/// The newest grade of a student, without criteria; empty: none.
[[nodiscard]] std::optional<GradeRow> newest_grade(Store& store, const std::string& student,
                                                   int lab);

/// What a student's newest grade was given for, where it was a text.
struct GradedText {
  std::string student;
  std::string file;
  std::string text;  ///< with all that it includes
};
/// In the order of students.
[[nodiscard]] std::vector<GradedText> graded_texts(Store& store, int lab);

/// All grades of a file with their criteria, oldest first, and all rubrics.
[[nodiscard]] std::vector<GradeRow> every_grade(Store& store);
[[nodiscard]] std::map<std::string, RubricRow> every_rubric(Store& store);

/// A grade with its run, if it has one, and the fingerprints of its kernels, in one transaction:
/// killing the program loses all of it or nothing.
void put_grade(Store& store, GradeRow grade, const RunRecord* run,
               const std::map<std::string, std::string>& fingerprints);

/// The grade alone, of a run that is stored.
void keep_grade(Store& store, GradeRow grade);

/// Fingerprints of the lab's own kernels.
void put_solution(Store& store, int lab, const std::map<std::string, std::string>& fingerprints);

/// Whose grades are taken.
enum class Trust : std::uint8_t {
  kOurKey,  ///< those that are sealed with the key of the database they come into
  kAll,
};

struct MergedGrades {
  std::size_t added = 0;
  std::size_t left = 0;                   ///< not sealed with our key
  std::vector<std::string> refused = {};  ///< a sentence for each that was edited
  std::vector<std::string> behind = {};   ///< a sentence for each that is older than one here
};

/// The newest grades of another database, whose runs are here by now: of a part of a class that was
/// graded elsewhere. A grade that was ever here is not added again. Whoever writes a file writes
/// its grades: those are taken that are sealed with the key of `into`, and the others, with the
/// names of students, where a grader made the file.
MergedGrades merge_grades(Store& into, Store& from, Trust trust);

/// Makes the fresh `part` begin with what a part of the class is graded by: the seeds of the lab's
/// rubrics, and the newest grades that have points, so that they are not given again. No runs: a
/// class's are hundreds of megabytes.
void begin_part(Store& part, Store& whole, int lab);

/// The newest grade of each student, by student.
[[nodiscard]] std::vector<GradebookRow> gradebook(Store& store, int lab);

}  // namespace lab::db

namespace lab {

template <>
inline constexpr auto kWordsOf<db::GradeStatus> =
    std::to_array<std::string_view>({"ok", "wrong", "finding", "timeout", "error", "manual",
                                     "not_compiled", "no_kernel", "missing"});

}  // namespace lab
