#include "harness/kernel/compile/nvrtc_library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/core/error.h"

namespace lab::compile {
namespace {

namespace fs = std::filesystem;

void* open_library(const fs::path& path) {
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) return library;
  const char* said = ::dlerror();
  throw machine_error(
      fmt::format("NVRTC cannot be loaded: {}", said == nullptr ? path.c_str() : said),
      toolkit::nvrtc_advice());
}

template <typename Function>
void bind(void* library, const char* name, Function& slot) {
  // dlsym gives a void*; POSIX says that it converts.
  slot = reinterpret_cast<Function>(::dlsym(library, name));
  if (slot == nullptr) throw machine_error(fmt::format("NVRTC lacks the function {}", name));
}

Nvrtc load() {
  const toolkit::NvrtcSearch search = toolkit::find_nvrtc();
  if (!search.found) {
    throw machine_error(fmt::format("no NVRTC, which compiles the kernels: looked in {}",
                                    fmt::join(search.looked, ", ")),
                        toolkit::nvrtc_advice());
  }
  // NVRTC opens its second file by name alone, which the loader resolves to one that is loaded.
  open_library(search.found->builtins);
  void* library = open_library(search.found->library);
  Nvrtc loaded{{}, search.found->library, {}};
#define LAB_NVRTC_BIND(name, ...) bind(library, "nvrtc" #name, loaded.api.name);
  LAB_NVRTC_FUNCTIONS(LAB_NVRTC_BIND)
#undef LAB_NVRTC_BIND
  loaded.api.Version(&loaded.version.major, &loaded.version.minor);
  return loaded;
}

}  // namespace

const Nvrtc& nvrtc() {
  static const Nvrtc kLoaded = load();
  return kLoaded;
}

std::vector<std::string> known_architectures() {
  int count = 0;
  check(nvrtc().api.GetNumSupportedArchs(&count), "nvrtcGetNumSupportedArchs");
  std::vector<int> numbers(static_cast<std::size_t>(count));
  check(nvrtc().api.GetSupportedArchs(numbers.data()), "nvrtcGetSupportedArchs");
  std::vector<std::string> names;
  for (const int number : numbers) names.push_back(fmt::format("sm_{}", number));
  return names;
}

void check(NvrtcResult result, const char* call) {
  if (result == NvrtcResult::kSuccess) return;
  const std::string message =
      fmt::format("NVRTC: {} failed: {} ({})", call, nvrtc().api.GetErrorString(result),
                  static_cast<int>(result));
  // The library loads its built-in functions from a second file beside it.
  if (result == NvrtcResult::kBuiltinOperationFailure) {
    throw machine_error(message, "libnvrtc-builtins of the same version must be beside libnvrtc");
  }
  throw internal_error(message);
}

}  // namespace lab::compile
