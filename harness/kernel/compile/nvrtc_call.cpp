#include "harness/kernel/compile/nvrtc_call.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <string_view>

#include "harness/core/chip.h"
#include "harness/core/error.h"
#include "harness/core/text.h"
#include "harness/kernel/compile/headers.h"
#include "harness/kernel/compile/log.h"
#include "harness/kernel/compile/ptx_names.h"
#include "harness/kernel/ptx/outline.h"

namespace lab::compile {
namespace {

NvrtcProgram create(const std::vector<source::File>& files,
                    const std::vector<std::string>& options) {
  std::vector<const char*> names;
  std::vector<const char*> texts;
  const auto give = [&](const Header& header) {
    names.push_back(header.name);
    texts.push_back(header.text);
  };
  std::vector<std::string> folders;
  for (const std::string& option : options) {
    if (option.starts_with("-I")) folders.push_back(option.substr(2));
  }
  for (const Header& header : shim_headers()) give(header);
  for (const Header& header : headers_in_place(folders)) give(header);
  for (std::size_t i = 1; i < files.size(); ++i) {
    names.push_back(files[i].name.c_str());
    texts.push_back(files[i].text.c_str());
  }
  // It is put into the PTX between quotation marks, and ptxas stops at one within.
  std::string name = files.front().name;
  std::replace(name.begin(), name.end(), '"', '_');
  NvrtcProgram raw = nullptr;
  check(nvrtc().api.CreateProgram(&raw, files.front().text.c_str(), name.c_str(),
                                  static_cast<int>(names.size()), texts.data(), names.data()),
        "nvrtcCreateProgram");
  return raw;
}

std::string log_of(NvrtcProgram program) {
  std::size_t size = 0;
  check(nvrtc().api.GetProgramLogSize(program, &size), "nvrtcGetProgramLogSize");
  std::string log(size, '\0');
  check(nvrtc().api.GetProgramLog(program, log.data()), "nvrtcGetProgramLog");
  return log;
}

std::string ptx_of(NvrtcProgram program) {
  std::size_t size = 0;
  check(nvrtc().api.GetPTXSize(program, &size), "nvrtcGetPTXSize");
  std::string ptx(size, '\0');
  check(nvrtc().api.GetPTX(program, ptx.data()), "nvrtcGetPTX");
  while (!ptx.empty() && ptx.back() == '\0') ptx.pop_back();
  return ptx;
}

std::vector<std::uint8_t> cubin_of(NvrtcProgram program) {
  std::size_t size = 0;
  check(nvrtc().api.GetCUBINSize(program, &size), "nvrtcGetCUBINSize");
  std::vector<std::uint8_t> cubin(size);
  if (size > 0) {
    check(nvrtc().api.GetCUBIN(program, reinterpret_cast<char*>(cubin.data())), "nvrtcGetCUBIN");
  }
  return cubin;
}

std::string arch_of(const std::vector<std::string>& options) {
  constexpr std::string_view kArch = "--gpu-architecture=";
  for (const std::string& option : options) {
    if (option.starts_with(kArch)) return option.substr(kArch.size());
  }
  return {};
}

Error option_error(const std::string& arch, const std::string& log, const std::string& about) {
  const std::vector<std::string> known = known_architectures();
  if (std::find(known.begin(), known.end(), plain_arch(arch)) == known.end()) {
    const std::string version = fmt::format("{}.{}", nvrtc().version.major, nvrtc().version.minor);
    return input_error(fmt::format("NVRTC {} does not know the architecture '{}'", version, arch),
                       fmt::format("it knows {}", fmt::join(known, ", ")));
  }
  return input_error(
      fmt::format("the compiler does not know one of its options: {}", readable_log(log)), about);
}

// Whether this process may still have that much address space.
bool can_have(std::size_t bytes) {
  void* const place = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return place != MAP_FAILED && ::munmap(place, bytes) == 0;
}

// NVRTC says so in the middle of a line or at its beginning, or has no memory left to say anything.
// Where there is little, its ptxas calls itself broken.
bool ran_out_of_memory(std::string_view log) {
  constexpr std::size_t kLittle = std::size_t{64} << 20U;
  const auto says = [&](std::string_view words) {
    return log.find(words) != std::string_view::npos;
  };
  return says("atastrophic error: out of memory") || (log.empty() && !can_have(kLittle)) ||
         (says("Internal compiler error") && !can_have(kLittle));
}

NvrtcCall call_once(const std::vector<source::File>& files, std::vector<std::string> names,
                    const std::vector<std::string>& options, const std::string& about) {
  NvrtcCall made;
  made.names = std::move(names);
  made.program.reset(create(files, options));
  for (const std::string& name : made.names) {
    if (name.empty()) continue;
    check(nvrtc().api.AddNameExpression(made.program.get(), name.c_str()),
          "nvrtcAddNameExpression");
  }
  std::vector<const char*> raw;
  for (const std::string& option : options) raw.push_back(option.c_str());
  const NvrtcResult result =
      nvrtc().api.CompileProgram(made.program.get(), static_cast<int>(raw.size()), raw.data());
  made.log = log_of(made.program.get());
  made.compiled = result == NvrtcResult::kSuccess;
  if (result == NvrtcResult::kInvalidOption) throw option_error(arch_of(options), made.log, about);
  if (result == NvrtcResult::kBuiltinOperationFailure) check(result, "nvrtcCompileProgram");
  if (!made.compiled && ran_out_of_memory(readable_log(made.log))) throw std::bad_alloc();
  if (!made.compiled && result != NvrtcResult::kCompilation) {
    // Such as NVRTC_ERROR_OUT_OF_MEMORY: what it fails on is the source.
    throw input_error(fmt::format("{} does not compile: the compiler fails on it ({})",
                                  files.front().name, nvrtc().api.GetErrorString(result)),
                      "deeply nested or enormous sources do that");
  }
  return made;
}

// A function that is not a kernel has a lowered name too, but no entry in the PTX.
std::string lowered_name(NvrtcProgram program, const std::string& name,
                         const std::vector<std::string>& entries) {
  if (name.empty()) return {};
  const char* lowered = nullptr;
  check(nvrtc().api.GetLoweredName(program, name.c_str(), &lowered), "nvrtcGetLoweredName");
  return std::find(entries.begin(), entries.end(), lowered) == entries.end() ? std::string()
                                                                             : lowered;
}

// One name that the source lacks fails a whole compilation: such names are dropped, and the rest
// compiled again.
NvrtcCall call_without_unknown(const std::vector<source::File>& files,
                               const std::vector<std::string>& names,
                               const std::vector<std::string>& options, const std::string& about) {
  NvrtcCall made = call_once(files, names, options, about);
  while (!made.compiled) {
    const NameErrors errors = name_errors(made.log);
    const auto& unknown = errors.unknown;
    bool dropped = false;
    for (std::string& name : made.names) {
      const bool lacks = !name.empty() && std::find(unknown.begin(), unknown.end(),
                                                    without_blanks(name)) != unknown.end();
      if (!lacks) continue;
      name.clear();
      dropped = true;
    }
    if (errors.others || !dropped) return made;
    made = call_once(files, made.names, options, about);
  }
  return made;
}

}  // namespace

bool is_instance(std::string_view kernel) {
  return kernel.find('<') != std::string_view::npos && trim(kernel).ends_with('>');
}

// Kernels that are not templates are compiled without being asked for, all but static ones. So what
// is made does not depend on which of them was asked for.
NvrtcCall call_nvrtc(const std::vector<source::File>& files,
                     const std::vector<std::string>& kernels,
                     const std::vector<std::string>& options, const std::string& about) {
  std::vector<std::string> names = kernels;
  for (std::string& name : names) {
    if (!is_instance(name)) name.clear();
  }
  NvrtcCall first = call_without_unknown(files, names, options, about);
  if (!first.compiled) return first;
  const std::vector<std::string> entries = ptx::entry_names(ptx_of(first.program.get()));
  bool lacks = false;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    // An overload with its parameters is not a name expression; it is found among the kernels.
    const bool overload = kernels[i].find('(') != std::string::npos;
    if (is_instance(kernels[i]) || overload || !find_entry(entries, kernels[i]).empty()) continue;
    names[i] = kernels[i];
    lacks = true;
  }
  if (!lacks) return first;
  NvrtcCall second = call_without_unknown(files, names, options, about);
  return second.compiled ? std::move(second) : std::move(first);
}

Compiled result_of(const NvrtcCall& call, const std::vector<std::string>& kernels) {
  Compiled compiled;
  compiled.ptx = ptx_of(call.program.get());
  compiled.cubin = cubin_of(call.program.get());
  compiled.log = readable_log(call.log);
  const std::vector<std::string> entries = ptx::entry_names(compiled.ptx);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    std::string lowered = lowered_name(call.program.get(), call.names[i], entries);
    // A name that CUDA's own functions have too, such as max, or that is overloaded.
    if (lowered.empty()) lowered = find_entry(entries, kernels[i]);
    compiled.lowered.push_back(std::move(lowered));
    // A static kernel is there because it was asked for.
    compiled.alone = compiled.alone || (!call.names[i].empty() && !is_instance(kernels[i]));
  }
  return compiled;
}

}  // namespace lab::compile
