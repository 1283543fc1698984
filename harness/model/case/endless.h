// Loops that do not end, and the loop in which a launch was stopped: in words.
#pragma once

#include <cstdint>
#include <string>

#include "harness/core/backend.h"
#include "harness/core/finding.h"
#include "harness/model/code/decoded.h"
#include "harness/model/execute/observer.h"

namespace lab::model {

/// Completes the finding of a fault that has a LoopFault. It stands at the loop's own line, which
/// may have no instruction. A loop that reads nothing from memory and comes back to the state that
/// it had waits for nobody: it never ends.
void tell_endless(const Fault& fault, const Program& program, const KernelText& source,
                  Finding& finding);

/// The loop around an instruction: "in the loop of line 4, 'x < end'", or "at line 4" where
/// no loop of the text is around it. Empty: the code has no lines.
[[nodiscard]] std::string loop_around(const Program& program, std::uint32_t where,
                                      const KernelText& source);

}  // namespace lab::model
