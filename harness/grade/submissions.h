// Files and folders that students handed in, read into submissions: one per student.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/grades.h"
#include "harness/core/backend.h"

namespace lab::grade {

struct Submission {
  std::string student;
  std::string path = {};                ///< of the file; empty: nothing was handed in
  std::optional<KernelText> text = {};  ///< empty where `problem` says why
  std::string problem = {};
  std::string sha256 = {};                ///< of the text and all that it includes; empty: none
  std::vector<std::string> refused = {};  ///< files outside of it that it names in #include lines
  std::string submitted_at = {};          ///< when the file was last changed, UTC
  std::string called = {};                ///< the file or folder, without its ending
  bool may_be_folders = false;  ///< of one file: the folder given alone may be the student's
  std::vector<std::string> older = {};  ///< paths of what the student handed in before: not graded
};

/// `ada.cu`, `ada/anything.cu`, or what an LMS makes of them where the roster knows a student by
/// the beginning: `ada_4711_lab4.cu`. A folder given alone is a class's: each entry is a student's.
/// Of several paths, a folder with one .cu file or one called kernels.cu is a student's (`sub/*`),
/// one whose entries the roster knows or that has only folders a class's. A link is never followed.
/// A folder of a student holds one .cu file, or one called kernels.cu. Files include what lies in
/// their student's own folder and nothing else: other #include lines are as if no such file was
/// there. Students come in order; of two submissions that the roster knows to be one student's the
/// newer counts, and names the others. An input error where a path is not there, where a folder may
/// be either, and where two submissions have one name.
[[nodiscard]] std::vector<Submission> find_submissions(const std::vector<std::string>& paths,
                                                       const std::vector<db::Student>& roster);

/// What a text and all that it includes is known by.
[[nodiscard]] std::string hash_of(const KernelText& text);

/// A roster: CSV with a header that has `student`, and may have `name` and `email`. Input errors
/// name the line.
[[nodiscard]] std::vector<db::Student> read_roster(const std::string& name,
                                                   const std::string& text);

}  // namespace lab::grade
