#include "harness/gpu/launches/addressed_memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/bits.h"
#include "harness/core/error.h"

namespace lab::gpu {
namespace {

// Addresses cost nothing; the driver has its own from 2^40 on.
constexpr std::uint64_t kReservation = std::uint64_t{1} << 36U;

}  // namespace

std::vector<MemoryRange> grains_of(std::span<const MemoryRange> ranges, std::uint64_t grain) {
  std::vector<MemoryRange> all;
  for (const MemoryRange& range : ranges) {
    if (range.bytes == 0) continue;
    const std::uint64_t from = range.address / grain * grain;
    const std::uint64_t end = round_up(range.address + range.bytes, grain);
    all.push_back({from, end - from});
  }
  std::sort(all.begin(), all.end(),
            [](const MemoryRange& a, const MemoryRange& b) { return a.address < b.address; });
  std::vector<MemoryRange> joined;
  for (const MemoryRange& one : all) {
    if (joined.empty() || joined.back().address + joined.back().bytes < one.address) {
      joined.push_back(one);
      continue;
    }
    MemoryRange& last = joined.back();
    last.bytes = std::max(last.address + last.bytes, one.address + one.bytes) - last.address;
  }
  return joined;
}

AddressedMemory::AddressedMemory(const Context& context, std::uint64_t base)
    : driver_(context.driver()), base_(base), reserved_(base) {
  kind_.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  kind_.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  kind_.location.id = context.device();
  std::size_t grain = 0;
  driver_->check(
      driver_->api().MemGetAllocationGranularity(&grain, &kind_, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
      "cuMemGetAllocationGranularity");
  grain_ = grain;
  reserve(base + 1);
}

AddressedMemory::~AddressedMemory() {
  for (const auto& [address, bytes] : mapped_) unmap(address, bytes);
  for (const MemoryRange& one : reservations_) {
    driver_->log_failed(driver_->api().MemAddressFree(one.address, one.bytes), "cuMemAddressFree");
  }
}

void AddressedMemory::unmap(std::uint64_t from, std::uint64_t bytes) const {
  driver_->log_failed(driver_->api().MemUnmap(from, bytes), "cuMemUnmap");
}

void AddressedMemory::reserve(std::uint64_t end) {
  while (reserved_ < end) {
    CUdeviceptr got = 0;
    driver_->check(driver_->api().MemAddressReserve(&got, kReservation, grain_, reserved_, 0),
                   "cuMemAddressReserve", fmt::format("{:#x}", reserved_));
    if (got != reserved_) {
      driver_->log_failed(driver_->api().MemAddressFree(got, kReservation), "cuMemAddressFree");
      throw machine_error(
          fmt::format("the GPU's driver has no room at {:#x}, where the program's memory is: it "
                      "gave {:#x}",
                      reserved_, got),
          "--backend model runs the program without the GPU");
    }
    reservations_.push_back({got, kReservation});
    reserved_ += kReservation;
  }
}

void AddressedMemory::map(std::uint64_t from, std::uint64_t end) {
  const std::uint64_t bytes = end - from;
  reserve(end);
  CUmemGenericAllocationHandle memory = 0;
  driver_->check(driver_->api().MemCreate(&memory, bytes, &kind_, 0), "cuMemCreate",
                 fmt::format("{} bytes", bytes));
  const CUresult placed = driver_->api().MemMap(from, bytes, 0, memory, 0);
  // Mapped memory stays until it is unmapped.
  driver_->log_failed(driver_->api().MemRelease(memory), "cuMemRelease");
  driver_->check(placed, "cuMemMap", fmt::format("{:#x}", from));
  mapped_[from] = bytes;
  CUmemAccessDesc access{};
  access.location = kind_.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  driver_->check(driver_->api().MemSetAccess(from, bytes, &access, 1), "cuMemSetAccess",
                 fmt::format("{:#x}", from));
}

void AddressedMemory::cover(std::span<const MemoryRange> ranges) {
  const std::vector<MemoryRange> wanted = grains_of(ranges, grain_);
  const auto touches = [](const MemoryRange& a, std::uint64_t address, std::uint64_t bytes) {
    return a.address < address + bytes && address < a.address + a.bytes;
  };
  for (auto it = mapped_.begin(); it != mapped_.end();) {
    const bool used = std::any_of(wanted.begin(), wanted.end(), [&](const MemoryRange& one) {
      return touches(one, it->first, it->second);
    });
    if (!used) unmap(it->first, it->second);
    it = used ? std::next(it) : mapped_.erase(it);
  }
  for (const MemoryRange& one : wanted) {
    std::uint64_t at = one.address;
    const std::uint64_t end = one.address + one.bytes;
    while (at < end) {
      // The mapping that holds this address, or else the next one above it.
      auto next = mapped_.upper_bound(at);
      if (next != mapped_.begin()) {
        const auto before = std::prev(next);
        if (before->first + before->second > at) {
          at = before->first + before->second;
          continue;
        }
      }
      // No mapping lies in two reservations.
      const std::uint64_t edge = base_ + ((at - base_) / kReservation + 1) * kReservation;
      std::uint64_t until = std::min(end, edge);
      if (next != mapped_.end()) until = std::min(until, next->first);
      map(at, until);
      at = until;
    }
  }
}

void AddressedMemory::upload(std::uint64_t address, std::span<const std::byte> from) const {
  if (from.empty()) return;
  driver_->check(driver_->api().MemcpyHtoD(address, from.data(), from.size()), "cuMemcpyHtoD");
}

void AddressedMemory::download(std::uint64_t address, std::span<std::byte> to) const {
  if (to.empty()) return;
  driver_->check(driver_->api().MemcpyDtoH(to.data(), address, to.size()), "cuMemcpyDtoH");
}

}  // namespace lab::gpu
