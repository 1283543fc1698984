// Which bytes have been written: one bit per byte.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace lab::model::check {

/// Bytes that nobody has written, and the addresses of the lowest and the highest.
struct Holes {
  std::uint64_t bytes = 0;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

/// A global buffer that was not filled before the launch. Blocks on all cores share it. A bit that
/// is set stays set, so the order of accesses to different bytes does not matter.
class GlobalShadow {
 public:
  GlobalShadow(std::uint64_t base, std::uint64_t bytes)
      : base_(base),
        bytes_(bytes),
        written_(std::make_unique<std::atomic<std::uint8_t>[]>(
            static_cast<std::size_t>((bytes + 7) / 8))) {}

  [[nodiscard]] bool contains(std::uint64_t address, std::uint32_t bytes) const {
    return address - base_ < bytes_ && bytes <= bytes_ - (address - base_);
  }
  void write(std::uint64_t address, std::uint32_t bytes) {
    each(address, bytes, [](std::atomic<std::uint8_t>& group, std::uint8_t bits) {
      if ((group.load(std::memory_order_relaxed) & bits) != bits) {
        group.fetch_or(bits, std::memory_order_relaxed);
      }
    });
  }
  [[nodiscard]] bool is_written(std::uint64_t address, std::uint32_t bytes) const {
    bool all = true;
    each(address, bytes, [&](const std::atomic<std::uint8_t>& group, std::uint8_t bits) {
      all = all && (group.load(std::memory_order_relaxed) & bits) == bits;
    });
    return all;
  }
  /// Adds the holes from `address` on to those of lower addresses.
  void add_holes(std::uint64_t address, std::uint32_t bytes, Holes& holes) const {
    std::uint64_t group = address - (address - base_) % 8;
    each(address, bytes, [&](const std::atomic<std::uint8_t>& written, std::uint8_t bits) {
      const auto none = static_cast<std::uint8_t>(bits & ~written.load(std::memory_order_relaxed));
      if (none != 0) {
        if (holes.bytes == 0) holes.first = group + static_cast<unsigned>(std::countr_zero(none));
        holes.last = group + 7U - static_cast<unsigned>(std::countl_zero(none));
        holes.bytes += static_cast<unsigned>(std::popcount(none));
      }
      group += 8;
    });
  }

 private:
  /// f(group of 8 bytes, which of them) for the bytes from `address` on.
  template <typename F>
  void each(std::uint64_t address, std::uint32_t bytes, F f) const {
    std::uint64_t at = address - base_;
    while (bytes > 0) {
      const auto in_group = static_cast<std::uint32_t>(at % 8);
      const std::uint32_t count = bytes < 8 - in_group ? bytes : 8 - in_group;
      const std::uint32_t bits = ((1U << count) - 1U) << in_group;
      f(written_[at / 8], static_cast<std::uint8_t>(bits));
      at += count;
      bytes -= count;
    }
  }

  std::uint64_t base_;
  std::uint64_t bytes_;
  std::unique_ptr<std::atomic<std::uint8_t>[]> written_;
};

}  // namespace lab::model::check
