// A driver without a GPU: device memory is this process's, and of kernels it knows the few that the
// tests launch, by their names.
#include <cuda.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace {

struct State {
  std::map<std::uint64_t, std::size_t> mapped;
  std::vector<std::string> kernels;  // functions that were looked up; a handle is a number, from 1
  std::vector<int> seen;             // what add_one found in its first element
  std::uint64_t shift = 0;           // of addresses that are given where others were asked for
  std::size_t unmapped = 0;
  int counter = 5;  // the module's variable
  CUresult fault = CUDA_SUCCESS;
};
State& state() {
  static State one;
  return one;
}

bool is_mapped(std::uint64_t address) {
  auto after = state().mapped.upper_bound(address);
  if (after == state().mapped.begin()) return false;
  --after;
  return address - after->first < after->second;
}

template <typename T>
T argument(void** arguments, int index) {
  T value;
  std::memcpy(&value, arguments[index], sizeof value);
  return value;
}

CUresult launch(CUfunction function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                unsigned, CUstream, void** arguments) {
  const std::string& name = state().kernels.at(reinterpret_cast<std::uintptr_t>(function) - 1);
  if (name == "add_one") {
    const auto address = argument<std::uint64_t>(arguments, 0);
    if (!is_mapped(address)) {
      state().fault = CUDA_ERROR_ILLEGAL_ADDRESS;
      return CUDA_SUCCESS;
    }
    auto* data = reinterpret_cast<int*>(address);
    state().seen.push_back(data[0]);
    for (int i = 0; i < argument<int>(arguments, 1); ++i) data[i] += 1;
  } else if (name == "count") {
    state().seen.push_back(state().counter);
    state().counter += 1;
  } else if (name == "count_at") {
    *reinterpret_cast<int*>(argument<std::uint64_t>(arguments, 0)) += 1;
  }
  return CUDA_SUCCESS;
}

}  // namespace

