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
  /// Stores the cases that wait; there is nobody left to tell where it fails.
  ~Impl() {
    try {
      store_waiting();
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch)
    }
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  [[nodiscard]] SQLite::Database& database() { return connection.database(); }

  /// Runs `body` in a transaction, behind the cases that wait. What is committed is on the disk:
  /// neither a killed process nor a loss of power takes it, or leaves half of it.
  template <typename Body>
  void transact(Body&& body) {
    if (together) return connection.guarded(std::forward<Body>(body));
    // A case that cannot be stored now is an error now, and not once more at the end.
    const auto cases = std::exchange(waiting, {});
    connection.guarded([&] {
      SQLite::Transaction transaction(database(), SQLite::TransactionBehavior::IMMEDIATE);
      for (const auto& [run_id, record] : cases) insert_case(run_id, record);
      body();
      transaction.commit();
    });
    if (!cases.empty()) stored = Clock::now();
  }

  /// Stores a case, at once or with the next: waiting for the disk takes 16 ms on a common one, so
  /// that cases which come quickly go there together.
  void add_case(std::int64_t run_id, const CaseRecord& record) {
    if (together) return connection.guarded([&] { insert_case(run_id, record); });
    waiting.emplace_back(run_id, record);
    const bool many = waiting.size() >= kMostWaiting;
    if (many || Clock::now() - stored >= kBetweenCases) store_waiting();
  }
  /// Before anything is read.
  void store_waiting() {
    if (!waiting.empty()) transact([] {});
  }

  void learn_params(std::int64_t run_id, const Params& params);
  /// Both within a transaction of the caller. insert_run fills in the id.
  void insert_run(RunRecord& run, RunStatus status, const std::string& finished_at);
  void insert_case(std::int64_t run_id, const CaseRecord& record);

  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kBetweenCases{100};
  static constexpr std::size_t kMostWaiting = 16;

  Connection connection;
  Clock::time_point stored = {};  ///< when the last case was
  std::vector<std::pair<std::int64_t, CaseRecord>> waiting = {};
  std::string key = {};
  bool together = false;                  ///< a transaction is open around several calls
  std::map<std::int64_t, int> labs = {};  ///< of the runs written to
};

}  // namespace lab::db
