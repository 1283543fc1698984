#include "harness/model/check/footprint.h"

#include <algorithm>
#include <bit>

#include "harness/model/check/checker.h"
#include "harness/model/execute/warp.h"

namespace lab::model::check {
namespace {

constexpr std::uint64_t kBits = 64;

}  // namespace

TouchedBytes::TouchedBytes(const GlobalMemory& memory, std::uint32_t grain)
    : shift_(std::countr_zero(grain)) {
  for (const Allocation& one : memory.all()) {
    if (one.bytes == 0) continue;
    const std::uint64_t words = (one.bytes >> shift_) / kBits + 1;
    auto* const zeros = static_cast<std::uint64_t*>(std::calloc(words, sizeof(std::uint64_t)));
    if (zeros == nullptr) continue;
    regions_.push_back({one.base, one.bytes, {}});
    regions_.back().words.reset(zeros);
  }
}

const TouchedBytes::Region* TouchedBytes::find(std::uint64_t address) const noexcept {
  const auto after = std::upper_bound(
      regions_.begin(), regions_.end(), address,
      [](std::uint64_t value, const Region& region) { return value < region.base; });
  if (after == regions_.begin()) return nullptr;
  const Region& region = *(after - 1);
  return address - region.base < region.bytes ? &region : nullptr;
}

void TouchedBytes::add(std::uint64_t address, std::uint64_t bytes) noexcept {
  const Region* const region = find(address);
  if (region == nullptr || bytes == 0 || bytes > region->bytes - (address - region->base)) return;
  const std::uint64_t first = (address - region->base) >> shift_;
  const std::uint64_t last = (address - region->base + bytes - 1) >> shift_;
  for (std::uint64_t word = first / kBits; word <= last / kBits; ++word) {
    std::uint64_t mask = ~std::uint64_t{0};
    if (word == first / kBits) mask &= ~std::uint64_t{0} << (first % kBits);
    if (word == last / kBits) mask &= ~std::uint64_t{0} >> (kBits - 1 - last % kBits);
    std::uint64_t* const at = &region->words[word];
    if ((__atomic_load_n(at, __ATOMIC_RELAXED) & mask) != mask) {
      __atomic_fetch_or(at, mask, __ATOMIC_RELAXED);
    }
  }
}

Spans TouchedBytes::spans(std::size_t most) const {
  Spans all;
  for (const Region& region : regions_) {
    const std::uint64_t marks = (region.bytes + (std::uint64_t{1} << shift_) - 1) >> shift_;
    const std::uint64_t words = (marks + kBits - 1) / kBits;
    bool inside = false;
    const auto turn = [&](std::uint64_t mark) {
      const std::uint64_t at =
          region.base + std::min(region.bytes, std::min(mark, marks) << shift_);
      if (inside) {
        all.back().end = at;
      } else {
        all.push_back({at, at});
      }
      inside = !inside;
    };
    for (std::uint64_t i = 0; i < words; ++i) {
      // A bit is set where a run of marks begins or ends.
      const std::uint64_t bits = region.words[i];
      std::uint64_t turns = bits ^ (bits << 1U | (inside ? 1U : 0U));
      for (; turns != 0; turns &= turns - 1) {
        turn(i * kBits + static_cast<unsigned>(std::countr_zero(turns)));
      }
      if (all.size() > most) return {};
    }
    if (inside) turn(marks);
  }
  return all;
}

class Footprint::Watcher final : public Observer {
 public:
  explicit Watcher(Footprint& to) : to_(to) {
    for (const Site& site : to.program_->sites) marks_.push_back(&marks_of(site));
  }
  void block_begins(const Block&) override {}
  void barrier_released(const Block&, std::uint32_t, std::uint32_t) override {}
  void warp_synchronised(const Warp&, std::uint32_t) override {}
  void block_ends(Block&) override {}

  void access(const AccessEvent& event) override {
    if (event.space != ptx::Space::kGlobal && event.space != ptx::Space::kConst) return;
    TouchedBytes& marks = *marks_[index_of(event.site)];
    const Pattern* const pattern = event.pattern;
    if (pattern != nullptr && pattern->run_count > 0 && event.mask == pattern->key.mask) {
      const std::uint64_t low = event.first() + pattern->low;
      for (std::uint32_t i = 0; i < pattern->run_count; ++i) {
        marks.add(low + pattern->runs[i].begin, pattern->runs[i].bytes);
      }
      return;
    }
    for (std::uint32_t left = event.mask; left != 0; left &= left - 1) {
      marks.add(event.at(static_cast<unsigned>(std::countr_zero(left))), event.site->bytes());
    }
  }
  void bulk_copy(const BulkEvent& event) override {
    const bool to_global = event.destination->space == ptx::Space::kGlobal;
    marks_[index_of(to_global ? event.destination : event.source)]->add(
        to_global ? event.to : event.from, event.bytes);
  }

 private:
  [[nodiscard]] std::size_t index_of(const Site* site) const {
    return static_cast<std::size_t>(site - to_.program_->sites.data());
  }
  [[nodiscard]] TouchedBytes& marks_of(const Site& site) const {
    const ptx::Instruction& ins = instruction_of(*to_.program_, site.where);
    const bool ordered =
        ins.is_volatile || (ins.order != ptx::Order::kNone && ins.order != ptx::Order::kWeak);
    const bool atomic = site.op == AccessOp::kAtomic || site.op == AccessOp::kReduction;
    if (atomic || ordered) return *to_.atomics_;
    return site.op == AccessOp::kStore ? *to_.writes_ : *to_.reads_;
  }

  Footprint& to_;
  std::vector<TouchedBytes*> marks_;  // by site
};

void Footprint::begin(const Program& program, const GlobalMemory& memory) {
  program_ = &program;
  const std::uint32_t grain = memory_grain(program, ptx::Space::kGlobal);
  reads_ = std::make_unique<TouchedBytes>(memory, grain);
  writes_ = std::make_unique<TouchedBytes>(memory, grain);
  atomics_ = std::make_unique<TouchedBytes>(memory, grain);
}

std::unique_ptr<Observer> Footprint::observer() { return std::make_unique<Watcher>(*this); }

}  // namespace lab::model::check
