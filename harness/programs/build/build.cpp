#include "harness/programs/build/build.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/text.h"
#include "harness/kernel/compile/source/device_only.h"
#include "harness/kernel/compile/source/host_part.h"
#include "harness/kernel/compile/source/macros.h"
#include "harness/kernel/compile/source/tokens.h"
#include "harness/programs/build/headers.h"
#include "harness/programs/build/refused.h"
#include "harness/programs/wire/wire.h"

namespace lab::program {
namespace {

namespace fs = std::filesystem;

constexpr double kMostSeconds = 300;
constexpr const char* kClangs[] = {"clang++-14", "clang++-15", "clang++-16", "clang++-17",
                                   "clang++-18", "clang++-19", "clang++"};

// How clang compiles the host's side alone, registers its kernels and launches as CUDA 9.2 and
// newer do, with no toolkit. -fcuda-include-gpubinary: a file in place of device code, by which
// the runtime knows whose kernels are registered.
const std::vector<std::string> kCuda = {"-x",
                                        "cuda",
                                        "--cuda-host-only",
                                        "--cuda-gpu-arch=sm_80",
                                        "--cuda-path=/nonexistent",
                                        "-nocudainc",
                                        "-nocudalib",
                                        "-D__CUDACC__=1",
                                        "-D__CUDACC_VER_MAJOR__=13",
                                        "-D__CUDACC_VER_MINOR__=0",
                                        "-Xclang",
                                        "-target-sdk-version=11.0",
                                        "-Xclang",
                                        "-fcuda-allow-variadic-functions",
                                        "-Wno-unknown-cuda-version"};
// -ffp-contract: clang would fold constants of CUDA files as with FMA, which no host compiler does.
// -fwrapv, -fno-strict-aliasing: nvcc leaves the host's part as it is unless it is asked to
// optimize, so that programs rely on what C++ leaves open: a sample checks i * i where it
// overflows. -Wno-error=return-type: nvcc warns of a `return;` in main and goes on.
const std::vector<std::string> kBoth = {"-O2",
                                        "-gline-tables-only",
                                        "-w",
                                        "-Wno-error=return-type",
                                        "-fno-omit-frame-pointer",
                                        "-ffp-contract=off",
                                        "-fwrapv",
                                        "-fno-strict-aliasing",
                                        "-ferror-limit=10",
                                        "-fno-caret-diagnostics"};

bool is_cuda(const std::string& name) { return name.ends_with(".cu") || name.ends_with(".cuh"); }
bool is_c(const std::string& name) { return name.ends_with(".c"); }

void write_text(const fs::path& path, std::string_view text) {
  write_file(path.string(), text, "a file to", {});
}

std::vector<std::string> folders_of(const KernelText& source) {
  std::vector<std::string> folders;
  for (const std::string& option : source.options) {
    if (option.starts_with("-I")) folders.push_back(option.substr(2));
  }
  return folders;
}

// The lines with a <<<, in their order.
std::vector<std::ptrdiff_t> launch_lines(std::string_view text) {
  std::vector<std::ptrdiff_t> lines;
  const std::vector<source::Token> tokens = source::tokens_of(text);
  for (std::size_t i = 2; i < tokens.size(); ++i) {
    const std::size_t begin = tokens[i - 2].begin;
    if (tokens[i].end - begin != 3 || text.substr(begin, 3) != "<<<") continue;
    lines.push_back(
        1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(begin), '\n'));
  }
  return lines;
}

// What a host does not see of a file's launches, kernels would do.
void refuse_launching_kernels(const std::string& name, std::string_view text,
                              std::string_view of_host) {
  const std::vector<std::ptrdiff_t> all = launch_lines(text);
  const std::vector<std::ptrdiff_t> kept = launch_lines(of_host);
  std::vector<std::ptrdiff_t> lost;
  std::set_difference(all.begin(), all.end(), kept.begin(), kept.end(), std::back_inserter(lost));
  if (lost.empty()) return;
  throw NotModelled(
      fmt::format("{}:{}: a kernel that launches kernels (dynamic parallelism) is not modelled",
                  name, lost.front()),
      "launch the inner kernel from the host, for all that the outer one would, or call its work "
      "as "
      "a __device__ function");
}

/// The source and what it includes, as the host's compiler is to see them, below `folder`: the
/// first of them is the source.
fs::path write_host_part(const KernelText& source, const fs::path& folder, std::size_t number) {
  const source::Program program(source::files_of(source), folders_of(source),
                                [](const source::HeaderName&) { return source::Header::kKernels; });
  const auto name_of = [&](std::size_t i) {
    const std::string name = i == 0 ? source.name : source.included[i - 1].name;
    // Lines are found by the file's own name.
    return (folder / fmt::format("{}_{}", number, i) / fs::path(name).filename()).string();
  };
  const std::vector<source::File> files = program.renamed(name_of);
  source::Macros macros;
  for (const source::File& file : files) add_macros(source::tokens_of(file.text), macros);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string name = i == 0 ? source.name : source.included[i - 1].name;
    fs::create_directories(fs::path(name_of(i)).parent_path());
    const std::string of_host = source::without_device_bodies(files[i].text, macros);
    refuse_launching_kernels(name, files[i].text, of_host);
    write_text(name_of(i), fmt::format("#line 1 \"{}\"\n{}", name, of_host));
  }
  return name_of(0);
}

