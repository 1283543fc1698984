#include "harness/model/layout/cost.h"

#include <algorithm>
#include <map>
#include <set>

namespace lab::layout {

namespace {

std::uint64_t price(CostRule rule, const model::WarpAccess& access) {
  if (rule == CostRule::kGlobal) return model::sectors(access);
  if (rule == CostRule::kGlobalAtomic) return model::atomic_sectors(access);
  const model::BankCost cost = model::bank_cost(rule, access);
  return cost.hardware + cost.load_hardware;
}

std::uint32_t width_of(const Use& use) {
  return use.rule == CostRule::kSharedRows ? kMatrixRowBytes : use.bytes;
}

/// The addresses of `bytes` bytes per lane that begin `shift` bytes into the use's; empty where
/// elements that belong together are apart, or not aligned.
class Mapped {
 public:
  Mapped(std::uint32_t element, const Layout& layout) : element_(element), layout_(layout) {}

  bool operator()(const Use& use, std::uint32_t shift, std::uint32_t bytes,
                  model::WarpAccess& access) const {
    access.mask = 0;
    access.bytes = bytes;
    for (unsigned lane = 0; lane < model::kLanes; ++lane) {
      if (use.offset[lane] < 0) continue;
      const std::uint64_t offset = static_cast<std::uint64_t>(use.offset[lane]) + shift;
      const std::uint64_t first = layout_.place(offset / element_);
      const std::uint64_t address = first * element_ + offset % element_;
      if (bytes > element_ && address % bytes != 0) return false;
      const std::uint64_t last = (offset % element_ + bytes - 1) / element_;
      for (std::uint64_t i = 1; i <= last; ++i) {
        if (layout_.place(offset / element_ + i) != first + i) return false;
      }
      access.mask |= 1U << lane;
      access.address[lane] = address;
    }
    return true;
  }

 private:
  std::uint32_t element_;
  const Layout& layout_;
};

// The instructions whose merged accesses fall apart.
std::set<int> taken_apart(const std::vector<Use>& uses, const Mapped& mapped) {
  std::set<int> sites;
  model::WarpAccess access;
  for (const Use& use : uses) {
    if (use.unit >= width_of(use) || sites.contains(use.site)) continue;
    if (!mapped(use, 0, width_of(use), access)) sites.insert(use.site);
  }
  return sites;
}

}  // namespace

std::optional<std::uint64_t> cost(const std::vector<Use>& uses, std::uint32_t element,
                                  const Layout& layout, std::uint64_t most) {
  const Mapped mapped(element, layout);
  const std::set<int> apart = taken_apart(uses, mapped);
  model::WarpAccess access;
  std::uint64_t sum = 0;
  for (const Use& use : uses) {
    const std::uint32_t whole = width_of(use);
    const std::uint32_t bytes = apart.contains(use.site) ? use.unit : whole;
    for (std::uint32_t shift = 0; shift < whole; shift += bytes) {
      if (!mapped(use, shift, bytes, access)) return {};
      sum += use.times * price(use.rule, access);
    }
    if (sum > most) return {};
  }
  return sum;
}

namespace {

/// Distinct bytes that lanes [first, first + count) ask for.
std::uint64_t bytes_of(const Use& use, unsigned first, unsigned count) {
  std::set<std::int64_t> bytes;
  for (unsigned lane = first; lane < first + count; ++lane) {
    if (use.offset[lane] < 0) continue;
    for (std::uint32_t i = 0; i < width_of(use); ++i) bytes.insert(use.offset[lane] + i);
  }
  return bytes.size();
}

std::uint64_t rounded_up(std::uint64_t bytes, std::uint64_t unit) {
  return (bytes + unit - 1) / unit;
}

// Lanes at one address stay together in every layout.
std::uint64_t most_at_one_address(const Use& use) {
  std::map<std::int64_t, std::uint64_t> lanes;
  std::uint64_t most = 0;
  for (const std::int64_t offset : use.offset) {
    if (offset >= 0) most = std::max(most, ++lanes[offset]);
  }
  return most;
}

// Whether groups of lanes may be served two at a time: as the rule of loads has it, in any layout.
bool may_merge(const Use& use) {
  const auto agree = [&](unsigned distance) {
    for (unsigned lane = 0; lane < model::kLanes; ++lane) {
      const std::int64_t other = use.offset[lane ^ distance];
      if (use.offset[lane] >= 0 && other >= 0 && use.offset[lane] != other) return false;
    }
    return true;
  };
  return use.rule == CostRule::kSharedLoad && (agree(1) || agree(2));
}

std::uint64_t least_of(const Use& use) {
  constexpr std::uint64_t kBanksGive = 128;
  if (!is_shared(use.rule)) {
    const std::uint64_t sectors = rounded_up(bytes_of(use, 0, model::kLanes), model::kSectorBytes);
    return use.rule == CostRule::kGlobalAtomic ? most_at_one_address(use) : sectors;
  }
  if (use.rule == CostRule::kSharedAtomic) return most_at_one_address(use);
  if (use.rule != CostRule::kSharedLoad && use.rule != CostRule::kSharedStore &&
      use.rule != CostRule::kSharedRows)
    return 1;
  unsigned lanes = width_of(use) <= 4 ? 32 : 128 / width_of(use);
  if (lanes < 32 && may_merge(use)) lanes *= 2;
  std::uint64_t sum = 0;
  for (unsigned first = 0; first < model::kLanes; first += lanes) {
    sum += rounded_up(bytes_of(use, first, lanes), kBanksGive);
  }
  return sum;
}

}  // namespace

std::uint64_t least(const std::vector<Use>& uses) {
  std::uint64_t sum = 0;
  for (const Use& use : uses) sum += use.times * least_of(use);
  return sum;
}

}  // namespace lab::layout
