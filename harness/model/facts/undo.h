// Puts back what blocks have changed that ran for the sake of their facts alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "harness/model/execute/observer.h"
#include "harness/model/memory/memory.h"

namespace lab::model {

/// Keeps each sector of global memory as it was before it was changed first, and images whole:
/// their bytes are few, and observers are not told of stores to them. It outlives its observers.
class Undo {
 public:
  explicit Undo(const GlobalMemory& memory);

  [[nodiscard]] std::unique_ptr<Observer> observer();
  void restore();

 private:
  class Watcher;
  static constexpr std::uint64_t kSector = 32;
  struct Saved {
    std::byte* at = nullptr;
    std::uint64_t bytes = 0;  ///< an allocation may end within a sector
    std::array<std::byte, kSector> was = {};
  };
  struct SavedImage {
    std::byte* at = nullptr;
    std::vector<std::byte> was;
  };

  void keep(std::uint64_t address, std::uint64_t bytes);

  const GlobalMemory& memory_;
  std::unordered_map<std::uint64_t, Saved> sectors_;  // by address
  std::vector<SavedImage> images_;
};

}  // namespace lab::model
