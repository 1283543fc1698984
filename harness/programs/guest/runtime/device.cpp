// Errors, the device and what it is like.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "harness/programs/guest/runtime/calls.h"
#include "harness/programs/wire/errors.h"

namespace lab::program {
namespace {

thread_local cudaError_t last_error = cudaSuccess;
// After a fault of a kernel every call fails, as on a GPU.
cudaError_t sticky_error = cudaSuccess;
bool unloading = false;

bool is_fault(int error) {
  return error == kIllegalAddress || error == kAssert || error == kMisalignedAddress ||
         error == kLaunchFailure || error == kLaunchTimeout;
}

struct AttributeRow {
  int number;
  int value;
};
constexpr AttributeRow kAttributes[] = {
#define LAB_ATTRIBUTE(name, number, value) {number, value},
#include "harness/programs/guest/include/lab_attributes.inc"
#undef LAB_ATTRIBUTE
};

// Of the GPU that the person asked for; `major` is 0 where that is the H200 of the attributes.
const DeviceFacts& asked() {
  static const DeviceFacts kFacts = [] {
    DeviceFacts facts;
    Connection& line = Connection::the();
    line.ask(AskDevice{}, 0);
    if (line.tail().size() == sizeof facts) std::memcpy(&facts, line.tail().data(), sizeof facts);
    return facts;
  }();
  return kFacts;
}

struct AskedRow {
  int number;
  std::uint32_t DeviceFacts::*member;
};
constexpr AskedRow kAsked[] = {
    {cudaDevAttrComputeCapabilityMajor, &DeviceFacts::major},
    {cudaDevAttrComputeCapabilityMinor, &DeviceFacts::minor},
    {cudaDevAttrMultiProcessorCount, &DeviceFacts::sms},
    {cudaDevAttrClockRate, &DeviceFacts::clock_khz},
    {cudaDevAttrMemoryClockRate, &DeviceFacts::memory_khz},
    {cudaDevAttrGlobalMemoryBusWidth, &DeviceFacts::bus_bits},
    {cudaDevAttrL2CacheSize, &DeviceFacts::l2_bytes},
    {cudaDevAttrMaxThreadsPerMultiProcessor, &DeviceFacts::threads_per_sm},
    {cudaDevAttrMaxBlocksPerMultiprocessor, &DeviceFacts::blocks_per_sm},
    {cudaDevAttrMaxSharedMemoryPerMultiprocessor, &DeviceFacts::shared_per_sm},
    {cudaDevAttrMaxSharedMemoryPerBlockOptin, &DeviceFacts::shared_optin},
    {cudaDevAttrSingleToDoublePrecisionPerfRatio, &DeviceFacts::double_ratio},
};

const char* device_name() { return asked().major == 0 ? "NVIDIA H200" : asked().name; }
constexpr const char* kPciId = "0000:01:00.0";
constexpr std::size_t kGlobalBytes = 150'109'880'320;

int require_device(int device) {
  return device == 0 ? 0 : static_cast<int>(cudaErrorInvalidDevice);
}

std::size_t limits[16] = {1024, 1 << 20, 8 << 20, 2, 2048, 128, 0};
unsigned flags_of_device = 0;
cudaFuncCache cache_config = cudaFuncCachePreferNone;

}  // namespace

int attribute(int number) {
  for (const AskedRow& row : kAsked) {
    if (row.number == number && asked().major != 0) return static_cast<int>(asked().*row.member);
  }
  if (number == cudaDevAttrClusterLaunch && asked().major != 0) return asked().major >= 9 ? 1 : 0;
  for (const AttributeRow& row : kAttributes) {
    if (row.number == number) return row.value;
  }
  return 0;
}

bool is_unloading() { return unloading; }

// The driver takes its leave as functions of atexit(3) do: before the destructors of objects that
// were made ahead of the program's first call, and behind those of later ones.
Entry::Entry(Site site) : site_(site), line_(Connection::the()), lock_(line_.mutex()) {
  if (site == 0) return;  // what compilers call at a program's start loads no driver
  static const int kOnce = std::atexit([] { unloading = true; });
  static_cast<void>(kOnce);
}

cudaError_t Entry::end(int error) {
  // Who frees what he has in a destructor asks for nothing that matters any more.
  if (unloading) return last_error = cudaErrorCudartUnloading;
  if (is_fault(error)) sticky_error = static_cast<cudaError_t>(error);
  const auto result = sticky_error != cudaSuccess ? sticky_error : static_cast<cudaError_t>(error);
  if (result != cudaSuccess && result != cudaErrorNotReady) {
    last_error = result;
    line_.note(ErrorCall{static_cast<std::int32_t>(result)}, site_);
  }
  return result;
}

std::size_t device_memory_bytes() {
  return asked().major == 0 ? kGlobalBytes : asked().memory_bytes;
}

}  // namespace lab::program

using lab::program::Entry;

