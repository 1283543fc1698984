#include "harness/reading/difference.h"

#include <algorithm>
#include <cmath>

#include "harness/core/text.h"
#include "harness/reading/case_name.h"
#include "harness/reading/metric_view.h"

namespace lab::reading {

namespace {

using metrics::Aim;
using metrics::Change;
using metrics::Sampled;

// How far apart: a factor of 2 is as far in either way; from or to nothing is farthest.
double distance(const Difference& one) {
  if (one.before.value == 0 || one.after.value == 0) return HUGE_VAL;
  return std::abs(std::log(std::abs(one.after.value / one.before.value)));
}

std::optional<Sampled> model_of(const CaseRecord& record, const std::string& key) {
  const auto value = metrics::value_of(record, key, SourceOf::kModel);
  if (!value) return {};
  return Sampled{*value, *value, *value, false};
}

std::optional<Difference> difference_of(std::string_view metric, Aim aim,
                                        const std::optional<Sampled>& before,
                                        const std::optional<Sampled>& after) {
  if (!before || !after) return {};
  return Difference{std::string(metric), *before, *after, metrics::change_of(aim, *before, *after)};
}

/// Counts of a run's own source by line and metric.
using LineCounts = std::map<int, std::map<std::string, double>>;

LineCounts counts_by_line(const CaseRecord& record, const RunRecord& run) {
  LineCounts counts;
  for (const LineObservation& one : record.lines) {
    if (one.source == SourceOf::kModel && one.line > 0 && one.file == run.source_name) {
      counts[one.line][one.metric] += one.value;
    }
  }
  return counts;
}

void add_line(std::vector<LineDifference>& out, int first, int second,
              const std::map<std::string, double>& before,
              const std::map<std::string, double>& after) {
  std::set<std::string> keys;
  for (const auto& [key, value] : before) keys.insert(key);
  for (const auto& [key, value] : after) keys.insert(key);
  const auto in = [](const std::map<std::string, double>& counts, const std::string& key) {
    const auto found = counts.find(key);
    return found == counts.end() ? 0.0 : found->second;
  };
  LineDifference most{first, second, {}};
  for (const std::string& key : keys) {
    // The metric that moves most stands for its line; instructions alone say little.
    const double a = in(before, key);
    const double b = in(after, key);
    if (key == "instructions" || metrics::aim_of(key) != Aim::kLess) continue;
    if (std::abs(a - b) > std::abs(most.before - most.after)) {
      most = {first, second, key, a, b, metrics::change_of(Aim::kLess, {a, a, a}, {b, b, b})};
    }
  }
  if (!most.metric.empty()) out.push_back(std::move(most));
}

// Two wordings of one line: they begin, or end, alike for half of the shorter one.
bool are_alike(std::string_view a, std::string_view b) {
  a = trim(a);
  b = trim(b);
  const std::size_t shorter = std::min(a.size(), b.size());
  std::size_t begin = 0;
  while (begin < shorter && a[begin] == b[begin]) ++begin;
  std::size_t end = 0;
  while (end < shorter - begin && a[a.size() - 1 - end] == b[b.size() - 1 - end]) ++end;
  return shorter > 0 && 2 * (begin + end) >= shorter;
}

// Time first, what is unclear last, between them the largest.
int rank(const Difference& one) {
  if (one.metric == Difference::kTime) return 0;
  return one.change == Change::kUnclear ? 2 : 1;
}

}  // namespace

std::string single_variant(const RunRecord& run) {
  std::set<std::string> names;
  for (const CaseRecord& record : run.cases) names.insert(record.variant);
  return names.size() == 1 ? *names.begin() : std::string();
}

const CaseRecord* counterpart(const RunRecord& run, const CaseRecord& record) {
  const auto found = std::find_if(run.cases.begin(), run.cases.end(), [&](const auto& other) {
    return other.variant == record.variant && other.params == record.params;
  });
  return found == run.cases.end() ? nullptr : &*found;
}

std::vector<CasePair> pairs_of(const RunRecord& first, const RunRecord& second) {
  const std::string one = single_variant(first);
  const std::string other = single_variant(second);
  const bool across = !one.empty() && !other.empty() && one != other;
  std::vector<CasePair> pairs;
  for (const CaseRecord& record : first.cases) {
    const auto found =
        std::find_if(second.cases.begin(), second.cases.end(), [&](const CaseRecord& candidate) {
          return across ? agree(record.params, candidate.params)
                        : candidate.variant == record.variant && candidate.params == record.params;
        });
    if (found != second.cases.end()) pairs.emplace_back(&record, &*found);
  }
  return pairs;
}

std::vector<int> matched_lines(std::string_view first, std::string_view second) {
  constexpr std::size_t kMost = 4000;  // lines: the table has their product
  const std::vector<std::string_view> a = split(first, '\n');
  const std::vector<std::string_view> b = split(second, '\n');
  std::vector<int> match(a.size() + 1, 0);
  if (a.size() > kMost || b.size() > kMost) {
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
      if (a[i] == b[i]) match[i + 1] = static_cast<int>(i + 1);
    }
    return match;
  }
  // common[i][j]: the longest common subsequence of what follows line i and line j.
  const std::size_t width = b.size() + 1;
  std::vector<int> common((a.size() + 1) * width, 0);
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) {
      common[i * width + j] = trim(a[i]) == trim(b[j]) ? common[(i + 1) * width + j + 1] + 1
                                                       : std::max(common[(i + 1) * width + j],
                                                                  common[i * width + j + 1]);
    }
  }
  std::size_t i = 0;
  std::size_t j = 0;
  std::vector<std::size_t> gone;  // lines of a, and of b, since the last that stayed
  std::vector<std::size_t> come;
  const auto settle = [&] {
    std::size_t next = 0;
    const bool as_many = gone.size() == come.size();
    for (const std::size_t line : gone) {
      for (std::size_t k = next; k < come.size(); ++k) {
        if (!as_many && !are_alike(a[line], b[come[k]])) continue;
        match[line + 1] = static_cast<int>(come[k] + 1);
        next = k + 1;
        break;
      }
    }
    gone.clear();
    come.clear();
  };
  while (i < a.size() && j < b.size()) {
    if (trim(a[i]) == trim(b[j])) {
      settle();
      match[++i] = static_cast<int>(++j);
    } else if (common[(i + 1) * width + j] >= common[i * width + j + 1]) {
      gone.push_back(i++);
    } else {
      come.push_back(j++);
    }
  }
  while (i < a.size()) gone.push_back(i++);
  while (j < b.size()) come.push_back(j++);
  settle();
  return match;
}

