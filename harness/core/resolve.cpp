#include "harness/core/resolve.h"

#include <algorithm>

#include "harness/core/error.h"

namespace lab {
namespace {

RunsOn runs_on(const Variant& variant) {
  if (variant.needs_gpu || !variant.library.empty()) return RunsOn::kGpuAlone;
  return variant.model_only ? RunsOn::kModelAlone : RunsOn::kAll;
}

// Each addition rounds by 2^-24 of a partial sum at most, the kernel's and the reference's, and no
// partial sum of what is not negative exceeds the whole.
Tolerance tolerance_of(const Variant& variant, const Params& params) {
  Tolerance tolerance = variant.tolerance;
  if (variant.terms) {
    const auto terms = static_cast<double>(variant.terms(params));
    tolerance.relative = std::max(tolerance.relative, 2 * terms * 0x1p-24);
  }
  return tolerance;
}

Expected expected_of(const Variant& variant, const Params& params) {
  Expected expected;
  if (variant.reference) expected.reference = variant.reference(params);
  expected.tolerance = tolerance_of(variant, params);
  if (variant.unchecked) expected.unchecked = variant.unchecked(params);
  expected.findings = variant.expected_findings;
  for (const TheoryRow& row : variant.theory) expected.metrics.push_back(row.metric);
  return expected;
}

// One seed for the whole case; buffers differ from each other by their position.
void seed_buffers(std::vector<ArgSpec>& args, std::uint64_t seed) {
  std::uint64_t salt = 0;
  for (ArgSpec& arg : args) {
    auto* buffer = std::get_if<BufferSpec>(&arg);
    const bool by_seed = buffer != nullptr && (buffer->fill.kind == Fill::Kind::kRandom ||
                                               buffer->fill.kind == Fill::Kind::kWalk);
    if (by_seed) {
      buffer->fill.seed += (seed - 1) * 0x10001ULL + salt++;
    }
  }
}

// An error leaves in `job` all that was known by then: its record names kernel and launch.
void fill(const Variant& variant, const Params& params, std::uint64_t seed, Job& job) {
  job.runs_on = runs_on(variant);
  job.library = variant.library;
  if (job.library.empty() && variant.kernel) job.kernel = variant.kernel(params);
  if (variant.launch) job.launch = variant.launch(params);
  if (variant.args) job.args = variant.args(params);
  job.options = variant.options;
  job.expected = expected_of(variant, params);
  seed_buffers(job.args, seed);
  require_sound(job);
}

CaseRecord failed(const CaseRequest& request, const BatchRequest& batch, const Error& error) {
  CaseRecord record;
  record.index = request.index;
  record.variant = request.variant;
  record.params = request.params;
  record.arch = batch.arch;
  record.kernel = request.job->kernel;
  record.launch = request.job->launch;
  record.status = CaseStatus::kError;
  record.reason = one_line(error);
  return record;
}

}  // namespace

Job make_job(const Variant& variant, const Params& params, std::uint64_t seed) {
  Job job;
  fill(variant, params, seed, job);
  return job;
}

std::vector<CaseRecord> resolve(const Lab* lab, BatchRequest& batch) {
  std::vector<CaseRecord> without;
  for (CaseRequest& request : batch.cases) {
    const Variant* variant = lab == nullptr ? nullptr : &find_variant(*lab, request.variant);
    try {
      if (variant == nullptr) {
        require_sound(request.job.value());
      } else {
        fill(*variant, request.params, batch.seed, request.job.emplace());
        const bool of_goal = lab->goal && lab->goal->variant == variant->name;
        if (of_goal) request.job->expected.most_shared = lab->goal->most_shared;
      }
    } catch (const Error& error) {
      without.push_back(failed(request, batch, error));
      request.job.reset();
    }
  }
  return without;
}

}  // namespace lab
