// Where the machine code asks memory in other portions than the PTX that the model runs, so that
// their counts differ though both are right.
#pragma once

#include "harness/kernel/cubin/sass_map.h"
#include "harness/model/case/records.h"

namespace lab::model {

/// Accesses that the map could not match, copies in unrolled loops that lanes leave in different
/// rounds, printf, whose own stores the PTX does not show, and wmma that could not be counted.
[[nodiscard]] MachineCodeDiff machine_code_diff(const Program& program, const cubin::SassMap& map,
                                                const GridResult& result);

}  // namespace lab::model
