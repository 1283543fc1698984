// Cooperative groups for kernels where no CUDA toolkit brings them.
#pragma once

namespace lab::compile {

/// The text of cooperative_groups.h, with what its parts reduce.h and scan.h have.
extern const char* const kCooperativeGroups;

}  // namespace lab::compile
