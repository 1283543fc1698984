#include "db/calibration.h"

#include <SQLiteCpp/Transaction.h>

#include "db/rows.h"

namespace lab::db {

using SQLite::Statement;

void add_calibration(Store& store, const Calibration& calibration) {
  Connection& connection = store.connection();
  SQLite::Database& database = connection.database();
  connection.guarded([&] {
    SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
    Statement remove(database, "DELETE FROM calibrations WHERE gpu_uuid = ? AND taken_at = ?");
    execute(remove, calibration.gpu_uuid, calibration.taken_at);
    const std::int64_t id = insert_row(database, calibration);
    Inserter<Ceiling> ceilings(database, {"calibration_id"});
    for (const Ceiling& one : calibration.ceilings) ceilings.add(one, id);
    transaction.commit();
  });
}

std::optional<Calibration> latest_calibration(Store& store, const std::string& gpu_uuid) {
  Connection& connection = store.connection();
  SQLite::Database& database = connection.database();
  return connection.guarded([&]() -> std::optional<Calibration> {
    auto newest = select_rows<Calibration>(
        database, "WHERE gpu_uuid = ? ORDER BY taken_at DESC LIMIT 1", gpu_uuid);
    if (newest.empty()) return {};
    newest[0].ceilings = select_rows<Ceiling>(
        database,
        "WHERE calibration_id = (SELECT id FROM calibrations WHERE gpu_uuid = ? AND taken_at = ?)"
        " ORDER BY name",
        gpu_uuid, newest[0].taken_at);
    return std::move(newest[0]);
  });
}

}  // namespace lab::db
