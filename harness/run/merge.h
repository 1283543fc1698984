// Two backends ran one case: one record of both.
#pragma once

#include "harness/core/record.h"

namespace lab::run {

/// The worse of two: what a reader must know first wins.
[[nodiscard]] CaseStatus worse(CaseStatus a, CaseStatus b);

/// All observations, findings and notes of both; the worse status; incorrect where either is; of
/// facts the GPU's where it has them. A note that both state differently is kept twice, the GPU's
/// under `gpu_NAME`.
[[nodiscard]] CaseRecord merge(CaseRecord model, const CaseRecord& gpu);

}  // namespace lab::run
