// What `lab import` and `lab ncu` added to a run.
#pragma once

#include "harness/ncu/imported.h"
#include "tools/cli/arguments/command.h"

namespace lab::cli {

/// Prints it; the exit status.
int show_import(const ncu::Imported& imported, const Arguments& arguments, const Console& console);

}  // namespace lab::cli
