// Which GPU this is, and the limits of its multiprocessors. Recorded with every run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/gpu_choice.h"
#include "harness/core/record.h"
#include "harness/gpu/driver/driver.h"

namespace lab::gpu {

/// Limits that occupancy follows from. Bytes, registers and threads as their names say.
struct SmLimits {
  int major = 0;
  int minor = 0;
  int sms = 0;
  int threads_per_sm = 0;
  int threads_per_block = 0;
  int registers_per_sm = 0;
  int registers_per_block = 0;
  int shared_bytes_per_sm = 0;
  int shared_bytes_per_block = 0;
  int shared_bytes_per_block_optin = 0;
  int reserved_shared_bytes_per_block = 0;
};

/// Facts that NVML has and the driver API lacks. Empty: NVML is not there, or does not say.
struct Management {
  std::string driver_version;       ///< such as 580.159.03
  std::optional<bool> mig;          ///< multi-instance mode is on
  std::optional<bool> virtual_gpu;  ///< a vGPU, not a whole or passed-through one
  std::optional<int> max_sm_clock_mhz;
};

struct DeviceFacts {
  std::string name;
  std::string uuid;  ///< GPU-..., MIG-...
  std::string pci;   ///< 0000:3b:00.0
  std::string chip;  ///< GH100: the usual one of its compute capability; empty: unknown
  SmLimits sm;
  std::uint64_t memory_bytes = 0;
  int l2_bytes = 0;
  int sm_clock_khz = 0;
  int memory_clock_khz = 0;
  int memory_bus_bits = 0;
  bool ecc = false;
  int cuda_driver = 0;                 ///< 13000: what the driver supports
  std::optional<std::uint32_t> cupti;  ///< its version; nothing where there is none
  int l2_fetch_bytes = 0;              ///< cudaLimitMaxL2FetchGranularity of a context; 0: not read
  Management management;

  [[nodiscard]] int capability() const { return sm.major * 10 + sm.minor; }
  /// sm_90: what the compiler is asked for.
  [[nodiscard]] std::string arch() const;
};

/// All of the driver's GPUs by their names. Needs no context.
[[nodiscard]] std::vector<GpuNames> list_gpus(const Driver& driver);

/// The GPU that --device named, by LAB_DEVICE; else the first. Errors as choose_gpu()'s.
[[nodiscard]] CUdevice chosen_gpu(const Driver& driver);

/// Reads device `device`. Needs no context, and calls neither NVML nor any CUPTI function that
/// looks at the GPU.
[[nodiscard]] DeviceFacts read_facts(const Driver& driver, CUdevice device);

/// Facts as the environment that a run stores: gpu, gpu_uuid, gpu_chip, ...
[[nodiscard]] std::map<std::string, std::string> environment(const DeviceFacts& facts);

/// GPU-00112233-4455-6677-8899-aabbccddeeff of 16 bytes.
[[nodiscard]] std::string uuid_text(const CUuuid& uuid);

/// The driver's version from its kernel module's file; empty where there is none.
[[nodiscard]] std::string driver_version();

/// Asks NVML about the GPU with this UUID, which takes some 15 ms.
[[nodiscard]] Management read_management(const std::string& uuid);

/// Adds to a timing what NVML says at that moment: temperature, power, throttle reasons; what it
/// cannot say stays empty. Keeps NVML started as long as it lives.
[[nodiscard]] std::function<void(Timing&)> condition_reader(const std::string& uuid);

}  // namespace lab::gpu
