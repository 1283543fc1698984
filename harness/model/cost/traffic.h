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

/// The sectors that the running block touches, in words of 64 bits: those that are not empty are
/// listed, so that the next block can begin anew without looking at the others. What it reads lies
/// apart from what it stores: accesses in no order find more of it in the processor's cache.
class BlockSectors {
 public:
  explicit BlockSectors(std::uint64_t sectors)
      : read_(sectors / 64 + 1),
        stored_(read_.size()),
        read_words_(read_.size()),
        stored_words_(read_.size()) {}

  [[gnu::always_inline]] void read(std::uint64_t first, std::uint64_t last) noexcept {
    each(first, last, [this](std::uint64_t at, std::uint64_t bits) {
      const std::uint64_t fetched = bits & ~stored_[at];
      if (fetched == 0) return;
      if (read_[at] == 0) read_words_.add(at);
      read_[at] |= fetched;
    });
  }
  [[gnu::always_inline]] void store(std::uint64_t first, std::uint64_t last) noexcept {
    each(first, last, [this](std::uint64_t at, std::uint64_t bits) {
      if (stored_[at] == 0) stored_words_.add(at);
      stored_[at] |= bits;
    });
  }
  /// Adds to `read` what the block read and had not stored before, and to `stored` what it stored.
  /// Both have as many words. Forgets the block. Returns how many sectors it had to read.
  std::uint64_t move_to(SectorSet& read, SectorSet& stored) noexcept;

 private:
  /// Numbers of words that are not empty, in the order in which they came.
  struct Listed {
    explicit Listed(std::size_t most) : words(most) {}
    void add(std::uint64_t word) noexcept { words[count++] = static_cast<std::uint32_t>(word); }

    std::vector<std::uint32_t> words;
    std::size_t count = 0;
  };

  /// f(word, its bits) for the sectors from `first` to `last`.
  template <typename F>
  [[gnu::always_inline]] static void each(std::uint64_t first, std::uint64_t last, F f) noexcept {
    std::uint64_t at = first / 64;
    if (at == last / 64) [[likely]] {
      return f(at, (~std::uint64_t{0} >> (63 - (last - first))) << (first % 64));
    }
    f(at, ~std::uint64_t{0} << (first % 64));
    while (++at < last / 64) f(at, ~std::uint64_t{0});
    f(at, ~std::uint64_t{0} >> (63 - last % 64));
  }

  std::vector<std::uint64_t> read_;  ///< and not stored before
  std::vector<std::uint64_t> stored_;
  Listed read_words_;
  Listed stored_words_;
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
  /// The sectors touched of the allocation that begins at sector `first`, a multiple of 64, and has
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
