#include "harness/kernel/compile/nvrtc.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <iterator>
#include <new>

#include "harness/core/error.h"
#include "harness/core/text.h"
#include "harness/kernel/compile/cache.h"
#include "harness/kernel/compile/errors.h"
#include "harness/kernel/compile/headers.h"
#include "harness/kernel/compile/in_subprocess.h"
#include "harness/kernel/compile/log.h"
#include "harness/kernel/compile/nvcc.h"
#include "harness/kernel/compile/nvrtc_call.h"
#include "harness/kernel/compile/nvrtc_library.h"
#include "harness/kernel/compile/ptx_names.h"
#include "harness/kernel/compile/source/device_only.h"
#include "harness/kernel/ptx/outline.h"

namespace lab::compile {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLineOption = "-lineinfo";
constexpr int kFirstSoundMajor = 12;
// Where all_options() has the language's version.
constexpr std::size_t kStandardAt = 2;

bool is_standard(const std::string& option) {
  return option.starts_with("--std=") || option.starts_with("-std=");
}

std::vector<std::string> all_options(const CompileRequest& request, const Settings& settings) {
  std::vector<std::string> options = {
      "--gpu-architecture=" + request.arch, kLineOption, "--std=c++17",
      // Helper functions and constants without __device__ are meant for the kernel here: there is
      // no host side.
      "-default-device", "--device-int128",
      // CUDA's headers define the limits of <climits> once more, in other words.
      "-diag-suppress=47",
      // nvcc includes it by itself.
      fmt::format("--pre-include={}", kPrelude)};
  for (const std::string& folder : settings.include_folders) options.push_back("-I" + folder);
  for (const std::string& option : request.source.options) {
    // A later --std does not replace an earlier one; folders were searched for what is included.
    if (is_standard(option))
      options[kStandardAt] = option;
    else if (!option.starts_with("-I"))
      options.push_back(option);
  }
  options.insert(options.end(), request.options.begin(), request.options.end());
  return options;
}

std::string about(const CompileRequest& request) {
  return fmt::format("architecture {}, options: {}", request.arch, fmt::join(request.options, " "));
}

void require_kernels(const CompileRequest& request, const Settings& settings,
                     const Compiled& compiled) {
  if (request.partial) return;
  for (std::size_t i = 0; i < request.kernels.size(); ++i) {
    if (!compiled.lowered[i].empty()) continue;
    throw missing_error(request, settings, request.kernels[i], ptx::entry_names(compiled.ptx));
  }
}

// Errors that are left when declarations were taken away say that one of them was needed: what they
// themselves were blamed for is the better text then.
std::string telling_log(const std::vector<std::string>& logs, const source::Program& program) {
  for (const std::string& name : program.left_out()) {
    if (logs.back().find(fmt::format("identifier \"{}\" is undefined", name)) !=
        std::string::npos) {
      return logs.front();
    }
  }
  return logs.back();
}

// More rounds than these mean a file full of errors.
constexpr int kMostRounds = 12;

// Host code that does not look it is known by the compiler's errors: the declarations that they are
// in are left out until it compiles, or what is left is the kernels' own.
Compiled compile_device_only(const CompileRequest& request, source::Program& program,
                             std::vector<std::string> options) {
  options.emplace_back("-Dregister=");  // which C++17 no longer has, and older programs do
  // Programs ask which system they are on, and some end in #error where it is none that they know.
  options.emplace_back("-D__linux__=1");
  options.emplace_back("-D__unix__=1");
  std::vector<std::string> logs;
  for (int round = 0;; ++round) {
    const NvrtcCall made =
        call_nvrtc(program.device_only(request.kernels), request.kernels, options, about(request));
    if (made.compiled) {
      Compiled compiled = result_of(made, request.kernels);
      compiled.way = fmt::format("left out, NVRTC {}", nvrtc_version());
      compiled.alone = compiled.alone || program.others_left_out();
      return compiled;
    }
    logs.push_back(made.log);
    bool less = false;
    for (const Place& place : error_places(made.log)) {
      less = program.leave_out(place.file, place.line, request.kernels) || less;
    }
    if (!less || round == kMostRounds)
      throw compile_error(request, program, telling_log(logs, program));
  }
}

// The same where nothing was known to be the host's: a kernel asked for must come of it.
std::optional<Compiled> device_only_kernels(const CompileRequest& request, source::Program& program,
                                            const std::vector<std::string>& options) {
  try {
    Compiled compiled = compile_device_only(request, program, options);
    const auto& lowered = compiled.lowered;
    const bool any = std::any_of(lowered.begin(), lowered.end(),
                                 [](const std::string& name) { return !name.empty(); });
    if (any) return compiled;
  } catch (const Error&) {
    // The error of the whole text is the one to tell.
  }
  return std::nullopt;
}

Compiled compile_source(const CompileRequest& request, const Settings& settings,
                        const std::vector<std::string>& options) {
  source::Program program = program_of(request, settings);
  if (!program.has_host_code()) {
    const NvrtcCall made = call_nvrtc(program.whole(), request.kernels, options, about(request));
    if (made.compiled) return result_of(made, request.kernels);
    if (auto compiled = device_only_kernels(request, program, options)) return *compiled;
    throw compile_error(request, program, made.log);
  }
  return compile_device_only(request, program, options);
}

// Limits the processor time of a compilation, not the time by the clock: on a busy machine, or one
// that was stopped, an honest source may take any time by the clock. Past the soft limit comes
// SIGXCPU, past the hard one SIGKILL.
rlimit cpu_limit() {
  constexpr rlim_t kBetween = 5;
  rlimit limit{RLIM_INFINITY, RLIM_INFINITY};
  ::getrlimit(RLIMIT_CPU, &limit);
  limit.rlim_max = std::min<rlim_t>(limit.rlim_max, kMostSeconds + kBetween);
  // A second before the hard one: a system counts both in ticks, which on a busy machine run ahead
  // of the time that wait4() tells, so that SIGKILL alone would not show whose it was.
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur, kMostSeconds);
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur, std::max<rlim_t>(limit.rlim_max, 2) - 1);
  return limit;
}

