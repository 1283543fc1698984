#include "harness/program/serve/cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace lab::program {
namespace {

std::string shape_of(const CaseRecord& record) {
  const auto& [grid, block, shared] = record.launch;
  return fmt::format("{} {},{},{} {},{},{} {}", record.kernel, grid.x, grid.y, grid.z, block.x,
                     block.y, block.z, shared);
}

void add_findings(const std::vector<Finding>& more, CaseRecord& record) {
  for (const Finding& finding : more) {
    const auto known =
        std::find_if(record.findings.begin(), record.findings.end(), [&](const Finding& one) {
          return one.kind == finding.kind && one.line == finding.line && one.file == finding.file;
        });
    if (known == record.findings.end()) {
      record.findings.push_back(finding);
    } else {
      known->count += finding.count;
    }
  }
}

bool is_unchecked(const CaseRecord& record) {
  const auto checkers = record.notes.find("checkers");
  return checkers != record.notes.end() && checkers->second == "basic";
}

}  // namespace

bool Cases::knows(const CaseRecord& record) const { return known_.contains(shape_of(record)); }

std::optional<lab::KernelFacts> Cases::facts_of(const CaseRecord& record) const {
  return outcomes_[known_.at(shape_of(record))].record.kernel_facts;
}

void Cases::add_again(const CaseRecord& record) {
  ++launches_[known_.at(shape_of(record))];
  ++count_;
}

void Cases::add(CaseOutcome outcome) {
  CaseRecord& record = outcome.record;
  ++count_;
  if (!each_launch_) {
    const auto [at, fresh] = known_.try_emplace(shape_of(record), outcomes_.size());
    if (!fresh) {
      CaseRecord& first = outcomes_[at->second].record;
      add_findings(record.findings, first);
      if (first.status == CaseStatus::kOk && record.status != CaseStatus::kOk) {
        first.status = record.status;
        first.reason = record.reason;
      }
      ++launches_[at->second];
      if (is_unchecked(record)) ++unchecked_[at->second];
      return;
    }
  }
  record.index = static_cast<int>(outcomes_.size());
  launches_.push_back(1);
  unchecked_.push_back(is_unchecked(record) ? 1 : 0);
  outcomes_.push_back(std::move(outcome));
}

void Cases::add_measured(CaseRecord record) {
  if (measured_.size() == outcomes_.size()) return;
  record.index = static_cast<int>(measured_.size());
  measured_.push_back(std::move(record));
}

void Cases::hand_over(const std::function<void(CaseOutcome)>& finished) {
  for (std::size_t i = 0; i < outcomes_.size(); ++i) {
    if (unchecked_[i] == 0) continue;
    outcomes_[i].record.notes["unchecked_launches"] = std::to_string(unchecked_[i]);
  }
  for (CaseOutcome& outcome : outcomes_) finished(std::move(outcome));
  outcomes_.clear();
}

}  // namespace lab::program
