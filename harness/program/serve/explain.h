// What the model found out of bounds, as the program's own memory explains it.
#pragma once

#include "harness/core/finding.h"
#include "harness/program/serve/memory.h"

namespace lab::program {

/// The model knows the memory that is there now; what was there, and the host's, is known here.
void explain(const ProgramMemory& memory, Finding& finding);

}  // namespace lab::program
