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
std::uint64_t ones_of(std::span<const std::uint64_t> words, std::span<const std::uint32_t> which) {
  std::uint64_t sum = 0;
  for (const std::uint32_t i : which) sum += static_cast<std::uint64_t>(std::popcount(words[i]));
  return sum;
}

std::uint64_t BlockSectors::count() const {
  return ones_of(words_, std::span(listed_).first(count_));
}

void BlockSectors::copy_to(SectorSet& all) const noexcept {
  for (std::size_t i = 0; i < count_; ++i) all.add_word(listed_[i], words_[listed_[i]]);
}

void BlockSectors::clear() noexcept {
  for (std::size_t i = 0; i < count_; ++i) words_[listed_[i]] = 0;
  count_ = 0;
}

void Traffic::begin_block() noexcept {
  block_reads_ += own_.count();
  own_.copy_to(read_);
  own_.clear();
}

void Traffic::merge(const Traffic& other) {
  read_.merge(other.read_);
  other.own_.copy_to(read_);
  stored_.merge(other.stored_);
  atomic_.merge(other.atomic_);
  block_reads_ += other.block_reads();
}

TouchedSectors Traffic::touched(std::uint64_t first, std::uint64_t count) const {
  constexpr std::uint64_t kLowerOfPairs = 0x5555555555555555U;
  const auto ones = [](std::uint64_t bits) {
    return static_cast<std::uint64_t>(std::popcount(bits));
  };
  TouchedSectors sum;
  for (std::uint64_t i = first / 64; i * 64 < first + count; ++i) {
    const std::uint64_t read = read_.word(i) | own_.word(i) | atomic_.word(i);
    sum.read += ones(read);
    sum.pairs_read += ones((read | read >> 1U) & kLowerOfPairs);
    sum.stored += ones(stored_.word(i));
    sum.changed += ones(stored_.word(i) | atomic_.word(i));
  }
  return sum;
}

}  // namespace lab::model
