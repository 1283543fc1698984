#include "harness/programs/serve/cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "metrics/catalogue.h"

namespace lab::program {
namespace {

std::string shape_of(const CaseRecord& record) {
  const auto& [grid, block, shared] = record.launch;
  return fmt::format("{} {},{},{} {},{},{} {}", record.kernel, grid.x, grid.y, grid.z, block.x,
                     block.y, block.z, shared);
}

void add_to(std::vector<Finding>& known, const std::vector<Finding>& more) {
  for (const Finding& finding : more) {
    const auto same = std::find_if(known.begin(), known.end(), [&](const Finding& one) {
      return one.kind == finding.kind && one.line == finding.line && one.file == finding.file;
    });
    if (same == known.end()) {
      known.push_back(finding);
    } else {
      same->count += finding.count;
    }
  }
}

std::optional<double> count_of(const CaseRecord& record, std::string_view key) {
  const auto at = std::find_if(record.observations.begin(), record.observations.end(),
                               [&](const Observation& one) { return one.metric == key; });
  if (at == record.observations.end() || !at->has_value()) return {};
  return at->number();
}

}  // namespace

double instructions_of(const CaseRecord& record) {
  return count_of(record, metric::kInstructions).value_or(0);
}

const std::vector<std::string_view>& Cases::compared() {
  static const std::vector<std::string_view> kKeys = [] {
    std::vector<std::string_view> keys = {metric::kInstructions};
    for (const metrics::Metric& row : metrics::catalogue()) {
      using metrics::Count;
      if (!row.counted) continue;
      const Count count = row.counted->count;
      const bool passes = count == Count::kSectors || count == Count::kWavefronts;
      if (passes || count == Count::kRequests) keys.push_back(row.key);
    }
    return keys;
  }();
  return kKeys;
}

Cases::Counts Cases::counts_of(const CaseRecord& record) {
  Counts counts;
  for (const std::string_view key : compared()) counts.push_back(count_of(record, key));
  return counts;
}

bool Cases::are_alike(const Counts& a, const Counts& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (compared()[i] == metric::kInstructions || !a[i] || !b[i]) continue;
    if (std::abs(*a[i] - *b[i]) > kAlike * *a[i]) return false;
  }
  return true;
}

bool Cases::knows(const CaseRecord& record) const { return of_shape_.contains(shape_of(record)); }

bool Cases::may_be_new(const CaseRecord& record, const std::string& name) const {
  if (of_name_.contains(name)) return false;
  const auto names = names_of_shape_.find(shape_of(record));
  return names == names_of_shape_.end() || names->second < kMostOfOneShape;
}

std::optional<lab::KernelFacts> Cases::facts_of(const CaseRecord& record,
                                                const std::string& name) const {
  const auto same = of_name_.find(name);
  const std::size_t row =
      same != of_name_.end() ? same->second : of_shape_.at(shape_of(record)).front();
  return rows_[row].outcome.record.kernel_facts;
}

std::vector<std::uint64_t> Cases::launches() const {
  std::vector<std::uint64_t> all;
  for (const Row& row : rows_) all.push_back(row.launches);
  return all;
}

// What is counted can be added up; what follows from the compiled kernel cannot.
Cases::Total Cases::counted_in(const CaseRecord& record) {
  Total counted;
  for (const Observation& one : record.observations) {
    const metrics::Metric* const row = metrics::find(one.metric);
    if (row == nullptr || row->model != metrics::InModel::kCounted) continue;
    counted.emplace_back(row->key, one.has_value() ? std::optional(one.number()) : std::nullopt);
  }
  return counted;
}

void Cases::add_to_totals(const Total& one) {
  for (const auto& [metric, value] : one) {
    const auto [sum, fresh] = totals_.try_emplace(metric, value);
    if (fresh) continue;
    sum->second = sum->second && value ? std::optional(*sum->second + *value) : std::nullopt;
  }
}

std::vector<Observation> Cases::totals() const {
  std::vector<Observation> all;
  for (const auto& [metric, sum] : totals_) {
    Observation& one = all.emplace_back();
    one.metric = std::string(metric);
    if (sum) {
      one.value = *sum;
    } else {
      one.value = Missing{NoValue::kNotCounted};
    }
  }
  return all;
}

void Cases::add_again(const std::string& name) {
  if (with_totals_) add_to_totals(counted_.at(name));
  ++rows_[of_name_.at(name)].launches;
  ++count_;
}

