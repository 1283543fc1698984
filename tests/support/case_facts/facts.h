// Facts of a lab's cases, from the kernels of today.
#pragma once

#include <functional>
#include <vector>

#include "harness/core/lab.h"
#include "harness/core/record.h"

namespace lab {

/// Calls `take` for each of the cases whose kernels the model runs, and with what a few blocks of
/// it tell today: kernel_facts and the kinds of instructions. Of a case that it refuses the facts
/// are absent.
void facts_of_cases(const Lab& lab, const std::vector<CaseRecord>& cases,
                    const std::function<void(const CaseRecord&, const CaseRecord&)>& take);

}  // namespace lab
