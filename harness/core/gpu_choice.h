// Which of a machine's GPUs is meant.
#pragma once

#include <string>
#include <vector>

namespace lab {

/// A GPU by its names.
struct GpuNames {
  int index = 0;     ///< as the driver counts, from 0
  std::string name;  ///< NVIDIA H200
  std::string uuid;  ///< GPU-00112233-4455-..., MIG-...
  std::string pci;   ///< domain:bus:device.function, 0000:3b:00.0
};

/// The variable that tells workers which GPU is meant; not set: the first.
constexpr const char* kGpuVariable = "LAB_DEVICE";

/// Throws an input error where `asked` is neither an index (1), nor the beginning of a UUID
/// (GPU-1f0e, at least four digits), nor a PCI id (3b:00.0, 0000:3b:00.0, 00000000:3B:00.0).
void require_gpu_name(const std::string& asked);

/// The index of the GPU that `asked` names; empty: the first. Throws as require_gpu_name(), and a
/// machine error that lists what there is where none is named so, or several are.
[[nodiscard]] int choose_gpu(const std::vector<GpuNames>& gpus, const std::string& asked);

/// `NVIDIA H200, GPU-..., PCI 0000:3b:00.0`
[[nodiscard]] std::string to_text(const GpuNames& gpu);

}  // namespace lab
