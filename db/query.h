// One SELECT over a database that can't be changed by it.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "db/connection.h"
#include "db/table_format.h"

namespace lab::db {

struct QueryOptions {
  /// Asked every few thousand steps; true ends the query.
  std::function<bool()> cancelled = {};
  std::chrono::milliseconds busy = kBusyTimeout;
};

struct QueryResult {
  Table table;
  bool interrupted = false;  ///< by `cancelled`; the table holds the rows before
};

/// Runs `sql` on the database at `path`, opened read-only. Beside SQLite's own functions there are
/// the aggregates median(x), percentile(x, p) with p in 0..100, and stddev(x) of a sample; NULLs
/// don't count. Throws the errors of Connection, and input errors with line, caret and hint for a
/// statement that SQLite does not accept, that writes, or that is followed by a second one.
[[nodiscard]] QueryResult query(const std::string& path, std::string_view sql,
                                const QueryOptions& options = {});

}  // namespace lab::db
