// What is remembered of global memory, to find races: of each location who wrote it last, with the
// value, and two who have read it.
//
// Nearly all sectors of 32 bytes are accessed as a whole by neighbouring lanes, and one word tells
// of all locations of such a sector. Others have a cell per location. Both are made by the page,
// where something is accessed, so that a launch takes memory for what it touches and not for what
// it could reach: of floats, a quarter of the bytes that are read as whole sectors (half where
// several blocks read them), three eighths of those written so, and at most 3.25 bytes per byte
// that is written in any other way, 2.25 for each of two readers.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "harness/model/memory/memory.h"

namespace lab::model::check {

/// One lane's access, in 63 bits.
struct GlobalAccess {
  std::uint64_t block = 0;  ///< below kMostBlocks
  std::uint32_t site = 0;   ///< index into Program::sites, below kMostSites
  std::uint32_t tick = 0;   ///< of its warp, counted from the block's first
  std::uint32_t warp = 0;
  std::uint32_t lane = 0;  ///< or kMany, kTogether

  static constexpr std::uint64_t kMostBlocks = (1U << 24U) - 1U;
  static constexpr std::uint32_t kMostSites = 1U << 14U;
  static constexpr std::uint32_t kMostTicks = (1U << 14U) - 1U;  ///< later ones count as this one
  static constexpr std::uint32_t kMany = 32;      ///< several lanes, each a thread of its own
  static constexpr std::uint32_t kTogether = 33;  ///< all of them, as one: a matrix instruction

  [[nodiscard]] std::uint64_t packed() const {
    return (block + 1) << 39U | std::uint64_t{site} << 25U | std::uint64_t{tick} << 11U |
           std::uint64_t{warp} << 6U | lane;
  }
  [[nodiscard]] static GlobalAccess of(std::uint64_t bits) {
    return {(bits >> 39U) - 1, site_of(bits), static_cast<std::uint32_t>(bits >> 11U) & kMostTicks,
            static_cast<std::uint32_t>(bits >> 6U) & 31U, static_cast<std::uint32_t>(bits) & 63U};
  }
  [[nodiscard]] static std::uint32_t site_of(std::uint64_t bits) {
    return static_cast<std::uint32_t>(bits >> 25U) & (kMostSites - 1U);
  }
  /// Block and warp of what packed() returns.
  static constexpr std::uint64_t kWarp = ~std::uint64_t{0} << 39U | std::uint64_t{31} << 6U;
  static constexpr std::uint64_t kThread = kWarp | 63U;
  static constexpr std::uint64_t kTick = std::uint64_t{kMostTicks} << 11U;
};

/// Of a site: what one lane accesses.
struct Shape {
  std::uint8_t shift = 0;  ///< 2^shift bytes
  bool has_value = false;  ///< it is a store, and what it stores is known
};

/// What has been noted of a location.
enum class Plane : std::uint8_t { kWrite, kRead, kOtherRead };
inline constexpr std::size_t kPlanes = 3;

/// Several cores may note accesses of one location at once: one of them is lost, as if it had come
/// first.
class RaceShadow {
 public:
  static constexpr std::uint32_t kSector = 32;
  static constexpr std::uint32_t kPage = 16 * 1024;  ///< bytes of a buffer
  static constexpr std::uint32_t kSectorsOfPage = kPage / kSector;

  /// Of the writable memory of a launch. Locations are of `grain` bytes, 1, 2 or 4; `shapes` are by
  /// site. Takes no more than `most` bytes.
  RaceShadow(const GlobalMemory& memory, std::uint32_t grain, std::vector<Shape> shapes,
             std::uint64_t most);
  ~RaceShadow();
  RaceShadow(const RaceShadow&) = delete;
  RaceShadow& operator=(const RaceShadow&) = delete;

  /// A location or a sector in a page; the functions below take those that find() made.
  struct Page;
  struct Region {
    std::uint64_t base = 0;
    std::uint64_t bytes = 0;
    const std::byte* host = nullptr;
    std::unique_ptr<Page[]> pages;
    [[nodiscard]] bool has(std::uint64_t address, std::uint64_t span) const {
      return address - base < bytes && span <= bytes - (address - base);
    }
  };
  struct Sector {
    Page* page = nullptr;
    std::uint32_t at = 0;  ///< in its page
    const std::byte* host = nullptr;
  };
  /// Null: nothing can race at `address`.
  [[nodiscard]] Region* find(std::uint64_t address);
  /// `number` counts the sectors of the region.
  [[nodiscard]] static Sector sector(Region& region, std::uint64_t number);

