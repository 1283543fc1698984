// The next step of a student, said by every command that they learn with.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/store.h"
#include "harness/classes/study/progress.h"
#include "harness/core/lab.h"
#include "harness/core/record.h"
#include "harness/page/page.h"
#include "tools/cli/arguments/command.h"

namespace lab::cli {

/// The database to read, where there is one: whoever has not begun has none yet, but a name that
/// was typed must be there.
[[nodiscard]] std::optional<db::Store> store_of_records(const Arguments& arguments);
/// The same of the database that commands use where none is named.
[[nodiscard]] std::optional<db::Store> store_of_records();

/// The file in which a student works in a lab.
struct Part {
  std::string file;    ///< that has run, or else is called as the starter is
  bool begun = false;  ///< it has run, or lies here
};
[[nodiscard]] Part part_of(const Lab& lab, const study::Records& records);

/// `Solved 3 of 12.`
[[nodiscard]] std::string solved_text(const std::vector<study::LabProgress>& all);

/// `lab run 3`, or the lab that comes next where this one is solved; empty: nothing does.
[[nodiscard]] std::string next_command(const Lab& lab, const study::Records& records);
/// The same of the lab to go on with.
[[nodiscard]] std::string next_command(const study::Records& records);
/// The same below a run of the lab; empty where nothing is stored or the lab has no steps.
[[nodiscard]] std::string next_of(const Lab& lab, db::Store* store, const std::string& student);
/// A solved lab is a moment: how many are, and which comes next. Empty: it is not solved, or
/// nothing is stored.
[[nodiscard]] page::Page solved_page(const RunRecord& run, const Lab& lab, db::Store* store,
                                     const std::string& student);
/// The first place of a student's file where the starter's lines still stand, where the result is
/// wrong. Empty: there is none.
[[nodiscard]] page::Page open_part_page(const Lab& lab, const RunRecord& run);

/// `Next: lab run 3`; empty: nothing comes next.
[[nodiscard]] page::Page next_page(const std::string& command);

}  // namespace lab::cli
