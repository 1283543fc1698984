// A new lab's folder, copied from another's: all of its texts name the new one.
#pragma once

#include <string>
#include <vector>

#include "harness/core/lab.h"

namespace lab::labs {

/// The lab that a new one is a copy of where nobody names another: small and complete. It lies
/// beside the labs, and is none of those that are listed. An input error where it is not there.
[[nodiscard]] const Lab& example_lab();

struct MadeLab {
  std::string folder;
  Lab names;  ///< as its folder gives them
  std::vector<std::string> files = {};
};

/// Makes the folder `name` (`warp-scan`; `13_scan` is lab 13) in `parent`, with the files of
/// `from`. Input errors, before anything is written: a name that no lab can have or that another
/// has, a folder that is there already.
[[nodiscard]] MadeLab make_lab(const std::string& name, const std::string& parent, const Lab& from);

/// A file's text as the new lab has it: `Lab 8: traversal`, `lab run 8`, `08_traversal` and
/// `lab8.cu` become the new lab's, and rubric.toml names no lab.
[[nodiscard]] std::string renamed(const std::string& file, std::string text, const Lab& from,
                                  const Lab& to);

}  // namespace lab::labs
