#include "harness/model/facts/block_log.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "harness/core/bits.h"
#include "harness/model/execute/block.h"

namespace lab::model {

namespace {

constexpr std::uint32_t kWhole = 0xffffffffU;  // all 32 bytes of a sector
// L1 looks up four lines at once where they are in different banks of its tags, and passes a word
// of each of its 32 banks of data. So 32 lines at random take 11.4 cycles (lab 1's gather on an
// H200: 46 us; one line a cycle makes 64), and 32 whose words are one column 32.
constexpr std::uint64_t kTagBanks = 4;
constexpr std::uint64_t kDataBanks = 32;
constexpr std::uint64_t kWordBytes = 4;

// Stores merge in L1 where each touches few lines. On an H200 three of a float3 (3 lines each)
// leave it as one, those of a structure of 32 bytes (8 lines) and of rows (32 lines) do not.
constexpr std::uint64_t kMostMergedLines = 4;

template <std::size_t N>
double most_in_a_bank(const std::vector<std::uint64_t>& places) {
  std::array<std::uint64_t, N> banks{};
  for (const std::uint64_t place : places) ++banks.at(place % N);
  return static_cast<double>(*std::max_element(banks.begin(), banks.end()));
}

void sort_out(std::vector<std::uint64_t>& places) {
  if (!std::is_sorted(places.begin(), places.end())) std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
}

/// What is in ascending order, in larger units: each once.
void coarsen(std::vector<std::uint64_t>& places, std::uint64_t by) {
  for (std::uint64_t& place : places) place /= by;
  places.erase(std::unique(places.begin(), places.end()), places.end());
}

/// f(sector, the bits of its bytes) for each sector of [begin, begin + bytes).
template <typename F>
void each_sector(std::uint64_t begin, std::uint64_t bytes, F f) {
  while (bytes > 0) {
    const std::uint64_t at = begin % kSectorBytes;
    const std::uint64_t here = std::min(bytes, kSectorBytes - at);
    const std::uint32_t bits = here == kSectorBytes ? kWhole : (1U << here) - 1U;
    f(begin / kSectorBytes, bits << at);
    begin += here;
    bytes -= here;
  }
}

bool passes_l1(const ptx::Instruction& text) {
  using ptx::CacheOp;
  return text.is_volatile || text.order == ptx::Order::kRelaxed ||
         text.order == ptx::Order::kAcquire || text.cache == CacheOp::kCg ||
         text.cache == CacheOp::kCv;
}

}  // namespace

static_assert(kLineBytes / kSectorBytes == 4, "BlockLog keeps four sectors of a line");

class BlockLog::Logger : public Observer {
 public:
  explicit Logger(BlockLog& log) : log_(log) {}
  void block_begins(const Block& block) override {
    log_.end_rows();
    log_.block_ = block.index();
    ++log_.blocks_;
    log_.rows_.resize(std::max(log_.rows_.size(), block.warps().size()));
  }
  void access(const AccessEvent& event) override {
    if (event.space != ptx::Space::kGlobal) return;
    switch (event.site->op) {
      case AccessOp::kLoad:
        return log_.load(event);
      case AccessOp::kStore:
        return log_.store(event);
      case AccessOp::kAtomic:
      case AccessOp::kReduction:
        return log_.atomic(event);
    }
  }
  void barrier_released(const Block&, std::uint32_t, std::uint32_t) override { log_.end_rows(); }
  void warp_synchronised(const Warp&, std::uint32_t) override {}
  void block_ends(Block&) override { log_.end_rows(); }

