// Aggregate functions that SQLite does not have.
#pragma once

struct sqlite3;

namespace lab::db {

/// Adds median(x), percentile(x, p) and stddev(x) to a connection. NULLs are left out; with nothing
/// left the result is NULL; a text is an error. A percentile lies between the two nearest values,
/// linearly, as in SQLite's own extension (and numpy's default); stddev divides by n - 1 and is
/// NULL for a single value.
void add_aggregates(sqlite3* connection);

}  // namespace lab::db