bool took_too_long(const CopyEnd& end, const rlimit& limit) {
  if (!WIFSIGNALED(end.status)) return false;
  const bool past_hard = end.cpu_seconds >= static_cast<double>(limit.rlim_max) - 0.5;
  return WTERMSIG(end.status) == SIGXCPU || (WTERMSIG(end.status) == SIGKILL && past_hard);
}

// No compiler ends itself with these, but a person does, or a system without memory.
void require_own_doing(const CopyEnd& end, const std::string& name) {
  const int signal = WIFSIGNALED(end.status) ? WTERMSIG(end.status) : 0;
  if (signal == SIGKILL || signal == SIGTERM || signal == SIGINT) {
    throw machine_error(
        fmt::format("the compiler's process was killed by signal {} ({}) while it compiled {}",
                    signal, ::strsignal(signal), name),
        "a system where memory runs out does that");
  }
  if (signal != 0 && !may_have_memory()) {
    throw machine_error(
        fmt::format("the compiler fails on {} with less memory than it may need", name),
        "`ulimit -v` allows less than 2 GiB for it");
  }
}

Error out_of_memory(const std::string& name, bool had_enough) {
  constexpr const char* kEnough = "2 GiB are enough for the largest of ordinary sources";
  return had_enough
             ? input_error(fmt::format("{} does not compile: it takes too much memory", name),
                           kEnough)
             : machine_error("the compiler runs out of memory",
                             fmt::format("{}; `ulimit -v` allows less", kEnough));
}

