// lab fix --apply: the best layout written into the file, once a run has shown that it does what
// was said.
#pragma once

#include <string>
#include <vector>

#include "harness/run/fix.h"
#include "tools/cli/arguments/command.h"

namespace lab::cli {

/// Writes the layout that saves most into `file`, and prints how its lines change. The changed text
/// runs first: its counts have to be the promised ones, and all buffers to be left as before; else
/// an input error says what was not so, and nothing is written.
void apply_layout(const std::string& file, const std::vector<run::ArrayFix>& fixes,
                  const Arguments& arguments, const Console& console);

}  // namespace lab::cli
