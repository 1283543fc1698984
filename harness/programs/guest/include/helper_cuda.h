// In place of the samples' header of this name: calls that are checked, and the choice of a device.
#pragma once

#include "cuda_runtime.h"
#include "helper_string.h"

#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif

static inline const char* _cudaGetErrorEnum(cudaError_t error) { return cudaGetErrorName(error); }
template <class T>
void check(T result, char const* const call, const char* const file, int const line) {
  if (!result) return;
  fprintf(stderr, "CUDA error at %s:%d code=%d(%s) \"%s\" \n", file, line,
          static_cast<unsigned int>(result), _cudaGetErrorEnum(static_cast<cudaError_t>(result)),
          call);
  exit(EXIT_FAILURE);
}
#define checkCudaErrors(call) check((call), #call, __FILE__, __LINE__)

inline void lab_look(const char* message, const char* file, int line, bool ends) {
  const cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s(%i) : getLastCudaError() CUDA error : %s : (%d) %s.\n", file, line, message,
          static_cast<int>(error), cudaGetErrorString(error));
  if (ends) exit(EXIT_FAILURE);
}
#define getLastCudaError(message) lab_look(message, __FILE__, __LINE__, true)
#define printLastCudaError(message) lab_look(message, __FILE__, __LINE__, false)

inline int ftoi(float value) { return static_cast<int>(value >= 0 ? value + 0.5 : value - 0.5); }
inline int _ConvertSMVer2Cores(int major, int minor) {
  switch (major * 10 + minor) {
    case 30:
    case 32:
    case 35:
    case 37:
      return 192;
    case 60:
    case 70:
    case 72:
    case 75:
    case 80:
      return 64;
    default:
      return 128;
  }
}
inline const char* _ConvertSMVer2ArchName(int major, int) {
  constexpr const char* kNames[] = {"Graphics Device", "Tesla",   "Fermi",  "Kepler",
                                    "Graphics Device", "Maxwell", "Pascal", "Volta",
                                    "Ampere",          "Hopper"};
  return major >= 0 && major < 10 ? kNames[major] : "Graphics Device";
}
// There is one device.
inline int gpuGetMaxGflopsDeviceId() { return 0; }
inline int gpuDeviceInit(int device) {
  checkCudaErrors(cudaSetDevice(device < 0 ? 0 : device));
  return device < 0 ? 0 : device;
}
inline int findCudaDevice(int count, const char** words) {
  int device = 0;
  if (checkCmdLineFlag(count, words, "device")) {
    device = gpuDeviceInit(getCmdLineArgumentInt(count, words, "device="));
  }
  int major = 0;
  int minor = 0;
  checkCudaErrors(cudaSetDevice(device));
  checkCudaErrors(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  checkCudaErrors(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
  printf("GPU Device %d: \"%s\" with compute capability %d.%d\n\n", device,
         _ConvertSMVer2ArchName(major, minor), major, minor);
  return device;
}
inline int findIntegratedGPU() {
  fprintf(stderr, "CUDA error: No GPU devices that integrate\n");
  exit(EXIT_FAILURE);
}
inline bool checkCudaCapabilities(int major_wanted, int minor_wanted) {
  int major = 0;
  int minor = 0;
  checkCudaErrors(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
  checkCudaErrors(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0));
  return major > major_wanted || (major == major_wanted && minor >= minor_wanted);
}
