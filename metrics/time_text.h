// The part of the chip that sets a launch's time, in words.
#pragma once

#include <string>

#include "metrics/kernel_time.h"
#include "metrics/time_terms.h"

namespace lab::metrics {

/// `a store touches 32 lines and fills its sectors to 13 %; L2 takes 66 such lines per ns`: of the
/// term, with the launch's own numbers; a clause for a student.
[[nodiscard]] std::string what_takes(Term term, const Demand& demand, const Shape& shape,
                                     const Rates& rates);

}  // namespace lab::metrics
