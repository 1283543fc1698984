// Copies that the machine makes beside the threads (cp.async, cp.async.bulk): which are under way,
// and for whom they are complete. The model executes them at once; here they end where a thread
// waits for them: PTX ISA, "Data Movement and Conversion Instructions: Asynchronous copy".
//
// A copy in a group ends where its own thread waits for the group, as a write that this thread
// makes there: others need a barrier besides. A copy that completes at an mbarrier ends for each
// thread that waits for that phase, and for those who come after such a thread.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "harness/model/check/races.h"

namespace lab::model::check {

inline constexpr unsigned kLanesOfWarp = 32;

/// Bytes of global memory, and the lanes whose copies read or write them.
struct GlobalRange {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::uint32_t lanes = 0;
};

/// What an instruction of a warp copies, all lanes of it.
struct Copied {
  Together who;
  std::uint32_t lanes = 0;
  bool bulk = false;
  bool to_global = false;                ///< from shared memory, else the other way
  std::uint64_t at = 0;                  ///< the lowest location of `places`
  std::shared_ptr<const Places> places;  ///< in shared memory
  std::vector<GlobalRange> global = {};
  std::optional<std::uint64_t> mbarrier;  ///< where it completes; else in a group of its thread's
};

/// Why a copy is not complete for a thread.
struct UnderWay {
  enum class Why : std::uint8_t {
    kNoGroup,   ///< its thread has not committed it to a group
    kGroup,     ///< its thread has not waited for its group
    kMbarrier,  ///< the thread has not waited for that phase of the mbarrier
  };
  Why why = Why::kGroup;
  std::uint32_t where = 0;  ///< of the copy: an index into Program::code
  std::uint8_t warp = 0;
  std::uint8_t lane = 0;
  bool bulk = false;
  bool to_global = false;
  std::uint32_t newer = 0;     ///< kGroup: groups that were committed after its own
  std::uint64_t mbarrier = 0;  ///< kMbarrier: its address in shared memory
  /// kNoGroup, kGroup: whoever met it has waited for such copies of its own at that place of the
  /// program, or has not come to make them. What is missing is a barrier.
  bool barrier = false;
};

class Copies {
 public:
  explicit Copies(SharedRaces& races) : races_(races) {}

  /// Begins a new block.
  void begin();
  /// Its accesses to shared memory were checked as accesses that the lanes make now.
  void add(Copied copied);
  void commit(unsigned warp, std::uint32_t lanes, bool bulk);
  /// Lanes wait until at most `newest` groups are under way; `all`: for copies without a group too.
  /// `reading`: only until the sources have been read.
  void wait(unsigned warp, std::uint32_t lanes, bool bulk, bool reading, std::uint32_t newest,
            bool all);

  void mbarrier_begins(std::uint64_t address);
  void arrive(unsigned warp, std::uint64_t address);
  /// Lanes' cp.async so far complete at the mbarrier, in the phase that runs.
  void complete_at(unsigned warp, std::uint32_t lanes, std::uint64_t address);
  void phase_ends(std::uint64_t address);
  /// Lanes, `all` of the warp's or some, go on after the phases that are over.
  void wait_at(unsigned warp, std::uint32_t lanes, bool all, std::uint64_t address);

  [[nodiscard]] bool any_reader() const { return reading_first_ <= reading_last_; }
  /// An access of global memory may meet one that uses it: a read, one that writes it.
  [[nodiscard]] bool any_user(bool writes) const {
    return global_from_ < global_to_ && (writes || to_global_);
  }
  /// Some copy reads shared memory between the locations.
  [[nodiscard]] bool may_read(std::uint64_t first, std::uint64_t last) const {
    return first <= reading_last_ && last >= reading_first_;
  }
  /// The copy that reads location `at`.
  [[nodiscard]] std::optional<UnderWay> reader(std::uint64_t at) const;
  /// Some copy reads or writes global memory in [from, to).
  [[nodiscard]] bool may_use(std::uint64_t from, std::uint64_t to) const {
    return from < global_to_ && to > global_from_;
  }
  /// The copy that reads or writes global memory in [from, to), unless both only read.
  [[nodiscard]] std::optional<UnderWay> user(std::uint64_t from, std::uint64_t to,
                                             bool writes) const;
  /// The copy that `race` of a lane is with.
  [[nodiscard]] UnderWay met(const Race& race, unsigned warp, unsigned lane) const;

 private:
  struct Copy {
    Copied what;
    std::uint32_t lanes = 0;  ///< whose copies have not ended; 0: the place is free
    bool read = false;        ///< a source in shared memory: it has been read
    std::uint64_t phase = 0;  ///< of the mbarrier
    std::array<std::uint32_t, kLanesOfWarp> group{};
  };
  struct Mbarrier {
    std::uint64_t phase = 0;
    Clocks::Known arrived{};   ///< of the phase that runs
    Clocks::Known complete{};  ///< of all phases before
    unsigned copier = 0;       ///< 0: no copy has ended there
    std::uint32_t tick = 0;    ///< of the copies that ended last
    bool copies = false;       ///< some have not ended
  };
  using Counts = std::array<std::uint32_t, kLanesOfWarp>;

  [[nodiscard]] static bool is_newer(const Copy& copy, const Copy* than) {
    return than == nullptr || copy.what.who.serial > than->what.who.serial;
  }
  [[nodiscard]] UnderWay under_way(const Copy& copy, std::uint32_t lanes) const;
  /// Groups of a warp's lanes, of one kind of copies.
  struct Groups {
    Counts committed{};
    Counts waited{};         ///< so many of the oldest are over
    std::uint32_t open = 0;  ///< lanes that have made copies since
  };
  [[nodiscard]] const Groups& groups_of(const Copy& copy) const {
    return groups_[copy.what.bulk ? 1 : 0][copy.what.who.warp];
  }
  [[nodiscard]] bool lacks_barrier(const Copy& copy, std::uint32_t group, unsigned warp,
                                   unsigned lane) const;
  /// Of the copy's lanes, those whose groups are over.
  [[nodiscard]] std::uint32_t over(const Copy& copy) const;
  std::uint32_t free_place();
  void end(std::uint32_t number, std::uint32_t lanes);
  void end_reading(Copy& copy);
  void free(std::uint32_t number);
  /// The copies of `lanes` get a number of their own.
  void leave(std::uint32_t number, std::uint32_t lanes);
  [[nodiscard]] unsigned copier_of(std::uint64_t address, Mbarrier& mbarrier);
  /// All that completed there in phases that are over ends now.
  void settle(std::uint64_t address, Mbarrier& mbarrier);
  void widen(const Copy& copy);
  void narrow();

  SharedRaces& races_;
  std::vector<Copy> copies_;
  std::vector<std::uint32_t> free_;
  std::array<std::vector<std::uint32_t>, kMostWarps> of_warp_;
  std::array<std::array<Groups, kMostWarps>, 2> groups_{};  ///< the second: of bulk copies
  std::map<std::uint64_t, Mbarrier> mbarriers_;
  std::array<std::uint64_t, kMostCopiers> address_of_copier_{};
  std::size_t count_ = 0;  ///< that have not ended
  std::uint64_t reading_first_ = 1;
  std::uint64_t reading_last_ = 0;
  std::uint64_t global_from_ = 0;
  std::uint64_t global_to_ = 0;
  bool to_global_ = false;  ///< some copy of the running block is to global memory
};

}  // namespace lab::model::check
