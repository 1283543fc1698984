#include "harness/model/layout/search.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>
#include <tuple>

namespace lab::layout {

namespace {

// Past this, banks and sectors repeat.
constexpr std::uint64_t kPeriod = 128;
constexpr std::uint64_t kSector = 32;

std::uint64_t elements_of(const Problem& problem) {
  return std::max<std::uint64_t>(problem.bytes / problem.element, 1);
}

Layout rows_of(const Problem& problem, std::uint64_t columns) {
  Layout layout;
  layout.columns = columns;
  layout.rows = (elements_of(problem) + columns - 1) / columns;
  return layout;
}

// Elements after which the banks repeat.
std::uint64_t period(const Problem& problem) {
  return std::max<std::uint64_t>(kPeriod / problem.element, 1);
}

void add_paddings(const Problem& problem, Layout layout, std::vector<Layout>& all) {
  layout.family = Family::kPadded;
  for (layout.pad = 1; layout.pad <= period(problem); ++layout.pad) all.push_back(layout);
}

void add_permutations(const Problem& problem, Layout layout, std::vector<Layout>& all) {
  constexpr unsigned kMostSkip = 6;
  layout.family = Family::kPermuted;
  const auto in_row = static_cast<unsigned>(std::countr_zero(layout.columns));
  const auto in_period = static_cast<unsigned>(std::countr_zero(period(problem)));
  const unsigned top = std::min(in_row, in_period);
  for (layout.skip = 0; layout.skip < kMostSkip; ++layout.skip) {
    for (layout.unit = 0; layout.unit < top; ++layout.unit) {
      for (layout.bits = 1; layout.unit + layout.bits <= top; ++layout.bits) {
        if (layout.rows >> layout.skip > 1) all.push_back(layout);
      }
    }
  }
}

void add_rotations(const Problem& problem, Layout layout, std::vector<Layout>& all) {
  layout.family = Family::kRotated;
  const std::uint64_t most = std::min(layout.columns - 1, period(problem));
  for (layout.step = 1; layout.step <= most; ++layout.step) all.push_back(layout);
}

void add_transpositions(Layout layout, std::vector<Layout>& all) {
  layout.family = Family::kTransposed;
  for (layout.pad = 0; layout.pad <= 1; ++layout.pad) all.push_back(layout);
}

void add_of_shared(const Problem& problem, const Layout& rows, std::vector<Layout>& all) {
  add_paddings(problem, rows, all);
  add_permutations(problem, rows, all);
  add_rotations(problem, rows, all);
  add_transpositions(rows, all);
}

void add_of_global(const Problem& problem, const Layout& rows, std::vector<Layout>& all) {
  Layout layout = rows;
  // Rows that begin sectors.
  layout.family = Family::kPadded;
  const std::uint64_t beyond = layout.columns * problem.element % kSector;
  layout.pad = (kSector - beyond) / problem.element;
  if (beyond != 0 && beyond % problem.element == 0) all.push_back(layout);
  layout.pad = 0;
  for (const Family family : {Family::kTransposed, Family::kTiled}) {
    layout.family = family;
    all.push_back(layout);
  }
}

void add_shifts(const Problem& problem, Layout layout, std::vector<Layout>& all) {
  layout.family = Family::kShifted;
  for (layout.pad = 1; layout.pad * problem.element < kSector; ++layout.pad) all.push_back(layout);
}

// Among equal costs: what changes fewest lines of the source, then the least memory.
auto rank(const Candidate& one) {
  return std::tuple(one.cost, one.layout.family, one.bytes, one.layout.pad, one.layout.step,
                    one.layout.unit, one.layout.bits, one.layout.skip);
}

}  // namespace

std::vector<Layout> candidates(const Problem& problem, std::uint64_t columns) {
  std::vector<Layout> all;
  if (columns < 2 || columns >= elements_of(problem)) return all;
  const Layout rows = rows_of(problem, columns);
  if (problem.global) {
    add_of_global(problem, rows, all);
  } else {
    add_of_shared(problem, rows, all);
  }
  return all;
}

std::vector<std::uint64_t> suggested_columns(const Problem& problem) {
  std::map<std::uint64_t, std::uint64_t> seen;  // by length, how many lanes suggest it
  for (const Use& use : problem.uses) {
    for (std::size_t lane = 1; lane < use.offset.size(); ++lane) {
      const std::int64_t from = use.offset[lane - 1];
      const std::int64_t to = use.offset[lane];
      if (from < 0 || to < 0) continue;
      const std::uint64_t apart = static_cast<std::uint64_t>(std::abs(to - from));
      if (apart % problem.element == 0 && apart > problem.element) {
        seen[apart / problem.element] += use.times;
      }
    }
  }
  constexpr std::size_t kMost = 4;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> by_count;
  for (const auto& [length, count] : seen) by_count.emplace_back(count, length);
  std::sort(by_count.rbegin(), by_count.rend());
  std::vector<std::uint64_t> columns;
  for (std::size_t i = 0; i < by_count.size() && i < kMost; ++i) {
    columns.push_back(by_count[i].second);
  }
  if (!problem.global && period(problem) > 1) columns.push_back(period(problem));
  return columns;
}

Solution solve(const Problem& problem) {
  Solution solution;
  solution.now.layout = rows_of(problem, problem.columns.empty()
                                             ? elements_of(problem)
                                             : std::max<std::uint64_t>(problem.columns.front(), 1));
  solution.now.bytes = problem.bytes;
  solution.now.cost = cost(problem.uses, problem.element, solution.now.layout).value_or(0);
  solution.least = least(problem.uses);
  solution.tried = 1;
  if (solution.now.cost <= solution.least) return solution;

  std::vector<Layout> all;
  for (const std::uint64_t columns : problem.columns) {
    for (Layout& layout : candidates(problem, columns)) all.push_back(layout);
  }
  if (problem.global) add_shifts(problem, solution.now.layout, all);
  std::map<Family, Candidate> best;
  for (const Layout& layout : all) {
    if (layout.elements() * problem.element > problem.most_bytes) continue;
    ++solution.tried;
    const auto known = best.find(layout.family);
    const std::uint64_t most = known == best.end() ? solution.now.cost - 1 : known->second.cost;
    const auto found = cost(problem.uses, problem.element, layout, most);
    if (!found) continue;
    const Candidate one{layout, *found, layout.elements() * problem.element};
    if (known == best.end() || rank(one) < rank(known->second)) best[layout.family] = one;
  }
  for (const auto& [family, one] : best) solution.better.push_back(one);
  std::sort(solution.better.begin(), solution.better.end(),
            [](const Candidate& a, const Candidate& b) { return rank(a) < rank(b); });
  solution.padding_breaks_vectors =
      std::any_of(problem.uses.begin(), problem.uses.end(), [&](const Use& use) {
        return use.unit > problem.element ||
               (use.rule == CostRule::kSharedRows && problem.element < 16);
      });
  return solution;
}

}  // namespace lab::layout