namespace {

// What programs that list a device's properties print.
void set_textures(cudaDeviceProp& p) {
  p.maxTexture1D = p.maxTexture2D[0] = 131072;
  p.maxTexture2D[1] = 65536;
  for (int& size : p.maxTexture3D) size = 16384;
  p.maxTexture1DLayered[0] = p.maxTexture2DLayered[0] = p.maxTexture2DLayered[1] = 32768;
  p.maxTexture1DLayered[1] = p.maxTexture2DLayered[2] = 2048;
}

}  // namespace

extern "C" {

cudaError_t cudaGetLastError(void) {
  Entry entry(LAB_SITE);
  entry.line().note(lab::program::ErrorAsked{}, entry.site());
  const cudaError_t error = lab::program::last_error;
  lab::program::last_error = lab::program::sticky_error;
  return error;
}

cudaError_t cudaPeekAtLastError(void) {
  Entry entry(LAB_SITE);
  entry.line().note(lab::program::ErrorAsked{}, entry.site());
  return lab::program::last_error;
}

const char* cudaGetErrorString(cudaError_t error) {
  Entry entry(LAB_SITE);
  entry.line().note(lab::program::ErrorAsked{}, entry.site());
  const auto* row = lab::program::find_error(error);
  return row == nullptr ? "unrecognized error code" : row->text;
}

const char* cudaGetErrorName(cudaError_t error) {
  Entry entry(LAB_SITE);
  entry.line().note(lab::program::ErrorAsked{}, entry.site());
  const auto* row = lab::program::find_error(error);
  return row == nullptr ? "unrecognized error code" : row->name;
}

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  Entry entry(LAB_SITE);
  return entry.end(lab::program::require_device(device));
}
cudaError_t cudaSetDeviceFlags(unsigned int flags) {
  lab::program::flags_of_device = flags;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceFlags(unsigned int* flags) {
  *flags = lab::program::flags_of_device;
  return cudaSuccess;
}
cudaError_t cudaInitDevice(int device, unsigned int, unsigned int) {
  Entry entry(LAB_SITE);
  return entry.end(lab::program::require_device(device));
}
cudaError_t cudaSetValidDevices(int*, int) { return cudaSuccess; }
cudaError_t cudaDeviceSynchronize(void) {
  Entry entry(LAB_SITE);
  lab::program::host_waits(entry, lab::program::WaitFor::kAll);
  lab::program::timeline().host_until_idle();
  return entry.end(lab::program::kSuccess);
}
cudaError_t cudaThreadSynchronize(void) { return cudaDeviceSynchronize(); }
cudaError_t cudaThreadExit(void) { return cudaDeviceReset(); }

cudaError_t cudaDeviceGetAttribute(int* value, enum cudaDeviceAttr attribute, int device) {
  Entry entry(LAB_SITE);
  *value = lab::program::attribute(attribute);
  return entry.end(lab::program::require_device(device));
}
cudaError_t cudaDeviceGetName(char* name, int length, int device) {
  Entry entry(LAB_SITE);
  std::snprintf(name, static_cast<std::size_t>(length), "%s", lab::program::device_name());
  return entry.end(lab::program::require_device(device));
}
cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int device) {
  Entry entry(LAB_SITE);
  std::snprintf(id, static_cast<std::size_t>(length), "%s", lab::program::kPciId);
  return entry.end(lab::program::require_device(device));
}
cudaError_t cudaDeviceGetByPCIBusId(int* device, const char*) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaChooseDevice(int* device, const struct cudaDeviceProp*) {
  *device = 0;
  return cudaSuccess;
}

