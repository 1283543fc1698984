// libcuda, loaded at run time: where there is no driver, the program starts all the same and says
// what is missing.
#pragma once

#include <cudaTypedefs.h>

#include <memory>
#include <string>
#include <string_view>

#include "harness/core/error.h"
#include "harness/gpu/driver/handle.h"

namespace lab::gpu {

// The name without `cu`, and the version in cudaTypedefs.h whose type the function has. To add a
// function, add a row here.
#define LAB_DRIVER_FUNCTIONS(X)         \
  X(Init, 2000)                         \
  X(DriverGetVersion, 2020)             \
  X(GetErrorName, 6000)                 \
  X(GetErrorString, 6000)               \
  X(DeviceGetCount, 2000)               \
  X(DeviceGet, 2000)                    \
  X(DeviceGetName, 2000)                \
  X(DeviceGetPCIBusId, 4010)            \
  X(DeviceGetUuid, 11040)               \
  X(DeviceGetAttribute, 2000)           \
  X(DeviceTotalMem, 3020)               \
  X(CtxCreate, 11040)                   \
  X(CtxDestroy, 4000)                   \
  X(CtxSetCurrent, 4000)                \
  X(CtxSynchronize, 2000)               \
  X(CtxGetLimit, 3010)                  \
  X(CtxSetLimit, 3010)                  \
  X(StreamCreate, 2000)                 \
  X(StreamDestroy, 4000)                \
  X(StreamSynchronize, 2000)            \
  X(StreamQuery, 2000)                  \
  X(EventCreate, 2000)                  \
  X(EventDestroy, 4000)                 \
  X(EventRecord, 2000)                  \
  X(EventElapsedTime, 2000)             \
  X(MemGetInfo, 3020)                   \
  X(MemAlloc, 3020)                     \
  X(MemFree, 3020)                      \
  X(MemcpyHtoD, 3020)                   \
  X(MemcpyDtoH, 3020)                   \
  X(MemcpyDtoDAsync, 3020)              \
  X(MemsetD8Async, 3020)                \
  X(Memcpy2DAsync, 3020)                \
  X(MemAddressReserve, 10020)           \
  X(MemAddressFree, 10020)              \
  X(MemGetAllocationGranularity, 10020) \
  X(MemCreate, 10020)                   \
  X(MemRelease, 10020)                  \
  X(MemMap, 10020)                      \
  X(MemUnmap, 10020)                    \
  X(MemSetAccess, 10020)                \
  X(Array3DCreate, 3020)                \
  X(ArrayDestroy, 2000)                 \
  X(TexObjectCreate, 5000)              \
  X(TexObjectDestroy, 5000)             \
  X(SurfObjectCreate, 5000)             \
  X(SurfObjectDestroy, 5000)            \
  X(ModuleLoadData, 2000)               \
  X(ModuleUnload, 2000)                 \
  X(ModuleGetFunction, 2000)            \
  X(ModuleGetGlobal, 3020)              \
  X(FuncGetAttribute, 2020)             \
  X(FuncSetAttribute, 9000)             \
  X(LaunchKernel, 4000)                 \
  X(LaunchCooperativeKernel, 9000)      \
  X(StreamBeginCapture, 10010)          \
  X(StreamEndCapture, 10000)            \
  X(GraphGetNodes, 10000)               \
  X(GraphNodeGetType, 10000)            \
  X(GraphDestroy, 10000)                \
  X(OccupancyMaxActiveBlocksPerMultiprocessor, 6050)

/// The driver's functions by name: api.MemAlloc is cuMemAlloc.
struct DriverApi {
#define LAB_DRIVER_MEMBER(name, version) PFN_cu##name##_v##version name = nullptr;
  LAB_DRIVER_FUNCTIONS(LAB_DRIVER_MEMBER)
#undef LAB_DRIVER_MEMBER
};

/// A driver call that did not succeed.
class DriverError : public Error {
 public:
  DriverError(CUresult code, const std::string& message, std::string hint)
      : Error(Fault::kMachine, message, std::move(hint)), code_(code) {}
  [[nodiscard]] CUresult code() const { return code_; }

 private:
  CUresult code_;
};

/// Whether the context is lost with this error, as after an illegal address. This process can then
/// do nothing more on a GPU (CUDA driver API, CUresult).
[[nodiscard]] bool loses_context(CUresult code);

/// Advice on what a student can do about a kernel that ended this way; empty where the name says it
/// all.
[[nodiscard]] std::string advice(CUresult code);

/// The loaded and initialised driver.
class Driver {
 public:
  /// Throws a machine error that says what was looked for, and what to do, where there is no
  /// driver, the driver is too old, or it sees no GPU.
  [[nodiscard]] static std::shared_ptr<const Driver> load();

  [[nodiscard]] const DriverApi& api() const { return api_; }
  /// 13000 for CUDA 13.0: what the driver supports.
  [[nodiscard]] int cuda_version() const { return cuda_version_; }
  [[nodiscard]] int device_count() const { return device_count_; }
  /// CUDA_ERROR_ILLEGAL_ADDRESS, ...
  [[nodiscard]] std::string name_of(CUresult code) const;
  /// Throws DriverError naming the function, what it was called for, and the code.
  void check(CUresult code, std::string_view function, std::string_view object = {}) const;
  /// For destructors, which cannot report an error. After a fault every call gives its code again.
  void log_failed(CUresult code, std::string_view function) const;

 private:
  Driver() = default;
  Handle<void*> library_;
  DriverApi api_;
  int cuda_version_ = 0;
  int device_count_ = 0;
};

/// Files of a driver, which tell why there is no GPU.
struct DriverTraces {
  bool device_node = false;    ///< /dev/nvidia0
  bool kernel_module = false;  ///< /proc/driver/nvidia/version
  bool wsl = false;            ///< /dev/dxg
};
[[nodiscard]] DriverTraces driver_traces();
/// The advice that goes with `loader_error`, what dlopen said of libcuda.so.1.
[[nodiscard]] std::string no_driver_advice(const DriverTraces& traces);

}  // namespace lab::gpu