struct Compiling {
  const BuildPlace& place;
  const RunCommand& run;
  std::string compiler;
};

Command command_of(const Compiling& with, std::vector<std::string> words) {
  Command command;
  command.words = std::move(words);
  command.environment = {"PATH=/usr/bin:/bin", "LC_ALL=C", "TMPDIR=" + with.place.folder.string()};
  command.folder = with.place.current.string();
  command.read = {with.place.library.string()};
  command.write = {with.place.folder.string()};
  command.log = (with.place.folder / "compiler.log").string();
  command.starts_others = true;
  command.seconds = kMostSeconds;
  return command;
}

// A call of CUDA's that our headers lack is a refusal, by its name and line.
void refuse_unknown_call(std::string_view log) {
  // As clang says it, and the linker of a program by nvcc.
  constexpr std::string_view kSaid[] = {"use of undeclared identifier '", "unknown type name '",
                                        "undefined reference to `"};
  for (const std::string_view line : split(log, '\n')) {
    std::string_view name;
    for (const std::string_view said : kSaid) {
      const std::size_t at = line.find(said);
      if (at == std::string_view::npos) continue;
      name = line.substr(at + said.size());
      name = name.substr(0, name.find('\''));
    }
    if (!is_call_of_cuda(name)) continue;
    const std::string_view why = why_refused(name);
    throw NotModelled(fmt::format("{}: {} is not modelled{}{}", line.substr(0, line.find(": ")),
                                  name, why.empty() ? "" : ": ", why),
                      "tools/readers/programs.md lists the calls that are");
  }
}

// Libraries whose headers only a toolkit has.
struct LibraryRow {
  std::string_view header;  // its beginning
  std::string_view name;
  bool works = false;  // where nvcc builds the program
};
constexpr LibraryRow kLibraries[] = {
    {"thrust/", "Thrust", true},   {"cub/", "CUB", true},
    {"cuda/", "libcu++", true},    {"mma.h", "the matrix interface mma.h", true},
    {"cuda_gl_interop", "OpenGL"}, {"GL/", "OpenGL"},
    {"opencv", "OpenCV"},          {"mpi.h", "MPI"}};

// Whoever includes one and calls nothing of it needs nothing of it; what is called is refused by
// its name and line.
constexpr std::string_view kUncalled[] = {
    "cufft.h",      "cufftXt.h",  "cusparse.h", "cusparse_v2.h", "cusolverDn.h", "cusolverSp.h",
    "cusolverRf.h", "cublasLt.h", "cublasXt.h", "cudnn.h",       "npp.h",        "nppi.h",
    "nccl.h",       "nvml.h",     "nvrtc.h",    "cupti.h",       "nvjpeg.h"};