cudaError_t lab_cudaGetDeviceProperties(struct cudaDeviceProp* p, int device) {
  using lab::program::attribute;
  Entry entry(LAB_SITE);
  if (lab::program::require_device(device) != 0) return entry.end(cudaErrorInvalidDevice);
  std::memset(p, 0, sizeof *p);
  std::snprintf(p->name, sizeof p->name, "%s", lab::program::device_name());
  p->totalGlobalMem = lab::program::device_memory_bytes();
  struct Row {
    int* field;
    int number;
  };
  const Row rows[] = {
      {&p->regsPerBlock, cudaDevAttrMaxRegistersPerBlock},
      {&p->warpSize, cudaDevAttrWarpSize},
      {&p->maxThreadsPerBlock, cudaDevAttrMaxThreadsPerBlock},
      {&p->maxThreadsDim[0], cudaDevAttrMaxBlockDimX},
      {&p->maxThreadsDim[1], cudaDevAttrMaxBlockDimY},
      {&p->maxThreadsDim[2], cudaDevAttrMaxBlockDimZ},
      {&p->maxGridSize[0], cudaDevAttrMaxGridDimX},
      {&p->maxGridSize[1], cudaDevAttrMaxGridDimY},
      {&p->maxGridSize[2], cudaDevAttrMaxGridDimZ},
      {&p->clockRate, cudaDevAttrClockRate},
      {&p->major, cudaDevAttrComputeCapabilityMajor},
      {&p->minor, cudaDevAttrComputeCapabilityMinor},
      {&p->deviceOverlap, cudaDevAttrGpuOverlap},
      {&p->multiProcessorCount, cudaDevAttrMultiProcessorCount},
      {&p->canMapHostMemory, cudaDevAttrCanMapHostMemory},
      {&p->concurrentKernels, cudaDevAttrConcurrentKernels},
      {&p->ECCEnabled, cudaDevAttrEccEnabled},
      {&p->pciBusID, cudaDevAttrPciBusId},
      {&p->asyncEngineCount, cudaDevAttrAsyncEngineCount},
      {&p->unifiedAddressing, cudaDevAttrUnifiedAddressing},
      {&p->memoryClockRate, cudaDevAttrMemoryClockRate},
      {&p->memoryBusWidth, cudaDevAttrGlobalMemoryBusWidth},
      {&p->l2CacheSize, cudaDevAttrL2CacheSize},
      {&p->maxThreadsPerMultiProcessor, cudaDevAttrMaxThreadsPerMultiProcessor},
      {&p->streamPrioritiesSupported, cudaDevAttrStreamPrioritiesSupported},
      {&p->globalL1CacheSupported, cudaDevAttrGlobalL1CacheSupported},
      {&p->localL1CacheSupported, cudaDevAttrLocalL1CacheSupported},
      {&p->regsPerMultiprocessor, cudaDevAttrMaxRegistersPerMultiprocessor},
      {&p->managedMemory, cudaDevAttrManagedMemory},
      {&p->singleToDoublePrecisionPerfRatio, cudaDevAttrSingleToDoublePrecisionPerfRatio},
      {&p->concurrentManagedAccess, cudaDevAttrConcurrentManagedAccess},
      {&p->computePreemptionSupported, cudaDevAttrComputePreemptionSupported},
      {&p->cooperativeLaunch, cudaDevAttrCooperativeLaunch},
      {&p->maxBlocksPerMultiProcessor, cudaDevAttrMaxBlocksPerMultiprocessor},
      {&p->hostRegisterSupported, cudaDevAttrHostRegisterSupported},
      {&p->memoryPoolsSupported, cudaDevAttrMemoryPoolsSupported},
      {&p->clusterLaunch, cudaDevAttrClusterLaunch},
  };
  for (const Row& row : rows) *row.field = attribute(row.number);
  struct SizeRow {
    std::size_t* field;
    int number;
  };
  const SizeRow sizes[] = {
      {&p->sharedMemPerBlock, cudaDevAttrMaxSharedMemoryPerBlock},
      {&p->memPitch, cudaDevAttrMaxPitch},
      {&p->totalConstMem, cudaDevAttrTotalConstantMemory},
      {&p->textureAlignment, cudaDevAttrTextureAlignment},
      {&p->texturePitchAlignment, cudaDevAttrTexturePitchAlignment},
      {&p->sharedMemPerMultiprocessor, cudaDevAttrMaxSharedMemoryPerMultiprocessor},
      {&p->sharedMemPerBlockOptin, cudaDevAttrMaxSharedMemoryPerBlockOptin},
      {&p->reservedSharedMemPerBlock, cudaDevAttrReservedSharedMemoryPerBlock},
  };
  for (const SizeRow& row : sizes) *row.field = static_cast<std::size_t>(attribute(row.number));
  set_textures(*p);
  return entry.end(lab::program::kSuccess);
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config) {
  lab::program::cache_config = config;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache* config) {
  *config = lab::program::cache_config;
  return cudaSuccess;
}
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig) { return cudaSuccess; }
cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig* config) {
  *config = cudaSharedMemBankSizeFourByte;
  return cudaSuccess;
}
cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value) {
  Entry entry(LAB_SITE);
  if (limit > cudaLimitPersistingL2CacheSize) return entry.end(cudaErrorUnsupportedLimit);
  lab::program::limits[limit] = value;
  return entry.end(lab::program::kSuccess);
}
cudaError_t cudaDeviceGetLimit(size_t* value, enum cudaLimit limit) {
  Entry entry(LAB_SITE);
  if (limit > cudaLimitPersistingL2CacheSize) return entry.end(cudaErrorUnsupportedLimit);
  *value = lab::program::limits[limit];
  return entry.end(lab::program::kSuccess);
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  *greatest = -5;
  return cudaSuccess;
}
// There is one device.
cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
  *can = 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned int) {
  Entry entry(LAB_SITE);
  return entry.end(cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceDisablePeerAccess(int) {
  Entry entry(LAB_SITE);
  return entry.end(cudaErrorPeerAccessNotEnabled);
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaProfilerStart(void) { return cudaSuccess; }
cudaError_t cudaProfilerStop(void) { return cudaSuccess; }
cudaError_t cudaDeviceGetP2PAttribute(int* value, int, int, int) {
  Entry entry(LAB_SITE);
  *value = 0;
  return entry.end(cudaErrorInvalidDevice);
}

}  // extern "C"
