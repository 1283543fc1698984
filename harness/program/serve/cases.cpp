#include "harness/program/serve/cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/core/metric_keys.h"

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

}  // namespace

double instructions_of(const CaseRecord& record) {
  const auto at =
      std::find_if(record.observations.begin(), record.observations.end(),
                   [](const Observation& one) { return one.metric == metric::kInstructions; });
  return at == record.observations.end() || !at->has_value() ? 0 : at->number();
}

bool Cases::knows(const CaseRecord& record) const { return known_.contains(shape_of(record)); }

std::optional<lab::KernelFacts> Cases::facts_of(const CaseRecord& record) const {
  return outcomes_[known_.at(shape_of(record))].record.kernel_facts;
}

void Cases::add_again(const CaseRecord& record) {
  ++launches_[known_.at(shape_of(record))];
  ++count_;
}

void Cases::add(CaseOutcome outcome, model::check::Looked looked) {
  CaseRecord& record = outcome.record;
  const std::uint64_t unchecked = looked == model::check::Looked::kBasic ? 1 : 0;
  ++count_;
  if (!each_launch_) {
    const auto [at, fresh] = known_.try_emplace(shape_of(record), outcomes_.size());
    if (!fresh) {
      CaseRecord& first = outcomes_[at->second].record;
      add_to(first.findings, record.findings);
      add_to(first.remarks, record.remarks);
      if (first.status == CaseStatus::kOk && record.status != CaseStatus::kOk) {
        first.status = record.status;
        first.reason = record.reason;
      }
      const double of_first = instructions_of(first);
      if (of_first > 0) {
        const double share = instructions_of(record) / of_first;
        Spread& spread = spreads_[at->second];
        spread = {std::min(spread.least, share), std::max(spread.most, share)};
      }
      ++launches_[at->second];
      unchecked_[at->second] += unchecked;
      return;
    }
  }
  record.index = static_cast<int>(outcomes_.size());
  launches_.push_back(1);
  unchecked_.push_back(unchecked);
  spreads_.emplace_back();
  outcomes_.push_back(std::move(outcome));
}

void Cases::add_measured(CaseRecord record) {
  if (measured_.size() == outcomes_.size()) return;
  record.index = static_cast<int>(measured_.size());
  measured_.push_back(std::move(record));
}

void Cases::hand_over(const std::function<void(CaseOutcome)>& finished) {
  for (std::size_t i = 0; i < outcomes_.size(); ++i) {
    std::map<std::string, std::string>& notes = outcomes_[i].record.notes;
    if (unchecked_[i] != 0) notes["unchecked_launches"] = std::to_string(unchecked_[i]);
    const Spread& spread = spreads_[i];
    constexpr double kAlike = 0.1;
    if (spread.most > 1 + kAlike || spread.least < 1 - kAlike) {
      notes["launches_differ"] = fmt::format("{:.2g} to {:.2g}", spread.least, spread.most);
    }
  }
  for (CaseOutcome& outcome : outcomes_) finished(std::move(outcome));
  outcomes_.clear();
}

}  // namespace lab::program
