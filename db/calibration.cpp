#include "db/calibration.h"

#include <SQLiteCpp/Transaction.h>

#include "db/record_sql.h"
#include "db/statement.h"

namespace lab::db {

using SQLite::Statement;

void add_calibration(Store& store, const Calibration& calibration) {
  Connection& connection = store.connection();
  SQLite::Database& database = connection.database();
  connection.guarded([&] {
    SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
    Statement remove(database, "DELETE FROM calibrations WHERE gpu_uuid = ? AND taken_at = ?");
    execute(remove, calibration.gpu_uuid, calibration.taken_at);
    Statement insert(
        database, "INSERT INTO calibrations(gpu_uuid, gpu, driver, taken_at) VALUES (?, ?, ?, ?)");
    execute(insert, calibration.gpu_uuid, calibration.gpu, nullable(calibration.driver),
            calibration.taken_at);
    const std::int64_t id = database.getLastInsertRowid();
    Statement add(database, insert_sql<Ceiling>("ceilings", {"calibration_id"}));
    for (const Ceiling& one : calibration.ceilings) {
      Binder binder(add);
      binder.put(id);
      binder.put(one);
      add.exec();
    }
    transaction.commit();
  });
}

std::optional<Calibration> latest_calibration(Store& store, const std::string& gpu_uuid) {
  Connection& connection = store.connection();
  SQLite::Database& database = connection.database();
  return connection.guarded([&]() -> std::optional<Calibration> {
    Statement newest(database,
                     "SELECT id, gpu, driver, taken_at FROM calibrations WHERE gpu_uuid = ?"
                     " ORDER BY taken_at DESC LIMIT 1");
    newest.bind(1, gpu_uuid);
    if (!newest.executeStep()) return {};
    Calibration found{gpu_uuid,
                      newest.getColumn(1).getString(),
                      newest.getColumn(2).getString(),
                      newest.getColumn(3).getString(),
                      {}};
    Statement ceilings(database, fmt::format("SELECT {} FROM ceilings c WHERE c.calibration_id = ?"
                                             " ORDER BY c.name",
                                             select_list<Ceiling>("c")));
    ceilings.bind(1, newest.getColumn(0).getInt64());
    while (ceilings.executeStep()) found.ceilings.push_back(Reader(ceilings).take<Ceiling>());
    return found;
  });
}

}  // namespace lab::db