void refuse_library(std::string_view log) {
  constexpr std::string_view kMissing = "fatal error: '";
  const std::size_t at = log.find(kMissing);
  if (at == std::string_view::npos) return;
  const std::string_view header = log.substr(at + kMissing.size());
  for (const LibraryRow& row : kLibraries) {
    if (!header.starts_with(row.header)) continue;
    const std::size_t begin = log.rfind('\n', at) == log.npos ? 0 : log.rfind('\n', at) + 1;
    const std::string_view place = log.substr(begin, at - begin);
    if (row.works) {
      throw NeedsToolkit(fmt::format("{}{} comes with a CUDA toolkit", place, row.name),
                         "where nvcc is installed, lab exec builds such a program by it");
    }
    throw NotModelled(fmt::format("{}{} is not modelled", place, row.name),
                      "lab exec runs programs that need CUDA's runtime and the C++ library alone");
  }
}

void run_compiler(const Compiling& with, const std::string& name, const Command& command) {
  const CommandEnd end = with.run(command);
  if (end.status == 0 && end.signal == 0 && !end.late) return;
  std::string log = read_file(command.log, "the compiler's messages");
  const std::string ours = with.place.folder.string() + "/";
  for (std::size_t at = log.find(ours); at != std::string::npos; at = log.find(ours)) {
    log.erase(at, ours.size());
  }
  refuse_unknown_call(log);
  refuse_library(log);
  const std::string compiler = fs::path(with.compiler).filename().string();
  const bool denied = log.find("Permission denied") != std::string::npos;
  throw input_error(
      fmt::format("{} does not compile\n{}", name, trim(log)),
      denied ? "the box lets it read the program's folder, quoted files that those include, and -I "
               "FOLDER"
      : compiler == "nvcc"
          ? "it is compiled by nvcc"
          : fmt::format("its host part is compiled by {}, without a CUDA toolkit", compiler));
}

/// `number` of all the program's sources; those that have kernels register themselves as `unit`.
std::string compile_one(const Compiling& with, const KernelText& source, std::size_t number,
                        std::uint64_t unit) {
  const fs::path& folder = with.place.folder;
  std::string object = (folder / fmt::format("{}.o", number)).string();
  std::vector<std::string> words = {with.compiler};
  const auto add = [&](const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
  };
  const bool cuda = is_cuda(source.name);
  if (cuda) add(kCuda);
  if (cuda) {
    const fs::path code = folder / fmt::format("{}.unit", number);
    write_text(code, fmt::format("{}{}\n", kUnitMark, unit));
    add({"-Xclang", "-fcuda-include-gpubinary", "-Xclang", code.string()});
  }
  if (is_c(source.name)) add({"-x", "c"});
  add(kBoth);
  add({"-I" + (folder / "include").string()});
  // A copy lies elsewhere; what it includes by a quoted name that was not read lies where it lay.
  const fs::path beside = (with.place.current / source.name).parent_path();
  add({"-I" + beside.string()});
  bool standard = false;
  for (const std::string& option : source.options) {
    standard = standard || option.starts_with("--std") || option.starts_with("-std");
    add({option});
  }
  if (!standard && !is_c(source.name)) add({"-std=c++17"});
  if (cuda) add({"-include", "cuda_runtime.h"});
  const std::string text = cuda ? write_host_part(source, folder, number).string() : source.name;
  add({"-c", text, "-o", object});
  Command command = command_of(with, std::move(words));
  command.read.push_back(beside.empty() ? with.place.current.string() : beside.string());
  for (const IncludedText& one : source.included) {
    command.read.push_back((with.place.current / one.name).lexically_normal().string());
  }
  for (const std::string& other : folders_of(source)) {
    command.read.push_back((with.place.current / other).string());
  }
  run_compiler(with, source.name, command);
  return object;
}

void write_headers(const fs::path& folder) {
  fs::create_directories(folder);
  for (const std::string_view name : kUncalled) {
    write_text(folder / name, "#pragma once\n#include <cuda_runtime.h>\n");
  }
  for (const HeaderText& header : header_texts()) {
    fs::create_directories((folder / header.name).parent_path());
    write_text(folder / header.name, header.text);
  }
}

