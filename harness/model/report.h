// Faults put into words.
#pragma once

#include <vector>

#include "harness/core/backend.h"
#include "harness/core/finding.h"
#include "harness/core/launch.h"
#include "harness/model/memory.h"
#include "harness/model/observer.h"
#include "harness/model/program.h"

namespace lab::model {

/// What a person needs to find the mistake: kernel, source line with its text where the line is one
/// of `source`, block, thread, address.
[[nodiscard]] std::vector<Finding> findings(const std::vector<Fault>& faults,
                                            const Program& program, const Launch& launch,
                                            const GlobalMemory& memory, const KernelText& source);

}  // namespace lab::model
