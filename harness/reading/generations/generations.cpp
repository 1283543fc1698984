#include "harness/reading/generations/generations.h"

#include <algorithm>
#include <map>
#include <set>

namespace lab::labs {
namespace {

using Lanes = std::vector<std::uint64_t>;  // addresses of active lanes

// Lanes [first, first + count) that are on.
Lanes active(const Pattern& pattern, std::size_t first, std::size_t count) {
  Lanes lanes;
  for (std::size_t l = first; l < first + count; ++l) {
    if (pattern[l]) lanes.push_back(*pattern[l]);
  }
  return lanes;
}

// Distinct aligned units of `unit` bytes, ascending.
std::vector<Transaction> units(const Lanes& lanes, std::uint32_t width, std::uint32_t unit) {
  std::set<std::uint64_t> starts;
  for (const auto address : lanes) {
    for (auto at = address / unit * unit; at < address + width; at += unit) starts.insert(at);
  }
  std::vector<Transaction> transactions;
  for (const auto start : starts) transactions.push_back({start, unit});
  return transactions;
}

using OfLanes = std::vector<Transaction> (*)(const Lanes&, std::uint32_t width);

// A warp in parts of `lanes` lanes, each served by itself.
std::vector<Transaction> in_parts(const Pattern& pattern, std::uint32_t width, std::size_t lanes,
                                  OfLanes serve) {
  std::vector<Transaction> all;
  for (std::size_t first = 0; first < 32; first += lanes) {
    const auto part = serve(active(pattern, first, lanes), width);
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

// 1.0 and 1.1: lane k uses element k of an aligned segment of 16 elements, or nothing coalesces.
std::vector<Transaction> strict(const Pattern& pattern, std::uint32_t width) {
  std::vector<Transaction> all;
  for (std::size_t half = 0; half < 32; half += 16) {
    const auto lanes = active(pattern, half, 16);
    if (lanes.empty()) continue;
    const std::uint64_t segment = std::uint64_t{16} * width;
    const auto base = lanes.front() / segment * segment;
    bool in_order = true;
    for (std::size_t k = 0; k < 16; ++k) {
      const auto& address = pattern[half + k];
      in_order = in_order && (!address || *address == base + k * width);
    }
    if (in_order) {
      const std::uint32_t size = width == 4 ? 64 : 128;
      for (auto at = base; at < base + segment; at += size) all.push_back({at, size});
    } else {
      for (const auto address : lanes) all.push_back({address / 32 * 32, 32});
    }
  }
  return all;
}

// Halves the transaction while all that it serves lies in one half: 128, 64, 32 bytes.
Transaction shrunk(Transaction t, std::uint64_t lowest, std::uint64_t highest) {
  while (t.bytes > 32) {
    const auto half = t.bytes / 2;
    if (highest < t.address + half) {
      t.bytes = half;
    } else if (lowest >= t.address + half) {
      t = {t.address + half, half};
    } else {
      break;
    }
  }
  return t;
}

// 1.2 and 1.3: the lowest lane's segment of 128 bytes, with all lanes that it holds, shrunk; again
// until all lanes are served.
std::vector<Transaction> by_segments(const Lanes& lanes, std::uint32_t width) {
  std::vector<Transaction> all;
  Lanes left = lanes;
  while (!left.empty()) {
    const auto segment = left.front() / 128 * 128;
    std::uint64_t lowest = segment + 127;
    std::uint64_t highest = segment;
    Lanes rest;
    for (const auto address : left) {
      if (address / 128 * 128 != segment) {
        rest.push_back(address);
        continue;
      }
      lowest = std::min(lowest, address);
      highest = std::max(highest, address + width - 1);
    }
    all.push_back(shrunk({segment, 128}, lowest, highest));
    left = rest;
  }
  return all;
}

std::vector<Transaction> segments(const Pattern& pattern, std::uint32_t width) {
  return in_parts(pattern, width, 16, by_segments);
}

std::size_t lanes_of_part(std::uint32_t width) { return width <= 4 ? 32 : 128 / width; }

std::vector<Transaction> lines(const Pattern& pattern, std::uint32_t width) {
  return in_parts(pattern, width, lanes_of_part(width),
                  [](const Lanes& lanes, std::uint32_t w) { return units(lanes, w, 128); });
}

std::vector<Transaction> split_sectors(const Pattern& pattern, std::uint32_t width) {
  return in_parts(pattern, width, lanes_of_part(width),
                  [](const Lanes& lanes, std::uint32_t w) { return units(lanes, w, 32); });
}

std::vector<Transaction> sectors(const Pattern& pattern, std::uint32_t width) {
  return units(active(pattern, 0, 32), width, 32);
}

// ---- shared memory ----------------------------------------------------------------------------

// The most distinct words of `word` bytes that fall into one of `banks` banks.
int busiest(const Lanes& lanes, std::uint32_t width, std::uint32_t word, std::uint64_t banks) {
  std::map<std::uint64_t, std::set<std::uint64_t>> of_bank;
  for (const auto address : lanes) {
    for (auto w = address / word; w <= (address + width - 1) / word; ++w) {
      of_bank[w % banks].insert(w);
    }
  }
  std::size_t most = 0;
  for (const auto& [bank, words] : of_bank) most = std::max(most, words.size());
  return static_cast<int>(most);
}

// 1.x: 16 banks, half-warps. A step serves one word to all lanes that want it, and beside it one
// lane of each other bank. Wider elements go word by word.
int first_banks(const Pattern& pattern, std::uint32_t width) {
  int passes = 0;
  for (std::size_t half = 0; half < 32; half += 16) {
    for (std::uint32_t word = 0; word < std::max(1U, width / 4); ++word) {
      auto left = active(pattern, half, 16);
      for (auto& address : left) address = address / 4 + word;
      while (!left.empty()) {
        const auto broadcast = left.front();
        std::set<std::uint64_t> busy = {broadcast % 16};
        Lanes rest;
        for (const auto w : left) {
          if (w != broadcast && !busy.insert(w % 16).second) rest.push_back(w);
        }
        left = rest;
        ++passes;
      }
    }
  }
  return passes;
}

// 2.x: parts of 128 bytes. "The majority of 128-bit accesses" of a quarter-warp take one more.
int fermi(const Pattern& pattern, std::uint32_t width) {
  const auto lanes = lanes_of_part(width);
  int passes = 0;
  for (std::size_t first = 0; first < 32; first += lanes) {
    const auto part = active(pattern, first, lanes);
    passes += busiest(part, width, 4, 32) + (width == 16 && !part.empty() ? 1 : 0);
  }
  return passes;
}

// 3.x in its 4-byte mode: 32 banks of 8 bytes; words i and i + 32 of an aligned 64 share a row.
int kepler4(const Pattern& pattern, std::uint32_t width) {
  int passes = 0;
  const std::size_t lanes = width > 8 ? 16 : 32;
  for (std::size_t first = 0; first < 32; first += lanes) {
    std::map<std::uint64_t, std::set<std::uint64_t>> rows;  // of a bank
    for (const auto address : active(pattern, first, lanes)) {
      for (auto w = address / 4; w <= (address + width - 1) / 4; ++w) rows[w % 32].insert(w / 64);
    }
    std::size_t most = 0;
    for (const auto& [bank, distinct] : rows) most = std::max(most, distinct.size());
    passes += static_cast<int>(most);
  }
  return passes;
}

int kepler8(const Pattern& pattern, std::uint32_t width) {
  int passes = 0;
  const std::size_t lanes = width > 8 ? 16 : 32;
  for (std::size_t first = 0; first < 32; first += lanes) {
    passes += busiest(active(pattern, first, lanes), width, 8, 32);
  }
  return passes;
}

// All active lanes agree with the lane whose number differs in `bit`, where that one is on.
bool pairs_agree(const Pattern& pattern, std::size_t bit) {
  for (std::size_t l = 0; l < 32; ++l) {
    const auto& other = pattern[l ^ bit];
    if (pattern[l] && other && *pattern[l] != *other) return false;
  }
  return true;
}

int current(const Pattern& pattern, std::uint32_t width) {
  return bank_cost(pattern, width).wavefronts;
}

// The element of a half-warp's lane; empty: the lane is off.
std::optional<std::uint64_t> element(int number, std::uint64_t lane, std::uint32_t width) {
  const bool floats = width == 4;  // what figures 5 and 6 were drawn for
  switch (number) {
    case 1:
      return lane == 3 ? std::optional<std::uint64_t>() : lane;
    case 2:
      return lane ^ 1U;
    case 3:
      return lane + 1;
    case 4:
      return lane * 7 % 16;
    case 5:
      return lane + (floats ? 22 : 25);
    default:
      if (floats) return lane + 1;
      return lane < 15 ? lane : 20;
  }
}

}  // namespace

const std::vector<GlobalRule>& global_rules() {
  static const std::vector<GlobalRule> kRules = {
      {"1.0, 1.1",
       "half-warps; lane k uses element k of an aligned segment of 16, or each lane goes alone",
       strict},
      {"1.2, 1.3", "half-warps; segments of 128 bytes, shrunk to 64 or 32 where that suffices",
       segments},
      {"2.x", "warps (half, quarter for 8, 16 bytes per lane); lines of 128 bytes", lines},
      {"3.x", "warps (half, quarter for 8, 16 bytes per lane); 32 bytes, past L1", split_sectors},
      {"5.x, 6.x", "warps (half, quarter for 8, 16 bytes per lane); sectors of 32 bytes",
       split_sectors},
      {"7.x and later", "whole warps at any width; sectors of 32 bytes", sectors},
  };
  return kRules;
}

const std::vector<SharedRule>& shared_rules() {
  static const std::vector<SharedRule> kRules = {
      {"1.x", "16 banks of 4 bytes, half-warps, one word broadcast per step", first_banks},
      {"2.x",
       "32 banks of 4 bytes, warps; half, quarter for 8, 16 bytes per lane, and one more for 16",
       fermi},
      {"3.x, 4-byte mode", "32 banks of 8 bytes; words i and i + 32 of 64 come together", kepler4},
      {"3.x, 8-byte mode", "32 banks of 8 bytes", kepler8},
      {"5.x and later", "32 banks of 4 bytes; groups of 128 bytes, which may merge", current},
  };
  return kRules;
}

Pattern figure(int number, std::uint32_t width) {
  Pattern pattern;
  for (std::uint64_t lane = 0; lane < 32; ++lane) {
    if (const auto e = element(number, lane % 16, width)) {
      pattern[lane] = (*e + lane / 16 * 64) * width;
    }
  }
  return pattern;
}

// Groups of 128 bytes; neighbouring groups merge where lanes agree in pairs. The patched counters
// see the merge of two groups only where the two together have no conflict.
BankCost bank_cost(const Pattern& pattern, std::uint32_t width) {
  const auto lanes = lanes_of_part(width);
  const bool merge = width > 4 && (pairs_agree(pattern, 1) || pairs_agree(pattern, 2));
  BankCost cost;
  for (std::size_t first = 0; first < 32; first += merge ? 2 * lanes : lanes) {
    const auto cost_of = [&](std::size_t from, std::size_t count) {
      return busiest(active(pattern, from, count), width, 4, 32);
    };
    const int whole = cost_of(first, merge ? 2 * lanes : lanes);
    cost.wavefronts += whole;
    cost.groups += whole > 0 ? 1 : 0;
    cost.wavefronts_sass +=
        merge && whole > 1 ? cost_of(first, lanes) + cost_of(first + lanes, lanes) : whole;
  }
  return cost;
}

std::uint64_t asked_bytes(const Pattern& pattern, std::uint32_t width) {
  std::set<std::uint64_t> asked;
  for (const auto& address : pattern) {
    for (std::uint32_t b = 0; address && b < width; ++b) asked.insert(*address + b);
  }
  return asked.size();
}

std::uint64_t touched_units(const Pattern& pattern, std::uint32_t width, std::uint32_t unit) {
  return units(active(pattern, 0, 32), width, unit).size();
}

std::uint64_t wasted(const std::vector<Transaction>& transactions, const Pattern& pattern,
                     std::uint32_t width) {
  std::uint64_t moved = 0;
  for (const auto& t : transactions) moved += t.bytes;
  const auto asked = asked_bytes(pattern, width);
  return moved > asked ? moved - asked : 0;
}

}  // namespace lab::labs
