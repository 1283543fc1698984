#include "harness/compile/nvrtc.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>

#include "harness/compile/apart.h"
#include "harness/compile/cache.h"
#include "harness/compile/headers.h"
#include "harness/compile/includes.h"
#include "harness/compile/log.h"
#include "harness/compile/nvrtc_library.h"
#include "harness/compile/ptx_names.h"
#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/text.h"

namespace lab::compile {
namespace {

namespace fs = std::filesystem;

struct DestroyProgram {
  void operator()(NvrtcProgram program) const { nvrtc().api.DestroyProgram(&program); }
};
using Program = std::unique_ptr<NvrtcProgramObject, DestroyProgram>;

Program create(const KernelText& source) {
  std::vector<const char*> names;
  std::vector<const char*> texts;
  for (const Header& header : shim_headers()) {
    names.push_back(header.name);
    texts.push_back(header.text);
  }
  // It is put into the PTX between quotation marks, and ptxas stops at one within.
  std::string name = source.name;
  std::replace(name.begin(), name.end(), '"', '_');
  NvrtcProgram raw = nullptr;
  check(nvrtc().api.CreateProgram(&raw, source.text.c_str(), name.c_str(),
                                  static_cast<int>(names.size()), texts.data(), names.data()),
        "nvrtcCreateProgram");
  return Program(raw);
}

constexpr const char* kLineOption = "-lineinfo";

std::vector<std::string> all_options(const CompileRequest& request, const Settings& settings) {
  std::vector<std::string> options = {
      "--gpu-architecture=" + request.arch, kLineOption, "--std=c++17",
      // Helper functions and constants without __device__ are meant for the kernel here: there is
      // no host side.
      "-default-device", "--device-int128",
      // CUDA's headers define the limits of <climits> once more, in other words.
      "-diag-suppress=47"};
  for (const std::string& folder : settings.include_folders) options.push_back("-I" + folder);
  options.insert(options.end(), request.options.begin(), request.options.end());
  return options;
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

struct Attempt {
  Program program;
  bool compiled = false;
  std::string log;
};

Error option_error(const CompileRequest& request, const std::string& log) {
  const std::vector<std::string> known = known_architectures();
  // sm_90a is sm_90 with what that one chip has.
  const std::string plain = request.arch.substr(0, request.arch.find_last_not_of("af") + 1);
  if (std::find(known.begin(), known.end(), plain) == known.end()) {
    return input_error(
        fmt::format("NVRTC {} does not know the architecture '{}'", nvrtc_version(), request.arch),
        fmt::format("it knows {}", fmt::join(known, ", ")));
  }
  return input_error(
      fmt::format("the compiler does not know one of its options: {}", readable_log(log)),
      fmt::format("options: {}", fmt::join(request.options, " ")));
}

// An empty name is one found to be missing: it is not asked for.
Attempt compile_with(const CompileRequest& request, const std::vector<std::string>& names,
                     const std::vector<std::string>& options) {
  Attempt attempt;
  attempt.program = create(request.source);
  for (const std::string& name : names) {
    if (name.empty()) continue;
    check(nvrtc().api.AddNameExpression(attempt.program.get(), name.c_str()),
          "nvrtcAddNameExpression");
  }
  std::vector<const char*> raw;
  for (const std::string& option : options) raw.push_back(option.c_str());
  const NvrtcResult result =
      nvrtc().api.CompileProgram(attempt.program.get(), static_cast<int>(raw.size()), raw.data());
  attempt.log = log_of(attempt.program.get());
  attempt.compiled = result == NvrtcResult::kSuccess;
  if (result == NvrtcResult::kInvalidOption) throw option_error(request, attempt.log);
  if (result == NvrtcResult::kBuiltinOperationFailure) check(result, "nvrtcCompileProgram");
  if (!attempt.compiled && result != NvrtcResult::kCompilation) {
    // Such as NVRTC_ERROR_OUT_OF_MEMORY: what it fails on is the source.
    throw input_error(fmt::format("{} does not compile: the compiler fails on it ({})",
                                  request.source.name, nvrtc().api.GetErrorString(result)),
                      "deeply nested or enormous sources do that");
  }
  return attempt;
}

Error compile_error(const CompileRequest& request, const std::string& log) {
  return input_error(fmt::format("{} does not compile\n{}", request.source.name, readable_log(log)),
                     advice(log));
}

Error missing_error(const CompileRequest& request, const std::string& name,
                    const std::vector<std::string>& entries) {
  std::vector<std::string> kernels;
  for (const std::string& entry : entries) kernels.push_back(source_name(entry));
  return input_error(fmt::format("{} defines no kernel '{}'", request.source.name, name),
                     kernels.empty() ? std::string() : suggestion(name, kernels));
}

// One name that the source lacks fails the whole compilation, so those are dropped and the rest
// compiled again.
Attempt compile_present(const CompileRequest& request, std::vector<std::string>& names,
                        const std::vector<std::string>& options) {
  Attempt attempt = compile_with(request, names, options);
  while (!attempt.compiled) {
    const NameErrors errors = name_errors(attempt.log);
    bool dropped = false;
    for (std::string& name : names) {
      const auto& unknown = errors.unknown;
      if (name.empty() ||
          std::find(unknown.begin(), unknown.end(), without_blanks(name)) == unknown.end()) {
        continue;
      }
      name.clear();
      dropped = true;
    }
    if (errors.others || !dropped) throw compile_error(request, attempt.log);
    attempt = compile_with(request, names, options);
  }
  return attempt;
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

void require_kernels(const CompileRequest& request, const Compiled& compiled,
                     const std::vector<std::string>& entries) {
  if (request.partial) return;
  for (std::size_t i = 0; i < request.kernels.size(); ++i) {
    if (compiled.lowered[i].empty()) throw missing_error(request, request.kernels[i], entries);
  }
}

Compiled compile_source(const CompileRequest& request, const std::vector<std::string>& options) {
  std::vector<std::string> names = request.kernels;
  const Attempt attempt = compile_present(request, names, options);
  Compiled compiled;
  compiled.ptx = ptx_of(attempt.program.get());
  compiled.cubin = cubin_of(attempt.program.get());
  compiled.log = readable_log(attempt.log);
  const std::vector<std::string> entries = entry_names(compiled.ptx);
  for (const std::string& name : names) {
    compiled.lowered.push_back(lowered_name(attempt.program.get(), name, entries));
  }
  require_kernels(request, compiled, entries);
  return compiled;
}

// NVRTC 11.8 dies of some sources with line information, such as ones whose kernels are on one line
// each. Newer ones have not been seen to, and are spared a second process.
constexpr int kFirstSoundMajor = 12;

Compiled compile_guarded(const CompileRequest& request, const Settings& settings,
                         const std::vector<fs::path>& headers, std::vector<std::string> options) {
  const auto compile = [&] { return compile_source(request, options); };
  const bool sound = nvrtc().version.major >= kFirstSoundMajor;
  if (sound && !settings.box) return compile();
  const auto boxed = [&] {
    if (settings.box) settings.box(headers);
    return compile();
  };
  int ending = 0;
  if (auto compiled = compile_apart(boxed, &ending)) return std::move(*compiled);
  if (!sound) {
    std::erase(options, kLineOption);
    if (auto compiled = compile_apart(boxed, &ending)) {
      compiled->no_lines =
          fmt::format("NVRTC {} crashes on this source with line information", nvrtc_version());
      return std::move(*compiled);
    }
  }
  if (WIFSIGNALED(ending) && WTERMSIG(ending) == SIGXCPU) {
    throw input_error(fmt::format("{} does not compile: it takes too long", request.source.name),
                      "templates or macros that grow without end take as long");
  }
  throw input_error(
      fmt::format("{}: NVRTC {} crashes on this source", request.source.name, nvrtc_version()),
      sound ? "deeply nested or enormous sources do that"
            : "a newer NVRTC may not: install the CUDA toolkit 12 or newer");
}

bool is_ptx(const CompileRequest& request) { return request.source.name.ends_with(".ptx"); }

Compiled pass_through(const CompileRequest& request) {
  Compiled compiled;
  compiled.ptx = request.source.text;
  const std::vector<std::string> entries = entry_names(compiled.ptx);
  for (const std::string& kernel : request.kernels) {
    compiled.lowered.push_back(find_entry(entries, kernel));
  }
  require_kernels(request, compiled, entries);
  return compiled;
}

std::string cache_key(const CompileRequest& request, std::vector<std::string> parts,
                      const std::vector<fs::path>& headers) {
  for (const fs::path& header : headers) parts.push_back(read_file(header.string(), "the header"));
  parts.insert(parts.end(), {nvrtc_version(), request.source.name, request.source.text,
                             request.partial ? "partial" : "whole"});
  parts.insert(parts.end(), request.kernels.begin(), request.kernels.end());
  for (const Header& header : shim_headers()) parts.emplace_back(header.text);
  // A relative name stands in the line tables below the current folder.
  std::error_code ignored;
  if (fs::path(request.source.name).is_relative()) {
    parts.push_back(fs::current_path(ignored).string());
  }
  std::string all;
  for (const std::string& part : parts) all += fmt::format("{}:{}", part.size(), part);
  return sha256_hex(all);
}

// The library may be in lib64 of a toolkit, in its targets/x86_64-linux/lib, or in a system folder.
std::vector<std::string> headers_beside(const fs::path& library) {
  fs::path folder = library.parent_path();
  for (int up = 0; up < 4 && folder.has_relative_path(); ++up, folder = folder.parent_path()) {
    const fs::path include = folder / "include";
    if (!fs::exists(include / "cuda_fp16.h")) continue;
    return {include.string(), (include / "cccl").string()};
  }
  return {};
}

}  // namespace

Settings default_settings() {
  Settings settings;
  std::error_code failed;
  settings.include_folders = headers_beside(fs::weakly_canonical(nvrtc().library, failed));
  settings.cache = default_cache_folder();
  return settings;
}

Compiled nvrtc_compile(const CompileRequest& request, const Settings& settings) {
  const auto start = std::chrono::steady_clock::now();
  if (trim(request.source.text).empty()) {
    throw input_error(fmt::format("{} is empty", request.source.name));
  }
  if (is_ptx(request)) return pass_through(request);
  const Cache cache(settings.cache);
  std::vector<fs::path> headers;
  if (!settings.own_folder.empty()) {
    headers = own_headers(request.source.text, settings.own_folder);
  }
  std::vector<std::string> options = all_options(request, settings);
  if (!headers.empty()) options.push_back("-I" + settings.own_folder.string());
  const std::string key = cache_key(request, options, headers);
  auto cached = cache.get(key);
  Compiled compiled =
      cached ? std::move(*cached) : compile_guarded(request, settings, headers, std::move(options));
  if (!compiled.from_cache) cache.put(key, compiled);
  compiled.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return compiled;
}

Compiled nvrtc_compile(const CompileRequest& request) {
  // PTX is not compiled: it needs no NVRTC.
  return nvrtc_compile(request, is_ptx(request) ? Settings{} : default_settings());
}

std::string nvrtc_version() {
  const toolkit::Version& version = nvrtc().version;
  return fmt::format("{}.{}", version.major, version.minor);
}

}  // namespace lab::compile
