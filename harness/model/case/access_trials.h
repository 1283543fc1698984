// Trials on a launch's accesses to global memory: each rewrites them as a change of the kernel or
// of its arrays would, where they allow that change, and counts the sectors before and after.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "harness/core/trial_keys.h"
#include "harness/model/case/access_lanes.h"
#include "harness/model/case/line_sums.h"
#include "harness/model/case/site_roles.h"
#include "harness/model/execute/block.h"
#include "harness/model/execute/observer.h"

namespace lab::model {

class AccessTrials {
 public:
  /// `roles`: by site; they outlive this.
  AccessTrials(const Program& program, const std::vector<SiteRole>& roles)
      : program_(&program), roles_(&roles) {}

  void block_begins(const Block& block) { block_ = &block; }
  /// A load or store of global memory, or an atomic there, of the running block.
  void access(const AccessEvent& event);
  /// What a thread takes on either side is not taken at once.
  void barrier_released() { close_groups(); }
  void block_ends();
  void add(const AccessTrials& other);
  void write(LineSums& sums) const;

 private:
  struct Tried {
    std::uint64_t before = 0;
    std::uint64_t after = 0;
    void add(const Tried& other);
  };
  using BySite = std::map<const Site*, Tried>;

  /// Accesses of one warp to parts of the same records, that one wide access could make.
  struct Group {
    std::vector<std::uint64_t> records = {};  ///< by active lane
    std::uint32_t mask = 0;
    std::uint32_t parts = 0;                                       ///< of the record, one bit each
    std::vector<std::pair<const Site*, std::uint64_t>> made = {};  ///< and their sectors
  };
  using OfWarp = std::pair<std::uint32_t, AccessOp>;

  /// An array as records that are `stride` bytes apart, of which each access takes one field.
  struct Records {
    std::uint64_t stride = 0;                            ///< 0: not known yet
    std::map<std::uint64_t, std::uint32_t> fields = {};  ///< where each begins, and its bytes
    bool is_none = false;                                ///< some access does something else
    bool cuts_apart = false;  ///< something is stored of which a wide store would store more
    BySite apart = {};
    BySite at_once = {};
    std::map<OfWarp, Group> open = {};             ///< of the block that runs
    std::vector<std::uint64_t> before_known = {};  ///< offsets of single elements that came first

    void look(std::uint64_t base, const WarpAccess& lanes);
    void take(std::uint64_t offset, std::uint32_t bytes);
    void join(const AccessEvent& event, std::uint64_t base, const WarpAccess& lanes);
    void close(AccessOp op, const Group& group, std::uint32_t bytes);
    void close_all();
    void add(const Records& other);
    [[nodiscard]] bool is_wide() const;
    [[nodiscard]] std::uint32_t width() const { return fields.begin()->second; }
  };

  void align(const AccessEvent& event, const WarpAccess& lanes);
  void sort(const AccessEvent& event, const WarpAccess& lanes);
  void close_groups();
  [[nodiscard]] const SiteRole& role_of(const Site& site) const;

  const Program* program_;
  const std::vector<SiteRole>* roles_;
  const Block* block_ = nullptr;
  const Allocation* found_ = nullptr;  // of the last access
  bool mixed_ = false;                 // blocks took turns: nothing is known
  std::map<const Allocation*, Records> records_;
  BySite aligned_;
  std::map<const Site*, std::vector<std::uint64_t>> chosen_;  // addresses that data chose
  BySite sorted_;                                             // their sectors as they are
  std::uint64_t kept_ = 0;                                    // addresses in chosen_
};

}  // namespace lab::model
