// Device memory at addresses that somebody else has chosen: a program's, whose pointers are in its
// kernels' arguments and in its own data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/whole_program.h"
#include "harness/gpu/driver/device.h"

namespace lab::gpu {

class AddressedMemory {
 public:
  /// Into the current context; the first addresses are those from `base` on.
  AddressedMemory(const Context& context, std::uint64_t base);
  ~AddressedMemory();
  AddressedMemory(const AddressedMemory&) = delete;
  AddressedMemory& operator=(const AddressedMemory&) = delete;

  /// Afterwards all of these can be used, and nothing far from them. Throws a machine error where
  /// the driver gives other addresses, and a DriverError.
  void cover(std::span<const MemoryRange> ranges);
  void upload(std::uint64_t address, std::span<const std::byte> from) const;
  void download(std::uint64_t address, std::span<std::byte> to) const;

 private:
  void reserve(std::uint64_t end);
  void map(std::uint64_t from, std::uint64_t end);
  void unmap(std::uint64_t from, std::uint64_t bytes) const;

  std::shared_ptr<const Driver> driver_;
  CUmemAllocationProp kind_ = {};
  std::uint64_t grain_ = 0;  // sizes and addresses are multiples of it
  std::uint64_t base_;
  std::uint64_t reserved_;  // up to here
  std::vector<MemoryRange> reservations_;
  std::map<std::uint64_t, std::uint64_t> mapped_;  // bytes, by address
};

/// The multiples of `grain` that the ranges touch, joined where they meet, ascending.
[[nodiscard]] std::vector<MemoryRange> grains_of(std::span<const MemoryRange> ranges,
                                                 std::uint64_t grain);

}  // namespace lab::gpu
