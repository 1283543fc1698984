#include "metrics/machine.h"

#include <cstdlib>

#include "harness/core/chip.h"

namespace lab::metrics {
namespace {

// One GPU for each architecture: memory rate, SMs, boost clock and L2 of NVIDIA's data sheets and
// architecture whitepapers.
struct Sheet {
  std::string_view arch;
  std::string_view gpu;
  double dram_gbytes_per_s;
  double sms;
  double sm_clock_mhz;
  double l2_mib;
};
constexpr Sheet kSheets[] = {
    {"sm_75", "GeForce RTX 2080 Ti", 616, 68, 1545, 5.5},
    {"sm_80", "NVIDIA A100 80GB", 2039, 108, 1410, 40},
    {"sm_86", "GeForce RTX 3090", 936, 82, 1695, 6},
    {"sm_89", "GeForce RTX 4090", 1008, 128, 2520, 72},
    {"sm_90", "NVIDIA H200", 4800, 132, 1980, 60},
    {"sm_120", "GeForce RTX 5090", 1792, 170, 2407, 96},
};

// Since Volta: an SM has four schedulers that each issue an instruction per clock, and its L1
// passes one wavefront per clock (CUDA C++ Programming Guide, "Compute Capabilities").
constexpr double kIssued = 4;
constexpr double kWavefronts = 1;

std::vector<Ceiling> ceilings_of(double dram_bytes_per_s, double sm_clock_mhz,
                                 const std::string& method) {
  std::vector<Ceiling> all;
  const auto add = [&](const char* name, double value, const char* unit) {
    if (value > 0) all.push_back({name, value, unit, method});
  };
  add("dram_read", dram_bytes_per_s, "byte/s");
  add("dram_write", dram_bytes_per_s, "byte/s");
  add("dram_copy", dram_bytes_per_s, "byte/s");
  add("shared_wavefronts", kWavefronts, "wavefront/SM/clock");
  add("instructions", kIssued, "instruction/SM/clock");
  add("sm_clock", sm_clock_mhz, "MHz");
  return all;
}

double number_of(const std::map<std::string, std::string>& environment, const char* key) {
  const auto found = environment.find(key);
  return found == environment.end() ? 0 : std::strtod(found->second.c_str(), nullptr);
}

}  // namespace

Machine data_sheet(std::string_view arch) {
  constexpr double kGiga = 1e9;
  constexpr double kMebi = 1024.0 * 1024.0;
  for (const Sheet& one : kSheets) {
    if (one.arch != plain_arch(arch)) continue;
    const std::string origin = "data sheet";
    return {std::string(one.gpu),
            origin,
            ceilings_of(one.dram_gbytes_per_s * kGiga, one.sm_clock_mhz, origin),
            {one.sms, one.l2_mib * kMebi},
            Basis::kPins,
            std::string(one.arch)};
  }
  return {};
}

Machine as_driver_says(const std::map<std::string, std::string>& environment) {
  const std::string origin = "as its driver says";
  const auto gpu = environment.find("gpu");
  return {
      gpu == environment.end() ? std::string() : gpu->second, origin,
      ceilings_of(pin_rate(environment), number_of(environment, "gpu_max_sm_clock_mhz"), origin),
      size_of(environment), Basis::kPins};
}

double pin_rate(const std::map<std::string, std::string>& environment) {
  return 2 * 1e6 * number_of(environment, "gpu_memory_clock_mhz") *
         number_of(environment, "gpu_memory_bus_bits") / 8;
}

GpuSize size_of(const std::map<std::string, std::string>& environment) {
  return {number_of(environment, "gpu_sms"), number_of(environment, "gpu_l2_bytes"),
          number_of(environment, "gpu_memory_bus_bits")};
}

}  // namespace lab::metrics
