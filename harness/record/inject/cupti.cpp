#include "harness/record/inject/cupti.h"

#include <dlfcn.h>

#include <string_view>

namespace lab::record {

namespace {

std::string file_name() { return "libcupti.so." + std::to_string(CUDA_VERSION / 1000); }

void* open_in(std::string_view folders, const std::string& name) {
  while (!folders.empty()) {
    const std::string_view folder = folders.substr(0, folders.find(':'));
    folders.remove_prefix(std::min(folders.size(), folder.size() + 1));
    if (folder.empty()) continue;
    const std::string path = std::string(folder) + "/" + name;
    if (void* found = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return found;
  }
  return nullptr;
}

// A second copy of the library beside one that the program has would fight it for the driver.
void* open_cupti(const char* folders) {
  const std::string name = file_name();
  if (void* loaded = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD)) return loaded;
  if (folders != nullptr) {
    if (void* found = open_in(folders, name)) return found;
  }
  return dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
}

template <typename Function>
void bind(void* library, const char* name, Function& slot, std::string& missing) {
  // dlsym gives a void*; POSIX says that it converts.
  slot = reinterpret_cast<Function>(dlsym(library, name));
  if (slot == nullptr && missing.empty()) missing = name;
}

}  // namespace

std::string load_cupti(const char* folders, bool counters, CuptiCalls& calls) {
  void* const library = open_cupti(folders);
  if (library == nullptr) {
    const char* const said = dlerror();
    return said == nullptr ? file_name() + " is not found" : said;
  }
  std::string missing;
#define LAB_RECORD_CUPTI_BIND(name) bind(library, "cupti" #name, calls.name, missing);
  LAB_RECORD_CUPTI_FUNCTIONS(LAB_RECORD_CUPTI_BIND)
  if (counters) {
    // CUPTI looks for these by name, where the loader does, and finds what is loaded.
    for (const char* const own : {"libnvperf_host.so", "libnvperf_target.so"}) {
      if (folders != nullptr) static_cast<void>(open_in(folders, own));
    }
    LAB_RECORD_COUNTER_FUNCTIONS(LAB_RECORD_CUPTI_BIND)
  }
#undef LAB_RECORD_CUPTI_BIND
  return missing.empty() ? std::string() : file_name() + " lacks " + missing;
}

std::string result_name(const CuptiCalls& calls, CUptiResult code) {
  const char* text = nullptr;
  if (calls.GetResultString(code, &text) == CUPTI_SUCCESS && text != nullptr) return text;
  return "CUPTI error " + std::to_string(static_cast<int>(code));
}

}  // namespace lab::record
