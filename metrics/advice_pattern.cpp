#include "metrics/advice_pattern.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <vector>

namespace lab::metrics {
namespace {

constexpr int kBanks = 32;

std::vector<int> lanes_of(const Access& access) {
  std::vector<int> lanes;
  for (std::size_t lane = 0; lane < access.address.size(); ++lane) {
    if (access.address[lane] >= 0) lanes.push_back(static_cast<int>(lane));
  }
  return lanes;
}

// The difference between most neighbours; empty where fewer than three quarters agree.
std::optional<std::int64_t> usual_step(const std::vector<std::int64_t>& values) {
  if (values.size() < 2) return {};
  std::map<std::int64_t, std::size_t> count;
  for (std::size_t i = 1; i < values.size(); ++i) ++count[values[i] - values[i - 1]];
  const auto most = std::max_element(
      count.begin(), count.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (4 * most->second < 3 * (values.size() - 1)) return {};
  return most->first;
}

// The distance of neighbouring lanes, where those that take part in any order are as far apart as
// their numbers say.
std::optional<std::int64_t> step_of_lanes(const std::vector<std::int64_t>& values,
                                          const std::vector<std::int64_t>& lanes) {
  if (values.size() < 3) return {};
  const std::int64_t step = (values[1] - values[0]) / (lanes[1] - lanes[0]);
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i] - values[0] != step * (lanes[i] - lanes[0])) return {};
  }
  return step;
}

// Where the longest run of neighbours begins that are a stride apart.
std::int64_t begin_of(const std::vector<std::int64_t>& addresses, std::int64_t stride) {
  std::size_t begin = 0;
  std::size_t longest = 0;
  std::size_t at = 0;
  for (std::size_t i = 1; i <= addresses.size(); ++i) {
    if (i < addresses.size() && addresses[i] - addresses[i - 1] == stride) continue;
    if (i - at > longest) {
      longest = i - at;
      begin = at;
    }
    at = i;
  }
  return addresses[begin];
}

}  // namespace

Pattern pattern_of(const Access& access) {
  Pattern pattern;
  const std::vector<int> lanes = lanes_of(access);
  std::vector<std::int64_t> addresses;
  std::vector<std::int64_t> places;
  for (const int lane : lanes) {
    addresses.push_back(access.address[static_cast<std::size_t>(lane)]);
    places.push_back(lane);
  }
  if (lanes.empty()) return pattern;
  pattern.lanes = static_cast<int>(lanes.size());
  pattern.addresses = static_cast<int>(std::set(addresses.begin(), addresses.end()).size());
  pattern.first = addresses.front();
  pattern.stride = usual_step(addresses);
  if (!pattern.stride) pattern.stride = step_of_lanes(addresses, places);
  pattern.begin = pattern.stride ? begin_of(addresses, *pattern.stride) : pattern.first;
  for (std::size_t i = 1; pattern.stride && i < addresses.size(); ++i) {
    if (addresses[i] - addresses[i - 1] != *pattern.stride) ++pattern.runs;
  }
  if (lanes.size() > 1) pattern.every = static_cast<int>(usual_step(places).value_or(0));
  pattern.from_first_lane = lanes.back() + 1 == pattern.lanes;
  return pattern;
}

bool is_dense_but_for_idle_lanes(const Access& access) {
  const std::vector<int> lanes = lanes_of(access);
  if (lanes.empty() || lanes.back() - lanes.front() + 1 == static_cast<int>(lanes.size())) {
    return false;
  }
  const auto at = [&](int lane) { return access.address[static_cast<std::size_t>(lane)]; };
  return std::all_of(lanes.begin(), lanes.end(), [&](int lane) {
    return at(lane) - at(lanes.front()) ==
           static_cast<std::int64_t>(lane - lanes.front()) * access.bytes_per_lane;
  });
}

Crowd crowd_of(const Access& access) {
  std::array<std::set<std::int64_t>, kBanks> words;
  for (const int lane : lanes_of(access)) {
    const std::int64_t begin = access.address[static_cast<std::size_t>(lane)] / kBankBytes;
    const std::int64_t count = std::max<std::int64_t>(access.bytes_per_lane / kBankBytes, 1);
    for (std::int64_t word = begin; word < begin + count; ++word) {
      words[static_cast<std::size_t>(word % kBanks)].insert(word);
    }
  }
  const auto most = std::max_element(
      words.begin(), words.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
  return {static_cast<int>(most - words.begin()), static_cast<int>(most->size())};
}

}  // namespace lab::metrics
