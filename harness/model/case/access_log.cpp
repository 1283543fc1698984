#include "harness/model/case/access_log.h"

#include <algorithm>
#include <string>

#include "harness/core/text.h"
#include "harness/model/cost/rules.h"
#include "harness/model/execute/block.h"

namespace lab::model {

class AccessLog::Logger : public Observer {
 public:
  explicit Logger(AccessLog& log) : log_(log) {}
  void access(const AccessEvent& event) override {
    const bool wanted =
        event.warp->block->index() == log_.block_ && event.warp->index == log_.warp_;
    if (!wanted || log_.entries_.size() >= kMost) return;
    if (log_.logged_[event.site]++ >= log_.per_site_) return;
    Entry entry{event.site, event.mask, {}};
    for (unsigned lane = 0; lane < kLanes; ++lane) entry.address[lane] = event.at(lane);
    log_.entries_.push_back(entry);
  }
  void block_begins(const Block&) override {}
  void barrier_released(const Block&, std::uint32_t, std::uint32_t) override {}
  void warp_synchronised(const Warp&, std::uint32_t) override {}
  void block_ends(Block&) override {}

 private:
  AccessLog& log_;
};

std::unique_ptr<Observer> AccessLog::observer() { return std::make_unique<Logger>(*this); }

namespace {

void count(const Site& site, const WarpAccess& lanes, Access& access) {
  const bool atomic = site.op == AccessOp::kAtomic || site.op == AccessOp::kReduction;
  if (site.space == ptx::Space::kGlobal) {
    access.sectors = static_cast<int>(atomic ? atomic_sectors(lanes) : sectors(lanes));
  } else if (site.space == ptx::Space::kShared) {
    const BankCost cost = atomic                        ? shared_atomic(lanes)
                          : site.op == AccessOp::kStore ? shared_store(lanes)
                                                        : shared_load(lanes);
    access.wavefronts = static_cast<int>(cost.hardware);
    access.conflicts = static_cast<int>(cost.conflicts());
  }
}

}  // namespace

Access access_of(const Program& program, const GlobalMemory& memory, const Site& site,
                 std::uint32_t mask, const std::array<std::uint64_t, kLanes>& address) {
  Access access;
  const ptx::Where& where = instruction_of(program, site.where).where;
  access.line = static_cast<int>(where.line);
  if (where.ptx_line >= 1 && where.ptx_line <= program.module->lines.size()) {
    access.text = std::string(trim(program.module->lines[where.ptx_line - 1]));
  }
  access.space = site.space;
  access.op = site.op;
  access.bytes_per_lane = site.cost_bytes;
  WarpAccess lanes;
  lanes.mask = mask;
  lanes.bytes = site.cost_bytes;
  access.address.fill(-1);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (((mask >> lane) & 1U) == 0) continue;
    lanes.address[lane] = address[lane] + static_cast<std::uint64_t>(std::int64_t{site.cost_shift});
    const Allocation* found =
        site.space == ptx::Space::kGlobal ? memory.find(lanes.address[lane]) : nullptr;
    if (found != nullptr && access.buffer.empty()) access.buffer = found->name;
    access.address[lane] =
        static_cast<std::int64_t>(lanes.address[lane] - (found == nullptr ? 0 : found->base));
  }
  count(site, lanes, access);
  return access;
}

std::vector<Access> AccessLog::accesses(const Program& program, const GlobalMemory& memory) const {
  std::vector<Access> all;
  for (const Entry& entry : entries_) {
    if (!entry.site->counted) continue;
    all.push_back(access_of(program, memory, *entry.site, entry.mask, entry.address));
    all.back().sequence = all.size() - 1;
  }
  return all;
}

}  // namespace lab::model
