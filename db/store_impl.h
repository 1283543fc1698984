// Internal to db/: what a Store holds.
#pragma once

#include <SQLiteCpp/Transaction.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "db/connection.h"
#include "db/store.h"

namespace lab::db {

/// A run's cases by their ids, in the run's order.
[[nodiscard]] std::vector<std::pair<std::int64_t, CaseRecord>> load_cases(
    SQLite::Database& database, std::int64_t run_id);

struct Store::Impl {
  explicit Impl(Connection opened) : connection(std::move(opened)) {}

  [[nodiscard]] SQLite::Database& database() { return connection.database(); }

  /// When a commit waits for the disk. To wait each time takes 16 ms per case on a common disk.
  enum class Sync : std::uint8_t { kWhereTheLastIsOld, kNow };

  /// Runs `body` in a transaction. Killing the process loses nothing committed. Loss of power loses
  /// a second's work, but for what is committed with Sync::kNow.
  template <typename Body>
  void transact(Sync when, Body&& body) {
    if (together) return connection.guarded(std::forward<Body>(body));
    connection.guarded([&] {
      const auto now = std::chrono::steady_clock::now();
      const bool sync = when == Sync::kNow || now - synced >= kBetweenSyncs;
      database().exec(sync ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = OFF");
      SQLite::Transaction transaction(database(), SQLite::TransactionBehavior::IMMEDIATE);
      body();
      transaction.commit();
      if (sync) synced = std::chrono::steady_clock::now();
    });
  }

  template <typename Body>
  void transact(Body&& body) {
    transact(Sync::kWhereTheLastIsOld, std::forward<Body>(body));
  }

  void learn_params(std::int64_t run_id, const Params& params);
  /// Both within a transaction of the caller. insert_run fills in the id.
  void insert_run(RunRecord& run, RunStatus status, const std::string& finished_at);
  void insert_case(std::int64_t run_id, const CaseRecord& record);

  static constexpr std::chrono::seconds kBetweenSyncs{1};

  Connection connection;
  /// When all that is in the file was last on the disk.
  std::chrono::steady_clock::time_point synced = std::chrono::steady_clock::now();
  std::string key = {};
  bool together = false;                  ///< a transaction is open around several calls
  std::map<std::int64_t, int> labs = {};  ///< of the runs written to
};

}  // namespace lab::db
