// Ranges of the NVTX domain `lab`, by which Nsight's tools can be told what to look at.
#pragma once

#include <memory>
#include <string>

#include "harness/core/job.h"

namespace lab::gpu {

/// `lab.03.stride.stride=2`: lab, variant, parameters. Characters other than A-Za-z0-9_.=- become
/// '_': Nsight Compute's filters give meaning to some of the others.
[[nodiscard]] std::string range_name(int lab, const std::string& variant, const Params& params);

/// A range from its begin to its end, on this thread. Costs nothing where no tool listens.
class NvtxRange {
 public:
  [[nodiscard]] explicit NvtxRange(const std::string& name);
  ~NvtxRange();
  NvtxRange(const NvtxRange&) = delete;
  NvtxRange& operator=(const NvtxRange&) = delete;
  NvtxRange(NvtxRange&&) = delete;
  NvtxRange& operator=(NvtxRange&&) = delete;
};

}  // namespace lab::gpu
