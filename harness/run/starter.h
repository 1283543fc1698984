// The file that a student starts from, and the lines that solve it: both are cut from the lab's
// kernels.cu at marks.
//
//     //@ starter               from here on lines are the starter's, too
//     //@ yours                 but for these, which a student writes
//     sum += in[row * cols + x];
//     //@ instead // Yours to write.     which the starter has in their place; one per line
//     //@ end                   of what began last
//     //@ end
#pragma once

#include <string>
#include <vector>

#include "harness/core/lab.h"

namespace lab::run {

struct Starter {
  std::string text;                    ///< without a heading; empty: the file has no marks
  std::string answer;                  ///< the lines that students write
  std::vector<std::string> open = {};  ///< the starter's own in their place, without indent
};

/// `path` is for messages. Throws an input error with its line where a mark is unknown, or one is
/// not closed or opened.
[[nodiscard]] Starter cut_starter(const std::string& path, const std::string& kernels);

/// A lab's starter where its kernels.cu has no solution to cut it from: tools/for_students.py.
inline constexpr const char* kStarterFile = "starter.cu";

/// That of the lab; an input error where it has none.
[[nodiscard]] Starter starter_of(const Lab& lab);

/// `words` as a comment of lines of 100 columns.
[[nodiscard]] std::string as_comment(const std::string& words);

}  // namespace lab::run