// NVRTC dies of some sources: any version of a kernel that is asked for by name and has an unknown
// type before a `*`, 11.8 of some with line information, such as ones whose kernels are on one line
// each, and all of those that are enormous. Without the names it says what is wrong.
Compiled compile_guarded(const CompileRequest& request, const Settings& settings) {
  std::vector<std::string> options = all_options(request, settings);
  static_cast<void>(nvrtc());  // loaded here, so that each copy of this process has it
  const rlimit seconds = cpu_limit();
  CopyEnd end;
  const auto in_subprocess = [&](const CompileRequest& what) {
    auto compiled = compile_in_subprocess(
        [&] {
          ::setrlimit(RLIMIT_CPU, &seconds);
          const bool has_memory = may_have_memory();  // the box leaves no more than that
          try {
            if (settings.box) settings.box();
            return compile_source(what, settings, options);
          } catch (const std::bad_alloc&) {
            throw out_of_memory(request.source.name, has_memory);
          }
        },
        &end);
    if (!compiled && !took_too_long(end, seconds)) require_own_doing(end, request.source.name);
    return compiled;
  };
  if (auto compiled = in_subprocess(request)) return std::move(*compiled);
  if (!took_too_long(end, seconds)) {
    std::erase(options, kLineOption);
    if (auto compiled = in_subprocess(request)) {
      compiled->no_lines =
          fmt::format("NVRTC {} crashes on this source with line information", nvrtc_version());
      return std::move(*compiled);
    }
  }
  if (took_too_long(end, seconds)) {
    throw input_error(fmt::format("{} does not compile: it takes too long", request.source.name),
                      "templates or macros that grow without end take as long");
  }
  CompileRequest nameless = request;
  nameless.kernels.clear();
  static_cast<void>(in_subprocess(nameless));
  throw input_error(
      fmt::format("{}: NVRTC {} crashes on this source", request.source.name, nvrtc_version()),
      nvrtc().version.major < kFirstSoundMajor
          ? "a newer NVRTC may not: install the CUDA toolkit 12 or newer"
          : "a kernel's parameter may have a type that is not declared, or the source is enormous");
}

// Compiles a program with host code by nvcc. Empty where there is no nvcc, or where it leaves out a
// kernel that was asked for: nvcc compiles templates only for the arguments that the program gives.
std::optional<Compiled> compile_with_nvcc(const CompileRequest& request, const Settings& settings) {
  if (settings.nvcc.empty()) return std::nullopt;
  const source::Program program = program_of(request, settings);
  if (!program.has_host_code() || program.kernels().empty()) return std::nullopt;
  auto compiled = nvcc_compile(request, program, settings.nvcc);
  if (!compiled) return std::nullopt;
  const std::vector<std::string> entries = ptx::entry_names(compiled->ptx);
  for (const std::string& kernel : request.kernels) {
    compiled->lowered.push_back(find_entry(entries, kernel));
    if (compiled->lowered.back().empty()) return std::nullopt;
  }
  return compiled;
}

void note_hashes(Compiled& compiled) {
  compiled.ptx_sha256 = sha256_hex(compiled.ptx);
  const auto& cubin = compiled.cubin;
  if (cubin.empty()) return;
  compiled.cubin_sha256 = sha256_hex({reinterpret_cast<const char*>(cubin.data()), cubin.size()});
}

Compiled compile_somehow(const CompileRequest& request, const Settings& settings) {
  if (auto compiled = compile_with_nvcc(request, settings)) return std::move(*compiled);
  return compile_guarded(request, settings);
}

Compiled pass_through(const CompileRequest& request) {
  Compiled compiled;
  compiled.ptx = request.source.text;
  const std::vector<std::string> entries = ptx::entry_names(compiled.ptx, request.source.name);
  for (const std::string& kernel : request.kernels) {
    compiled.lowered.push_back(find_entry(entries, kernel));
  }
  return compiled;
}

// `kernels`: those that what is compiled depends on.
// Of what results.h writes: a new program has no use for an old one's entries.
constexpr const char* kEntryVersion = "compiled 5";

