#include "harness/model/memory/memory.h"

#include <algorithm>
#include <utility>

#include "harness/core/bits.h"

namespace lab::model {
namespace {

// The gap between two allocations: an index that runs past the end of a buffer by less than this
// does not reach another buffer.
constexpr std::uint64_t kGuardBytes = std::uint64_t{1} << 20U;
constexpr std::uint64_t kAlignment = 256;
constexpr std::uint64_t kSector = 32;

}  // namespace

std::uint64_t GlobalMemory::add(std::span<std::byte> memory, std::string name, int argument,
                                bool writable) {
  Allocation made;
  made.bytes = memory.size();
  made.host = memory.data();
  made.writable = writable;
  made.argument = argument;
  made.name = std::move(name);
  return place(std::move(made), next_);
}

std::uint64_t GlobalMemory::add_constant(std::span<std::byte> memory, std::string name) {
  Allocation made;
  made.bytes = memory.size();
  made.host = memory.data();
  made.writable = false;
  made.name = std::move(name);
  return place(std::move(made), next_constant_);
}

std::uint64_t GlobalMemory::place(Allocation made, std::uint64_t& next) {
  const std::uint64_t base = next;
  made.base = base;
  next = round_up(next + made.bytes + kGuardBytes, kAlignment);
  insert(std::move(made));
  return base;
}

void GlobalMemory::add_at(std::uint64_t base, std::span<std::byte> memory, std::string name,
                          int argument) {
  Allocation made;
  made.base = base;
  made.bytes = memory.size();
  made.host = memory.data();
  made.argument = argument;
  made.name = std::move(name);
  insert(std::move(made));
}

void GlobalMemory::insert(Allocation made) {
  made.first_sector = sectors_;
  // The next allocation's sectors begin at a word of bits.
  sectors_ = round_up(sectors_ + round_up(made.bytes, kSector) / kSector, 64);
  const auto after = std::upper_bound(
      allocations_.begin(), allocations_.end(), made.base,
      [](std::uint64_t base, const Allocation& other) { return base < other.base; });
  allocations_.insert(after, std::move(made));
}

std::uint64_t GlobalMemory::add_image(Image image) {
  images_.push_back(std::move(image));
  return image_handle(images_.size());
}

const Image* GlobalMemory::find_image(std::uint64_t handle) const noexcept {
  const std::uint64_t number = (handle - kImageWindow) / kImageStep;
  const bool known = handle % kImageStep == 0 && number > 0 && number <= images_.size();
  return known && !images_[number - 1].bytes.empty() ? &images_[number - 1] : nullptr;
}

void GlobalMemory::leave_uninitialised(std::uint64_t base) {
  for (Allocation& a : allocations_) {
    if (a.base == base) a.initialised = false;
  }
}

void GlobalMemory::declare_elements(std::uint64_t base, std::uint32_t bytes) {
  for (Allocation& a : allocations_) {
    if (a.base == base) a.element_bytes = bytes;
  }
}

const Allocation* GlobalMemory::find(std::uint64_t address) const noexcept {
  const auto after =
      std::upper_bound(allocations_.begin(), allocations_.end(), address,
                       [](std::uint64_t wanted, const Allocation& a) { return wanted < a.base; });
  if (after == allocations_.begin()) return nullptr;
  const Allocation& before = *std::prev(after);
  return before.contains(address, 1) ? &before : nullptr;
}

const Allocation* GlobalMemory::nearest(std::uint64_t address) const noexcept {
  const Allocation* best = nullptr;
  std::uint64_t least = ~std::uint64_t{0};
  for (const Allocation& a : allocations_) {
    const std::uint64_t end = a.base + a.bytes;
    const std::uint64_t away = address < a.base ? a.base - address
                               : address >= end ? address - end
                                                : 0;
    if (away < least) {
      least = away;
      best = &a;
    }
  }
  return best;
}

}  // namespace lab::model
