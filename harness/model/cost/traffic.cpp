#include "harness/model/cost/traffic.h"

#include <algorithm>
#include <bit>

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

void Traffic::begin_block() noexcept {
  if (++block_ != 0) return;
  std::fill(stamps_.begin(), stamps_.end(), std::uint16_t{0});
  block_ = 1;
}

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
