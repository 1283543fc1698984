#include "harness/gpu/cupti/cupti_api.h"

#include <cuda.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include "harness/gpu/cupti/cupti_call.h"

namespace lab::gpu {

namespace {

constexpr const char* kGetCupti =
    "counters need CUPTI: install the CUDA toolkit whose headers lab was built with, or a newer "
    "one of the same major version, or set CUDA_HOME to the folder it is in";

CuptiError not_there(const std::string& message) {
  return {CUPTI_ERROR_NOT_INITIALIZED, message, kGetCupti};
}

template <typename Function>
void bind(void* library, const char* name, Function& slot) {
  // dlsym gives a void*; POSIX says that it converts.
  slot = reinterpret_cast<Function>(dlsym(library, name));
  if (slot == nullptr) throw not_there(fmt::format("CUPTI lacks {}: it is too old", name));
}

CuptiApi load() {
  const std::string name = fmt::format("libcupti.so.{}", CUDA_VERSION / 1000);
  // Never closed: it keeps threads and exit handlers of its own.
  void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* said = dlerror();
    throw not_there(fmt::format("no CUPTI: {}", said == nullptr ? name.c_str() : said));
  }
  CuptiApi api;
#define LAB_CUPTI_BIND(name) bind(library, "cupti" #name, api.name);
  LAB_CUPTI_FUNCTIONS(LAB_CUPTI_BIND)
#undef LAB_CUPTI_BIND
  return api;
}

}  // namespace

const CuptiApi& cupti() {
  static const CuptiApi kLoaded = load();
  return kLoaded;
}

}  // namespace lab::gpu
