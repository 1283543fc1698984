// What a few blocks of a case tell of its time: at sizes, too, at which all of them would take the
// model too long.
#pragma once

#include <functional>

#include "harness/core/job.h"
#include "harness/core/record.h"
#include "harness/model/case/kernels.h"

namespace lab::model {

/// Where a GPU's measurement places the arrays of `job`: the buffers of a lab have directions, and
/// a probe's kernel may change all of them.
[[nodiscard]] std::uint64_t arrays_begin(const Job& job);

/// Notes what a GPU's measurement puts back before each launch of `job`: all that the kernel may
/// change, from a copy of it or, where it is all zeros or poison, by filling it.
void note_put_back(const Job& job, KernelFacts& facts);

/// Runs a few blocks of `job`, on memory of which large arrays of floats stay zeros, until
/// `stopped` says that it has been long enough (empty: never). Fills in the record's facts and
/// observations, those of a sample, with what L1 asks L2 for; results are not checked. Throws as
/// run_case() does. The record's architecture is known.
void run_few_blocks(const Job& job, const LoadedKernel& kernel,
                    const std::function<bool()>& stopped, CaseRecord& record);

}  // namespace lab::model
