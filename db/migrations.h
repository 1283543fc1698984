// The schema as a list of steps. A step that was released is never edited: add another.
#pragma once

#include <SQLiteCpp/Database.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lab::db {

struct Migration {
  int version;            ///< that it brings a database to (PRAGMA user_version)
  std::string_view what;  ///< for messages
  std::string_view sql;   ///< one or more statements, no transaction control
};

/// In the order of versions; the first makes an empty file a database.
[[nodiscard]] const std::vector<Migration>& migrations();

/// The oldest that is migrated. Files from before it were never released.
[[nodiscard]] int oldest_version();

/// The version that this program writes.
[[nodiscard]] int schema_version();

/// The tables of a version: name and CREATE TABLE as SQLite keeps it. Of a version before the
/// oldest those of the oldest: runs were sealed over the same columns then.
[[nodiscard]] const std::map<std::string, std::string>& tables_of(int version);

/// Takes the steps from the database's version up to `target`, each in a transaction of its own,
/// so that an interrupted migration is continued by the next one. True where a step was taken.
bool migrate(SQLite::Database& database, int target);

}  // namespace lab::db