 private:
  BlockLog& log_;
};

std::unique_ptr<Observer> BlockLog::observer() { return std::make_unique<Logger>(*this); }

const ptx::Instruction& BlockLog::text(const Site& site) const {
  return instruction_of(program_, site.where);
}

void BlockLog::note(Use& use, double times) const {
  use.times += times;
  if (use.last_block == block_) return;
  if (use.blocks == 0) use.first_block = block_;
  use.last_block = block_;
  ++use.blocks;
}

void BlockLog::note_lines(const std::vector<std::uint64_t>& lines) {
  load_lines_ += static_cast<double>(lines.size());
  tag_cycles_ += most_in_a_bank<kTagBanks>(lines);
  if (lines.size() < 2) return;
  line_gaps_ += static_cast<double>(lines.back() - lines.front());
  gaps_ += static_cast<double>(lines.size() - 1);
}

void BlockLog::note_reloads(const std::vector<std::uint64_t>& sectors) {
  load_sectors_ += static_cast<double>(sectors.size());
  for (const std::uint64_t sector : sectors) {
    const auto found = stored_.find(sector / kSectorsPerLine);
    if (found == stored_.end()) continue;
    const Stored& stored = found->second.at(sector % kSectorsPerLine);
    if (stored.bits != 0 && stored.use.last_block == block_) ++reloaded_sectors_;
  }
}

// Counted as the machine code makes it: once where it was merged with others.
void BlockLog::load(const AccessEvent& event) {
  end_row(event.warp->index);
  const Site& site = *event.site;
  if (!site.counted) return;
  std::vector<std::uint64_t>& places = words_;
  places.clear();
  each_lane(event.mask, [&](unsigned lane) {
    const std::uint64_t at =
        event.at(lane) + static_cast<std::uint64_t>(std::int64_t{site.cost_shift});
    const std::uint64_t last = (at + site.cost_bytes - 1) / kWordBytes;
    for (std::uint64_t word = at / kWordBytes; word <= last; ++word) places.push_back(word);
  });
  sort_out(places);
  data_cycles_ += most_in_a_bank<kDataBanks>(places);
  coarsen(places, kSectorBytes / kWordBytes);
  note_reloads(places);
  for (std::size_t i = 0; i < places.size();) {
    const std::uint64_t line = places[i] / kSectorsPerLine;
    std::uint8_t& bits = loaded_[line];
    for (; i < places.size() && places[i] / kSectorsPerLine == line; ++i) {
      bits = static_cast<std::uint8_t>(bits | 1U << places[i] % kSectorsPerLine);
    }
  }
  const auto sectors = static_cast<double>(places.size());
  coarsen(places, kSectorsPerLine);
  note_lines(places);
  if (!passes_l1(text(site))) return;
  past_l1_sectors_ += sectors;
  for (const std::uint64_t line : places) note(loads_[line], 1);
}

/// Ascending, each sector once.
void BlockLog::join(Parts& parts) {
  const auto before = [](const Part& a, const Part& b) { return a.sector < b.sector; };
  if (!std::is_sorted(parts.begin(), parts.end(), before)) {
    std::sort(parts.begin(), parts.end(), before);
  }
  std::size_t kept = 0;
  for (const Part& part : parts) {
    if (kept > 0 && parts[kept - 1].sector == part.sector) {
      parts[kept - 1].bits |= part.bits;
    } else {
      parts[kept++] = part;
    }
  }
  parts.resize(kept);
}

void BlockLog::store(const AccessEvent& event) {
  touched_.clear();
  each_lane(event.mask, [&](unsigned lane) {
    each_sector(event.at(lane), event.site->bytes(), [&](std::uint64_t sector, std::uint32_t bits) {
      touched_.push_back({sector, bits});
      sums_.stored_bytes += std::popcount(bits);
    });
  });
  join(touched_);
  Row& row = rows_[event.warp->index];
  StoredLine* stored = nullptr;
  std::uint64_t last_line = 0;
  for (const Part& part : touched_) {
    const std::uint64_t line = part.sector / kSectorsPerLine;
    if (stored == nullptr || line != last_line) {
      ++row.lines;
      stored = &stored_[line];
      last_line = line;
    }
    Stored& sector = (*stored).at(part.sector % kSectorsPerLine);
    sector.bits |= part.bits;
    note(sector.use, 1);
    if (part.bits == kWhole) ++row.whole;
  }
  row.parts.insert(row.parts.end(), touched_.begin(), touched_.end());
  ++row.stores;
  row.sectors += touched_.size();
}

void BlockLog::atomic(const AccessEvent& event) {
  end_row(event.warp->index);
  const bool real = ptx::is_float(text(*event.site).type);
  // Lanes that the machine code combines make one access together.
  const std::uint32_t mask = event.site->combined ? event.mask & (~event.mask + 1U) : event.mask;
  addresses_.clear();
  each_lane(mask, [&](unsigned lane) { addresses_.push_back(placed(event.at(lane))); });
  note_turns(real);
}

// Lanes that name one address take turns, and other words of its sector go along with them. Turns
// of a part of L2 come one after the other; those of floats wait for each other in their sector,
// too: on an H200 524,288 additions to one float take 929 us, to eight of a sector 208 and to 32 of
// a line, as of integers, 124.
void BlockLog::note_turns(bool real) {
  std::sort(addresses_.begin(), addresses_.end());
  for (std::size_t i = 0; i < addresses_.size();) {
    const std::uint64_t sector = addresses_[i] / kSectorBytes;
    std::size_t most = 0;
    while (i < addresses_.size() && addresses_[i] / kSectorBytes == sector) {
      const std::size_t first = i;
      while (i < addresses_.size() && addresses_[i] == addresses_[first]) ++i;
      most = std::max(most, i - first);
    }
    note(adds_[sector / kSectorsPerLine], static_cast<double>(most));
    if (real) note(float_adds_[sector], static_cast<double>(most));
  }
}

// The model's own addresses say nothing of a page's parts.
std::uint64_t BlockLog::placed(std::uint64_t address) const {
  const Allocation* const one = memory_.find(address);
  constexpr std::uint64_t kPage = 4096;
  if (one == nullptr) return address;
  return one->base / kPage * kPage + begins_ + (address - one->base);
}

void BlockLog::end_row(std::uint32_t warp) {
  Row& row = rows_[warp];
  if (row.stores == 0) return;
  join(row.parts);
  std::uint64_t lines = 0;
  std::uint64_t whole = 0;
  std::uint64_t last_line = ~std::uint64_t{0};
  for (const Part& part : row.parts) {
    const std::uint64_t line = part.sector / kSectorsPerLine;
    if (line != last_line) ++lines;
    last_line = line;
    if (part.bits == kWhole) ++whole;
  }
  const bool merges =
      row.stores > 1 && whole == row.parts.size() && row.lines <= kMostMergedLines * row.stores;
  sums_.sent_sectors += static_cast<double>(row.sectors);
  sums_.sent_lines += static_cast<double>(row.lines);
  sums_.merged_sectors += static_cast<double>(merges ? row.parts.size() : row.sectors);
  sums_.merged_lines += static_cast<double>(merges ? lines : row.lines);
  sums_.merged_whole += static_cast<double>(merges ? whole : row.whole);
  row.parts.clear();
  row = {std::move(row.parts)};
}

void BlockLog::end_rows() {
  for (std::uint32_t warp = 0; warp < rows_.size(); ++warp) end_row(warp);
}

// A place that most of the blocks use, which lie far apart, all blocks use.
double BlockLog::of_all(const Use& use, std::uint64_t blocks) const {
  const bool by_all = 2 * use.blocks > blocks_;
  const double share = static_cast<double>(blocks) / static_cast<double>(blocks_);
  return by_all ? use.times * share : use.times;
}

double BlockLog::hottest(const Uses& uses, std::uint64_t blocks) const {
  double most = 0;
  for (const auto& [place, one] : uses) most = std::max(most, of_all(one, blocks));
  return most;
}

// Counts the places that most blocks use: others are new to each block, and what L2 does for all of
// them has rules of its own.
// On an H200 (tests/bench/places, and additions to numbers spread over 4 bytes to 8 MiB) 256 bytes
// are in one part of L2, each KiB is in two, and 4 KiB are in eight. Nobody knows how other pages
// lie to these: a few are in half of the parts, which is some 32, more of them are in all.
double BlockLog::busiest_part(const Uses& lines, std::uint64_t blocks) const {
  constexpr std::size_t kOfPage = 8;
  constexpr double kHalf = 32;
  constexpr std::size_t kFewPages = 12;
  constexpr std::uint64_t kPageLines = 32;
  const auto part_of = [](std::uint64_t line) {
    return (line >> 1U & 1U) | (line >> 3U & 3U) << 1U;
  };
  std::unordered_map<std::uint64_t, std::array<double, kOfPage>> pages;
  const double share = static_cast<double>(blocks) / static_cast<double>(blocks_);
  double all = 0;
  for (const auto& [line, use] : lines) {
    if (2 * use.blocks <= blocks_) {
      // An address that blocks far apart use is shared, though most blocks do not use it.
      if (use.last_block - use.first_block > blocks / 8) all += use.times * share;
      continue;
    }
    const double times = of_all(use, blocks);
    pages[line / kPageLines][part_of(line)] += times;
    all += times;
  }
  const double parts_of_others = pages.size() > kFewPages ? 2 * kHalf : kHalf;
  double most = all / (2 * kHalf);
  for (const auto& [page, parts] : pages) {
    const double of_others = all - std::accumulate(parts.begin(), parts.end(), 0.0);
    most =
        std::max(most, *std::max_element(parts.begin(), parts.end()) + of_others / parts_of_others);
  }
  return most;
}

void BlockLog::write_stores(std::uint64_t blocks, KernelFacts& facts) const {
  facts.stores = sums_;
  const auto add = [&](const Stored& stored, bool loaded) {
    ++facts.stores.sectors;
    facts.hot.stores = std::max(facts.hot.stores, of_all(stored.use, blocks));
    facts.stores.distinct_bytes += std::popcount(stored.bits);
    if (stored.bits == kWhole) return;
    ++facts.stores.partly;
    if (!loaded) ++facts.stores.filled;
    facts.stores.empty_bytes += static_cast<double>(kSectorBytes) - std::popcount(stored.bits);
  };
  for (const auto& [line, sectors] : stored_) {
    const auto loads = loaded_.find(line);
    const unsigned loaded = loads == loaded_.end() ? 0U : loads->second;
    for (std::size_t i = 0; i < sectors.size(); ++i) {
      if (sectors.at(i).bits != 0) add(sectors.at(i), (loaded >> i & 1U) != 0);
    }
  }
  facts.stores.lines = static_cast<double>(stored_.size());
}

void BlockLog::write(std::uint64_t blocks, KernelFacts& facts) const {
  facts.blocks = blocks_;
  facts.hot.float_adds = hottest(float_adds_, blocks);
  facts.hot.integer_adds = busiest_part(adds_, blocks);
  facts.hot.loads = busiest_part(loads_, blocks);
  write_stores(blocks, facts);
  facts.past_l1 = load_sectors_ > 0 ? past_l1_sectors_ / load_sectors_ : 0;
  facts.reloaded = load_sectors_ > 0 ? reloaded_sectors_ / load_sectors_ : 0;
  facts.line_gap = gaps_ > 0 ? line_gaps_ / gaps_ : 0;
  facts.tag_cycles = load_lines_ > 0 ? tag_cycles_ / load_lines_ : 1;
  facts.data_cycles = load_lines_ > 0 ? data_cycles_ / load_lines_ : 1;
}

}  // namespace lab::model
