// Kernels that are not as they came: which of a lab's kernels a student's file defines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/run/plan.h"
#include "harness/worker/client.h"

namespace lab::run {

/// The declarations of all `__global__` functions of a source, each on one line.
[[nodiscard]] std::vector<std::string> kernel_signatures(std::string_view source);

/// Makes a plan fit to be run, once the architecture is known. Kernels that are not the lab's own
/// are compiled; cases whose kernel a student's file does not define become a job of their own,
/// with the lab's. Throws the compiler's error, and an input error that names the expected
/// signatures where none of the kernels is defined.
void prepare(Plan& plan, const std::string& arch, worker::Client& compiler);

}  // namespace lab::run
