// Lists the memory instructions of all warps of a block or of a launch, equal ones once.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "harness/core/backend.h"
#include "harness/model/execute/observer.h"
#include "harness/model/program/program.h"

namespace lab::model {

class AccessTrace {
 public:
  /// `block`: of Trace::kBlock.
  AccessTrace(Trace what, std::uint64_t block) : what_(what), block_(block) {}

  /// An observer that lists here; the trace outlives it.
  [[nodiscard]] std::unique_ptr<Observer> observer();
  void write(const Program& program, const GlobalMemory& memory, const Launch& launch,
             CaseOutcome& outcome) const;

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

  // More than anyone reads or a search goes through; those that come later are counted alone.
  static constexpr std::size_t kMost = 65536;
  Trace what_;
  std::uint64_t block_;
  std::vector<Key> order_;  // as first seen
  std::unordered_map<Key, std::uint64_t, Hash> times_;
  std::uint64_t untraced_ = 0;
  std::mutex mutex_;  // cores run blocks side by side
};

}  // namespace lab::model
