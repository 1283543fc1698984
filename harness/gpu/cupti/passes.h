// Which metrics are collected together: a plan of passes, each of which runs every kernel once.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/file_cache.h"
#include "harness/gpu/cupti/cause.h"
#include "harness/gpu/cupti/host.h"

namespace lab::gpu {

/// Metrics under one configuration. The cost of a collection is mostly that of its configurations:
/// on an H200 the first start of each takes 0.13 to 0.2 s, and each further pass 0.02 s.
struct PassGroup {
  ConfigImage image;
  int first_pass = 0;  ///< counted from 0 over the whole plan
};

struct PassPlan {
  std::vector<PassGroup> groups;
  std::vector<std::string> lacking;   ///< asked for, but this chip does not have them
  std::vector<std::string> withheld;  ///< the chip has them; this GPU does not let them be counted
  std::map<std::string, CUptiResult> unanswered;  ///< CUPTI failed so when it was asked about them
  std::size_t passes = 0;
};

/// Where images that CUPTI makes slowly and always the same are kept between runs.
[[nodiscard]] FileCache cupti_cache();

/// A metric, and what CUPTI said of it.
using TriedMetric = std::pair<std::string, Tried>;
/// The metrics that can be counted, in their order; the others are put into `plan` by their causes.
[[nodiscard]] std::vector<std::string> sort_out(std::span<const TriedMetric> metrics,
                                                PassPlan& plan);

/// All of `metrics` that can be counted under one configuration.
[[nodiscard]] PassPlan plan_passes(const Host& host, std::span<const std::string> metrics);

/// The plan that `cache` has under `key`, else the one that `make` gives, which is kept where CUPTI
/// answered for all of it: a passing failure says nothing about a GPU.
[[nodiscard]] PassPlan kept_plan(const FileCache& cache, const std::string& key,
                                 const std::function<PassPlan()>& make);

/// Like plan_passes, but remembered. The key is the chip, the CUPTI version, what the GPU allows to
/// be counted, and the names.
[[nodiscard]] PassPlan cached_passes(const Host& host, std::span<const std::string> metrics,
                                     const std::string& availability_hash, const FileCache& cache);

/// Plans as bytes, for the cache. `read_plan` throws an internal error for bytes that are none.
[[nodiscard]] std::string write_plan(const PassPlan& plan);
[[nodiscard]] PassPlan read_plan(const std::string& bytes);

}  // namespace lab::gpu
