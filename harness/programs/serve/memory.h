// Device memory of a program: what it has allocated, what was written there, what it has freed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/model/check/checker.h"
#include "harness/model/memory/memory.h"
#include "harness/programs/serve/holes.h"
#include "harness/programs/serve/lines.h"
#include "harness/programs/wire/wire.h"

namespace lab::program {

struct Owned {
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;
  MemoryKind kind = MemoryKind::kDevice;
  std::string name;        ///< of the pointer that got it, as far as its line tells
  Line line;               ///< that allocated it
  std::string freed = {};  ///< where it was freed
  /// Which bytes were written; null: all, or nobody can tell.
  std::shared_ptr<model::check::GlobalShadow> shadow = {};
  /// The launch that wrote there first, of those that left some of it unwritten; null: none did.
  std::shared_ptr<const Writer> writer = {};
  std::uint64_t unwritten = 0;  ///< bytes, after the last launch
  bool host_wrote = false;      ///< since then
};

class ProgramMemory {
 public:
  /// `arena`: kArenaBytes of it, as this process has it mapped.
  explicit ProgramMemory(std::byte* arena) : arena_(arena) {}

  void allocate(Owned made);
  /// The allocation that begins at `base` is no more. Null: there is none.
  const Owned* release(std::uint64_t base, const std::string& place);
  void written(std::uint64_t address, std::uint64_t bytes);
  /// Whether any of these bytes was written; true where nobody can tell.
  [[nodiscard]] bool any_written(std::uint64_t address, std::uint64_t bytes) const;
  [[nodiscard]] const Owned* find(std::uint64_t address) const;
  /// The one that was at `address`, freed last.
  [[nodiscard]] const Owned* freed(std::uint64_t address) const;
  [[nodiscard]] const std::map<std::uint64_t, Owned>& live() const { return live_; }
  /// Whether any of these bytes is allocated.
  [[nodiscard]] bool overlaps(std::uint64_t address, std::uint64_t bytes) const;
  /// All that is allocated.
  [[nodiscard]] std::uint64_t bytes() const;
  [[nodiscard]] std::span<std::byte> bytes_of(const Owned& owned) const {
    return {arena_ + (owned.base - kArenaBase), static_cast<std::size_t>(owned.bytes)};
  }

  /// Adds all of it to a launch's memory; the second gets what is known of writes.
  void place_in(model::GlobalMemory& memory, model::check::GlobalShadows& written);
  /// After a launch: `watched` says whether its writes were noted. It is told where it wrote to
  /// memory that no launch had written to before.
  void settle(bool watched, const std::function<Writer()>& launch);

 private:
  std::byte* arena_;
  std::map<std::uint64_t, Owned> live_;
  std::vector<Owned> freed_;
};

}  // namespace lab::program
