// CUPTI's activity records: what has run on a GPU.
#pragma once

#include "harness/record/inject/cupti.h"

namespace lab::record {

/// Registers the buffers and enables the kinds that are recorded. CUPTI_SUCCESS, or what the first
/// call that failed gave. `calls` must stay. Without `kernels` no kernel is traced: CUPTI does that
/// by instructions of its own in each, which counters would count (on an H200 16 more per warp, and
/// a sector written).
[[nodiscard]] CUptiResult start_activities(const CuptiCalls& calls, bool kernels);

/// Takes over all records that are complete; with `forced` the others, too. May be called in an
/// API callback and as the process exits, nowhere else.
void flush_activities(const CuptiCalls& calls, bool forced);

}  // namespace lab::record