extern "C" {

// For the tests.
const std::vector<int>& fake_seen() { return state().seen; }
std::size_t fake_mapped_bytes() {
  std::size_t all = 0;
  for (const auto& [address, bytes] : state().mapped) all += bytes;
  return all;
}
void fake_reset(std::uint64_t shift) {
  state().seen.clear();
  state().shift = shift;
  state().fault = CUDA_SUCCESS;
  state().counter = 5;
}

CUresult cuInit(unsigned) { return CUDA_SUCCESS; }
CUresult cuDriverGetVersion(int* version) { return *version = 13000, CUDA_SUCCESS; }
CUresult cuGetErrorName(CUresult code, const char** name) {
  *name = code == CUDA_ERROR_ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR";
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int* count) { return *count = 1, CUDA_SUCCESS; }
CUresult cuDeviceGet(CUdevice* device, int) { return *device = 0, CUDA_SUCCESS; }
CUresult cuDeviceGetName(char* name, int, CUdevice) {
  return std::strcpy(name, "no GPU"), CUDA_SUCCESS;
}
CUresult cuDeviceGetPCIBusId(char* name, int, CUdevice) {
  return std::strcpy(name, "0000:00:00.0"), CUDA_SUCCESS;
}
CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice) {
  return std::memset(uuid, 0, sizeof *uuid), CUDA_SUCCESS;
}
// An H200's, as far as launches are held against them.
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice) {
  static const std::map<CUdevice_attribute, int> kValues = {
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9},
      {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 132},
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048},
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
      {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536},
      {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 65536},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 233472},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 49152},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 232448},
      {CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 1024},
      {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 4096}};
  const auto at = kValues.find(which);
  return *value = at == kValues.end() ? 0 : at->second, CUDA_SUCCESS;
}
CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice) {
  return *bytes = std::size_t{1} << 30U, CUDA_SUCCESS;
}
CUresult cuCtxCreate_v4(CUcontext* context, CUctxCreateParams*, unsigned, CUdevice) {
  return *context = reinterpret_cast<CUcontext>(1), CUDA_SUCCESS;
}
CUresult cuStreamCreate(CUstream* stream, unsigned) {
  return *stream = reinterpret_cast<CUstream>(1), CUDA_SUCCESS;
}
CUresult cuStreamSynchronize(CUstream) { return state().fault; }
CUresult cuEventCreate(CUevent* event, unsigned) {
  return *event = reinterpret_cast<CUevent>(1), CUDA_SUCCESS;
}
CUresult cuEventElapsedTime(float* milliseconds, CUevent, CUevent) {
  return *milliseconds = 0.002F, CUDA_SUCCESS;
}
CUresult cuMemAlloc_v2(CUdeviceptr* address, std::size_t bytes) {
  return *address = reinterpret_cast<CUdeviceptr>(std::malloc(bytes)), CUDA_SUCCESS;
}
CUresult cuMemFree_v2(CUdeviceptr address) {
  return std::free(reinterpret_cast<void*>(address)), CUDA_SUCCESS;
}
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, std::size_t bytes) {
  return std::memcpy(reinterpret_cast<void*>(to), from, bytes), CUDA_SUCCESS;
}
CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, std::size_t bytes) {
  return std::memcpy(to, reinterpret_cast<void*>(from), bytes), CUDA_SUCCESS;
}
CUresult cuMemGetAllocationGranularity(std::size_t* bytes, const CUmemAllocationProp*,
                                       CUmemAllocationGranularity_flags) {
  return *bytes = std::size_t{2} << 20U, CUDA_SUCCESS;
}
CUresult cuMemAddressReserve(CUdeviceptr* address, std::size_t bytes, std::size_t, CUdeviceptr hint,
                             unsigned long long) {
  void* got = ::mmap(reinterpret_cast<void*>(hint + state().shift), bytes, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  *address = reinterpret_cast<CUdeviceptr>(got);
  return got == MAP_FAILED ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}
CUresult cuMemAddressFree(CUdeviceptr address, std::size_t bytes) {
  return ::munmap(reinterpret_cast<void*>(address), bytes), CUDA_SUCCESS;
}
CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, std::size_t bytes,
                     const CUmemAllocationProp*, unsigned long long) {
  return *handle = bytes, CUDA_SUCCESS;
}
CUresult cuMemMap(CUdeviceptr address, std::size_t bytes, std::size_t,
                  CUmemGenericAllocationHandle handle, unsigned long long) {
  const bool fits = handle == bytes && bytes % (std::size_t{2} << 20U) == 0;
  if (!fits || is_mapped(address) || is_mapped(address + bytes - 1))
    return CUDA_ERROR_INVALID_VALUE;
  state().mapped[address] = bytes;
  return CUDA_SUCCESS;
}
CUresult cuMemSetAccess(CUdeviceptr address, std::size_t bytes, const CUmemAccessDesc*,
                        std::size_t) {
  ::mprotect(reinterpret_cast<void*>(address), bytes, PROT_READ | PROT_WRITE);
  return CUDA_SUCCESS;
}
CUresult cuMemUnmap(CUdeviceptr address, std::size_t bytes) {
  ::mprotect(reinterpret_cast<void*>(address), bytes, PROT_NONE);
  return state().mapped.erase(address) == 1 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuModuleLoadData(CUmodule* module, const void*) {
  return *module = reinterpret_cast<CUmodule>(1), CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule, const char* name) {
  state().kernels.emplace_back(name);
  return *function = reinterpret_cast<CUfunction>(state().kernels.size()), CUDA_SUCCESS;
}
CUresult cuModuleGetGlobal_v2(CUdeviceptr* address, std::size_t* bytes, CUmodule,
                              const char* name) {
  if (std::strcmp(name, "counter") != 0) return CUDA_ERROR_NOT_FOUND;
  *address = reinterpret_cast<CUdeviceptr>(&state().counter);
  return *bytes = sizeof state().counter, CUDA_SUCCESS;
}
CUresult cuFuncGetAttribute(int* value, CUfunction_attribute which, CUfunction) {
  return *value = which == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? 1024 : 16, CUDA_SUCCESS;
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction, int, std::size_t) {
  return *blocks = 16, CUDA_SUCCESS;
}
CUresult cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                        unsigned by, unsigned bz, unsigned shared, CUstream stream,
                        void** arguments, void**) {
  return launch(function, gx, gy, gz, bx, by, bz, shared, stream, arguments);
}
// Whatever else is asked for does nothing.
CUresult fake_nothing() { return CUDA_SUCCESS; }