void link(const Compiling& with, const std::vector<std::string>& objects,
          const std::string& program) {
  std::vector<std::string> words = {with.compiler};
  words.insert(words.end(), objects.begin(), objects.end());
  const std::string library = with.place.library.string();
  words.insert(words.end(), {"-o", program, "-L" + library, "-Wl,-rpath," + library, "-llab-cudart",
                             "-lpthread", "-lm", "-ldl"});
  run_compiler(with, "the program", command_of(with, std::move(words)));
}

}  // namespace

BinaryQuestion question_of(BinaryKind kind, const fs::path& file, const std::string& name) {
  const std::string text = read_file(file.string(), "the program");
  const auto* const begin = reinterpret_cast<const std::byte*>(text.data());
  return {name, kind, {begin, begin + text.size()}};
}

std::string find_clang() {
  const char* path = std::getenv("PATH");
  const std::vector<std::string_view> folders = split(path == nullptr ? "/usr/bin" : path, ':');
  for (const char* name : kClangs) {
    for (const std::string_view folder : folders) {
      const fs::path at = fs::path(folder) / name;
      if (::access(at.c_str(), X_OK) == 0) return at.string();
    }
  }
  return {};
}

Built build_by_nvcc(const std::vector<KernelText>& sources, const BuildPlace& place,
                    const RunCommand& run, std::string_view arch) {
  const Compiling with{place, run, place.nvcc};
  if (with.compiler.empty()) {
    throw machine_error("there is no nvcc on this machine", "--compiler clang needs no toolkit");
  }
  write_headers(place.folder / "include");
  Built built;
  built.compiler = "nvcc";
  built.others = sources;
  built.program = (place.folder / "program").string();
  const std::string_view number = arch.substr(arch.find('_') + 1);
  // The toolkit's own headers come before ours, which have what samples bring along.
  std::vector<std::string> words = {
      with.compiler,
      "-cudart",
      "shared",
      "-O2",
      "-g",
      "-lineinfo",
      "-w",
      "--extended-lambda",
      "--expt-relaxed-constexpr",
      fmt::format("-gencode=arch=compute_{0},code=[compute_{0},sm_{0}]", number),
      "-isystem",
      (place.folder / "include").string(),
      "-o",
      built.program};
  std::vector<std::string> read;
  for (const KernelText& source : sources) {
    words.push_back(source.name);
    read.push_back((place.current / source.name).parent_path().string());
    // Its headers may lie above its folder, where the box would stop nvcc.
    for (const IncludedText& one : source.included) {
      read.push_back((place.current / one.name).string());
    }
    for (const std::string& folder : folders_of(source)) {
      read.push_back((place.current / folder).string());
    }
  }
  // It has cuBLAS and cuRAND too.
  words.push_back((place.library / "liblab-cudart.so").string());
  const std::vector<std::string>& options = sources.front().options;
  words.insert(words.end(), options.begin(), options.end());
  Command command = command_of(with, std::move(words));
  command.read.insert(command.read.end(), read.begin(), read.end());
  run_compiler(with, "the program", command);
  fs::permissions(built.program, fs::perms::owner_all);
  return built;
}

Built build(const std::vector<KernelText>& sources, const BuildPlace& place, const RunCommand& run,
            const ReadBinary& read) {
  const Compiling with{place, run, find_clang()};
  if (with.compiler.empty()) {
    throw machine_error("there is no clang on this machine to compile a program's host part",
                        "apt-get install clang-14 (tools/setup does it)");
  }
  write_headers(place.folder / "include");
  Built built;
  built.compiler = fs::path(with.compiler).filename().string();
  built.program = (place.folder / "program").string();
  std::vector<std::string> objects;
  for (const KernelText& source : sources) {
    const std::uint64_t unit = built.units.size() + 1;
    objects.push_back(compile_one(with, source, objects.size(), unit));
    if (is_cuda(source.name)) {
      BinaryFacts facts = read(question_of(BinaryKind::kObject, objects.back(), source.name));
      built.units.push_back({source, std::move(facts.kernels), {}, unit});
    } else {
      built.others.push_back(source);
    }
  }
  link(with, objects, built.program);
  // In a box no linker may say so itself.
  fs::permissions(built.program, fs::perms::owner_all);
  return built;
}

}  // namespace lab::program
