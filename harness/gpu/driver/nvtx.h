// Ranges of the NVTX domain `lab`, by which Nsight's tools can be told what to look at.
#pragma once

#include <string>

namespace lab::gpu {

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
