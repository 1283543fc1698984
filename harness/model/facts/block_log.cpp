#include "harness/model/facts/block_log.h"

#include <algorithm>
#include <array>
#include <bit>
#include <set>

#include "harness/model/execute/block.h"

namespace lab::model {

namespace {

constexpr std::uint64_t kSectorsPerLine = kLineBytes / kSectorBytes;
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
double most_in_a_bank(const std::set<std::uint64_t>& places) {
  std::array<std::uint64_t, N> banks{};
  for (const std::uint64_t place : places) ++banks.at(place % N);
  return static_cast<double>(*std::max_element(banks.begin(), banks.end()));
}

template <typename F>
void each_lane(std::uint32_t lanes, F f) {
  for (; lanes != 0; lanes &= lanes - 1) f(static_cast<unsigned>(std::countr_zero(lanes)));
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
  const Origin& origin = program_.origins[site.where];
  return program_.module->functions[origin.function].instructions[origin.instruction];
}

void BlockLog::use(Uses& uses, std::uint64_t place, double times) const {
  Use& one = uses[place];
  one.times += times;
  if (one.last_block == block_) return;
  one.last_block = block_;
  ++one.blocks;
}

// Counted as the machine code makes it: once where it was merged with others.
void BlockLog::load(const AccessEvent& event) {
  end_row(event.warp->index);
  const Site& site = *event.site;
  if (!site.counted) return;
  std::set<std::uint64_t> words;
  each_lane(event.mask, [&](unsigned lane) {
    const std::uint64_t at =
        event.at(lane) + static_cast<std::uint64_t>(std::int64_t{site.cost_shift});
    const std::uint64_t last = (at + site.cost_bytes - 1) / kWordBytes;
    for (std::uint64_t word = at / kWordBytes; word <= last; ++word) words.insert(word);
  });
  std::set<std::uint64_t> sectors;
  for (const std::uint64_t word : words) sectors.insert(word * kWordBytes / kSectorBytes);
  loaded_.insert(sectors.begin(), sectors.end());
  std::set<std::uint64_t> lines;
  for (const std::uint64_t sector : sectors) lines.insert(sector / kSectorsPerLine);
  load_sectors_ += static_cast<double>(sectors.size());
  load_lines_ += static_cast<double>(lines.size());
  tag_cycles_ += most_in_a_bank<kTagBanks>(lines);
  data_cycles_ += most_in_a_bank<kDataBanks>(words);
  if (!passes_l1(text(site))) return;
  past_l1_sectors_ += static_cast<double>(sectors.size());
  for (const std::uint64_t line : lines) use(loads_, line, 1);
}

void BlockLog::store(const AccessEvent& event) {
  Sectors touched;
  each_lane(event.mask, [&](unsigned lane) {
    each_sector(event.at(lane), event.site->bytes(), [&](std::uint64_t sector, std::uint32_t bits) {
      touched[sector] |= bits;
      sums_.stored_bytes += std::popcount(bits);
    });
  });
  Row& row = rows_[event.warp->index];
  std::set<std::uint64_t> lines;
  for (const auto& [sector, bits] : touched) {
    lines.insert(sector / kSectorsPerLine);
    stored_[sector] |= bits;
    row.bytes[sector] |= bits;
    if (bits == kWhole) ++row.whole;
    use(stores_, sector, 1);
  }
  ++row.stores;
  row.sectors += touched.size();
  row.lines += lines.size();
}

void BlockLog::atomic(const AccessEvent& event) {
  end_row(event.warp->index);
  const bool real = ptx::is_float(text(*event.site).type);
  // Lanes that the machine code combines make one access together.
  const std::uint32_t mask = event.site->combined ? event.mask & (~event.mask + 1U) : event.mask;
  each_lane(mask, [&](unsigned lane) {
    if (real) return use(float_adds_, event.at(lane), 1);
    use(integer_adds_, event.at(lane) / kSectorBytes, 1);
  });
}

void BlockLog::end_row(std::uint32_t warp) {
  Row& row = rows_[warp];
  if (row.stores == 0) return;
  std::set<std::uint64_t> lines;
  std::uint64_t whole = 0;
  for (const auto& [sector, bits] : row.bytes) {
    lines.insert(sector / kSectorsPerLine);
    if (bits == kWhole) ++whole;
  }
  const bool merges =
      row.stores > 1 && whole == row.bytes.size() && row.lines <= kMostMergedLines * row.stores;
  sums_.sent_sectors += static_cast<double>(row.sectors);
  sums_.sent_lines += static_cast<double>(row.lines);
  sums_.merged_sectors += static_cast<double>(merges ? row.bytes.size() : row.sectors);
  sums_.merged_lines += static_cast<double>(merges ? lines.size() : row.lines);
  sums_.merged_whole += static_cast<double>(merges ? whole : row.whole);
  row = {};
}

void BlockLog::end_rows() {
  for (std::uint32_t warp = 0; warp < rows_.size(); ++warp) end_row(warp);
}

// A place that most of the blocks use, which lie far apart, all blocks use.
double BlockLog::hottest(const Uses& uses, std::uint64_t blocks) const {
  double most = 0;
  for (const auto& [place, one] : uses) {
    const bool by_all = 2 * one.blocks > blocks_;
    const double share = static_cast<double>(blocks) / static_cast<double>(blocks_);
    most = std::max(most, by_all ? one.times * share : one.times);
  }
  return most;
}

void BlockLog::write(std::uint64_t blocks, KernelFacts& facts) const {
  facts.blocks = blocks_;
  facts.stores = sums_;
  std::set<std::uint64_t> lines;
  for (const auto& [sector, bits] : stored_) {
    lines.insert(sector / kSectorsPerLine);
    facts.stores.distinct_bytes += std::popcount(bits);
    if (bits == kWhole) continue;
    ++facts.stores.partly;
    if (loaded_.count(sector) == 0) ++facts.stores.filled;
    facts.stores.empty_bytes += static_cast<double>(kSectorBytes) - std::popcount(bits);
  }
  facts.stores.sectors = static_cast<double>(stored_.size());
  facts.stores.lines = static_cast<double>(lines.size());
  facts.hot = {hottest(float_adds_, blocks), hottest(integer_adds_, blocks),
               hottest(stores_, blocks), hottest(loads_, blocks)};
  facts.past_l1 = load_sectors_ > 0 ? past_l1_sectors_ / load_sectors_ : 0;
  facts.tag_cycles = load_lines_ > 0 ? tag_cycles_ / load_lines_ : 1;
  facts.data_cycles = load_lines_ > 0 ? data_cycles_ / load_lines_ : 1;
}

}  // namespace lab::model
