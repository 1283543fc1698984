// Table larger_times keeps the times that a run's table is expected to take at a GPU's sizes.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/record.h"

namespace lab::db {

/// The part that is kept of a row of RunRecord::at_gpu_size.
struct LargerTime {
  std::string variant;
  Params params = {};
  std::optional<double> bytes = {};  ///< that the task needs; over the time: GB/s
  ExpectedTime expected = {};
};

/// Both within a transaction of the caller.
void add_larger_times(SQLite::Database& database, const RunRecord& run);
[[nodiscard]] std::vector<CaseRecord> load_larger_times(SQLite::Database& database,
                                                        std::int64_t run_id);

}  // namespace lab::db
