// Files, folders and archives that students handed in, read into submissions: one per student.
#pragma once

#include <string>
#include <vector>

#include "harness/classes/grade/roster.h"
#include "harness/classes/grade/student_files.h"

namespace lab::grade {

struct Submission : Handed {
  std::string student = {};
  std::string submitted_at = {};  ///< UTC; empty: not known
  std::string called = {};        ///< the file or folder, without its ending
  bool may_be_folders = false;    ///< of one file: the folder given alone may be the student's
  std::vector<std::string> older = {};  ///< paths of what the student handed in before: not graded
  bool off_roster = false;              ///< there is a roster, and the student is not on it
};

/// `ada.cu`, `ada/anything.cu`, `ada.zip`, or what a platform makes of them (entry_names.h). A
/// folder or archive given alone is a class's: each entry is a student's. Of several paths, a
/// folder with one .cu file or one called kernels.cu is a student's (`sub/*`), one whose entries
/// the roster knows or that has only folders a class's. A link is never followed. Files include
/// what lies in their student's own folder and nothing else: other #include lines are as if no such
/// file was there. Students come in order, all of the roster too; of two submissions that are known
/// to be one student's the newer counts, and names the others. An input error where a path is not
/// there, where a folder may be either, where two submissions have one name, and where two people
/// of a platform would be one of ours.
[[nodiscard]] std::vector<Submission> find_submissions(const std::vector<std::string>& paths,
                                                       const Roster& roster,
                                                       const Wanted& wanted = {});

}  // namespace lab::grade
