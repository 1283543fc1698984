#include "harness/model/cost/rules.h"

#include <algorithm>
#include <array>

namespace lab::model {
namespace {

constexpr std::uint32_t kBanks = 32;
constexpr std::uint32_t kWordBytes = 4;

/// The most distinct words in one bank among the active lanes of `lanes`.
std::uint32_t group_cost(const WarpAccess& access, std::uint32_t lanes) {
  std::array<std::uint64_t, kLanes * 8> words{};
  std::size_t count = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (((access.mask & lanes) >> lane & 1U) == 0) continue;
    const std::uint64_t first = access.address[lane] / kWordBytes;
    const std::uint64_t last = (access.address[lane] + access.bytes - 1) / kWordBytes;
    for (std::uint64_t word = first; word <= last && count < words.size(); ++word) {
      words[count++] = word;
    }
  }
  std::sort(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count));
  std::array<std::uint32_t, kBanks> in_bank{};
  for (std::size_t i = 0; i < count; ++i) {
    if (i == 0 || words[i] != words[i - 1]) ++in_bank[words[i] % kBanks];
  }
  return *std::max_element(in_bank.begin(), in_bank.end());
}

/// Every active lane has the address of its partner lane ^ distance, or an inactive partner.
bool paired(const WarpAccess& access, unsigned distance) {
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const unsigned partner = lane ^ distance;
    if (access.active(lane) && access.active(partner) &&
        access.address[lane] != access.address[partner]) {
      return false;
    }
  }
  return true;
}

/// How many lanes share a group: 32, 16 or 8.
unsigned group_lanes(std::uint32_t bytes) {
  if (bytes <= kWordBytes) return kLanes;
  return bytes <= 8 ? kLanes / 2 : kLanes / 4;
}

std::uint32_t lanes_from(unsigned first, unsigned count) {
  return count == kLanes ? kAllLanes : ((1U << count) - 1U) << first;
}

}  // namespace

BankCost shared_store(const WarpAccess& access) {
  const unsigned lanes = group_lanes(access.bytes);
  BankCost cost;
  for (unsigned first = 0; first < kLanes; first += lanes) {
    const std::uint32_t group = group_cost(access, lanes_from(first, lanes));
    cost.hardware += group;
    cost.groups += group > 0 ? 1U : 0U;
  }
  cost.sass = cost.hardware;
  return cost;
}

BankCost shared_rows(const WarpAccess& access) { return shared_store(access); }

BankCost shared_load(const WarpAccess& access) {
  const unsigned lanes = group_lanes(access.bytes);
  if (lanes == kLanes || !(paired(access, 1) || paired(access, 2))) return shared_store(access);
  BankCost cost;
  for (unsigned first = 0; first < kLanes; first += 2 * lanes) {
    const std::uint32_t merged = group_cost(access, lanes_from(first, 2 * lanes));
    const std::uint32_t apart = group_cost(access, lanes_from(first, lanes)) +
                                group_cost(access, lanes_from(first + lanes, lanes));
    cost.hardware += merged;
    cost.sass += merged <= 1 ? merged : apart;
    cost.groups += merged > 0 ? 1U : 0U;
  }
  return cost;
}

BankCost shared_atomic(const WarpAccess& access) {
  std::array<std::uint32_t, kBanks> in_bank{};
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (access.active(lane)) ++in_bank[access.address[lane] / kWordBytes % kBanks];
  }
  BankCost cost;
  cost.hardware = *std::max_element(in_bank.begin(), in_bank.end());
  cost.sass = cost.hardware;
  cost.groups = access.mask != 0 ? 1 : 0;
  return cost;
}

BankCost shared_count(const WarpAccess& access) {
  BankCost cost;
  cost.hardware = group_cost(access, kAllLanes);
  cost.sass = cost.hardware;
  cost.groups = access.mask != 0 ? 1 : 0;
  return cost;
}

BankCost shared_swap(const WarpAccess& access) {
  BankCost cost = shared_atomic(access);
  const std::uint32_t lanes_in_a_bank = cost.hardware;
  cost.hardware = cost.sass = 2 * lanes_in_a_bank;
  cost.groups += lanes_in_a_bank;
  return cost;
}

BankCost shared_float_add(const WarpAccess& access) {
  BankCost cost;
  cost.requests = 0;
  for (WarpAccess left = access; left.mask != 0; ++cost.requests) {
    const BankCost load = shared_load(left);
    cost.load_hardware += load.hardware;
    cost.load_sass += load.sass;
    cost.load_groups += load.groups;
    std::uint32_t served = 0;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const std::uint32_t bank = 1U << (left.address[lane] / kWordBytes % kBanks);
      if (!left.active(lane) || (served & bank) != 0) continue;
      served |= bank;
      left.mask &= ~(1U << lane);
    }
  }
  cost.hardware = cost.sass = cost.groups = 2 * cost.requests;
  return cost;
}

namespace {

// By CostRule.
constexpr std::array kSharedRules = {shared_load, shared_store,     shared_atomic, shared_count,
                                     shared_swap, shared_float_add, shared_rows};
static_assert(kSharedRules.size() == static_cast<std::size_t>(CostRule::kGlobal));

}  // namespace

BankCost bank_cost(CostRule rule, const WarpAccess& access) {
  return kSharedRules.at(static_cast<std::size_t>(rule))(access);
}

}  // namespace lab::model
