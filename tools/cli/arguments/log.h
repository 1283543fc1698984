// The program's log: quiet unless asked for.
#pragma once

#include "tools/cli/arguments/command.h"

namespace lab::cli {

/// Warnings go to standard error; -v adds what is being done, -vv details, and --log FILE sends all
/// of it there. A machine error where FILE cannot be written.
void start_log(const Arguments& arguments);

}  // namespace lab::cli
