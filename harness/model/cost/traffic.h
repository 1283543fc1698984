// Which sectors a core's blocks have touched: the compulsory traffic between L1, L2 and DRAM.
#pragma once

#include <cstdint>
#include <span>
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
  void add_word(std::uint64_t i, std::uint64_t bits) noexcept { words_[i] |= bits; }
  void merge(const SectorSet& other);
  /// Sector 64 * i and the 63 after it, as bits.
  [[nodiscard]] std::uint64_t word(std::uint64_t i) const { return words_[i]; }

 private:
  std::vector<std::uint64_t> words_;
};

/// The bits that are set in those words whose numbers are in `which`.
[[nodiscard]] std::uint64_t ones_of(std::span<const std::uint64_t> words,
                                    std::span<const std::uint32_t> which);

/// The sectors that the running block reads, in words of 64 bits each: those that are not empty are
/// listed, so that the next block can begin anew without looking at the others.
class BlockSectors {
 public:
  explicit BlockSectors(std::uint64_t sectors) : words_(sectors / 64 + 1), listed_(words_.size()) {}

  [[gnu::always_inline]] void add(std::uint64_t first, std::uint64_t last) noexcept {
    std::uint64_t at = first / 64;
    if (at == last / 64) [[likely]] {
      return add_bits(at, (~std::uint64_t{0} >> (63 - (last - first))) << (first % 64));
    }
    add_bits(at, ~std::uint64_t{0} << (first % 64));
    while (++at < last / 64) add_bits(at, ~std::uint64_t{0});
    add_bits(at, ~std::uint64_t{0} >> (63 - last % 64));
  }
  [[nodiscard]] std::uint64_t word(std::uint64_t i) const { return words_[i]; }
  [[nodiscard]] std::uint64_t count() const;
  /// Adds them to `all`, which has as many words.
  void copy_to(SectorSet& all) const noexcept;
  void clear() noexcept;

 private:
  [[gnu::always_inline]] void add_bits(std::uint64_t at, std::uint64_t bits) noexcept {
    std::uint64_t& word = words_[at];
    if (word == 0) listed_[count_++] = static_cast<std::uint32_t>(at);
    word |= bits;
  }

  std::vector<std::uint64_t> words_;
  std::vector<std::uint32_t> listed_;  ///< the first count_: words that are not empty
  std::size_t count_ = 0;
};

/// Sectors are numbered as in GlobalMemory: an allocation's begin at Allocation::first_sector.
class Traffic {
 public:
  explicit Traffic(std::uint64_t sectors)
      : own_(sectors), read_(sectors), stored_(sectors), atomic_(sectors) {}

  void begin_block() noexcept;

  [[gnu::always_inline]] void read(std::uint64_t first, std::uint64_t last) noexcept {
    own_.add(first, last);
  }
  [[gnu::always_inline]] void store(std::uint64_t first, std::uint64_t last) noexcept {
    stored_.add(first, last);
  }
  [[gnu::always_inline]] void atomic(std::uint64_t first, std::uint64_t last) noexcept {
    atomic_.add(first, last);
  }

  /// The sum over blocks of the distinct sectors that each block's loads read. That is what L1
  /// fetches if it keeps a block's data but nothing from one block to the next.
  [[nodiscard]] std::uint64_t block_reads() const { return block_reads_ + own_.count(); }
  /// Adds what another core's blocks touched.
  void merge(const Traffic& other);
  /// What was touched of the allocation that begins at sector `first`, a multiple of 64, and has
  /// `count` sectors.
  [[nodiscard]] TouchedSectors touched(std::uint64_t first, std::uint64_t count) const;

 private:
  BlockSectors own_;  ///< that the running block reads
  SectorSet read_;    ///< by the blocks before
  SectorSet stored_;
  SectorSet atomic_;
  std::uint64_t block_reads_ = 0;
};

}  // namespace lab::model
