// Times the model on kernels whose cost is known: counts on, checkers off unless asked. Prints a
// line a kernel: the best of some runs, its warp instructions, and millions of them a second.
//   bench_model [threads] [kernel or all] [checks]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "harness/core/buffer.h"
#include "harness/core/error.h"
#include "harness/kernel/compile/nvrtc.h"
#include "harness/kernel/ptx/parser.h"
#include "harness/model/check/session.h"
#include "harness/model/decode/decode.h"
#include "harness/model/execute/grid.h"

namespace lab::model {
namespace {

struct Bench {
  const char* kernel;
  std::uint32_t n;  ///< matrices of n x n
  Dim3 grid;
  Dim3 block;
  int buffers;
  double limit_s;  ///< 0: none
};

constexpr std::uint32_t k4096 = 4096;
const Bench kBenches[] = {
    {"transpose_padded", k4096, {128, 128, 1}, {32, 8, 1}, 2, 0.12},
    {"transpose_shared", k4096, {128, 128, 1}, {32, 8, 1}, 2, 0},
    {"transpose_naive", k4096, {128, 128, 1}, {32, 8, 1}, 2, 0},
    {"multiply_tiled", 1024, {32, 32, 1}, {32, 32, 1}, 3, 0.8},
    {"multiply_tiled_16", 1024, {64, 64, 1}, {16, 16, 1}, 3, 0},
    {"copy", k4096, {65536, 1, 1}, {256, 1, 1}, 2, 0},
    {"gather", 2048, {16384, 1, 1}, {256, 1, 1}, 2, 0},
    {"divergent", 2048, {1024, 1, 1}, {256, 1, 1}, 2, 0},
};

std::string read_file(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// CPU time of all threads: what a busy machine does not disturb.
double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Timed {
  double seconds = 0;
  double cpu = 0;
  GridResult result;
};

Timed run_once(const ptx::Module& module, const Bench& bench, int threads, Checks asked) {
  const std::uint32_t entry = module.find_entry(bench.kernel);
  const std::size_t bytes = std::size_t{bench.n} * bench.n * 4;
  Buffers buffers;
  GlobalMemory memory;
  DecodeRequest request;
  request.module = &module;
  request.entry = entry;
  request.parameters.resize(ptx::layout(module.functions[entry].params).bytes);
  const auto count = static_cast<std::size_t>(bench.buffers);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = fmt::format("b{}", i);
    buffers.resize(name, bytes);
    std::memset(buffers.raw(name).data(), 1, bytes);
    const std::uint64_t address = memory.add(buffers.raw(name), name, static_cast<int>(i));
    std::memcpy(request.parameters.data() + 8 * i, &address, 8);
  }
  std::memcpy(request.parameters.data() + 8 * count, &bench.n, 4);
  GridOptions options;
  options.threads = threads;
  const auto begin = std::chrono::steady_clock::now();
  const double cpu_begin = cpu_seconds();
  const Program program = decode(request, best_table());
  Timed timed;
  const Launch launch{bench.grid, bench.block, 0};
  check::Session checks(program, launch, memory, asked);
  options.observer = [&] { return checks.observer(); };
  timed.result = run_grid(program, launch, memory, options);
  timed.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  timed.cpu = cpu_seconds() - cpu_begin;
  return timed;
}

int run_all(int threads, const std::string& only, Checks asked) {
  CompileRequest request;
  const std::string path = std::string(LAB_SOURCE_DIR) + "/tests/bench/model/kernels.cu";
  request.source = {"kernels.cu", read_file(path)};
  for (const Bench& bench : kBenches) request.kernels.emplace_back(bench.kernel);
  const ptx::Module module = ptx::parse(compile::nvrtc_compile(request).ptx, "kernels.cu");
  fmt::print("{:<20} {:>8} {:>8} {:>8} {:>12} {:>10} {:>8}\n", "kernel", "best s", "median s",
             "cpu s", "warp instr.", "M instr/s", "limit s");
  for (const Bench& bench : kBenches) {
    if (only != "all" && only != bench.kernel) continue;
    std::vector<double> seconds;
    std::vector<double> cpu;
    GridResult result;
    for (int i = 0; i < 5; ++i) {
      Timed timed = run_once(module, bench, threads, asked);
      seconds.push_back(timed.seconds);
      cpu.push_back(timed.cpu);
      result = std::move(timed.result);
    }
    std::sort(seconds.begin(), seconds.end());
    const auto count = static_cast<double>(result.warp_instructions);
    fmt::print("{:<20} {:>8.3f} {:>8.3f} {:>8.3f} {:>12} {:>10.0f} {:>8}\n", bench.kernel,
               seconds.front(), seconds[seconds.size() / 2],
               *std::min_element(cpu.begin(), cpu.end()), result.warp_instructions,
               count / seconds.front() / 1e6,
               bench.limit_s > 0 ? fmt::format("{}", bench.limit_s) : "");
  }
  return 0;
}

}  // namespace
}  // namespace lab::model

int main(int argc, char** argv) {
  try {
    const bool checks = argc > 3 && std::string(argv[3]) == "checks";
    return lab::model::run_all(argc > 1 ? std::atoi(argv[1]) : 1, argc > 2 ? argv[2] : "all",
                               checks ? lab::Checks::kFull : lab::Checks::kOff);
  } catch (const lab::Error& error) {
    fmt::print(stderr, "{}", lab::render(error));
    return static_cast<int>(error.fault());
  }
}
