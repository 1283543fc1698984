#include "harness/ncu/imported.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "harness/ncu/observe.h"
#include "harness/ncu/side_by_side.h"

namespace lab::ncu {

std::vector<CounterRow> counter_rows(const RunRecord& run) {
  const std::string chip = chip_of(run);
  const Conditions ours = our_conditions(run);
  const Conditions theirs = their_conditions(run);
  std::vector<CounterRow> rows;
  std::vector<double> largest;
  for (const CaseRecord& record : run.cases) {
    for (const Pair& pair : pairs_of(record, chip)) {
      auto row = std::find_if(rows.begin(), rows.end(), [&](const CounterRow& r) {
        return r.key == pair.key && r.source == pair.source;
      });
      if (row == rows.end()) {
        const auto* metric = metrics::find(pair.key);
        rows.push_back({pair.key, pair.source,
                        std::string(metric == nullptr ? "" : name_of(metric->metric_class))});
        largest.push_back(-1);
        row = std::prev(rows.end());
      }
      ++row->cases;
      row->equal += pair.ours == pair.theirs ? 1 : 0;
      const double difference =
          std::fabs(pair.ours - pair.theirs) / std::max(std::fabs(pair.theirs), 1e-300);
      double& most = largest[static_cast<std::size_t>(row - rows.begin())];
      if (difference <= most) continue;
      most = difference;
      row->ours = pair.ours;
      row->theirs = pair.theirs;
      row->where =
          record.variant + (record.params.text().empty() ? "" : " ") + record.params.text();
    }
  }
  for (CounterRow& row : rows) {
    if (row.equal < row.cases) row.cause = cause_of(row.key, ours, theirs);
  }
  return rows;
}

bool exact_differs(const std::vector<CounterRow>& rows) {
  return std::any_of(rows.begin(), rows.end(), [](const CounterRow& row) {
    return row.metric_class == "exact" && row.equal < row.cases && row.cause.empty();
  });
}

}  // namespace lab::ncu
