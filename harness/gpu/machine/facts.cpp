#include "harness/gpu/machine/facts.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>

#include "harness/gpu/cupti/host.h"

namespace lab::gpu {

namespace {

struct AttributeRow {
  CUdevice_attribute attribute;
  int SmLimits::*slot;
};

constexpr std::array kSmAttributes = {
    AttributeRow{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &SmLimits::major},
    AttributeRow{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &SmLimits::minor},
    AttributeRow{CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &SmLimits::sms},
    AttributeRow{CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, &SmLimits::threads_per_sm},
    AttributeRow{CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &SmLimits::threads_per_block},
    AttributeRow{CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, &SmLimits::registers_per_sm},
    AttributeRow{CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, &SmLimits::registers_per_block},
    AttributeRow{CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
                 &SmLimits::shared_bytes_per_sm},
    AttributeRow{CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK,
                 &SmLimits::shared_bytes_per_block},
    AttributeRow{CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
                 &SmLimits::shared_bytes_per_block_optin},
    AttributeRow{CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK,
                 &SmLimits::reserved_shared_bytes_per_block},
};

int attribute(const Driver& driver, CUdevice device, CUdevice_attribute which) {
  int value = 0;
  driver.check(driver.api().DeviceGetAttribute(&value, which, device), "cuDeviceGetAttribute");
  return value;
}

SmLimits read_limits(const Driver& driver, CUdevice device) {
  SmLimits limits;
  for (const AttributeRow& row : kSmAttributes) {
    limits.*row.slot = attribute(driver, device, row.attribute);
  }
  return limits;
}

std::string read_name(const Driver& driver, CUdevice device) {
  std::array<char, 256> name{};
  driver.check(driver.api().DeviceGetName(name.data(), static_cast<int>(name.size()), device),
               "cuDeviceGetName");
  return name.data();
}

std::string read_uuid(const Driver& driver, CUdevice device) {
  CUuuid uuid{};
  driver.check(driver.api().DeviceGetUuid(&uuid, device), "cuDeviceGetUuid");
  return uuid_text(uuid);
}

std::string read_pci(const Driver& driver, CUdevice device) {
  std::array<char, 32> text{};
  driver.check(driver.api().DeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), device),
               "cuDeviceGetPCIBusId");
  return text.data();
}

CUdevice device_at(const Driver& driver, int index) {
  CUdevice device = 0;
  driver.check(driver.api().DeviceGet(&device, index), "cuDeviceGet");
  return device;
}

std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string megahertz(int khz) { return fmt::format("{}", khz / 1000); }

std::string on_off(bool on) { return on ? "on" : "off"; }

}  // namespace

std::string DeviceFacts::arch() const { return fmt::format("sm_{}", capability()); }

std::string uuid_text(const CUuuid& uuid) {
  std::string text = "GPU-";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

std::vector<GpuNames> list_gpus(const Driver& driver) {
  std::vector<GpuNames> gpus;
  for (int i = 0; i < driver.device_count(); ++i) {
    const CUdevice device = device_at(driver, i);
    gpus.push_back(
        {i, read_name(driver, device), read_uuid(driver, device), read_pci(driver, device)});
  }
  return gpus;
}

CUdevice chosen_gpu(const Driver& driver) {
  const char* asked = std::getenv(kGpuVariable);
  const bool any = asked == nullptr || *asked == '\0';
  return device_at(driver, any ? 0 : choose_gpu(list_gpus(driver), asked));
}

DeviceFacts read_facts(const Driver& driver, CUdevice device) {
  DeviceFacts facts;
  facts.name = read_name(driver, device);
  facts.uuid = read_uuid(driver, device);
  facts.pci = read_pci(driver, device);
  facts.sm = read_limits(driver, device);
  std::size_t memory = 0;
  driver.check(driver.api().DeviceTotalMem(&memory, device), "cuDeviceTotalMem");
  facts.memory_bytes = memory;
  facts.l2_bytes = attribute(driver, device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  facts.sm_clock_khz = attribute(driver, device, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  facts.memory_clock_khz = attribute(driver, device, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
  facts.memory_bus_bits = attribute(driver, device, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  facts.ecc = attribute(driver, device, CU_DEVICE_ATTRIBUTE_ECC_ENABLED) != 0;
  facts.cuda_driver = driver.cuda_version();
  facts.cupti = find_cupti_version();
  facts.chip = usual_chip(facts.capability());
  facts.management.driver_version = driver_version();
  return facts;
}

std::map<std::string, std::string> environment(const DeviceFacts& facts) {
  std::map<std::string, std::string> out = {
      {"gpu", facts.name},
      {"gpu_uuid", facts.uuid},
      {"gpu_chip", facts.chip.empty() ? "unknown" : facts.chip},
      {"gpu_compute_capability", fmt::format("{}.{}", facts.sm.major, facts.sm.minor)},
      {"gpu_sms", fmt::format("{}", facts.sm.sms)},
      {"gpu_memory_bytes", fmt::format("{}", facts.memory_bytes)},
      {"gpu_l2_bytes", fmt::format("{}", facts.l2_bytes)},
      {"gpu_sm_clock_mhz", megahertz(facts.sm_clock_khz)},
      {"gpu_memory_clock_mhz", megahertz(facts.memory_clock_khz)},
      {"gpu_memory_bus_bits", fmt::format("{}", facts.memory_bus_bits)},
      {"gpu_ecc", on_off(facts.ecc)},
      {"cuda_driver", version_text(facts.cuda_driver)},
  };
  if (!facts.pci.empty()) out["gpu_pci"] = facts.pci;
  if (facts.cupti) out["cupti"] = fmt::format("{}", *facts.cupti);
  const Management& more = facts.management;
  if (!more.driver_version.empty()) out["driver"] = more.driver_version;
  if (more.mig) out["gpu_mig"] = on_off(*more.mig);
  if (more.virtual_gpu) out["gpu_virtual"] = on_off(*more.virtual_gpu);
  if (more.max_sm_clock_mhz)
    out["gpu_max_sm_clock_mhz"] = fmt::format("{}", *more.max_sm_clock_mhz);
  if (facts.l2_fetch_bytes != 0)
    out["gpu_l2_fetch_bytes"] = fmt::format("{}", facts.l2_fetch_bytes);
  return out;
}

}  // namespace lab::gpu
