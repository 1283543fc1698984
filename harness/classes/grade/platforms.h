// A gradebook as learning platforms import it, in each one's own columns.
#pragma once

#include <string>

#include "harness/classes/grade/outputs.h"
#include "harness/classes/grade/roster.h"

namespace lab::grade {

/// What the platforms want back (numbers, logins, sections) is taken from the roster: an export of
/// the same platform has it. Points that a person has to say are left blank, which changes nothing
/// there.
/// Canvas: Student, ID, SIS User ID, SIS Login ID, Section and the assignment.
[[nodiscard]] std::string canvas_csv(const Rubric& rubric, const Gradebook& book,
                                     const Roster& roster);
/// Moodle: of a grading worksheet its columns, with Grade and Feedback comments; else ID number,
/// Email address and Full name, for the import of a gradebook.
[[nodiscard]] std::string moodle_csv(const Rubric& rubric, const Gradebook& book,
                                     const Roster& roster);
/// Brightspace: OrgDefinedId, Username, the item's Points Grade, End-of-Line Indicator.
[[nodiscard]] std::string brightspace_csv(const Rubric& rubric, const Gradebook& book,
                                          const Roster& roster);

}  // namespace lab::grade
