// Inputs of a lab beside its parameters: files that a person names on the command line.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lab {

/// An option of `lab run`, such as `--pattern FILE` of lab 9. The file is read into the value of a
/// parameter.
struct InputFile {
  int lab = 0;
  std::string option;  ///< without its dashes
  std::string help;
  std::string param;
  std::vector<std::string> variants;  ///< those that run where the person names none
  /// The parameter's value; throws an input error with the place in `file`.
  std::function<std::string(std::string_view text, const std::string& file)> read;
};

/// Those of all labs.
[[nodiscard]] const std::vector<InputFile>& input_files();

}  // namespace lab
