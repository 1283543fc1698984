// From a lab's variants at points to jobs. The program does this; backends know no labs.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/core/backend.h"
#include "harness/core/lab.h"

namespace lab {

/// A lab's variant at a point. Throws what the variant throws where its parameters do not go
/// together, and what require_sound() throws.
[[nodiscard]] Job make_job(const Variant& variant, const Params& params, std::uint64_t seed);

/// Gives the cases of `batch` their jobs. Those that can have none stay without: they are returned
/// as they ended, with the reason. `lab` is null for probes, which have theirs. Throws an input
/// error where the lab lacks a variant.
[[nodiscard]] std::vector<CaseRecord> resolve(const Lab* lab, BatchRequest& batch);

}  // namespace lab
