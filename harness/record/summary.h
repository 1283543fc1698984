// The summary of a recording: kernels by their share of the GPU's time, and when it was idle.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/record/recording.h"

namespace lab::record {

/// Counted with whatever else is: of a launch whose kernel is not traced, it is the time.
inline constexpr std::string_view kDurationMetric = "gpu__time_duration.sum";

/// A counter over the launches of a row for which it has a value.
struct CounterSum {
  std::string metric;  ///< by CUPTI's name
  std::uint64_t launches = 0;
  double sum = 0;
  double least = 0;
  double most = 0;
};

/// Launches of one kernel in one shape, of all processes.
struct KernelRow {
  std::string kernel;     ///< as the source has it, without parameters
  std::string signature;  ///< with them
  std::string mangled;
  Shape shape;
  std::array<std::uint32_t, 3> cluster = {};
  std::uint32_t registers = 0;  ///< per thread
  std::uint32_t static_shared = 0;
  std::uint32_t dynamic_shared = 0;
  std::uint64_t launches = 0;  ///< whose times are known, each kernel of a graph among them
  std::uint64_t untimed = 0;   ///< others
  /// Whether a kernel of the row was traced: registers, cluster and static shared bytes are known.
  /// Times of others are what kDurationMetric counted, with the set-up of the launch.
  bool traced = false;
  std::uint64_t of_graphs = 0;
  std::uint64_t total_ns = 0;
  std::uint64_t shortest_ns = 0;
  std::uint64_t longest_ns = 0;
  double share = 0;                       ///< of what all kernels took, 0..1
  std::vector<CounterSum> counters = {};  ///< in the order in which they were asked for
  /// Only of a row with launches.
  [[nodiscard]] double mean_ns() const {
    return static_cast<double>(total_ns) / static_cast<double>(launches);
  }
};

/// A time in which a GPU neither ran a kernel nor copied.
struct Gap {
  std::uint64_t start_ns = 0;  ///< since the first work of that GPU
  std::uint64_t length_ns = 0;
  std::string before, after;  ///< the kernel, or what kind of copy
};

struct GpuUse {
  std::string name;              ///< empty: it was not told
  std::uint64_t span_ns = 0;     ///< from the start of its first work to the end of its last
  std::uint64_t kernels_ns = 0;  ///< in which at least one kernel ran
  std::uint64_t copies_ns = 0;   ///< in which it copied, and no kernel ran
  std::uint64_t gaps = 0;
  std::vector<Gap> longest;  ///< a few, the longest first
  [[nodiscard]] std::uint64_t idle_ns() const { return span_ns - kernels_ns - copies_ns; }
};

/// Copies and memsets of one kind.
struct CopyRow {
  Copied what = {};
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  std::uint64_t total_ns = 0;
};

/// The launches within NVTX ranges of one path.
struct RangeRow {
  std::string path;
  std::uint64_t times = 0;  ///< that it was entered
  std::uint64_t launches = 0;
  std::uint64_t kernels = 0;
  std::uint64_t gpu_ns = 0;   ///< of its kernels, those of ranges within it among them
  std::uint64_t host_ns = 0;  ///< between push and pop
};

/// Calls of the host, by what became of them.
struct LaunchCounts {
  std::uint64_t all = 0;
  std::uint64_t graphs = 0;    ///< launches of graphs among them
  std::uint64_t captured = 0;  ///< became part of a graph; nothing ran
  std::uint64_t failed = 0;    ///< returned an error
  std::uint64_t untimed = 0;   ///< launched, and it is not known what it took
  std::uint64_t host_ns = 0;   ///< that the calls took the host
};

struct ProcessRow {
  std::uint32_t process = 0;
  std::vector<std::string> command;
  LaunchCounts launches;
  std::uint64_t kernels = 0;
  std::uint64_t modules = 0;
  bool ended = false;  ///< by exit or by returning from main
  std::vector<Told> troubles;
};

struct Summary {
  std::vector<KernelRow> kernels;  ///< the largest share first
  std::vector<GpuUse> gpus;
  std::vector<CopyRow> copies;
  std::vector<RangeRow> ranges;  ///< in the order of their paths
  std::vector<ProcessRow> processes;
  LaunchCounts launches;
  std::uint64_t kernels_run = 0;
  std::uint64_t launches_counted = 0;  ///< each was waited for: gaps are not the program's
  std::uint64_t kernels_ns = 0;        ///< the sum of their times
  std::string damage;
};

[[nodiscard]] Summary summarise(const Recording& recording);

/// `copy to the GPU`, `memset`, ...
[[nodiscard]] std::string_view words_for(Copied what);

}  // namespace lab::record
