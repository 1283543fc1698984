// Which sectors a core's blocks have touched: the compulsory traffic between L1, L2 and DRAM.
#pragma once

#include <cstdint>
#include <vector>

namespace lab::model {

/// Distinct 32-byte sectors of a range.
struct TouchedSectors {
  std::uint64_t read = 0;        ///< by atomics, and by loads of a block that had not stored them
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

/// The sectors that the running block touches, in words of 64 bits each: those that are not empty
/// are listed, so that the next block can begin anew without looking at the others.
class BlockSectors {
 public:
  /// Sector 64 * i and the 63 after it, as bits.
  struct alignas(32) Word {
    std::uint64_t read = 0;
    std::uint64_t stored = 0;
    std::uint64_t stored_first = 0;  ///< before the block read them
  };

  explicit BlockSectors(std::uint64_t sectors) : words_(sectors / 64 + 1), listed_(words_.size()) {}

  [[gnu::always_inline]] void read(std::uint64_t first, std::uint64_t last) noexcept {
    each(first, last, [](Word& word, std::uint64_t bits) { word.read |= bits; });
  }
  [[gnu::always_inline]] void store(std::uint64_t first, std::uint64_t last) noexcept {
    each(first, last, [](Word& word, std::uint64_t bits) {
      word.stored |= bits;
      word.stored_first |= bits & ~word.read;
    });
  }
  /// Adds to `read` what the block read and had not stored before, and to `stored` what it stored.
  /// Both have as many words. Forgets the block. Returns how many sectors it had to read.
  std::uint64_t move_to(SectorSet& read, SectorSet& stored) noexcept;

 private:
  /// f(word, its bits) for the sectors from `first` to `last`.
  template <typename F>
  [[gnu::always_inline]] void each(std::uint64_t first, std::uint64_t last, F f) noexcept {
    std::uint64_t at = first / 64;
    const auto change = [&](std::uint64_t bits) {
      Word& word = words_[at];
      if ((word.read | word.stored) == 0) listed_[count_++] = static_cast<std::uint32_t>(at);
      f(word, bits);
    };
    if (at == last / 64) [[likely]] {
      return change((~std::uint64_t{0} >> (63 - (last - first))) << (first % 64));
    }
    change(~std::uint64_t{0} << (first % 64));
    while (++at < last / 64) change(~std::uint64_t{0});
    change(~std::uint64_t{0} >> (63 - last % 64));
  }

  std::vector<Word> words_;
  std::vector<std::uint32_t> listed_;  ///< the first count_: words that are not empty
  std::size_t count_ = 0;
};

/// Sectors are numbered as in GlobalMemory: an allocation's begin at Allocation::first_sector.
class Traffic {
 public:
  explicit Traffic(std::uint64_t sectors)
      : own_(sectors), read_(sectors), stored_(sectors), atomic_(sectors) {}

  /// Also to be called after the last block, before anything is asked.
  void end_block() noexcept;

  [[gnu::always_inline]] void read(std::uint64_t first, std::uint64_t last) noexcept {
    own_.read(first, last);
  }
  [[gnu::always_inline]] void store(std::uint64_t first, std::uint64_t last) noexcept {
    own_.store(first, last);
  }
  [[gnu::always_inline]] void atomic(std::uint64_t first, std::uint64_t last) noexcept {
    atomic_.add(first, last);
  }

  /// The sum over blocks of the distinct sectors that each block's loads read and that it had not
  /// stored before. L1 fetches so many if it keeps all that a block reads and stores, and nothing
  /// from one block to the next.
  [[nodiscard]] std::uint64_t block_reads() const { return block_reads_; }
  /// Adds what another core's blocks touched.
  void merge(const Traffic& other);
  /// What was touched of the allocation that begins at sector `first`, a multiple of 64, and has
  /// `count` sectors.
  [[nodiscard]] TouchedSectors touched(std::uint64_t first, std::uint64_t count) const;

 private:
  BlockSectors own_;  ///< of the running block
  SectorSet read_;    ///< by the blocks before
  SectorSet stored_;
  SectorSet atomic_;
  std::uint64_t block_reads_ = 0;
};

}  // namespace lab::model