  /// Who accessed the whole sector, packed, with the lane that has its first bytes; kCells: see
  /// seen(); 0: nobody.
  static constexpr std::uint64_t kCells = std::uint64_t{1} << 63U;
  [[nodiscard]] static std::uint64_t whole(Plane plane, const Sector& at);
  /// Who accessed location `n` of the sector; 0: nobody.
  [[nodiscard]] std::uint64_t seen(Plane plane, const Sector& at, std::uint32_t n) const;
  /// What was stored there last, noted before memory had it; empty: another core is about to store
  /// it, and only a sum of the whole sector was noted.
  [[nodiscard]] std::optional<std::uint32_t> value(const Sector& at, std::uint32_t n) const;

  /// Two blocks have read the sector as a whole, so that a write by any block meets one of them.
  [[nodiscard]] static bool is_read_by_two(const Sector& at);
  void note_read_by_two(const Sector& at);

  using Words = std::array<std::uint32_t, kSector / sizeof(std::uint32_t)>;
  void note_whole_read(Plane plane, const Sector& at, std::uint64_t who);
  void note_read(Plane plane, const Sector& at, std::uint32_t n, std::uint64_t who);
  /// `values`: null where they are not known.
  void note_whole_write(const Sector& at, std::uint64_t who, const Words* values);
  void note_write(const Sector& at, std::uint32_t n, std::uint64_t who, std::uint32_t value);

  [[nodiscard]] std::uint32_t grain() const { return grain_; }
  [[nodiscard]] std::uint32_t locations() const { return locations_; }  ///< of a sector
  [[nodiscard]] const Shape& shape(std::uint32_t site) const { return shapes_[site]; }
  /// False: something was not noted, for want of memory.
  [[nodiscard]] bool complete() const { return complete_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t bytes() const { return taken_.load(std::memory_order_relaxed); }

 private:
  using Word = std::atomic<std::uint64_t>;
  using Value = std::atomic<std::uint32_t>;
  /// The array at `at`, made where there was none; null: there is no memory for it.
  template <typename T>
  T* made(std::atomic<T*>& at, std::size_t count);
  void note(Plane plane, const Sector& at, std::uint32_t n, std::uint64_t who);
  [[nodiscard]] static std::uint32_t sum_of(const Words& words);
  /// Memory has what was noted of the sector.
  [[nodiscard]] static bool is_stored(const Sector& at);

  std::uint32_t grain_;
  std::uint32_t locations_;
  std::vector<Shape> shapes_;
  std::uint64_t most_;
  std::vector<Region> regions_;
  std::atomic<std::uint64_t> taken_ = 0;
  std::atomic<bool> complete_ = true;
};

struct RaceShadow::Page {
  std::array<std::atomic<Word*>, kPlanes> words{};  ///< by sector
  std::array<std::atomic<Word*>, kPlanes> cells{};  ///< by location
  std::atomic<Value*> twice{};                      ///< bits, by sector: see is_read_by_two()
  std::atomic<Value*> sums{};                       ///< by sector: of what was written to it
  std::atomic<Value*> values{};                     ///< by location
};

inline RaceShadow::Sector RaceShadow::sector(Region& region, std::uint64_t number) {
  return {&region.pages[number / kSectorsOfPage],
          static_cast<std::uint32_t>(number % kSectorsOfPage), region.host + number * kSector};
}

inline std::uint64_t RaceShadow::whole(Plane plane, const Sector& at) {
  const Word* words =
      at.page->words[static_cast<std::size_t>(plane)].load(std::memory_order_acquire);
  return words == nullptr ? 0 : words[at.at].load(std::memory_order_acquire);
}

inline bool RaceShadow::is_read_by_two(const Sector& at) {
  const Value* bits = at.page->twice.load(std::memory_order_acquire);
  return bits != nullptr &&
         ((bits[at.at / 32].load(std::memory_order_relaxed) >> at.at % 32) & 1U) != 0;
}

inline std::uint64_t RaceShadow::seen(Plane plane, const Sector& at, std::uint32_t n) const {
  const std::uint64_t who = whole(plane, at);
  if (who == 0) return 0;
  // Lanes follow each other.
  if (who != kCells) return who + (n * grain_ >> shapes_[GlobalAccess::site_of(who)].shift);
  const Word* cells = at.page->cells[static_cast<std::size_t>(plane)].load();
  return cells[std::size_t{at.at} * locations_ + n].load(std::memory_order_acquire);
}

}  // namespace lab::model::check
