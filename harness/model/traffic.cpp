#include "harness/model/traffic.h"

#include <algorithm>
#include <limits>

namespace lab::model {

void TouchedSectors::add(const TouchedSectors& other) {
  read += other.read;
  pairs_read += other.pairs_read;
  stored += other.stored;
  changed += other.changed;
}

void Traffic::begin_block() noexcept {
  if (stamp_ < std::numeric_limits<std::uint16_t>::max()) {
    ++stamp_;
    return;
  }
  for (std::uint16_t& stamp : read_) stamp = stamp != 0 ? kEarlier : std::uint16_t{0};
  stamp_ = kEarlier + 1;
}

void Traffic::merge(const Traffic& other) {
  for (std::size_t i = 0; i < read_.size(); ++i) read_[i] = std::max(read_[i], other.read_[i]);
  for (std::size_t i = 0; i < changed_.size(); ++i) {
    changed_[i] = static_cast<std::uint8_t>(changed_[i] | other.changed_[i]);
  }
  block_reads_ += other.block_reads_;
}

TouchedSectors Traffic::touched(std::uint64_t first, std::uint64_t count) const {
  TouchedSectors sum;
  const auto is_read = [&](std::uint64_t i) -> std::uint32_t {
    return std::uint32_t{read_[first + i] != 0} |
           std::uint32_t{(changed_[first + i] & kAtomic) != 0};
  };
  for (std::uint64_t i = 0; i < count; ++i) {
    sum.read += is_read(i);
    sum.stored += changed_[first + i] & kStored;
    sum.changed += std::uint32_t{changed_[first + i] != 0};
  }
  for (std::uint64_t i = 0; i + 1 < count; i += 2) sum.pairs_read += is_read(i) | is_read(i + 1);
  if (count % 2 != 0) sum.pairs_read += is_read(count - 1);
  return sum;
}

}  // namespace lab::model
