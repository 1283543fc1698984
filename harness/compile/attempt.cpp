#include "harness/compile/attempt.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/compile/headers.h"
#include "harness/compile/log.h"
#include "harness/compile/ptx_names.h"
#include "harness/core/error.h"

namespace lab::compile {
namespace {

NvrtcProgram create(const std::vector<source::File>& files) {
  std::vector<const char*> names;
  std::vector<const char*> texts;
  for (const Header& header : shim_headers()) {
    names.push_back(header.name);
    texts.push_back(header.text);
  }
  for (std::size_t i = 1; i < files.size(); ++i) {
    names.push_back(files[i].name.c_str());
    texts.push_back(files[i].text.c_str());
  }
  NvrtcProgram raw = nullptr;
  const source::File& main = files.front();
  check(nvrtc().api.CreateProgram(&raw, main.text.c_str(), main.name.c_str(),
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

Attempt attempt_once(const std::vector<source::File>& files, std::vector<std::string> names,
                     const std::vector<std::string>& options, const std::string& about) {
  Attempt made;
  made.names = std::move(names);
  // An overload with its parameters is no expression; it is found among the kernels.
  for (std::string& name : made.names) {
    if (name.find('(') != std::string::npos) name.clear();
  }
  made.program.reset(create(files));
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
  if (result == NvrtcResult::kInvalidOption) {
    throw input_error(
        fmt::format("the compiler does not know one of its options: {}", readable_log(made.log)),
        about);
  }
  if (!made.compiled && result != NvrtcResult::kCompilation) check(result, "nvrtcCompileProgram");
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

}  // namespace

Attempt attempt(const std::vector<source::File>& files, const std::vector<std::string>& kernels,
                const std::vector<std::string>& options, const std::string& about) {
  Attempt made = attempt_once(files, kernels, options, about);
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
    made = attempt_once(files, made.names, options, about);
  }
  return made;
}

Compiled result_of(const Attempt& attempt, const std::vector<std::string>& kernels) {
  Compiled compiled;
  compiled.ptx = ptx_of(attempt.program.get());
  compiled.cubin = cubin_of(attempt.program.get());
  compiled.log = readable_log(attempt.log);
  const std::vector<std::string> entries = entry_names(compiled.ptx);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    std::string lowered = lowered_name(attempt.program.get(), attempt.names[i], entries);
    // A name that CUDA's own functions have too, such as max, or that is overloaded.
    if (lowered.empty()) lowered = find_entry(entries, kernels[i]);
    compiled.lowered.push_back(std::move(lowered));
  }
  return compiled;
}

}  // namespace lab::compile
