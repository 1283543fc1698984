#include "harness/program/serve/device.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>

#include "harness/core/chip.h"

namespace lab::program {
namespace {

// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability". Kilobytes are 1024
// bytes; `ratio`: how many times slower double precision is.
struct Capability {
  std::string_view arch;
  std::uint32_t major;
  std::uint32_t minor;
  std::uint32_t threads_per_sm;
  std::uint32_t blocks_per_sm;
  std::uint32_t shared_kib_per_sm;
  std::uint32_t shared_kib_optin;
  std::uint32_t ratio;
};
constexpr Capability kCapabilities[] = {
    {"sm_75", 7, 5, 1024, 16, 64, 64, 32},  {"sm_80", 8, 0, 2048, 32, 164, 163, 2},
    {"sm_86", 8, 6, 1536, 16, 100, 99, 64}, {"sm_89", 8, 9, 1536, 24, 100, 99, 64},
    {"sm_90", 9, 0, 2048, 32, 228, 227, 2}, {"sm_120", 12, 0, 1536, 24, 100, 99, 64},
};

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
  const auto capability =
      std::find_if(std::begin(kCapabilities), std::end(kCapabilities),
                   [&](const Capability& one) { return one.arch == plain_arch(machine.arch); });
  const auto memory = std::find_if(std::begin(kMemories), std::end(kMemories),
                                   [&](const Memory& one) { return one.gpu == machine.gpu; });
  if (capability == std::end(kCapabilities) || memory == std::end(kMemories)) return std::nullopt;
  constexpr std::uint32_t kKib = 1024;
  constexpr double kKilo = 1000;
  DeviceFacts facts;
  std::strncpy(facts.name, machine.gpu.c_str(), sizeof facts.name - 1);
  facts.major = capability->major;
  facts.minor = capability->minor;
  facts.sms = static_cast<std::uint32_t>(machine.size.sms);
  facts.clock_khz = static_cast<std::uint32_t>(ceiling(machine, "sm_clock") * kKilo);
  facts.bus_bits = static_cast<std::uint32_t>(machine.size.bus_bits);
  // Two transfers of each pin per clock.
  facts.memory_khz = static_cast<std::uint32_t>(ceiling(machine, "dram_read") * 8 / 2 /
                                                machine.size.bus_bits / kKilo);
  facts.l2_bytes = static_cast<std::uint32_t>(machine.size.l2_bytes);
  facts.threads_per_sm = capability->threads_per_sm;
  facts.blocks_per_sm = capability->blocks_per_sm;
  facts.shared_per_sm = capability->shared_kib_per_sm * kKib;
  facts.shared_optin = capability->shared_kib_optin * kKib;
  facts.double_ratio = capability->ratio;
  facts.memory_bytes = memory->gib << 30U;
  return facts;
}

}  // namespace lab::program
