#include "harness/model/check/race_shadow.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <utility>

namespace lab::model::check {

RaceShadow::RaceShadow(const GlobalMemory& memory, std::uint32_t grain, std::vector<Shape> shapes,
                       std::uint64_t most)
    : grain_(grain), locations_(kSector / grain), shapes_(std::move(shapes)), most_(most) {
  for (const Allocation& a : memory.all()) {
    if (!a.writable || a.bytes == 0) continue;  // nothing can race there
    const auto pages = static_cast<std::size_t>((a.bytes + kPage - 1) / kPage);
    regions_.push_back({a.base, a.bytes, a.host, std::make_unique<Page[]>(pages)});
    taken_ += pages * sizeof(Page);
  }
}

RaceShadow::~RaceShadow() {
  for (const Region& region : regions_) {
    const auto pages = static_cast<std::size_t>((region.bytes + kPage - 1) / kPage);
    for (std::size_t i = 0; i < pages; ++i) {
      for (const auto& words : region.pages[i].words) delete[] words.load();
      for (const auto& cells : region.pages[i].cells) delete[] cells.load();
      delete[] region.pages[i].twice.load();
      delete[] region.pages[i].sums.load();
      delete[] region.pages[i].values.load();
    }
  }
}

RaceShadow::Region* RaceShadow::find(std::uint64_t address) {
  const auto after = std::upper_bound(
      regions_.begin(), regions_.end(), address,
      [](std::uint64_t value, const Region& region) { return value < region.base; });
  if (after == regions_.begin()) return nullptr;
  Region& region = *(after - 1);
  return address - region.base < region.bytes ? &region : nullptr;
}

template <typename T>
T* RaceShadow::made(std::atomic<T*>& at, std::size_t count) {
  T* known = at.load(std::memory_order_acquire);
  if (known != nullptr) return known;
  const std::uint64_t bytes = count * sizeof(T);
  T* fresh = taken_.fetch_add(bytes) + bytes <= most_ ? new (std::nothrow) T[count]() : nullptr;
  if (fresh == nullptr) {
    taken_ -= bytes;
    complete_.store(false, std::memory_order_relaxed);
    return nullptr;
  }
  if (at.compare_exchange_strong(known, fresh)) return fresh;
  taken_ -= bytes;
  delete[] fresh;
  return known;  // another core's
}

std::uint32_t RaceShadow::sum_of(const Words& words) {
  std::uint32_t sum = 0;
  for (const std::uint32_t word : words) sum = std::rotl((sum ^ word) * 0x9E3779B1U, 13);
  return sum;
}

bool RaceShadow::is_stored(const Sector& at) {
  const Value* sums = at.page->sums.load(std::memory_order_acquire);
  if (sums == nullptr) return false;
  Words words{};
  std::memcpy(words.data(), at.host, sizeof words);
  return sums[at.at].load(std::memory_order_relaxed) == sum_of(words);
}

std::optional<std::uint32_t> RaceShadow::value(const Sector& at, std::uint32_t n) const {
  if (whole(Plane::kWrite, at) != kCells) {
    if (!is_stored(at)) return {};
    std::uint32_t bits = 0;
    std::memcpy(&bits, at.host + std::size_t{n} * grain_, grain_);
    return bits;
  }
  const Value* values = at.page->values.load(std::memory_order_acquire);
  if (values == nullptr) return {};
  return values[std::size_t{at.at} * locations_ + n].load(std::memory_order_relaxed);
}

void RaceShadow::note_whole_read(Plane plane, const Sector& at, std::uint64_t who) {
  Word* words = made(at.page->words[static_cast<std::size_t>(plane)], kSectorsOfPage);
  if (words != nullptr) words[at.at].store(who, std::memory_order_release);
}

void RaceShadow::note_read_by_two(const Sector& at) {
  Value* bits = made(at.page->twice, kSectorsOfPage / 32);
  if (bits != nullptr) bits[at.at / 32].fetch_or(1U << at.at % 32, std::memory_order_relaxed);
}

void RaceShadow::note_whole_write(const Sector& at, std::uint64_t who, const Words* values) {
  Value* sums = values == nullptr ? nullptr : made(at.page->sums, kSectorsOfPage);
  if (sums != nullptr) sums[at.at].store(sum_of(*values), std::memory_order_relaxed);
  note_whole_read(Plane::kWrite, at, who);
}

void RaceShadow::note_read(Plane plane, const Sector& at, std::uint32_t n, std::uint64_t who) {
  note(plane, at, n, who);
}

// The other locations of a sector that was written as a whole keep what memory has of it. Where
// another core is about to store it, that whole is forgotten.
void RaceShadow::note_write(const Sector& at, std::uint32_t n, std::uint64_t who,
                            std::uint32_t value) {
  Value* values = made(at.page->values, std::size_t{kSectorsOfPage} * locations_);
  if (values == nullptr) return;
  values += std::size_t{at.at} * locations_;
  const std::uint64_t before = whole(Plane::kWrite, at);
  if (before != 0 && before != kCells) {
    const bool valued = shapes_[GlobalAccess::site_of(before)].has_value;
    if (valued && !is_stored(at)) note_whole_read(Plane::kWrite, at, 0);
    for (std::uint32_t i = 0; i < locations_; ++i) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, at.host + std::size_t{i} * grain_, grain_);
      values[i].store(bits, std::memory_order_relaxed);
    }
  }
  values[n].store(value, std::memory_order_relaxed);
  note(Plane::kWrite, at, n, who);
}

void RaceShadow::note(Plane plane, const Sector& at, std::uint32_t n, std::uint64_t who) {
  const auto which = static_cast<std::size_t>(plane);
  Word* words = made(at.page->words[which], kSectorsOfPage);
  Word* cells = made(at.page->cells[which], std::size_t{kSectorsOfPage} * locations_);
  if (words == nullptr || cells == nullptr) return;
  Word* own = cells + std::size_t{at.at} * locations_;
  const std::uint64_t before = words[at.at].load(std::memory_order_acquire);
  if (before != kCells) {
    for (std::uint32_t i = 0; i < locations_; ++i) {
      own[i].store(seen(plane, at, i), std::memory_order_relaxed);
    }
    words[at.at].store(kCells, std::memory_order_release);
  }
  own[n].store(who, std::memory_order_release);
}

}  // namespace lab::model::check
