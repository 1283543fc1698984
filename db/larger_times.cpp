#include "db/larger_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "db/rows.h"
#include "harness/core/metric_keys.h"

namespace lab::db {
namespace {

bool is_needed_bytes(const Observation& one) {
  return one.metric == metric::kNeededBytes && one.source == SourceOf::kTheory && one.has_value();
}

LargerTime row_of(const CaseRecord& record) {
  LargerTime row{record.variant, record.params};
  const auto& all = record.observations;
  const auto needed = std::find_if(all.begin(), all.end(), is_needed_bytes);
  if (needed != all.end()) row.bytes = needed->number();
  row.expected = record.expected.value_or(ExpectedTime{});
  return row;
}

CaseRecord case_of(LargerTime row, int index) {
  CaseRecord record;
  record.index = index;
  record.variant = std::move(row.variant);
  record.params = std::move(row.params);
  record.expected = std::move(row.expected);
  if (row.bytes) {
    record.observations.push_back(
        {std::string(metric::kNeededBytes), SourceOf::kTheory, *row.bytes});
  }
  return record;
}

}  // namespace

void add_larger_times(SQLite::Database& database, const RunRecord& run) {
  if (run.at_gpu_size.empty()) return;
  Inserter<LargerTime> rows(database, {"run_id", "seq"});
  int seq = 0;
  for (const CaseRecord& record : run.at_gpu_size) rows.add(row_of(record), run.id, seq++);
}

std::vector<CaseRecord> load_larger_times(SQLite::Database& database, std::int64_t run_id) {
  SQLite::Statement rows(database,
                         fmt::format("SELECT {} FROM {} t WHERE t.run_id = ? ORDER BY t.seq",
                                     select_list<LargerTime>("t"), kTableOf<LargerTime>));
  start(rows, run_id);
  std::vector<CaseRecord> cases;
  while (rows.executeStep()) {
    Reader row(rows);
    cases.push_back(case_of(row.take<LargerTime>(), static_cast<int>(cases.size())));
  }
  return cases;
}

}  // namespace lab::db
