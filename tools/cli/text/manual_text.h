// The manual page, made from the table of commands.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/arguments/command.h"

namespace lab::cli {

/// troff with the macros of man(7).
[[nodiscard]] std::string manual_text(const std::vector<Command>& commands,
                                      const std::string& version);

}  // namespace lab::cli
