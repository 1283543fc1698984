#include "harness/programs/serve/device.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>

#include "harness/core/chip.h"
#include "harness/core/launch_facts.h"

namespace lab::program {
namespace {

// How many times slower double precision is (CUDA C++ Programming Guide, "Throughput of Native
// Arithmetic Instructions").
struct Doubles {
  std::string_view arch;
  std::uint32_t ratio;
};
constexpr Doubles kDoubles[] = {{"sm_75", 32}, {"sm_80", 2}, {"sm_86", 64},
                                {"sm_89", 64}, {"sm_90", 2}, {"sm_120", 64}};

// Of the makers' data sheets.
struct Memory {
  std::string_view gpu;
  std::uint64_t gib;
};
constexpr Memory kMemories[] = {
    {"GeForce RTX 2080 Ti", 11}, {"Tesla T4", 16},         {"NVIDIA A100 80GB", 80},
    {"GeForce RTX 3090", 24},    {"GeForce RTX 4090", 24}, {"NVIDIA L4", 24},
    {"NVIDIA H100", 80},         {"GeForce RTX 5090", 32},
};

double ceiling(const metrics::Machine& machine, std::string_view name) {
  for (const Ceiling& one : machine.ceilings) {
    if (one.name == name) return one.value;
  }
  return 0;
}

}  // namespace

std::optional<DeviceFacts> device_facts(const metrics::Machine& machine) {
  const GpuLimits* const limits = find_limits(machine.arch);
  const auto doubles =
      std::find_if(std::begin(kDoubles), std::end(kDoubles),
                   [&](const Doubles& one) { return one.arch == plain_arch(machine.arch); });
  const auto memory = std::find_if(std::begin(kMemories), std::end(kMemories),
                                   [&](const Memory& one) { return one.gpu == machine.gpu; });
  if (limits == nullptr || doubles == std::end(kDoubles) || memory == std::end(kMemories))
    return std::nullopt;
  constexpr std::uint32_t kLanes = 32;
  constexpr double kKilo = 1000;
  DeviceFacts facts;
  std::strncpy(facts.name, machine.gpu.c_str(), sizeof facts.name - 1);
  facts.major = limits->major;
  facts.minor = limits->minor;
  facts.sms = static_cast<std::uint32_t>(machine.size.sms);
  facts.clock_khz = static_cast<std::uint32_t>(ceiling(machine, "sm_clock") * kKilo);
  facts.bus_bits = static_cast<std::uint32_t>(machine.size.bus_bits);
  // Two transfers of each pin per clock.
  facts.memory_khz = static_cast<std::uint32_t>(ceiling(machine, "dram_read") * 8 / 2 /
                                                machine.size.bus_bits / kKilo);
  facts.l2_bytes = static_cast<std::uint32_t>(machine.size.l2_bytes);
  facts.threads_per_sm = limits->warps_per_sm * kLanes;
  facts.blocks_per_sm = limits->blocks_per_sm;
  facts.shared_per_sm = limits->shared_per_sm;
  facts.shared_optin = limits->shared_per_block;
  facts.double_ratio = doubles->ratio;
  facts.memory_bytes = memory->gib << 30U;
  return facts;
}

}  // namespace lab::program
