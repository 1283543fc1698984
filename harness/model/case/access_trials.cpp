#include "harness/model/case/access_trials.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "harness/model/execute/warp.h"

namespace lab::model {
namespace {

// Records of more bytes are rows, or a stride that no layout has.
constexpr std::uint64_t kWidest = 16;  // bytes of a vector
constexpr std::size_t kMostFields = 64;
constexpr std::uint64_t kMostKept = 2'000'000;  // addresses

std::vector<std::uint64_t> distinct(const WarpAccess& lanes) {
  std::vector<std::uint64_t> all;
  for_lanes(lanes.mask, [&](unsigned lane) { all.push_back(lanes.address[lane]); });
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

// Each lane at `record` times `bytes`.
WarpAccess packed(std::uint32_t mask, const std::vector<std::uint64_t>& records,
                  std::uint32_t bytes) {
  WarpAccess lanes;
  lanes.mask = mask;
  lanes.bytes = bytes;
  std::size_t at = 0;
  for_lanes(mask, [&](unsigned lane) { lanes.address[lane] = records[at++] * bytes; });
  return lanes;
}

// `sum` in as many parts as there are, whole.
std::uint64_t share(std::uint64_t sum, std::size_t parts, std::size_t part) {
  return sum / parts + (part < sum % parts ? 1 : 0);
}

}  // namespace

void AccessTrials::Tried::add(const Tried& other) {
  before += other.before;
  after += other.after;
}

const SiteRole& AccessTrials::role_of(const Site& site) const {
  return (*roles_)[static_cast<std::size_t>(&site - program_->sites.data())];
}

void AccessTrials::access(const AccessEvent& event) {
  mixed_ = mixed_ || event.warp->block != block_;
  if (mixed_ || event.space != ptx::Space::kGlobal) return;
  const std::uint64_t first = event.first();
  if (found_ == nullptr || !found_->contains(first, event.site->bytes())) {
    found_ = block_->launch->memory->find(first);
  }
  if (found_ == nullptr) return;
  const Site& site = *event.site;
  const bool plain = site.op == AccessOp::kLoad || site.op == AccessOp::kStore;
  Records& records = records_[found_];
  if (!plain || site.kin != Site::Kin::kPlain) {
    records.is_none = true;
    return;
  }
  if (!site.counted) return;
  const WarpAccess lanes = counted_lanes_of(event, event.mask);
  if (!records.is_none) records.look(found_->base, lanes);
  if (!records.is_none && records.stride != 0) records.join(event, found_->base, lanes);
  if (role_of(site).indexed) {
    sort(event, lanes);
  } else {
    align(event, lanes);
  }
}

// ---- records ------------------------------------------------------------------------------------

void AccessTrials::Records::take(std::uint64_t offset, std::uint32_t bytes) {
  const std::uint64_t begin = offset % stride;
  is_none = is_none || begin + bytes > stride || fields.size() > kMostFields;
  const auto [at, fresh] = fields.emplace(begin, bytes);
  if (!fresh) {
    is_none = is_none || at->second != bytes;
    return;
  }
  const auto next = std::next(at);
  is_none = is_none || (next != fields.end() && begin + bytes > next->first) ||
            (at != fields.begin() && std::prev(at)->first + std::prev(at)->second > begin);
}

// The distance of lanes' elements is that of records. A single element tells none.
void AccessTrials::Records::look(std::uint64_t base, const WarpAccess& lanes) {
  const std::vector<std::uint64_t> all = distinct(lanes);
  std::uint64_t step = 0;
  for (const std::uint64_t one : all) step = std::gcd(step, one - all.front());
  if (step == 0 && stride == 0) {
    is_none = before_known.size() > kMostFields;
    before_known.push_back((all.front() - base) << 8U | lanes.bytes);
    return;
  }
  if (stride == 0) {
    stride = step;
    is_none = stride <= lanes.bytes;
    if (is_none) return;
    for (const std::uint64_t one : std::exchange(before_known, {})) {
      take(one >> 8U, static_cast<std::uint32_t>(one & 0xffU));
    }
  }
  is_none = is_none || step % stride != 0;
  if (!is_none) take(all.front() - base, lanes.bytes);
}

bool AccessTrials::Records::is_wide() const {
  const std::uint32_t bytes = width();
  const std::uint64_t count = stride / bytes;
  return stride <= kWidest && std::has_single_bit(stride) && count * bytes == stride &&
         (count == 2 || count == 4) &&
         std::all_of(fields.begin(), fields.end(), [&](const auto& one) {
           return one.second == bytes && one.first % bytes == 0;
         });
}

void AccessTrials::Records::join(const AccessEvent& event, std::uint64_t base,
                                 const WarpAccess& lanes) {
  std::vector<std::uint64_t> of_lanes;
  for_lanes(lanes.mask,
            [&](unsigned lane) { of_lanes.push_back((lanes.address[lane] - base) / stride); });
  const std::uint64_t cost = sectors(lanes);
  apart[event.site].add({cost, sectors(packed(lanes.mask, of_lanes, lanes.bytes))});
  if (!is_wide()) return;
  const AccessOp op = event.site->op;
  const std::uint32_t warp = event.warp->index;
  // A store ends the run of loads that may be made at once.
  const AccessOp other = op == AccessOp::kLoad ? AccessOp::kStore : AccessOp::kLoad;
  if (const auto found = open.find({warp, other}); found != open.end()) {
    close(other, found->second, lanes.bytes);
    open.erase(found);
  }
  const std::uint64_t at =
      (lanes.address[static_cast<unsigned>(std::countr_zero(lanes.mask))] - base) % stride;
  const std::uint32_t part = 1U << (at / lanes.bytes);
  Group& group = open[{warp, op}];
  const bool fits =
      group.mask == lanes.mask && (group.parts & part) == 0 && group.records == of_lanes;
  if (group.mask != 0 && !fits) {
    close(op, group, lanes.bytes);
    group = {};
  }
  if (group.mask == 0) {
    group.mask = lanes.mask;
    group.records = std::move(of_lanes);
  }
  group.parts |= part;
  group.made.emplace_back(event.site, cost);
}

void AccessTrials::Records::close(AccessOp op, const Group& group, std::uint32_t bytes) {
  const auto whole = (1U << (stride / bytes)) - 1;
  cuts_apart = cuts_apart || (op == AccessOp::kStore && group.parts != whole);
  const auto wide = static_cast<std::uint32_t>(stride);
  const std::uint64_t after = sectors(packed(group.mask, group.records, wide));
  for (std::size_t i = 0; i < group.made.size(); ++i) {
    const auto& [site, cost] = group.made[i];
    at_once[site].add({cost, share(after, group.made.size(), i)});
  }
}

void AccessTrials::Records::close_all() {
  for (const auto& [of_warp, group] : open) close(of_warp.second, group, width());
  open.clear();
}

void AccessTrials::Records::add(const Records& other) {
  is_none = is_none || other.is_none;
  if (is_none) return;
  if (stride == 0 || other.stride == 0) {
    const Records& known = stride == 0 ? other : *this;
    std::vector<std::uint64_t> single = stride == 0 ? before_known : other.before_known;
    Records sum = known;
    if (sum.stride == 0) {
      sum.before_known.insert(sum.before_known.end(), single.begin(), single.end());
    } else {
      for (const std::uint64_t one : single) {
        sum.take(one >> 8U, static_cast<std::uint32_t>(one & 0xffU));
      }
    }
    *this = std::move(sum);
    return;
  }
  is_none = stride != other.stride;
  for (const auto& [begin, bytes] : other.fields) {
    if (!is_none) take(begin, bytes);
  }
  cuts_apart = cuts_apart || other.cuts_apart;
  for (const auto& [site, tried] : other.apart) apart[site].add(tried);
  for (const auto& [site, tried] : other.at_once) at_once[site].add(tried);
}

// ---- rows, and what data choose -----------------------------------------------------------------

// Each run of neighbours begins with a sector. Other accesses stay as they are.
void AccessTrials::align(const AccessEvent& event, const WarpAccess& lanes) {
  const std::vector<std::uint64_t> all = distinct(lanes);
  const std::uint64_t before = sectors(lanes);
  std::uint64_t after = 0;
  std::size_t begin = 0;
  for (std::size_t i = 1; i <= all.size(); ++i) {
    if (i < all.size() && all[i] - all[i - 1] == lanes.bytes) continue;
    after += ((i - begin) * lanes.bytes + kSectorBytes - 1) / kSectorBytes;
    begin = i;
  }
  aligned_[event.site].add({before, std::min(before, after)});
}

void AccessTrials::sort(const AccessEvent& event, const WarpAccess& lanes) {
  sorted_[event.site].before += sectors(lanes);
  kept_ += static_cast<std::uint64_t>(std::popcount(lanes.mask));
  if (kept_ > kMostKept) return;
  auto& all = chosen_[event.site];
  for_lanes(lanes.mask, [&](unsigned lane) { all.push_back(lanes.address[lane]); });
}

void AccessTrials::close_groups() {
  for (auto& [array, records] : records_) records.close_all();
}

void AccessTrials::block_ends() { close_groups(); }

void AccessTrials::add(const AccessTrials& other) {
  mixed_ = mixed_ || other.mixed_;
  for (const auto& [array, records] : other.records_) {
    const auto [mine, fresh] = records_.emplace(array, records);
    if (!fresh) mine->second.add(records);
  }
  for (const auto& [site, tried] : other.aligned_) aligned_[site].add(tried);
  for (const auto& [site, tried] : other.sorted_) sorted_[site].add(tried);
  kept_ += other.kept_;
  for (const auto& [site, all] : other.chosen_) {
    chosen_[site].insert(chosen_[site].end(), all.begin(), all.end());
  }
}

void AccessTrials::write(LineSums& sums) const {
  if (mixed_) return;
  const auto tell = [&](const metric::Trial& trial, const Site& site, const Tried& tried) {
    const metric::TrialKeys& keys = trial[site.op == AccessOp::kLoad ? 0 : 1];
    sums.add(sums.where(site), keys.before, tried.before);
    sums.add(sums.where(site), keys.after, tried.after);
  };
  for (const auto& [array, records] : records_) {
    if (records.is_none || records.stride == 0) continue;
    const bool one = records.fields.size() == 1;
    for (const auto& [site, tried] : records.apart) {
      tell(one ? metric::kTrialOfStride : metric::kTrialOfFields, *site, tried);
    }
    if (one || records.cuts_apart) continue;
    for (const auto& [site, tried] : records.at_once) tell(metric::kTrialOfVectors, *site, tried);
  }
  for (const auto& [site, tried] : aligned_) tell(metric::kTrialOfAlignment, *site, tried);
  if (kept_ > kMostKept) return;
  for (const auto& [site, addresses] : chosen_) {
    std::vector<std::uint64_t> all = addresses;
    std::sort(all.begin(), all.end());
    Tried tried = sorted_.at(site);
    for (std::size_t begin = 0; begin < all.size(); begin += kLanes) {
      WarpAccess lanes;
      lanes.bytes = site->cost_bytes;
      lanes.mask = 0;
      for (std::size_t i = begin; i < std::min(all.size(), begin + kLanes); ++i) {
        lanes.mask |= 1U << (i - begin);
        lanes.address[i - begin] = all[i];
      }
      tried.after += sectors(lanes);
    }
    tell(metric::kTrialOfSorting, *site, tried);
  }
}

}  // namespace lab::model
