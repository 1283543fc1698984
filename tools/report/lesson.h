// What a lab's run teaches, at the top of its page: the screen that the terminal shows, and of a
// student's kernel where it stands.
#pragma once

#include <string>

#include "harness/core/lab.h"
#include "harness/core/record.h"
#include "harness/reading/screen.h"

namespace lab::report {

/// The few rows that show the lesson, the worst numbers marked, and why they are what they are.
[[nodiscard]] std::string lesson_html(const reading::ScreenReading& screen);

/// How far a student's kernel is: on target or not, and from where to where. Empty for others.
[[nodiscard]] std::string standing_html(const RunRecord& run, const Lab* lab);

}  // namespace lab::report
