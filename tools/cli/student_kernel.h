// --kernel FILE: which of a lab's kernels a file defines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/cli/run_session.h"

namespace lab::cli {

/// The declarations of all `__global__` functions of a source, each on one line.
[[nodiscard]] std::vector<std::string> kernel_signatures(std::string_view source);

/// The batch's cases in two groups: those whose kernel `theirs` defines, and those that stay with
/// the lab's `own`. Compiles `theirs`; throws the compiler's error, and an input error that names
/// the expected signatures where it defines none of the kernels.
[[nodiscard]] std::vector<Group> with_students_kernels(const Lab& lab, const BatchRequest& batch,
                                                       const KernelText& own,
                                                       const KernelText& theirs,
                                                       worker::Client& compiler);

/// The batch with the lab's kernels.cu as a student edited it. Compiles it first; throws as above.
[[nodiscard]] std::vector<Group> with_edited_kernels(const Lab& lab, const BatchRequest& batch,
                                                     const KernelText& edited,
                                                     worker::Client& compiler);

}  // namespace lab::cli
