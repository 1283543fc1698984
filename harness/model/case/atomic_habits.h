// Counts what a launch's atomics do: how many additions the machine code makes of them, to how many
// words, and who waits for a lock.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_set>
#include <vector>

#include "harness/model/case/line_sums.h"
#include "harness/model/case/site_roles.h"
#include "harness/model/execute/observer.h"

namespace lab::model {

class AtomicHabits {
 public:
  /// `roles`: by site; they outlive this.
  AtomicHabits(const Program& program, const std::vector<SiteRole>& roles)
      : program_(&program), roles_(&roles) {}

  /// An atomic of the running block.
  void access(const AccessEvent& event);
  void block_ends(std::uint64_t block);
  void add(const AtomicHabits& other);
  void write(LineSums& sums) const;

 private:
  struct Sums {
    std::uint64_t adders = 0;  ///< additions as the machine code makes them
    std::uint64_t places = 0;  ///< words that each request changes
    std::uint64_t block_words = 0;
    std::uint64_t repeated = 0;
    std::uint64_t low = ~std::uint64_t{0};  ///< addresses: the first, and the last
    std::uint64_t high = 0;
    std::uint64_t tries = 0;  ///< lanes of a lock, or of compare-and-swap in a loop
    std::uint64_t swap_places = 0;
    std::uint64_t threads = 0;  ///< that want the lock
    void add(const Sums& other);
  };
  /// Of a block that has not ended.
  struct InBlock {
    std::unordered_set<std::uint64_t> words;
    std::unordered_set<std::uint32_t> threads;
    std::map<std::uint32_t, std::uint64_t> last;  ///< by warp: lanes and addresses
  };

  void sum(const AccessEvent& event, Sums& sums, InBlock& block) const;

  const Program* program_;
  const std::vector<SiteRole>* roles_;
  std::map<const Site*, Sums> sites_;
  std::map<std::uint64_t, std::map<const Site*, InBlock>> blocks_;  // several that wait for another
};

}  // namespace lab::model
