// An assignment that is a whole program, main and all: how it is run, and what it has to print.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/classes/grade/rubric.h"

namespace lab::grade {

/// The rubric of a text that has `program`; empty: it is a lab's. Input errors with line and caret.
/// `name` is its file's: a script of the course lies beside it.
[[nodiscard]] std::optional<Rubric> read_assignment(const std::string& name,
                                                    const std::string& text);

/// How `got` differs from the `wanted` text, in a sentence; empty: it does not. Words are compared
/// line by line; those that are numbers on both sides may differ by `tolerance`, absolute or of the
/// wanted one. Blanks between words and at the ends of lines and of the text do not matter.
[[nodiscard]] std::string difference_of(std::string_view got, std::string_view wanted,
                                        double tolerance);

}  // namespace lab::grade
