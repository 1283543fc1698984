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

}  // namespace

void Cases::add(CaseOutcome outcome) {
  CaseRecord& record = outcome.record;
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
      return;
    }
  }
  record.index = static_cast<int>(outcomes_.size());
  outcomes_.push_back(std::move(outcome));
  launches_.push_back(1);
}

void Cases::hand_over(const std::function<void(CaseOutcome)>& finished) {
  for (CaseOutcome& outcome : outcomes_) finished(std::move(outcome));
  outcomes_.clear();
}

}  // namespace lab::program
