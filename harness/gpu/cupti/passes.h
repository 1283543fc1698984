// Which metrics are collected together: a plan of passes, each of which runs every kernel once.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/gpu/cupti/host.h"
#include "harness/gpu/cupti/image_cache.h"

namespace lab::gpu {

/// Metrics under one configuration. The cost of a collection is mostly that of its configurations:
/// on an H200 the first start of each takes 0.13 to 0.2 s, and each further pass 0.02 s.
struct PassGroup {
  ConfigImage image;
  int first_pass = 0;  ///< counted from 0 over the whole plan
};

struct PassPlan {
  std::vector<PassGroup> groups;
  std::vector<std::string> lacking;  ///< asked for, but this chip does not have them
  std::size_t passes = 0;
};

/// All of `metrics` that the chip has under one configuration.
[[nodiscard]] PassPlan plan_passes(const Host& host, std::span<const std::string> metrics);

/// Like plan_passes, but remembered. The key is the chip, the CUPTI version, what the GPU allows to
/// be counted, and the names.
[[nodiscard]] PassPlan cached_passes(const Host& host, std::span<const std::string> metrics,
                                     const std::string& availability_hash, const ImageCache& cache);

/// Plans as bytes, for the cache. `read_plan` throws an internal error for bytes that are none.
[[nodiscard]] std::string write_plan(const PassPlan& plan);
[[nodiscard]] PassPlan read_plan(const std::string& bytes);

}  // namespace lab::gpu
