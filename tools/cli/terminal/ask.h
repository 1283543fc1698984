// A line that a person types.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace lab::cli {

/// Prints `prompt` where standard input is a terminal, and reads a line without its end. Empty:
/// the input has ended, or `interrupted` became true.
[[nodiscard]] std::optional<std::string> ask_line(const std::string& prompt,
                                                  const std::function<bool()>& interrupted);

}  // namespace lab::cli
