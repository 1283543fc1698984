#include "harness/model/case/access_trace.h"

#include <algorithm>
#include <bit>

#include "harness/model/case/access_log.h"
#include "harness/model/execute/block.h"

namespace lab::model {

std::size_t AccessTrace::Hash::operator()(const Key& key) const noexcept {
  std::size_t hash = std::hash<const void*>()(key.site) ^ key.mask ^ (std::size_t{key.warp} << 32U);
  for (const std::uint64_t address : key.address) {
    hash = (hash ^ address) * 0x9e3779b97f4a7c15U;
    hash ^= hash >> 29U;
  }
  return hash;
}

class AccessTrace::Tracer : public Observer {
 public:
  explicit Tracer(AccessTrace& trace) : trace_(trace) {}
  void access(const AccessEvent& event) override {
    const bool here = trace_.what_ != Trace::kBlock || event.warp->block->index() == trace_.block_;
    const bool shared = event.space == ptx::Space::kShared;
    const bool memory = shared || (event.space == ptx::Space::kGlobal && !trace_.shared_alone_);
    if (!here || !memory || !event.site->counted) return;
    Key key;
    key.site = event.site;
    key.mask = event.mask;
    if (trace_.what_ == Trace::kBlock && !trace_.shared_alone_) {
      key.warp = event.warp->index;
    } else if (event.site->combined) {
      key.mask &= ~key.mask + 1U;  // one lane makes the access for all, as it is counted
    }
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if (((key.mask >> lane) & 1U) != 0) key.address[lane] = event.at(lane);
    }
    trace_.add(key);
  }
  void block_begins(const Block&) override {}
  void barrier_released(const Block&, std::uint32_t, std::uint32_t) override {}
  void warp_synchronised(const Warp&, std::uint32_t) override {}
  void block_ends(Block&) override {}

 private:
  AccessTrace& trace_;
};

std::unique_ptr<Observer> AccessTrace::observer() { return std::make_unique<Tracer>(*this); }

void AccessTrace::add(const Key& key) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto known = times_.find(key);
  if (known != times_.end()) {
    ++known->second;
    return;
  }
  std::size_t& listed = listed_[key.site->space == ptx::Space::kGlobal ? 1 : 0];
  if (listed == most_) {
    ++beyond_.try_emplace(key.site, Beyond{key}).first->second.count;
    return;
  }
  ++listed;
  times_.emplace(key, 1);
  order_.push_back(key);
}

namespace {

/// The arrays of a launch, numbered as they are met.
class Arrays {
 public:
  Arrays(const Program& program, const GlobalMemory& memory, const Launch& launch)
      : program_(program), memory_(memory), dynamic_bytes_(launch.dynamic_shared_bytes) {}

  /// Puts the access into the array of its first active lane: its offsets are the array's.
  void place(std::uint64_t first, TracedAccess& traced) {
    if (traced.access.space == Space::kGlobal) {
      const Allocation* found = memory_.find(first);
      if (found != nullptr) traced.array = number({found->name, Space::kGlobal, found->bytes});
      return;
    }
    std::uint64_t begin = program_.shared_bytes;  // the dynamic array follows the others
    TracedArray array{"", Space::kShared, dynamic_bytes_};
    for (const Placed& variable : program_.shared_variables) {
      if (first < variable.offset || first - variable.offset >= variable.bytes) continue;
      array = {variable.name, Space::kShared, variable.bytes};
      begin = variable.offset;
    }
    if (first < begin || first - begin >= array.bytes) return;
    traced.array = number(array);
    for (std::int64_t& address : traced.access.address) {
      if (address >= 0) address -= static_cast<std::int64_t>(begin);
    }
  }

  void leave_out(const TracedAccess& first, std::uint64_t count) {
    if (first.array >= 0) all_[static_cast<std::size_t>(first.array)].untraced += count;
  }

  [[nodiscard]] std::vector<TracedArray> all() && { return std::move(all_); }

 private:
  int number(const TracedArray& array) {
    const auto known = std::find_if(all_.begin(), all_.end(), [&](const TracedArray& one) {
      return one.name == array.name && one.space == array.space;
    });
    if (known != all_.end()) return static_cast<int>(known - all_.begin());
    all_.push_back(array);
    return static_cast<int>(all_.size()) - 1;
  }

  const Program& program_;
  const GlobalMemory& memory_;
  std::uint64_t dynamic_bytes_;
  std::vector<TracedArray> all_;
};

}  // namespace

bool AccessTrace::has_conflicts() const {
  return std::any_of(order_.begin(), order_.end(), [](const Key& key) {
    if (key.site->space != ptx::Space::kShared) return false;
    WarpAccess lanes;
    lanes.mask = key.mask;
    lanes.bytes = key.site->rule == CostRule::kSharedRows ? 16 : key.site->cost_bytes;
    lanes.address = key.address;
    return bank_cost(key.site->rule, lanes).conflicts() > 0;
  });
}

void AccessTrace::write(const Program& program, const GlobalMemory& memory, const Launch& launch,
                        CaseOutcome& outcome) const {
  Arrays arrays(program, memory, launch);
  const auto traced_of = [&](const Key& key) {
    TracedAccess traced;
    traced.access = access_of(program, memory, *key.site, key.mask, key.address);
    traced.access.sequence = outcome.traced.size();
    traced.rule = key.site->rule;
    traced.unit_bytes = static_cast<int>(key.site->bytes());
    traced.warp = key.warp;
    arrays.place(key.address[static_cast<std::size_t>(std::countr_zero(key.mask))], traced);
    return traced;
  };
  for (const Key& key : order_) {
    outcome.traced.push_back(traced_of(key));
    outcome.traced.back().times = times_.at(key);
  }
  for (const auto& [site, beyond] : beyond_)
    arrays.leave_out(traced_of(beyond.first), beyond.count);
  outcome.arrays = std::move(arrays).all();
}

}  // namespace lab::model
