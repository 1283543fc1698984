// Which bytes of global and constant memory a launch reads and writes, for who wants to know what
// may run beside it. Blocks on all cores share it: a mark that is set stays set, so that their
// order is of no matter.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "harness/model/code/decoded.h"
#include "harness/model/execute/observer.h"
#include "harness/model/memory/memory.h"

namespace lab::model::check {

/// Bytes [begin, end) of device memory.
struct Span {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  friend bool operator==(const Span&, const Span&) = default;
};
/// Ascending, with gaps between them.
using Spans = std::vector<Span>;

/// One mark for each `grain` bytes of a launch's memory.
class TouchedBytes {
 public:
  TouchedBytes(const GlobalMemory& memory, std::uint32_t grain);
  /// TouchedBytes [address, address + bytes), as far as it is in one allocation.
  void add(std::uint64_t address, std::uint64_t bytes) noexcept;
  /// What is marked; empty where it is in more than `most` pieces.
  [[nodiscard]] Spans spans(std::size_t most) const;

 private:
  struct Freed {
    void operator()(std::uint64_t* words) const { std::free(words); }
  };
  struct Region {
    std::uint64_t base = 0;
    std::uint64_t bytes = 0;
    /// From calloc(): what is never marked takes no memory.
    std::unique_ptr<std::uint64_t[], Freed> words;
  };
  [[nodiscard]] const Region* find(std::uint64_t address) const noexcept;

  int shift_;  ///< the grain as a power of two
  std::vector<Region> regions_;
};

class Footprint {
 public:
  /// More pieces than this are not kept: nothing is said of such a launch.
  static constexpr std::size_t kMostSpans = std::size_t{1} << 21U;

  /// Begins a launch's; `memory` and `program` outlive its observers.
  void begin(const Program& program, const GlobalMemory& memory);
  /// For one core.
  [[nodiscard]] std::unique_ptr<Observer> observer();

  [[nodiscard]] Spans reads() const { return reads_->spans(kMostSpans); }
  [[nodiscard]] Spans writes() const { return writes_->spans(kMostSpans); }
  /// Atomics, and accesses that are ordered by themselves (volatile, relaxed): they do not race
  /// with one another.
  [[nodiscard]] Spans atomics() const { return atomics_->spans(kMostSpans); }

 private:
  class Watcher;
  const Program* program_ = nullptr;
  std::unique_ptr<TouchedBytes> reads_;
  std::unique_ptr<TouchedBytes> writes_;
  std::unique_ptr<TouchedBytes> atomics_;
};

}  // namespace lab::model::check
