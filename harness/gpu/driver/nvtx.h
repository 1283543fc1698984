// Ranges of the NVTX domain `lab`, by which Nsight's tools know what to look at.
#pragma once

#include <string>

namespace lab::gpu {

/// A range that lasts as long as this object, on this thread. It costs nothing where no tool
/// listens.
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
