// Functions that SQLite does not have, or not as we need them.
#pragma once

struct sqlite3;

namespace lab::db {

/// Adds median(x), percentile(x, p) and stddev(x) to a connection. NULLs are left out; with nothing
/// left the result is NULL; a text is an error. A percentile lies between the two nearest values,
/// linearly, as in SQLite's own extension (and numpy's default); stddev divides by n - 1 and is
/// NULL for a single value.
void add_aggregates(sqlite3* connection);

/// json_array_length(x), which the table timings computes a column with: SQLite's own is not one of
/// those that a schema may call which is not trusted.
void add_innocuous_functions(sqlite3* connection);

}  // namespace lab::db
