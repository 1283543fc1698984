#include "tools/cli/arguments/probe_options.h"

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/run/dynamic_shared.h"
#include "harness/run/kernels.h"
#include "harness/run/parameters.h"
#include "harness/run/session.h"

namespace lab::cli {

namespace {

// Whoever leaves the launch out asks what the kernel takes: its declaration is in the hint.
std::string required(const Arguments& arguments, const std::string& name, const std::string& how,
                     const Probe& probe) {
  const auto value = arguments.value(name);
  if (value) return *value;
  const std::string& kernel = probe.spec.kernel;
  std::string hint;
  for (const run::KernelName& one : run::kernel_names(probe.source)) {
    if (one.name.substr(0, one.name.find('<')) != kernel.substr(0, kernel.find('<'))) continue;
    hint = fmt::format("--grid 4 --block 256, and one --arg per parameter of\n  {}", one.signature);
  }
  throw input_error(fmt::format("a kernel of a file needs --{} {}", name, how), hint);
}

}  // namespace

std::vector<Option> probe_option_rows() {
  return {{"grid", "X,Y,Z", "Blocks of the grid; Y and Z may be left out"},
          {"block", "X,Y,Z", "Threads per block; Y and Z may be left out"},
          {"shared", "BYTES", "Dynamic shared memory"},
          {"arg", "SPEC",
           "An argument, in the kernel's order: 5, or with its type i32=5, f32=1.5; "
           "f32[1024]=zero, ones, iota, "
           "random:SEED or @file.bin; arg0+16 into a buffer; {i32=4, f32[16]=ones} a struct; "
           "ptr[2]={f32[16]=zero, arg0}; a texture or surface: tex1dfetch:f32[64]=iota, tex1d:, "
           "tex2d:u8x4[64x48]=zero, tex2d-border:, surf1d:, surf2d:",
           true},
          {"symbol", "NAME=SPEC", "What a __constant__ or __device__ variable holds: c=f32[9]=ones",
           true}};
}

namespace {

void require_sizes(const Launch& launch) {
  constexpr std::uint64_t kMostThreads = 1024;
  constexpr std::uint32_t kMostInZ = 64;
  constexpr std::uint32_t kMostBlocks = 65535;  // in y and in z
  const Dim3& block = launch.block;
  const Dim3& grid = launch.grid;
  if (block.count() > kMostThreads || block.z > kMostInZ) {
    throw input_error(
        fmt::format("--block {},{},{} has {} threads", block.x, block.y, block.z, block.count()),
        "a block has at most 1024 threads, and at most 64 in z");
  }
  if (grid.y > kMostBlocks || grid.z > kMostBlocks) {
    throw input_error(fmt::format("--grid {},{},{} is too large", grid.x, grid.y, grid.z),
                      "a grid has at most 65535 blocks in y and in z");
  }
}

}  // namespace

Probe probe_from(const Arguments& arguments, KernelText source) {
  constexpr std::int64_t kMostShared = 227 * 1024;  // of a block on an H100 or H200
  Probe probe;
  probe.source = std::move(source);
  Job& spec = probe.spec;
  const auto kernel = arguments.value("kernel");
  spec.kernel = kernel ? run::named_kernel(probe.source, *kernel) : run::only_kernel(probe.source);
  spec.launch.grid = run::parse_dim3("--grid", required(arguments, "grid", "X[,Y[,Z]]", probe));
  spec.launch.block = run::parse_dim3("--block", required(arguments, "block", "X[,Y[,Z]]", probe));
  spec.launch.dynamic_shared_bytes =
      static_cast<std::uint32_t>(arguments.number("shared", 0, kMostShared).value_or(0));
  for (const std::string& text : arguments.values("arg")) {
    run::add_arg(run::typed_argument(text, probe.source, spec), spec);
  }
  for (const std::string& text : arguments.values("symbol")) run::add_symbol(text, spec);
  require_sizes(spec.launch);
  run::name_arguments(probe.source, spec);
  return probe;
}

void compile_probe(const Arguments& arguments, const BatchRequest& batch, const Job& probe,
                   worker::Client& compiler) {
  const std::string& kernel = probe.kernel;
  const Compiled compiled = compiler.compile({batch.source, {kernel}, batch.arch});
  run::require_symbols(compiled, probe);
  if (!arguments.has("shared")) {
    run::require_no_dynamic_shared(compiled, batch.source, kernel, "--shared ");
  }
}

namespace {

// In single quotes where a shell would read more into it.
std::string quoted(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-./,:=@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string text = "'";
  for (const char one : word) text += one == '\'' ? std::string("'\\''") : std::string(1, one);
  return text + "'";
}

}  // namespace

std::string launch_words(std::string_view command, const Arguments& arguments) {
  std::string words = fmt::format("{} {}", command, quoted(arguments.positionals().front()));
  for (const std::string_view name :
       {"kernel", "grid", "block", "shared", "arg", "symbol", "I", "D", "std", "arch"}) {
    if (!arguments.knows(name)) continue;
    for (const std::string& value : arguments.values(name)) {
      words += fmt::format(" {}{} {}", name.size() == 1 ? "-" : "--", name, quoted(value));
    }
  }
  return words;
}

bool names_kernel_file(const std::string& word) {
  return word.ends_with(".cu") || word.ends_with(".ptx") || word.ends_with(".cuh");
}

}  // namespace lab::cli
