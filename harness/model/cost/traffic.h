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

/// A set of sectors, one bit per sector.
class SectorSet {
 public:
  explicit SectorSet(std::uint64_t sectors) : words_(sectors / 64 + 1) {}

  [[gnu::always_inline]] void add(std::uint64_t first, std::uint64_t last) noexcept {
    std::uint64_t at = first / 64;
    if (at == last / 64) [[likely]] {
      words_[at] |= (~std::uint64_t{0} >> (63 - (last - first))) << (first % 64);
      return;
    }
    words_[at] |= ~std::uint64_t{0} << (first % 64);
    while (++at < last / 64) words_[at] = ~std::uint64_t{0};
    words_[at] |= ~std::uint64_t{0} >> (63 - last % 64);
  }
  void merge(const SectorSet& other);
  /// Sector 64 * i and the 63 after it, as bits.
  [[nodiscard]] std::uint64_t word(std::uint64_t i) const { return words_[i]; }

 private:
  std::vector<std::uint64_t> words_;
};

/// Sectors are numbered as in GlobalMemory: an allocation's begin at Allocation::first_sector.
class Traffic {
 public:
  explicit Traffic(std::uint64_t sectors)
      : stamps_(sectors), read_(sectors), stored_(sectors), atomic_(sectors) {}

  void begin_block() noexcept;

  [[gnu::always_inline]] void read(std::uint64_t first, std::uint64_t last) noexcept {
    std::uint64_t fresh = 0;
    for (std::uint64_t sector = first; sector <= last; ++sector) {
      fresh += stamps_[sector] != block_ ? 1 : 0;
      stamps_[sector] = block_;
    }
    if (fresh == 0) return;
    block_reads_ += fresh;
    read_.add(first, last);
  }
  [[gnu::always_inline]] void store(std::uint64_t first, std::uint64_t last) noexcept {
    stored_.add(first, last);
  }
  [[gnu::always_inline]] void atomic(std::uint64_t first, std::uint64_t last) noexcept {
    atomic_.add(first, last);
  }

  /// The sum over blocks of the distinct sectors that each block's loads read. That is what L1
  /// fetches if it keeps a block's data but nothing from one block to the next.
  [[nodiscard]] std::uint64_t block_reads() const { return block_reads_; }
  /// Adds what another core's blocks touched.
  void merge(const Traffic& other);
  /// What was touched of the allocation that begins at sector `first`, a multiple of 64, and has
  /// `count` sectors.
  [[nodiscard]] TouchedSectors touched(std::uint64_t first, std::uint64_t count) const;

 private:
  std::vector<std::uint16_t>
      stamps_;  ///< by sector: number of the block that read it last; 0: none
  SectorSet read_;
  SectorSet stored_;
  SectorSet atomic_;
  std::uint16_t block_ = 1;
  std::uint64_t block_reads_ = 0;
};

}  // namespace lab::model
