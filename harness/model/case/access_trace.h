// Lists the memory instructions of all warps of a block or of a launch, equal ones once.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "harness/core/backend.h"
#include "harness/model/code/decoded.h"
#include "harness/model/execute/observer.h"

namespace lab::model {

class AccessTrace {
 public:
  /// `block`: of Trace::kBlock.
  AccessTrace(Trace what, std::uint64_t block)
      : what_(what), block_(block), shared_alone_(what == Trace::kShared) {}
  /// Of one block's accesses to shared memory, for what another layout would cost.
  explicit AccessTrace(std::uint64_t block)
      : what_(Trace::kBlock), block_(block), shared_alone_(true), most_(kMostOfShared) {}

  /// An observer that lists here; the trace outlives it.
  [[nodiscard]] std::unique_ptr<Observer> observer();
  void write(const Program& program, const GlobalMemory& memory, const Launch& launch,
             CaseOutcome& outcome) const;
  /// Whether some access has bank conflicts.
  [[nodiscard]] bool has_conflicts() const;

 private:
  struct Key {
    const Site* site = nullptr;
    std::uint32_t mask = 0;
    std::uint32_t warp = 0;
    std::array<std::uint64_t, kLanes> address{};  // 0 in inactive lanes
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const noexcept;
  };
  class Tracer;

  void add(const Key& key);

  /// An instruction's accesses that came when the list was full: the first of them, and how many.
  struct Beyond {
    Key first;
    std::uint64_t count = 0;
  };

  // More than anyone reads or a search goes through; those that come later are counted alone. Of
  // shared and of global memory each, since blocks do the same in the one and not in the other.
  static constexpr std::size_t kMost = 32768;
  static constexpr std::size_t kMostOfShared = 4096;
  Trace what_;
  std::uint64_t block_;
  bool shared_alone_ = false;
  std::size_t most_ = kMost;
  std::vector<Key> order_;  // as first seen
  std::unordered_map<Key, std::uint64_t, Hash> times_;
  std::array<std::size_t, 2> listed_{};  // of shared memory, of global
  std::unordered_map<const Site*, Beyond> beyond_;
  std::mutex mutex_;  // cores run blocks side by side
};

}  // namespace lab::model
