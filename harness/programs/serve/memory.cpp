#include "harness/programs/serve/memory.h"

#include <algorithm>
#include <utility>

namespace lab::program {
namespace {

// The shadow takes 32-bit lengths.
constexpr std::uint64_t kPart = std::uint64_t{1} << 30U;

template <typename F>
void in_parts(std::uint64_t address, std::uint64_t bytes, F each) {
  for (std::uint64_t done = 0; done < bytes; done += kPart) {
    each(address + done, static_cast<std::uint32_t>(std::min(kPart, bytes - done)));
  }
}

std::uint64_t unwritten(const Owned& owned) {
  model::check::Holes holes;
  in_parts(owned.base, owned.bytes, [&](std::uint64_t at, std::uint32_t bytes) {
    owned.shadow->add_holes(at, bytes, holes);
  });
  return holes.bytes;
}

}  // namespace

void ProgramMemory::allocate(Owned made) {
  // The host writes its own side of the others unseen.
  if (made.kind == MemoryKind::kDevice) {
    made.shadow = std::make_shared<model::check::GlobalShadow>(made.base, made.bytes);
    made.unwritten = made.bytes;
  }
  live_[made.base] = std::move(made);
}

const Owned* ProgramMemory::release(std::uint64_t base, const std::string& place) {
  const auto at = live_.find(base);
  if (at == live_.end()) return nullptr;
  freed_.push_back(std::move(at->second));
  freed_.back().freed = place;
  freed_.back().shadow.reset();
  live_.erase(at);
  return &freed_.back();
}

const Owned* ProgramMemory::find(std::uint64_t address) const {
  auto after = live_.upper_bound(address);
  if (after == live_.begin()) return nullptr;
  --after;
  return address - after->first < after->second.bytes ? &after->second : nullptr;
}

bool ProgramMemory::overlaps(std::uint64_t address, std::uint64_t bytes) const {
  const auto after = live_.lower_bound(address);
  return (after != live_.end() && after->first - address < bytes) || find(address) != nullptr;
}

std::uint64_t ProgramMemory::bytes() const {
  std::uint64_t all = 0;
  for (const auto& [base, owned] : live_) all += owned.bytes;
  return all;
}

const Owned* ProgramMemory::freed(std::uint64_t address) const {
  const auto found = std::find_if(freed_.rbegin(), freed_.rend(), [&](const Owned& owned) {
    return address - owned.base < owned.bytes;
  });
  return found == freed_.rend() ? nullptr : &*found;
}

void ProgramMemory::written(std::uint64_t address, std::uint64_t bytes) {
  const auto at = live_.find(address);
  if (at != live_.end() && bytes >= at->second.bytes) {
    at->second.shadow.reset();
    return;
  }
  if (find(address) == nullptr) return;
  Owned* const owned = &std::prev(live_.upper_bound(address))->second;
  if (owned->shadow == nullptr) return;
  owned->host_wrote = true;
  in_parts(address, std::min(bytes, owned->base + owned->bytes - address),
           [&](std::uint64_t from, std::uint32_t part) { owned->shadow->write(from, part); });
}

bool ProgramMemory::any_written(std::uint64_t address, std::uint64_t bytes) const {
  const Owned* owned = find(address);
  if (owned == nullptr || owned->shadow == nullptr) return true;
  const std::uint64_t end = std::min(address + bytes, owned->base + owned->bytes);
  for (std::uint64_t at = address; at < end; ++at) {
    if (owned->shadow->is_written(at, 1)) return true;
  }
  return false;
}

void ProgramMemory::place_in(model::GlobalMemory& memory, model::check::GlobalShadows& written) {
  int number = 0;
  for (auto& [base, owned] : live_) {
    memory.add_at(base, bytes_of(owned), owned.name, number++);
    if (owned.shadow == nullptr) continue;
    written.push_back(owned.shadow);
    if (std::exchange(owned.host_wrote, false)) owned.unwritten = unwritten(owned);
  }
}

void ProgramMemory::settle(bool watched, const std::function<Writer()>& launch) {
  std::shared_ptr<const Writer> writer;
  for (auto& [base, owned] : live_) {
    if (owned.shadow == nullptr) continue;
    const std::uint64_t left = unwritten(owned);
    if (!watched || left == 0) {
      owned.shadow.reset();
    } else if (left != owned.unwritten) {
      if (writer == nullptr) writer = std::make_shared<const Writer>(launch());
      if (owned.writer == nullptr) owned.writer = writer;
      owned.unwritten = left;
    }
  }
}

}  // namespace lab::program
