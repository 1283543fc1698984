// A sentence or two on the result of a run.
#pragma once

#include <string>
#include <vector>

#include "harness/core/record.h"
#include "harness/page/page.h"
#include "harness/reading/run_reading.h"

namespace lab::reading {

/// `5 cases: 5 correct. Theory and model agree in 40 of 40 values.`
[[nodiscard]] std::string came_to_text(const RunRecord& run, const RunReading& read);

/// `0 of 3 on target. Furthest from it: ...`: of all cases of a student's kernel; empty for the
/// lab's own.
[[nodiscard]] std::string standing_sentence(const RunRecord& run, const RunReading& read);

/// `Interrupted: 3 cases missing.`; nothing where the run was not interrupted.
[[nodiscard]] std::vector<page::Block> interrupted(const RunRecord& run);

}  // namespace lab::reading
