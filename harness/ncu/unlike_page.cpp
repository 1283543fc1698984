#include "harness/ncu/unlike_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/ncu/side_by_side.h"
#include "harness/page/make.h"

namespace lab::ncu {

namespace {

// Of all cases of a run launches were timed alike.
std::string how_timed(const RunRecord& run) {
  for (const CaseRecord& record : run.cases) {
    if (!record.timing) continue;
    return fmt::format("{}, {} L2", record.timing->method, name_of(record.timing->cache));
  }
  return {};
}

}  // namespace

std::vector<std::string> unlike_of(const RunRecord& run) {
  return unlike(our_conditions(run), their_conditions(run));
}

std::vector<page::Block> unlike_ncu(const RunRecord& run) {
  const bool any = std::any_of(run.cases.begin(), run.cases.end(), [](const CaseRecord& record) {
    return std::any_of(record.observations.begin(), record.observations.end(),
                       [](const Observation& one) { return one.source == SourceOf::kNcu; });
  });
  if (!any) return {};
  return page::list_of("Nsight Compute counted under other conditions:", unlike_of(run));
}

std::vector<page::Block> unlike_runs(const RunRecord& first, const RunRecord& second) {
  const auto conditions = [](const RunRecord& run) {
    Conditions all = our_conditions(run);
    if (run.gpu.empty()) all.erase("clocks");
    all["arch"] = run.arch;
    all["gpu"] = run.gpu;
    return all;
  };
  Conditions a = conditions(first);
  Conditions b = conditions(second);
  const std::string timed_a = how_timed(first);
  const std::string timed_b = how_timed(second);
  if (!timed_a.empty() && !timed_b.empty()) {
    a["timing"] = timed_a;
    b["timing"] = timed_b;
  }
  return page::list_of("Taken under different conditions:", unlike(a, b, {"A's", "B's"}));
}

}  // namespace lab::ncu
