// Which sectors a core's blocks have touched: the compulsory traffic between L1, L2 and DRAM.
#pragma once

#include <cstdint>
#include <vector>

namespace lab::model {

/// Distinct 32-byte sectors of a range.
struct TouchedSectors {
  std::uint64_t read = 0;        ///< by loads and atomics
  std::uint64_t pairs_read = 0;  ///< aligned 64-byte blocks with a sector that is read
  std::uint64_t stored = 0;      ///< by stores
  std::uint64_t changed = 0;     ///< by stores and atomics

  void add(const TouchedSectors& other);
};

/// Sector numbers are those of GlobalMemory: Allocation::first_sector on.
class Traffic {
 public:
  explicit Traffic(std::uint64_t sectors) : read_(sectors), changed_(sectors) {}

  void begin_block() noexcept;

  [[gnu::always_inline]] void read(std::uint64_t first, std::uint64_t last) noexcept {
    for (std::uint64_t sector = first; sector <= last; ++sector) {
      if (read_[sector] == stamp_) continue;
      read_[sector] = stamp_;
      ++block_reads_;
    }
  }
  [[gnu::always_inline]] void store(std::uint64_t first, std::uint64_t last) noexcept {
    for (std::uint64_t sector = first; sector <= last; ++sector) changed_[sector] |= kStored;
  }
  [[gnu::always_inline]] void atomic(std::uint64_t first, std::uint64_t last) noexcept {
    for (std::uint64_t sector = first; sector <= last; ++sector) changed_[sector] |= kAtomic;
  }

  /// Sum over blocks of the distinct sectors each one's loads read: what L1 fetches where it keeps
  /// a block's data but nothing from block to block.
  [[nodiscard]] std::uint64_t block_reads() const { return block_reads_; }
  /// Takes over what another core's blocks touched.
  void merge(const Traffic& other);
  /// Of sectors [first, first + count); `first` begins an allocation.
  [[nodiscard]] TouchedSectors touched(std::uint64_t first, std::uint64_t count) const;

 private:
  static constexpr std::uint16_t kEarlier = 1;  ///< read by a block before the last wrap
  static constexpr std::uint8_t kStored = 1;
  static constexpr std::uint8_t kAtomic = 2;

  std::vector<std::uint16_t> read_;  ///< number of the block that read it last; 0: none
  std::vector<std::uint8_t> changed_;
  std::uint16_t stamp_ = kEarlier;
  std::uint64_t block_reads_ = 0;
};

}  // namespace lab::model
