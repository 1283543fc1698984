// What a case came to (harness/reading), stored beside it so that SQL says what every page says.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>

#include "harness/core/record.h"

namespace lab::db {

/// Within a transaction of the caller.
void insert_reading(SQLite::Database& database, std::int64_t case_id, const CaseRecord& record);

/// Reads the cases that have no reading, such as those that an older version stored. The schema is
/// this program's.
void fill_readings(SQLite::Database& database);

}  // namespace lab::db