// Null: a new one is to be made.
Cases::Row* Cases::row_for(const CaseRecord& record, const Counts& counts) {
  const auto known = of_shape_.find(shape_of(record));
  if (each_launch_ || known == of_shape_.end()) return nullptr;
  for (const std::size_t row : known->second) {
    if (are_alike(rows_[row].counts, counts)) return &rows_[row];
  }
  // How often blocks look at what they wait for is no cost of the launch's own, and one that did
  // not come to its end has counted a part.
  const bool waits = record.notes.grid_barrier || record.status == CaseStatus::kTimeout;
  const bool full = known->second.size() == kMostOfOneShape;
  return full || waits ? &rows_[known->second.back()] : nullptr;
}

void Cases::join(Row& row, const CaseRecord& record, const Counts& counts) {
  CaseRecord& first = row.outcome.record;
  add_to(first.findings, record.findings);
  add_to(first.remarks, record.remarks);
  if (first.status == CaseStatus::kOk && record.status != CaseStatus::kOk) {
    first.status = record.status;
    first.reason = record.reason;
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (!counts[i] || !row.counts[i]) continue;
    row.least[i] = std::min(*row.least[i], *counts[i]);
    row.most[i] = std::max(*row.most[i], *counts[i]);
  }
  ++row.launches;
}

void Cases::add(CaseOutcome outcome, Looked looked, const std::string& name) {
  const CaseRecord& record = outcome.record;
  // The case itself tells of checkers that the user turned off.
  const std::uint64_t unchecked = watched(looked) || looked == Looked::kOff ? 0 : 1;
  const Counts counts = counts_of(record);
  const std::string shape = shape_of(record);
  ++count_;
  if (with_totals_) add_to_totals(counted_[name] = counted_in(record));
  Row* row = row_for(record, counts);
  if (row != nullptr) {
    join(*row, record, counts);
  } else {
    of_shape_[shape].push_back(rows_.size());
    outcome.record.index = static_cast<int>(rows_.size());
    rows_.push_back({std::move(outcome), counts, counts, counts});
    row = &rows_.back();
  }
  row->unchecked += unchecked;
  const auto [known, fresh] = of_name_.try_emplace(name, 0);
  known->second = static_cast<std::size_t>(row - rows_.data());
  if (fresh) ++names_of_shape_[shape];
}

void Cases::add_measured(CaseRecord record) {
  const std::size_t last = rows_.size() - 1;
  record.index = static_cast<int>(last);
  if (rows_[last].launches == 1) measured_.try_emplace(last, std::move(record));
}

std::vector<CaseRecord> Cases::measured() const {
  std::vector<CaseRecord> all;
  for (std::size_t i = 0; i < rows_.size() && !measured_.empty(); ++i) {
    const auto known = measured_.find(i);
    if (known != measured_.end()) {
      all.push_back(known->second);
      continue;
    }
    const CaseRecord& modelled = rows_[i].outcome.record;
    CaseRecord& skipped = all.emplace_back();
    skipped.index = modelled.index;
    skipped.kernel = modelled.kernel;
    skipped.arch = modelled.arch;
    skipped.launch = modelled.launch;
    skipped.status = CaseStatus::kSkipped;
    skipped.reason = "the GPU counts the first launch of each shape (--each: all of them)";
  }
  return all;
}

void Cases::note_range(Row& row) {
  constexpr double kHardly = 0.1;  // of instructions, which are no measure of memory's work
  CaseNotes& notes = row.outcome.record.notes;
  double widest = 0;
  for (std::size_t i = 0; i < compared().size(); ++i) {
    if (!row.counts[i]) continue;
    const double first = *row.counts[i];
    const double low = *row.least[i];
    const double high = *row.most[i];
    const double apart = std::max(high - first, first - low);
    if (compared()[i] == metric::kInstructions) {
      if (apart <= kHardly * first) continue;
      notes.launches_differ = fmt::format("{:.2g} to {:.2g}", low / first, high / first);
      continue;
    }
    // Nothing is further from 0 than any number.
    if (apart <= kAlike * first || apart <= widest * first) continue;
    widest = first > 0 ? apart / first : std::numeric_limits<double>::infinity();
    notes.launches_count = fmt::format("{:.6g} to {:.6g} {}, where the first has {:.6g}", low, high,
                                       compared()[i], first);
  }
}

void Cases::hand_over(const std::function<void(CaseOutcome)>& finished) {
  for (Row& row : rows_) {
    row.outcome.record.notes.unchecked_launches = row.unchecked;
    note_range(row);
    finished(std::move(row.outcome));
  }
  rows_.clear();
}

}  // namespace lab::program
