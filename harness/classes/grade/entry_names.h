// What learning platforms call the files and folders of their exports.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/classes/grade/roster.h"

namespace lab::grade {

struct EntryName {
  Called called;
  std::string submission = {};  ///< one of a platform's; files with the same belong together
  std::string file = {};        ///< as the student called it; empty: the entry is a folder's
  std::string handed_in = {};   ///< `2026-09-15 20:25`, in the platform's time; empty: not said
};

/// Canvas   `lovelaceada_LATE_4711_98765_kernels-1.cu`
/// Moodle   `Ada Lovelace_4711_assignsubmission_file_kernels.cu`, or a folder without the file
/// D2L      `4711-98 - Ada Lovelace - Sep 15, 2026 825 PM - kernels.cu`, or a folder without it
/// Empty: the name is of none of these.
[[nodiscard]] std::optional<EntryName> read_entry_name(const std::string& name);

/// Whom Gradescope has for a submission: one or more submitters.
struct Submitters {
  std::vector<Called> people = {};
  std::string created_at = {};  ///< ISO 8601, UTC; empty: not said
};

/// submission_metadata.yml of an export: by the folder's name, `submission_4711`. An input error,
/// naming `name`, where it cannot be read.
[[nodiscard]] std::map<std::string, Submitters> read_export(const std::string& name,
                                                            const std::string& text);

/// submission_metadata.json, which Gradescope's autograders find beside the submission.
[[nodiscard]] Submitters read_autograders(const std::string& name, const std::string& text);

}  // namespace lab::grade
