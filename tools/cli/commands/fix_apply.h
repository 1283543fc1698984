// Layouts written into a file's text, and the changed kernel run: for what lab fix says of them,
// and for lab fix --apply.
#pragma once

#include <string>
#include <vector>

#include "harness/run/fix.h"
#include "tools/cli/arguments/command.h"

namespace lab::cli {

/// Where the best layout of an array in shared memory names elements anew, its cost becomes that of
/// a run of the changed kernel, if that leaves the same results: the compiler may load again what
/// it no longer sees to be the same element.
void run_layouts(const std::string& file, std::vector<run::ArrayFix>& fixes,
                 const Arguments& arguments, const Console& console);

/// Writes the layout that saves most into `file`, and prints how its lines change. The changed text
/// runs first: its counts have to be the promised ones, and all buffers to be left as before; else
/// an input error says what was not so, and nothing is written.
void apply_layout(const std::string& file, const std::vector<run::ArrayFix>& fixes,
                  const Arguments& arguments, const Console& console);

/// The same with x and y of the kernel's threads exchanged: `exchanged` is the case as the model
/// ran it so, and `now` as it is. The page says which block to launch then.
void apply_exchange(const std::string& file, const CaseRecord& now, const CaseRecord& exchanged,
                    const Arguments& arguments, const Console& console);

}  // namespace lab::cli
