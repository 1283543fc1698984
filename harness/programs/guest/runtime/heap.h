// The device's memory that a program has allocated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "harness/programs/guest/runtime/calls.h"
#include "harness/programs/guest/runtime/library.h"

namespace lab::program {

std::size_t device_memory_bytes();

// As in harness/core/bits.h, which this library may not include: it stands alone.
constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// Addresses are not used again, so that a use after free is seen.
class Heap {
 public:
  struct Block {
    std::uint64_t bytes = 0;
    MemoryKind kind = MemoryKind::kDevice;
    bool in_stream = false;  ///< of a pool: it came, and may go, with a stream's work
  };

  /// Both give an error's number, or kSuccess.
  int allocate(Entry& entry, void** pointer, std::uint64_t bytes, MemoryKind kind,
               bool in_stream = false);
  /// `in_stream`: by the work under way, which the host does not wait for.
  int release(Entry& entry, void* pointer, bool in_stream = false);
  void release_all(Entry& entry);

  /// The block that holds the address; null: none does.
  [[nodiscard]] const std::pair<const std::uint64_t, Block>* find(std::uint64_t address) const;
  [[nodiscard]] std::uint64_t used() const { return used_; }
  template <typename F>
  void each(F f) const {
    for (const auto& [base, block] : blocks_) f(base, block);
  }
  /// Bytes, where nothing is allocated: of this machine's memory, whatever the GPU would have.
  [[nodiscard]] static std::uint64_t most();

 private:
  std::map<std::uint64_t, Block> blocks_;
  std::uint64_t used_ = 0;
  std::uint64_t next_ = kArenaBase + kGuardBytes;
};

/// The program's.
Heap& heap();

}  // namespace lab::program
