// A class's roster: its own CSV, or what a learning platform exports.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "db/grades.h"

namespace lab::grade {

struct Rostered : db::Student {
  /// All that the roster says of them, by its columns' names: a platform wants it back with the
  /// grades.
  std::map<std::string, std::string> fields = {};
};
using Roster = std::vector<Rostered>;

/// CSV with a header. It has `student`, and may have `name` and `email`; or it is an export:
/// Canvas's gradebook, Moodle's grading worksheet, Brightspace's grades, Gradescope's roster.
/// Students are called by `student`, else by their login or number there, else by their address or
/// name. Input errors name the line.
[[nodiscard]] Roster read_roster(const std::string& name, const std::string& text);

/// The platform's words for one student, as an entry of its export has them.
struct Called {
  std::string name = {};               ///< of a person, in either order, perhaps in one word
  std::vector<std::string> keys = {};  ///< numbers, logins, addresses
};

/// The one of the roster that is meant: by a key, else by a name that nobody else has.
[[nodiscard]] const Rostered* find(const Roster& roster, const Called& called);

/// The one that the name of a file or folder is of: all of it, its beginning (`ada_4711_lab4`) or
/// its end (`lab4-ada`, as git clones are called).
[[nodiscard]] const Rostered* find(const Roster& roster, const std::string& stem);

/// With its ASCII letters small.
[[nodiscard]] std::string in_small_letters(std::string_view text);

/// `did you mean 'ada'?` of somebody who is not on it; empty: nobody is near.
[[nodiscard]] std::string did_you_mean(const Roster& roster, std::string_view student);

}  // namespace lab::grade
