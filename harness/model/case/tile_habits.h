// What a launch's arrays in shared memory are good for: whether threads exchange anything there,
// what is loaded from global memory though they have it, and what the global accesses of a block
// would cost in the order of memory, as a tile in between allows.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/model/case/line_sums.h"
#include "harness/model/case/site_roles.h"
#include "harness/model/execute/block.h"
#include "harness/model/execute/observer.h"

namespace lab::model {

class TileHabits {
 public:
  /// `roles`: by site; they outlive this.
  TileHabits(const Program& program, const std::vector<SiteRole>& roles);

  void block_begins(const Block& block);
  /// A load or store of shared or global memory, or an atomic, of the running block.
  void access(const AccessEvent& event);
  /// What copies do in shared memory is an exchange.
  void bulk_copy();
  void block_ends();
  void add(const TileHabits& other);
  void write(LineSums& sums) const;

 private:
  struct Array {
    std::uint64_t begin = 0;  ///< bytes of shared memory
    std::uint64_t end = 0;
    bool exchanges = false;  ///< or does more than keep one value per thread and place
    std::map<const Site*, std::uint64_t> own = {};
  };
  /// Requests of one instruction so far.
  struct Looked {
    std::uint64_t ideal = 0;  ///< that no order makes cheaper
    bool wasteful = false;    ///< some is not
    bool unknown = false;     ///< not all were looked at
  };
  /// What instructions of one line take that do the same: an unrolled loop has several.
  struct Kind {
    std::uint32_t file = 0;
    std::uint32_t line = 0;
    AccessOp op = AccessOp::kLoad;
    std::uint32_t bytes = 0;
    std::size_t lanes = 0;    ///< of a block in one round
    std::uint64_t array = 0;  ///< where the array begins that the first of them is in
    friend auto operator<=>(const Kind&, const Kind&) = default;
  };
  struct Ordered {
    std::uint64_t tried = 0;   ///< sectors as they are
    std::uint64_t after = 0;   ///< in the order of memory, with as many elements for each thread
    std::uint64_t walked = 0;  ///< of each element once, whatever a thread takes
    std::uint64_t bytes = 0;   ///< of these elements
    bool wasteful = false;
    bool unknown = false;
    void add(const Ordered& other);
  };
  struct Taken {
    std::vector<std::uint64_t> addresses;
    std::uint64_t sectors = 0;
  };
  using Round = std::pair<const Site*, std::uint32_t>;  ///< an instruction's how many-th execution

  [[nodiscard]] const SiteRole& role_of(const Site& site) const;
  [[nodiscard]] Array* array_at(std::uint64_t address);
  void shared(const AccessEvent& event);
  void write_words(const AccessEvent& event, Array& array);
  void read_words(const AccessEvent& event, Array& array);
  void fill(const AccessEvent& event);
  void load_of_tile(const AccessEvent& event);
  void order(const AccessEvent& event, std::uint32_t round);
  [[nodiscard]] std::uint64_t array_of(std::uint64_t address) const;
  void put_in_order();

  const Program* program_;
  const std::vector<SiteRole>* roles_;
  std::vector<Array> arrays_;  // dynamic shared memory is the last
  std::map<const Site*, std::uint64_t> tiled_;
  std::map<const Site*, Looked> looked_;
  std::map<Kind, Ordered> ordered_;
  std::uint64_t in_order_ = 0;  // addresses that were sorted

  bool mixed_ = false;  // blocks took turns: nothing is known

  // Of the block that runs.
  const Block* block_ = nullptr;
  std::vector<std::uint16_t> writer_;  // by byte of shared memory: the thread that wrote it, from 1
  std::map<std::pair<const Site*, std::uint32_t>, std::uint64_t> walks_;   // first address, by warp
  std::map<std::pair<const Site*, std::uint32_t>, std::uint32_t> rounds_;  // by warp
  std::unordered_map<std::uint64_t, std::uint32_t> in_tile_;  // element -> thread that loaded it
  bool refilled_ = false;
  std::map<Round, Taken> taken_;
};

}  // namespace lab::model