std::optional<Difference> difference_in(const CasePair& pair, const std::string& metric) {
  if (metric == Difference::kTime) {
    return difference_of(metric, Aim::kLess, metrics::sampled_time(*pair.first),
                         metrics::sampled_time(*pair.second));
  }
  auto before = metrics::sampled_of(*pair.first, metric);
  auto after = metrics::sampled_of(*pair.second, metric);
  if (before && after && before->measured != after->measured) {
    before = model_of(*pair.first, metric);
    after = model_of(*pair.second, metric);
  }
  return difference_of(metric, metrics::aim_of(metric), before, after);
}

PairReading read(const CasePair& pair, const std::set<std::string>& metrics) {
  PairReading made;
  const auto add = [&](const std::string& metric) {
    const auto one = difference_in(pair, metric);
    if (!one) return;
    ++made.counts[one->change];
    if (one->change != Change::kSame) made.different.push_back(*one);
  };
  if (metrics.empty()) add(std::string(Difference::kTime));
  for (const MetricView& view : metric_views(*pair.first)) {
    if (metrics.empty() || metrics.contains(view.key)) add(view.key);
  }
  std::stable_sort(made.different.begin(), made.different.end(), [](const auto& a, const auto& b) {
    return rank(a) != rank(b) ? rank(a) < rank(b) : distance(a) > distance(b);
  });
  return made;
}

std::vector<LineDifference> line_differences(const RunRecord& first, const RunRecord& second,
                                             const CasePair& pair) {
  const LineCounts before = counts_by_line(*pair.first, first);
  LineCounts after = counts_by_line(*pair.second, second);
  const std::vector<int> match = matched_lines(first.source_text, second.source_text);
  std::vector<LineDifference> all;
  for (const auto& [line, counts] : before) {
    const int other = line < std::ssize(match) ? match[static_cast<std::size_t>(line)] : 0;
    add_line(all, line, other, counts, other == 0 ? LineCounts::mapped_type{} : after[other]);
    after.erase(other);
  }
  for (const auto& [line, counts] : after) add_line(all, 0, line, {}, counts);
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::abs(a.before - a.after) > std::abs(b.before - b.after);
  });
  return all;
}

}  // namespace lab::reading
