// Pools of memory, and attributes of streams: what a program says of how memory is to be kept. Here
// each allocation has its own, so that they are remembered and change nothing.
#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <utility>

#include "harness/programs/guest/runtime/calls.h"

/// What the program's handles point to.
struct CUmemPoolHandle_st {
  std::array<std::uint64_t, cudaMemPoolAttrReleaseThreshold + 1> attributes;
};

namespace lab::program {
namespace {

// A GPU's pools begin so: what is free again is reused, and given back at each synchronisation.
constexpr CUmemPoolHandle_st kFresh = {{0, 1, 1, 1, 0}};
CUmemPoolHandle_st default_pool = kFresh;
cudaMemPool_t current_pool = &default_pool;

// The first three are int, the threshold has 64 bits. 0: it cannot be set.
std::size_t bytes_of(cudaMemPoolAttr attribute) {
  if (attribute < cudaMemPoolReuseFollowEventDependencies) return 0;
  if (attribute < cudaMemPoolAttrReleaseThreshold) return sizeof(int);
  return attribute == cudaMemPoolAttrReleaseThreshold ? sizeof(std::uint64_t) : 0;
}

std::map<std::pair<cudaStream_t, cudaLaunchAttributeID>, cudaLaunchAttributeValue> of_streams;

}  // namespace
}  // namespace lab::program

using lab::program::Entry;

extern "C" {

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  Entry entry(LAB_SITE);
  if (device != 0) return entry.end(cudaErrorInvalidDevice);
  *pool = &lab::program::default_pool;
  return entry.end(lab::program::kSuccess);
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  Entry entry(LAB_SITE);
  if (device != 0) return entry.end(cudaErrorInvalidDevice);
  *pool = lab::program::current_pool;
  return entry.end(lab::program::kSuccess);
}
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  Entry entry(LAB_SITE);
  if (device != 0) return entry.end(cudaErrorInvalidDevice);
  if (pool == nullptr) return entry.end(lab::program::kInvalidValue);
  lab::program::current_pool = pool;
  return entry.end(lab::program::kSuccess);
}
cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  Entry entry(LAB_SITE);
  if (properties == nullptr || properties->allocType != cudaMemAllocationTypePinned) {
    return entry.end(lab::program::kInvalidValue);
  }
  *pool = new CUmemPoolHandle_st(lab::program::kFresh);
  return entry.end(lab::program::kSuccess);
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  Entry entry(LAB_SITE);
  if (pool == nullptr || pool == &lab::program::default_pool) {
    return entry.end(lab::program::kInvalidValue);
  }
  if (pool == lab::program::current_pool) lab::program::current_pool = &lab::program::default_pool;
  delete pool;
  return entry.end(lab::program::kSuccess);
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  Entry entry(LAB_SITE);
  const std::size_t bytes = lab::program::bytes_of(attribute);
  if (pool == nullptr || bytes == 0) return entry.end(lab::program::kInvalidValue);
  std::memcpy(&pool->attributes[attribute], value, bytes);
  return entry.end(lab::program::kSuccess);
}
// What is reserved and used is a matter of the GPU's allocator.
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  Entry entry(LAB_SITE);
  const std::size_t bytes = lab::program::bytes_of(attribute);
  if (pool == nullptr) return entry.end(lab::program::kInvalidValue);
  if (bytes == 0) return entry.end(cudaErrorNotSupported);
  std::memcpy(value, &pool->attributes[attribute], bytes);
  return entry.end(lab::program::kSuccess);
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t) {
  Entry entry(LAB_SITE);
  return entry.end(pool == nullptr ? lab::program::kInvalidValue : lab::program::kSuccess);
}

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID attribute,
                                   const cudaLaunchAttributeValue* value) {
  Entry entry(LAB_SITE);
  lab::program::of_streams[{stream, attribute}] = *value;
  return entry.end(lab::program::kSuccess);
}
cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID attribute,
                                   cudaLaunchAttributeValue* value) {
  Entry entry(LAB_SITE);
  *value = {};
  const auto known = lab::program::of_streams.find({stream, attribute});
  if (known != lab::program::of_streams.end()) *value = known->second;
  return entry.end(lab::program::kSuccess);
}
cudaError_t cudaCtxResetPersistingL2Cache(void) { return cudaSuccess; }

}  // extern "C"
