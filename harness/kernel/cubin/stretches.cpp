#include "harness/kernel/cubin/stretches.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

namespace lab::cubin {

namespace {

constexpr std::int64_t kWordBytes = 16;

/// The instruction that a branch leads to; empty: none of the function's.
std::optional<std::size_t> target_of(const Function& function, std::size_t at) {
  const Issue& issue = function.code[at];
  if (issue.jump_by == 0) return {};
  const std::int64_t to =
      static_cast<std::int64_t>(at) + 1 + std::int64_t{issue.jump_by} / kWordBytes;
  if (to < 0 || to >= static_cast<std::int64_t>(function.code.size())) return {};
  return static_cast<std::size_t>(to);
}

/// Of any order: those that no path leads to are left out later.
std::vector<Stretch> cut(const Function& function) {
  std::set<std::size_t> heads = {0};
  for (std::size_t i = 0; i < function.code.size(); ++i) {
    if (const auto to = target_of(function, i)) heads.insert(*to);
    if (function.code[i].ends) heads.insert(i + 1);
  }
  std::vector<Stretch> all;
  for (auto at = heads.begin(); at != heads.end() && *at < function.code.size(); ++at) {
    const auto next = std::next(at);
    const std::size_t end = next == heads.end() ? function.code.size() : *next;
    all.push_back({*at, std::min(end, function.code.size()) - 1});
  }
  return all;
}

class Graph {
 public:
  Graph(const Function& function, std::vector<Stretch> all)
      : function_(function), all_(std::move(all)), reached_(all_.size(), false) {
    reach(0);
    mark_loops();
  }
  [[nodiscard]] std::vector<Stretch> reached() const {
    std::vector<Stretch> out;
    std::vector<std::size_t> number(all_.size(), 0);
    for (std::size_t i = 0; i < all_.size(); ++i) {
      number[i] = out.size();
      if (reached_[i]) out.push_back(all_[i]);
    }
    for (Stretch& one : out) {
      if (one.is_head) one.loop_last = number[one.loop_last];
    }
    return out;
  }

 private:
  [[nodiscard]] std::size_t at(std::size_t instruction) const {
    const auto after = std::upper_bound(
        all_.begin(), all_.end(), instruction,
        [](std::size_t value, const Stretch& stretch) { return value < stretch.first; });
    return static_cast<std::size_t>(after - all_.begin()) - 1;
  }
  // A jump to where a register says may lead anywhere: then all that follows is reached.
  void reach(std::size_t first) {
    std::vector<std::size_t> open = {first};
    while (!open.empty()) {
      const std::size_t i = open.back();
      open.pop_back();
      if (i >= all_.size() || reached_[i]) continue;
      reached_[i] = true;
      const Issue& end = function_.code[all_[i].last];
      const auto to = target_of(function_, all_[i].last);
      if (to) open.push_back(at(*to));
      const bool goes_on = !end.ends || end.predicated || (end.opcode != kExit && !to);
      if (goes_on) open.push_back(i + 1);
    }
  }
  void mark_loops() {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const auto to = reached_[i] ? target_of(function_, all_[i].last) : std::nullopt;
      if (!to || *to > all_[i].last) continue;
      const std::size_t head = at(*to);
      all_[head].is_head = true;
      all_[head].loop_last = std::max(all_[head].loop_last, i);
      for (std::size_t k = head; k <= i; ++k) all_[k].in_loop = true;
    }
  }

  static constexpr std::uint16_t kExit = 0x14d;
  const Function& function_;
  std::vector<Stretch> all_;
  std::vector<bool> reached_;
};

/// A line's instructions in one stretch.
struct Copies {
  std::size_t stretch = 0;
  double copies = 0;
  double instructions = 0;  ///< that are issued whatever a predicate says
  double all = 0;
  double times = 0;
};

/// How often a line stands there whose instructions have these opcodes, each so often: as often as
/// the opcode that is there most, since what copies share is made once. One instruction of the PTX
/// that takes several kinds (a division, a root) has some of one opcode in a single copy, too.
double copies_of(const std::map<std::uint16_t, int>& opcodes) {
  constexpr std::size_t kMostOfSimple = 2;
  const auto [least, most] =
      std::minmax_element(opcodes.begin(), opcodes.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; });
  return opcodes.size() > kMostOfSimple ? least->second : most->second;
}