std::string cache_key(const CompileRequest& request, const Settings& settings,
                      const std::vector<std::string>& kernels) {
  std::vector<std::string> parts = all_options(request, settings);
  parts.insert(parts.end(), {kEntryVersion, nvrtc_version(), request.source.name,
                             request.source.text, settings.nvcc.string()});
  for (const IncludedText& one : request.source.included) {
    parts.insert(parts.end(), {one.name, one.text});
  }
  const auto& given = request.source.options;
  parts.insert(parts.end(), given.begin(), given.end());
  parts.insert(parts.end(), kernels.begin(), kernels.end());
  for (const Header& header : shim_headers()) parts.emplace_back(header.text);
  for (const Header& header : headers_in_place(settings.include_folders)) {
    parts.emplace_back(header.text);
  }
  // A relative name stands in the line tables below the current folder.
  std::error_code ignored;
  if (fs::path(request.source.name).is_relative()) {
    parts.push_back(fs::current_path(ignored).string());
  }
  std::string all;
  for (const std::string& part : parts) all += fmt::format("{}:{}", part.size(), part);
  return sha256_hex(all);
}

// A file's kernels that are not templates are compiled together, so that one entry serves all of
// them: it is kept under the templates' instances alone, whose mangled names it has.
class SharedEntry {
 public:
  explicit SharedEntry(const CompileRequest& request) : kernels_(request.kernels) {
    std::copy_if(kernels_.begin(), kernels_.end(), std::back_inserter(instances_), is_instance);
  }
  [[nodiscard]] const std::vector<std::string>& instances() const { return instances_; }

  // Empty where there is nothing to share.
  [[nodiscard]] std::optional<Compiled> made_from(Compiled compiled) const {
    if (compiled.alone) return std::nullopt;
    std::vector<std::string> lowered;
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      if (is_instance(kernels_[i])) lowered.push_back(compiled.lowered[i]);
    }
    compiled.lowered = std::move(lowered);
    return compiled;
  }

  // With the names of the kernels asked for; empty where one is not among them.
  [[nodiscard]] std::optional<Compiled> read(std::optional<Compiled> entry) const {
    if (!entry || entry->lowered.size() != instances_.size()) return std::nullopt;
    const std::vector<std::string> entries = ptx::entry_names(entry->ptx);
    std::vector<std::string> lowered;
    std::size_t instance = 0;
    for (const std::string& kernel : kernels_) {
      lowered.push_back(is_instance(kernel) ? entry->lowered[instance++]
                                            : find_entry(entries, kernel));
      if (lowered.back().empty()) return std::nullopt;
    }
    entry->lowered = std::move(lowered);
    return entry;
  }

 private:
  std::vector<std::string> kernels_;
  std::vector<std::string> instances_;
};

Compiled cached_or_compiled(const CompileRequest& request, const Settings& settings) {
  const Cache cache(settings.cache);
  const SharedEntry shared(request);
  const std::string shared_key = cache_key(request, settings, shared.instances());
  if (auto found = shared.read(cache.get(shared_key))) return std::move(*found);
  std::vector<std::string> own = request.kernels;
  own.emplace_back("alone");  // no key of another's
  const std::string own_key = cache_key(request, settings, own);
  if (auto found = cache.get(own_key)) return std::move(*found);
  Compiled compiled = compile_somehow(request, settings);
  const auto entry = shared.made_from(compiled);
  if (entry) cache.put(shared_key, *entry);
  if (!shared.read(entry)) cache.put(own_key, compiled);
  return compiled;
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
  settings.nvcc = find_nvcc(nvrtc().library);
  settings.cache = default_cache_folder();
  return settings;
}

Compiled nvrtc_compile(const CompileRequest& request, const Settings& settings) {
  const auto start = std::chrono::steady_clock::now();
  if (request.source.name.starts_with('-')) {
    // NVRTC reads a program's name as a command line's word: -rf.cu would be an option.
    CompileRequest same = request;
    same.source.name.insert(0, "./");
    return nvrtc_compile(same, settings);
  }
  if (trim(request.source.text).empty()) {
    throw input_error(fmt::format("{} is empty", request.source.name));
  }
  if (is_ptx(request)) {
    Compiled compiled = pass_through(request);
    require_kernels(request, settings, compiled);
    note_hashes(compiled);
    return compiled;
  }
  Compiled compiled = cached_or_compiled(request, settings);
  require_kernels(request, settings, compiled);
  note_hashes(compiled);
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
