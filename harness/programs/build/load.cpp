#include "harness/programs/build/load.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>

#include "harness/core/error.h"
#include "harness/core/text.h"
#include "harness/kernel/ptx/outline.h"
#include "harness/programs/build/elf.h"
#include "harness/programs/build/fat_binary.h"
#include "harness/programs/build/refused.h"
#include "harness/programs/build/symbols.h"

namespace lab::program {
namespace {

namespace fs = std::filesystem;

constexpr const char* kShared = "build it with the shared runtime, as `nvcc -cudart shared` does";

// CUDA's libraries, by the beginning of their names.
constexpr std::string_view kSharedLibraries[] = {
    "libcublasLt", "libcublasXt", "libcufft", "libcusparse", "libcusolv", "libnvrtc",
    "libcudnn",    "libnccl",     "libnpp",   "libcuda.so.", "libnvidia"};

constexpr std::string_view kOwn = "liblab-cudart.so";
// The program asks for our library under these names.
constexpr std::string_view kOurs[] = {"libcudart.so", "libcublas.so", "libcurand.so", kOwn};

std::vector<std::string> runtimes_of(const std::string& path, std::string_view file) {
  std::vector<std::string> runtimes;
  bool has_runtime = false;
  for (const std::string& name : needed_by(file)) {
    has_runtime = has_runtime || name.starts_with("libcudart.so") || name.starts_with(kOwn);
    for (const std::string_view ours : kOurs) {
      if (name.starts_with(ours)) runtimes.push_back(name);
    }
    for (const std::string_view library : kSharedLibraries) {
      if (!name.starts_with(library)) continue;
      throw NotModelled(
          fmt::format("{} needs {}, which is not modelled", path, name),
          "lab exec runs programs that need CUDA's runtime and the C++ library alone");
    }
  }
  if (has_runtime) return runtimes;
  const bool has_kernels = !section_bytes(file, ".nv_fatbin").empty();
  if (has_kernels) throw NotModelled(path + " has CUDA's runtime linked into it", kShared);
  throw input_error(path + " is no CUDA program: it asks for no libcudart", kShared);
}

void refuse_unknown_calls(const std::string& path, std::string_view file,
                          const std::vector<std::string>& library) {
  const std::set<std::string_view> known(library.begin(), library.end());
  std::vector<std::string> unknown;
  for (const ElfSymbol& symbol : symbols_of(file, SHT_DYNSYM)) {
    const bool of_cuda = is_call_of_cuda(symbol.name) || symbol.name.starts_with("__cuda");
    if (!symbol.defined && of_cuda && !known.contains(symbol.name))
      unknown.push_back(refused_text(symbol.name));
  }
  if (unknown.empty()) return;
  throw NotModelled(fmt::format("{} calls {}: not modelled", path, fmt::join(unknown, ", ")),
                    "tools/readers/programs.md lists the calls that are");
}

std::uint32_t number_of(std::string_view arch) {
  std::uint32_t number = 0;
  const std::string_view digits = arch.substr(std::min(arch.find('_') + 1, arch.size()));
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

// The newest PTX that `arch` can take.
const DeviceCode* ptx_for(const FatBinary& binary, std::uint32_t arch) {
  const DeviceCode* best = nullptr;
  for (const DeviceCode& code : binary.codes) {
    const bool fits = code.kind == DeviceCode::Kind::kPtx && code.arch <= arch;
    if (fits && !code.bytes.empty() && (best == nullptr || code.arch > best->arch)) best = &code;
  }
  return best;
}

ProgramUnit unit_of(const std::string& name, const DeviceCode& ptx, const FatBinary& binary,
                    std::uint32_t arch) {
  ProgramUnit unit;
  unit.source.name = name;
  Compiled& compiled = unit.compiled;
  compiled.ptx = ptx.bytes;
  compiled.ptx_sha256 = sha256_hex(compiled.ptx);
  unit.kernels = ptx::entry_names(compiled.ptx, name);
  compiled.lowered = unit.kernels;
  if (compiled.ptx.find(".loc\t") == std::string::npos) {
    compiled.no_lines = "the program was built without nvcc's -lineinfo";
  }
  // Of another PTX it is another machine code.
  for (const DeviceCode& code : binary.codes) {
    const bool of_it = code.kind == DeviceCode::Kind::kMachineCode && code.arch == arch;
    if (!of_it || ptx.arch != arch || code.bytes.empty()) continue;
    compiled.cubin.assign(code.bytes.begin(), code.bytes.end());
    compiled.cubin_sha256 = sha256_hex(code.bytes);
  }
  return unit;
}

std::string archs_of(const std::vector<FatBinary>& binaries) {
  std::set<std::string> all;
  for (const FatBinary& binary : binaries) {
    for (const DeviceCode& code : binary.codes) {
      const char* const kind = code.kind == DeviceCode::Kind::kPtx ? "compute" : "sm";
      all.insert(fmt::format("{}_{}", kind, code.arch));
    }
  }
  return fmt::format("{}", fmt::join(all, ", "));
}

std::string host_clock_of(std::string_view file) {
  struct Row {
    std::string_view symbol;
    std::string_view name;
  };
  constexpr Row kRows[] = {
      {"_ZNSt6chrono3_V212steady_clock3nowEv", "std::chrono"},
      {"_ZNSt6chrono3_V212system_clock3nowEv", "std::chrono"},
      {"gettimeofday", "gettimeofday"},
      {"clock_gettime", "clock_gettime"},
      {"clock", "clock"},
      {"omp_get_wtime", "omp_get_wtime"},
  };
  const std::vector<ElfSymbol> symbols = symbols_of(file, SHT_DYNSYM);
  for (const Row& row : kRows) {
    const bool used = std::any_of(symbols.begin(), symbols.end(), [&](const ElfSymbol& one) {
      return !one.defined && one.name == row.symbol;
    });
    if (used) return std::string(row.name);
  }
  return {};
}

std::vector<ProgramUnit> units_of(const BinaryQuestion& question, std::string_view file) {
  std::vector<ProgramUnit> units;
  const std::vector<FatBinary> binaries = fat_binaries(section_bytes(file, ".nv_fatbin"));
  const std::uint64_t address = section_address(file, ".nv_fatbin");
  const std::uint32_t number = number_of(question.arch);
  const std::string stem = fs::path(question.name).filename().string();
  for (const FatBinary& binary : binaries) {
    const DeviceCode* const ptx = ptx_for(binary, number);
    // The linker adds one that has no kernels.
    const std::string again = units.empty() ? "" : fmt::format(".{}", units.size());
    if (ptx != nullptr) {
      units.push_back(unit_of(stem + again + ".ptx", *ptx, binary, number));
      units.back().registers_as = address + binary.at;
    }
  }
  if (!units.empty()) return units;
  throw NotModelled(
      fmt::format("{} has no PTX for {}: it has {}", question.name, question.arch,
                  binaries.empty() ? "no device code" : archs_of(binaries)),
      fmt::format("build it with nvcc -arch={}, which puts PTX beside the machine code",
                  question.arch));
}

}  // namespace

BinaryFacts read_binary(const BinaryQuestion& question) {
  const std::string_view file(reinterpret_cast<const char*>(question.bytes.data()),
                              question.bytes.size());
  BinaryFacts facts;
  if (question.kind == BinaryKind::kObject) {
    facts.kernels = kernels_in(file);
    return facts;
  }
  if (!is_elf(file)) throw input_error(question.name + " is not a program for this machine");
  facts.host_clock = host_clock_of(file);
  if (question.kind == BinaryKind::kBuilt) return facts;
  facts.runtimes = runtimes_of(question.name, file);
  refuse_unknown_calls(question.name, file, question.known);
  facts.units = units_of(question, file);
  return facts;
}

std::vector<std::string> calls_of(std::string_view library) {
  std::vector<std::string> calls;
  for (const ElfSymbol& symbol : symbols_of(library, SHT_DYNSYM)) {
    if (symbol.defined) calls.emplace_back(symbol.name);
  }
  return calls;
}

}  // namespace lab::program
