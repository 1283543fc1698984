#include "metrics/machine.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "harness/core/chip.h"

namespace lab::metrics {
namespace {

// Memory rate, SMs, boost clock, L2 and memory bus of NVIDIA's data sheets and architecture
// whitepapers: "Turing GPU Architecture" (T4, RTX 2080 Ti), "A100 Tensor Core GPU Architecture" and
// the data sheet of A100 80GB SXM, "Ampere GA102 GPU Architecture", "Ada GPU Architecture" and the
// data sheet of L4, "H100 Tensor Core GPU Architecture" (SXM5) and the data sheet of H200, "RTX
// Blackwell GPU Architecture". Of an architecture the first stands for all.
struct Sheet {
  std::string_view name;
  std::string_view arch;
  std::string_view gpu;
  double dram_gbytes_per_s;
  double sms;
  double sm_clock_mhz;
  double l2_mib;
  double bus_bits;
};
constexpr Sheet kSheets[] = {
    {"2080Ti", "sm_75", "GeForce RTX 2080 Ti", 616, 68, 1545, 5.5, 352},
    {"T4", "sm_75", "Tesla T4", 320, 40, 1590, 4, 256},
    {"A100", "sm_80", "NVIDIA A100 80GB", 2039, 108, 1410, 40, 5120},
    {"3090", "sm_86", "GeForce RTX 3090", 936, 82, 1695, 6, 384},
    {"4090", "sm_89", "GeForce RTX 4090", 1008, 128, 2520, 72, 384},
    {"L4", "sm_89", "NVIDIA L4", 300, 58, 2040, 48, 192},
    {"H200", "sm_90", "NVIDIA H200", 4800, 132, 1980, 60, 6144},
    {"H100", "sm_90", "NVIDIA H100", 3352, 132, 1980, 50, 5120},
    {"5090", "sm_120", "GeForce RTX 5090", 1792, 170, 2407, 96, 512},
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

Machine machine_of(const Sheet& sheet) {
  constexpr double kGiga = 1e9;
  constexpr double kMebi = 1024.0 * 1024.0;
  const std::string origin = "data sheet";
  return {std::string(sheet.gpu),
          origin,
          ceilings_of(sheet.dram_gbytes_per_s * kGiga, sheet.sm_clock_mhz, origin),
          {sheet.sms, sheet.l2_mib * kMebi, sheet.bus_bits},
          Basis::kPins,
          std::string(sheet.arch)};
}

// Letters in any case.
bool same_word(std::string_view one, std::string_view other) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : int{c}; };
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [&](char a, char b) { return lower(a) == lower(b); });
}

}  // namespace

std::vector<std::string> sheet_names() {
  std::vector<std::string> names;
  for (const Sheet& one : kSheets) names.emplace_back(one.name);
  return names;
}

Machine data_sheet_named(std::string_view name) {
  const auto found = std::find_if(std::begin(kSheets), std::end(kSheets), [&](const Sheet& one) {
    return same_word(name, one.name) || same_word(name, one.gpu);
  });
  return found == std::end(kSheets) ? Machine{} : machine_of(*found);
}

Machine data_sheet(std::string_view arch) {
  const auto found = std::find_if(std::begin(kSheets), std::end(kSheets),
                                  [&](const Sheet& one) { return one.arch == plain_arch(arch); });
  return found == std::end(kSheets) ? Machine{} : machine_of(*found);
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
