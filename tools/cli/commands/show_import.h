// What `lab import` and `lab ncu` added to a run.
#pragma once

#include "harness/run/ncu_import.h"
#include "tools/cli/arguments/command.h"

namespace lab::cli {

/// Prints it; the exit status.
int show_import(const run::Imported& imported, const Arguments& arguments, const Console& console);

}  // namespace lab::cli
