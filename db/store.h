// Runs and their cases, kept in one SQLite file. The schema is specified in db/README.md.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "db/connection.h"
#include "harness/core/record.h"

namespace lab::db {

/// A lab whose view `labN` is to be there before any of its runs.
struct LabColumns {
  int lab = 0;
  std::vector<std::string> params = {};
};

/// A run as a list shows it.
struct RunSummary {
  RunRecord run;                 ///< without cases, environment and source text
  std::string finished_at = {};  ///< ISO 8601, UTC; empty: under way, or killed
  std::int64_t cases = 0;
  std::int64_t not_ok = 0;     ///< cases whose status is neither ok nor skipped
  std::int64_t disagrees = 0;  ///< verdicts
};

class Store {
 public:
  /// Errors as Connection's. Views and the metrics table are brought up to date where the file may
  /// be written.
  [[nodiscard]] static Store open(const std::string& path, Mode mode,
                                  const std::vector<LabColumns>& labs = {},
                                  std::chrono::milliseconds busy = kBusyTimeout);
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  /// Stores a run with no cases yet, status `running`; run.cases is not looked at. Fills in id,
  /// and uuid and started_at where they are empty.
  std::int64_t begin_run(RunRecord& run);
  /// Stored at once, or with the next where it comes within a tenth of a second: a kill loses no
  /// more than these and the case in flight. NaN is stored as Missing {not_a_number}.
  void add_case(std::int64_t run_id, const CaseRecord& record);
  /// The case at record.index anew, whatever was stored: for imports and new verdicts.
  void replace_case(std::int64_t run_id, const CaseRecord& record);
  /// Stores facts that became known while it ran: backend, gpu, arch, environment.
  void update_run(const RunRecord& run);
  /// run.at_gpu_size of a finished run, which is sealed anew.
  void keep_at_gpu_size(const RunRecord& run);
  /// `finished_at` empty: now.
  void finish_run(std::int64_t run_id, RunStatus status, std::string finished_at = {});
  /// A whole run of another database, in one transaction; `finished_at` may be empty.
  std::int64_t import_run(RunRecord run, const std::string& finished_at);
  /// The key that seals runs from now on: see seal.h. Empty: no key.
  void set_key(std::string key);
  [[nodiscard]] const std::string& key() const;

  /// One transaction for all that `body` stores: all of it or, where it throws, nothing.
  void together(const std::function<void()>& body);
  /// The run with everything of it.
  void delete_run(std::int64_t run_id);

  /// `selector`: an id, the beginning of a uuid, or `last` (newest by start). An input error where
  /// none or several fit.
  [[nodiscard]] RunRecord load_run(std::string_view selector);
  [[nodiscard]] std::int64_t find_run(std::string_view selector);
  /// Newest first; `limit` 0: all.
  [[nodiscard]] std::vector<RunSummary> list_runs(int limit = 0);

  [[nodiscard]] Connection& connection();

 private:
  struct Impl;
  explicit Store(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace lab::db
