// The kernels that measure a GPU, one thing each, and the rows that launch them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/ceiling.h"
#include "harness/core/compiled.h"
#include "harness/gpu/driver/device.h"
#include "harness/gpu/measure/machine.h"
#include "harness/gpu/measure/rig.h"

namespace lab::gpu {

inline constexpr std::uint32_t kBenchThreads = 256;

/// Blocks of two launches.
struct Grids {
  std::uint32_t few;
  std::uint32_t many;
};

[[nodiscard]] inline double per_second(double count, double ns) { return count / ns * 1e9; }

/// The kernels of all groups, compiled for one GPU, and memory for them.
class Bench {
 public:
  using Arguments = std::vector<void*>;

  Bench(const Machine& machine, const Compiled& kernels);

  [[nodiscard]] Rig& rig() { return rig_; }
  [[nodiscard]] const Module& module() const { return module_; }
  [[nodiscard]] std::uint32_t sms() const { return sms_; }
  [[nodiscard]] std::size_t l2_bytes() const { return l2_bytes_; }
  /// Of dynamic shared memory that a block may have.
  [[nodiscard]] std::size_t most_shared() const { return most_shared_; }
  [[nodiscard]] int capability() const { return capability_; }
  /// What a kernel writes to that is not meant to write: 4 KiB of zeros.
  [[nodiscard]] const Memory& sink() const { return sink_; }
  /// MHz, while the delay before the last launch ran.
  [[nodiscard]] double clock_mhz() { return rig_.clock_mhz(); }

  /// The shortest of ten launches: a ceiling is the best time seen.
  [[nodiscard]] double best_ns(const char* kernel, const Launch& launch,
                               const Arguments& arguments);
  /// The same without what a launch that does nothing takes.
  [[nodiscard]] double work_ns(const char* kernel, const Launch& launch,
                               const Arguments& arguments);
  /// The middle one of 31.
  [[nodiscard]] double median_ns(const char* kernel, const Launch& launch,
                                 const Arguments& arguments);
  /// ns per warp of blocks of kBenchThreads, of two grids: what a launch takes at least goes out.
  [[nodiscard]] double ns_per_warp(const char* kernel, const Grids& grids,
                                   const Arguments& arguments);
  /// Of ns that all SMs worked: cycles.
  [[nodiscard]] double cycles(double ns) { return ns * clock_mhz() / 1e3; }

 private:
  [[nodiscard]] std::vector<double> times(const char* kernel, const Launch& launch,
                                          const Arguments& arguments, int launches);

  std::uint32_t sms_;
  std::size_t l2_bytes_;
  std::size_t most_shared_;
  int capability_;
  Rig rig_;
  Module module_;
  Memory sink_;
  double empty_ns_ = 0;  ///< 0: not measured yet
};

/// A ceiling, and how it is measured.
struct CeilingRow {
  std::string_view name;
  std::string_view unit;
  std::string_view method;         ///< for a person: what its kernel does
  double (*measure)(Bench&) = {};  ///< 0: this GPU lacks it
};

/// Rows that share kernels. Groups are compiled as one source, one after the other.
struct CeilingGroup {
  std::string_view source;
  std::vector<std::string_view> kernels;
  std::vector<CeilingRow> rows;
};

[[nodiscard]] const CeilingGroup& memory_ceilings();
[[nodiscard]] const CeilingGroup& store_ceilings();
[[nodiscard]] const CeilingGroup& atomic_ceilings();
[[nodiscard]] const CeilingGroup& sm_ceilings();
[[nodiscard]] const CeilingGroup& block_ceilings();
[[nodiscard]] const CeilingGroup& latency_ceilings();

}  // namespace lab::gpu
