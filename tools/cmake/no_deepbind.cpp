// Sanitizer builds only. CUPTI opens its helper libraries with RTLD_DEEPBIND, which the sanitizers'
// runtime refuses (https://github.com/google/sanitizers/issues/611): this leaves the flag out.
#include <dlfcn.h>

extern "C" void* dlopen(const char* file, int mode) noexcept {
  using Open = void* (*)(const char*, int);
  static const auto kNext = reinterpret_cast<Open>(dlsym(RTLD_NEXT, "dlopen"));
  return kNext(file, mode & ~RTLD_DEEPBIND);
}
