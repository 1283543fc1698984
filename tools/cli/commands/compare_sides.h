// What `lab compare` sets side by side: stored runs, files, a lab's own variants.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "db/store.h"
#include "tools/cli/arguments/command.h"

namespace lab::cli {

/// Whether the word is a kernel file (`mine.cu`) or a lab's own kernels (`lab:padded`), which have
/// to be run, in place of a stored run.
[[nodiscard]] bool is_to_be_run(const std::string& word);

/// Both sides. What has to be run is: at the same points, in the lab that --lab names, else that of
/// a stored side, else the one lab that has the kernels of the file. Nothing is stored. Input
/// errors where the lab or the variant of a side is not clear.
[[nodiscard]] std::pair<RunRecord, RunRecord> run_sides(const Arguments& arguments,
                                                        const Console& console);

/// Whether two probes ran one kernel; true of a lab's runs.
[[nodiscard]] bool are_of_one_kernel(const RunRecord& first, const RunRecord& second);

/// An input error where two runs are of different labs, or of kernels that have nothing in common.
void require_related(const RunRecord& first, const RunRecord& second);

/// The options that this takes beside the command's own.
[[nodiscard]] std::vector<Option> side_options();

}  // namespace lab::cli