CUresult cuGetProcAddress_v2(const char* name, void** function, int, cuuint64_t,
                             CUdriverProcAddressQueryResult* result) {
#define FAKE(name, real) \
  { #name, reinterpret_cast < void*>(real) }
  static const std::map<std::string, void*> kFunctions = {
      FAKE(cuInit, ::cuInit),
      FAKE(cuDriverGetVersion, ::cuDriverGetVersion),
      FAKE(cuGetErrorName, ::cuGetErrorName),
      FAKE(cuDeviceGetCount, ::cuDeviceGetCount),
      FAKE(cuDeviceGet, ::cuDeviceGet),
      FAKE(cuDeviceGetName, ::cuDeviceGetName),
      FAKE(cuDeviceGetPCIBusId, ::cuDeviceGetPCIBusId),
      FAKE(cuDeviceGetUuid, ::cuDeviceGetUuid_v2),
      FAKE(cuDeviceGetAttribute, ::cuDeviceGetAttribute),
      FAKE(cuDeviceTotalMem, ::cuDeviceTotalMem_v2),
      FAKE(cuCtxCreate, ::cuCtxCreate_v4),
      FAKE(cuStreamCreate, ::cuStreamCreate),
      FAKE(cuStreamSynchronize, ::cuStreamSynchronize),
      FAKE(cuEventCreate, ::cuEventCreate),
      FAKE(cuEventElapsedTime, ::cuEventElapsedTime),
      FAKE(cuMemAlloc, ::cuMemAlloc_v2),
      FAKE(cuMemFree, ::cuMemFree_v2),
      FAKE(cuMemcpyHtoD, ::cuMemcpyHtoD_v2),
      FAKE(cuMemcpyDtoH, ::cuMemcpyDtoH_v2),
      FAKE(cuMemGetAllocationGranularity, ::cuMemGetAllocationGranularity),
      FAKE(cuMemAddressReserve, ::cuMemAddressReserve),
      FAKE(cuMemAddressFree, ::cuMemAddressFree),
      FAKE(cuMemCreate, ::cuMemCreate),
      FAKE(cuMemMap, ::cuMemMap),
      FAKE(cuMemSetAccess, ::cuMemSetAccess),
      FAKE(cuMemUnmap, ::cuMemUnmap),
      FAKE(cuModuleLoadData, ::cuModuleLoadData),
      FAKE(cuModuleGetFunction, ::cuModuleGetFunction),
      FAKE(cuModuleGetGlobal, ::cuModuleGetGlobal_v2),
      FAKE(cuFuncGetAttribute, ::cuFuncGetAttribute),
      FAKE(cuOccupancyMaxActiveBlocksPerMultiprocessor,
           ::cuOccupancyMaxActiveBlocksPerMultiprocessor),
      FAKE(cuLaunchKernel, ::cuLaunchKernel),
  };
#undef FAKE
  const auto at = kFunctions.find(name);
  *function = at == kFunctions.end() ? reinterpret_cast<void*>(fake_nothing) : at->second;
  if (result != nullptr) *result = CU_GET_PROC_ADDRESS_SUCCESS;
  return CUDA_SUCCESS;
}

}  // extern "C"
