#include "harness/model/facts/undo.h"

#include <algorithm>
#include <cstring>

namespace lab::model {

class Undo::Watcher : public Observer {
 public:
  explicit Watcher(Undo& undo) : undo_(undo) {}
  void access(const AccessEvent& event) override {
    if (event.space != ptx::Space::kGlobal || event.site->op == AccessOp::kLoad) return;
    for (std::uint32_t left = event.mask; left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(left));
      undo_.keep(event.at(lane), event.site->bytes());
    }
  }
  void bulk_copy(const BulkEvent& event) override {
    if (event.destination->space == ptx::Space::kGlobal) undo_.keep(event.to, event.bytes);
  }
  void block_begins(const Block&) override {}
  void barrier_released(const Block&, std::uint32_t, std::uint32_t) override {}
  void warp_synchronised(const Warp&, std::uint32_t) override {}
  void block_ends(Block&) override {}

 private:
  Undo& undo_;
};

Undo::Undo(const GlobalMemory& memory) : memory_(memory) {
  for (const Image& image : memory.images()) {
    images_.push_back({image.bytes.data(), {image.bytes.begin(), image.bytes.end()}});
  }
}

std::unique_ptr<Observer> Undo::observer() { return std::make_unique<Watcher>(*this); }

void Undo::keep(std::uint64_t address, std::uint64_t bytes) {
  const Allocation* const one = memory_.find(address);
  if (one == nullptr) return;  // nothing is written there
  const std::uint64_t end = std::min(address + bytes, one->base + one->bytes);
  for (std::uint64_t sector = address / kSector * kSector; sector < end; sector += kSector) {
    const auto [at, fresh] = sectors_.try_emplace(sector);
    if (!fresh) continue;
    const std::uint64_t from = std::max(sector, one->base);
    const std::uint64_t to = std::min(sector + kSector, one->base + one->bytes);
    Saved& saved = at->second;
    saved.at = one->host + (from - one->base);
    saved.bytes = to - from;
    std::memcpy(saved.was.data(), saved.at, saved.bytes);
  }
}

void Undo::restore() {
  for (const auto& [sector, saved] : sectors_) {
    std::memcpy(saved.at, saved.was.data(), saved.bytes);
  }
  for (const SavedImage& image : images_) {
    std::copy(image.was.begin(), image.was.end(), image.at);
  }
  sectors_.clear();
}

}  // namespace lab::model
