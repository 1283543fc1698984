#include "harness/reading/accesses.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

namespace lab::reading {

namespace {

// How far `b` is from `a`, in bytes; empty: their lanes ask for places of another pattern.
std::optional<std::int64_t> shift_between(const Access& a, const Access& b) {
  std::int64_t shift = 0;
  bool known = false;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const std::int64_t from = a.address[lane];
    const std::int64_t to = b.address[lane];
    if ((from < 0) != (to < 0)) return {};
    if (from < 0) continue;
    if (known && to - from != shift) return {};
    shift = to - from;
    known = true;
  }
  return shift;
}

std::size_t lines_of(const Access& access) {
  std::set<std::int64_t> lines;
  for (const std::int64_t address : access.address) {
    if (address < 0) continue;
    lines.insert(address / kLineBytes);
    lines.insert((address + std::max(access.bytes_per_lane, 1) - 1) / kLineBytes);
  }
  return lines.size();
}

// In shared memory banks change places where all lanes move by whole words; elsewhere sectors and
// lines may come to more or fewer.
bool cost_alike(const Access& a, const Access& b, std::int64_t shift) {
  if (a.space == Space::kShared) return shift % kWordBytes == 0;
  return cost_of(a) == cost_of(b) && lines_of(a) == lines_of(b);
}

bool same_pattern(const Access& a, const Access& b) {
  return std::tie(a.line, a.op, a.buffer) == std::tie(b.line, b.op, b.buffer) && look_alike(a, b);
}

// Takes the lanes from `first` on, before `last`.
Words words_of(const Access& access, std::size_t first, std::size_t last) {
  Words words;
  for (std::size_t lane = first; lane < last; ++lane) {
    const std::int64_t address = access.address[lane];
    if (address < 0) continue;
    const std::int64_t end = address + std::max(access.bytes_per_lane, 1);
    for (std::int64_t word = address / kWordBytes; word * kWordBytes < end; ++word) {
      words[word].push_back(lane);
    }
  }
  return words;
}

}  // namespace

bool look_alike(const Access& one, const Access& other) {
  if (one.space != other.space || one.bytes_per_lane != other.bytes_per_lane) return false;
  const auto shift = shift_between(one, other);
  return shift && cost_alike(one, other, *shift);
}

std::vector<AccessPattern> patterns_of(const std::vector<Access>& accesses) {
  std::vector<AccessPattern> patterns;
  for (const Access& access : accesses) {
    const auto known = std::find_if(patterns.begin(), patterns.end(), [&](const auto& pattern) {
      return same_pattern(*pattern.first, access);
    });
    if (known == patterns.end()) {
      patterns.push_back({&access, 1, 0});
    } else {
      ++known->times;
      known->shifted += *shift_between(*known->first, access) == 0 ? 0 : 1;
    }
  }
  return patterns;
}

int cost_of(const Access& access) {
  return access.space == Space::kShared ? access.wavefronts : access.sectors;
}

std::vector<const Access*> costliest_accesses(const RunRecord& run, std::size_t most) {
  std::vector<const Access*> all;
  std::set<std::tuple<int, Space, AccessOp, int>> known;
  for (const CaseRecord& record : run.cases) {
    for (const Access& access : record.accesses) {
      const bool drawn = access.space == Space::kShared || access.space == Space::kGlobal;
      if (access.line < 1 || !drawn) continue;
      if (known.emplace(access.line, access.space, access.op, cost_of(access)).second) {
        all.push_back(&access);
      }
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Access* a, const Access* b) { return cost_of(*a) > cost_of(*b); });
  if (all.size() > most) all.resize(most);
  return all;
}

std::size_t ServedLanes::deepest() const {
  std::size_t most = 0;
  for (const Words& bank : banks) most = std::max(most, bank.size());
  return most;
}

std::vector<ServedLanes> by_bank(const Access& access) {
  const std::size_t groups = access.bytes_per_lane >= 16 ? 4 : access.bytes_per_lane >= 8 ? 2 : 1;
  const std::size_t lanes = kLanes / groups;
  std::vector<ServedLanes> all;
  for (std::size_t group = 0; group < groups; ++group) {
    ServedLanes served{group * lanes, (group + 1) * lanes, std::vector<Words>(kBanks)};
    for (const auto& [word, who] : words_of(access, served.first, served.last)) {
      served.banks[static_cast<std::size_t>(word % kBanks)][word] = who;
    }
    all.push_back(std::move(served));
  }
  return all;
}

std::map<std::int64_t, Words> by_sector(const Access& access) {
  std::map<std::int64_t, Words> sectors;
  for (const auto& [word, lanes] : words_of(access, 0, kLanes)) {
    sectors[word / kSectorWords][word] = lanes;
  }
  return sectors;
}

}  // namespace lab::reading
