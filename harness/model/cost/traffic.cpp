#include "harness/model/cost/traffic.h"

#include <bit>

#include "harness/model/cost/levels.h"

namespace lab::model {

void TouchedSectors::add(const TouchedSectors& other) {
  read += other.read;
  pairs_read += other.pairs_read;
  stored += other.stored;
  changed += other.changed;
}

void SectorSet::merge(const SectorSet& other) {
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
}

LAB_ALL_LEVELS
std::uint64_t BlockSectors::move_to(SectorSet& read, SectorSet& stored) noexcept {
  for (std::size_t i = 0; i < stored_words_.count; ++i) {
    const std::uint32_t at = stored_words_.words[i];
    stored.add_word(at, stored_[at]);
    stored_[at] = 0;
  }
  std::uint64_t added = 0;
  for (std::size_t i = 0; i < read_words_.count; ++i) {
    const std::uint32_t at = read_words_.words[i];
    added += static_cast<std::uint64_t>(std::popcount(read_[at]));
    read.add_word(at, read_[at]);
    read_[at] = 0;
  }
  stored_words_.count = 0;
  read_words_.count = 0;
  return added;
}

void Traffic::end_block() noexcept { block_reads_ += own_.move_to(read_, stored_); }

void Traffic::merge(const Traffic& other) {
  read_.merge(other.read_);
  stored_.merge(other.stored_);
  atomic_.merge(other.atomic_);
  block_reads_ += other.block_reads_;
}

TouchedSectors Traffic::touched(std::uint64_t first, std::uint64_t count) const {
  constexpr std::uint64_t kLowerOfPairs = 0x5555555555555555U;
  const auto ones = [](std::uint64_t bits) {
    return static_cast<std::uint64_t>(std::popcount(bits));
  };
  TouchedSectors sum;
  for (std::uint64_t i = first / 64; i * 64 < first + count; ++i) {
    const std::uint64_t read = read_.word(i) | atomic_.word(i);
    sum.read += ones(read);
    sum.pairs_read += ones((read | read >> 1U) & kLowerOfPairs);
    sum.stored += ones(stored_.word(i));
    sum.changed += ones(stored_.word(i) | atomic_.word(i));
  }
  return sum;
}

}  // namespace lab::model