std::map<std::uint32_t, std::vector<Copies>> copies_by_line(const Function& function,
                                                            const std::vector<Stretch>& all) {
  std::map<std::uint32_t, std::vector<Copies>> lines;
  for (std::size_t s = 0; s < all.size(); ++s) {
    std::map<std::uint32_t, std::map<std::uint16_t, int>> found;
    std::map<std::uint32_t, double> always;
    std::map<std::uint32_t, double> all_of;
    for (std::size_t i = all[s].first; i <= all[s].last; ++i) {
      const Issue& one = function.code[i];
      if (one.ptx_line == 0) continue;
      ++found[one.ptx_line][one.opcode];
      ++all_of[one.ptx_line];
      if (!one.predicated) ++always[one.ptx_line];
    }
    for (const auto& [line, opcodes] : found) {
      lines[line].push_back({s, copies_of(opcodes), always[line], all_of[line]});
    }
  }
  return lines;
}

/// Spreads a line's executions over its copies: loops first, and of these the one with most copies.
void spread(double times, const std::vector<Stretch>& all, std::vector<Copies>& copies) {
  std::stable_sort(copies.begin(), copies.end(), [&](const Copies& a, const Copies& b) {
    if (all[a.stretch].in_loop != all[b.stretch].in_loop) return all[a.stretch].in_loop;
    return a.copies > b.copies;
  });
  constexpr double kEven = 1e-6;
  // Code that runs once has no copies: instructions of one opcode are parts of it.
  const bool once = times <= 1;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const bool last = i + 1 == copies.size();
    const double parts = once ? 1 : copies[i].copies;
    const double whole = times / parts;
    copies[i].times = last || once ? whole : std::floor(whole + kEven);
    times = std::max(0.0, times - copies[i].times * parts);
  }
}

/// The value that half of the weight lies below.
double median(std::vector<std::pair<double, double>> weighted) {
  std::sort(weighted.begin(), weighted.end());
  double all = 0;
  for (const auto& [value, weight] : weighted) all += weight;
  double below = 0;
  for (const auto& [value, weight] : weighted) {
    below += weight;
    if (2 * below >= all) return value;
  }
  return 0;
}

}  // namespace

std::vector<Stretch> stretches(const Function& function, const LineTimes& times) {
  if (function.code.empty()) return {};
  std::vector<Stretch> all = Graph(function, cut(function)).reached();
  std::vector<std::vector<std::pair<double, double>>> seen(all.size());
  for (auto& [line, copies] : copies_by_line(function, all)) {
    const auto ran = times.find(line);
    if (ran == times.end()) continue;
    spread(ran->second, all, copies);
    for (const Copies& one : copies) {
      seen[one.stretch].emplace_back(one.times, one.instructions);
    }
  }
  for (std::size_t s = 0; s < all.size(); ++s) {
    if (all[s].in_loop) {
      all[s].times = median(seen[s]);
      continue;
    }
    for (const auto& [value, weight] : seen[s]) all[s].times = std::max(all[s].times, value);
    all[s].times = std::min(all[s].times, 1.0);
  }
  // A stretch that ends without a jump goes on to the next, also where that has nothing but a part
  // of a line whose first part was elsewhere.
  for (std::size_t s = 1; s < all.size(); ++s) {
    const Stretch& before = all[s - 1];
    const bool goes_on = !function.code[before.last].ends && before.last + 1 == all[s].first;
    if (goes_on && before.in_loop == all[s].in_loop && !all[s].is_head) {
      all[s].times = std::max(all[s].times, before.times);
    }
  }
  // A loop goes round as often as it jumps back, also where its head has nothing but instructions
  // that were moved there from elsewhere.
  for (Stretch& one : all) {
    if (one.is_head) one.times = std::max(one.times, all[one.loop_last].times);
  }
  return all;
}

double instructions_of_lines(const Function& function, const LineTimes& times) {
  if (function.code.empty()) return 0;
  const std::vector<Stretch> all = Graph(function, cut(function)).reached();
  double sum = 0;
  for (const auto& [line, places] : copies_by_line(function, all)) {
    const auto ran = times.find(line);
    if (ran == times.end()) continue;
    double copies = 0;
    double instructions = 0;
    for (const Copies& one : places) {
      copies += one.copies;
      instructions += one.all;
    }
    // Code that runs once has no copies, as in spread().
    sum += ran->second * (ran->second <= 1 ? instructions : instructions / copies);
  }
  return sum;
}

}  // namespace lab::cubin
