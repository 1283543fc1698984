// What the model found out of bounds, as the program's own memory explains it.
#pragma once

#include "harness/core/finding.h"
#include "harness/programs/serve/memory.h"

namespace lab::program {

/// The model knows the memory that is there now; what was there, and the host's, is known here.
void explain(const ProgramMemory& memory, Finding& finding);

/// Of what explain() has seen: a GPU, too, has no memory there, and ends the launch. An index a
/// little too large may still meet some.
[[nodiscard]] bool ends_the_launch(const Finding& finding);

}  // namespace lab::program
