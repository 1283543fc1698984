#include "db/store.h"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <utility>

#include "db/larger_times.h"
#include "db/readings.h"
#include "db/rows.h"
#include "db/seal.h"
#include "db/store_impl.h"
#include "db/views.h"
#include "harness/core/text.h"

namespace lab::db {
namespace {

using SQLite::Statement;

template <Described Record>
void add_one(SQLite::Database& database, std::int64_t case_id,
             const std::optional<Record>& record) {
  if (record) Inserter<Record>(database, {"case_id"}).add(*record, case_id);
}

template <Described Record>
void add_list(SQLite::Database& database, std::int64_t case_id,
              const std::vector<Record>& records) {
  if (records.empty()) return;
  Inserter<Record> rows(database, {"case_id", "seq"});
  int seq = 0;
  for (const Record& record : records) rows.add(record, case_id, seq++);
}

void add_environment(SQLite::Database& database, const RunRecord& run) {
  Statement remove(database, "DELETE FROM environments WHERE run_id = ?");
  execute(remove, run.id);
  Statement insert(database, "INSERT INTO environments(run_id, key, value) VALUES (?, ?, ?)");
  for (const auto& [key, value] : run.environment) execute(insert, run.id, key, value);
}

std::string add_source(SQLite::Database& database, const std::string& text) {
  std::string hash = sha256_hex(text);
  Statement insert(database, "INSERT OR IGNORE INTO sources(sha256, text) VALUES (?, ?)");
  execute(insert, hash, text);
  return hash;
}

void add_included(SQLite::Database& database, const RunRecord& run) {
  Statement insert(database,
                   "INSERT INTO included_sources(run_id, position, name, source_sha256)"
                   " VALUES (?, ?, ?, ?)");
  for (std::size_t i = 0; i < run.included.size(); ++i) {
    const std::string hash = add_source(database, run.included[i].text);
    execute(insert, run.id, static_cast<std::int64_t>(i), run.included[i].name, hash);
  }
}

std::set<int> declare_labs(SQLite::Database& database, const std::vector<LabColumns>& labs) {
  Statement insert(database, "INSERT OR IGNORE INTO lab_params(lab, name) VALUES (?, ?)");
  std::set<int> numbers;
  for (const LabColumns& lab : labs) {
    numbers.insert(lab.lab);
    for (const std::string& param : lab.params) execute(insert, lab.lab, param);
  }
  return numbers;
}

}  // namespace

// New parameters are columns of labN from the case on that brings them.
void Store::Impl::learn_params(std::int64_t run_id, const Params& params) {
  auto known = labs.find(run_id);
  if (known == labs.end()) {
    Statement lab(database(), "SELECT lab FROM runs WHERE id = ?");
    start(lab, run_id);
    if (!lab.executeStep()) throw internal_error(fmt::format("there is no run {}", run_id));
    known = labs.emplace(run_id, lab.getColumn(0).getInt()).first;
  }
  Statement insert(database(), "INSERT OR IGNORE INTO lab_params(lab, name) VALUES (?, ?)");
  int added = 0;
  for (const auto& [name, value] : params.all()) {
    execute(insert, known->second, name);
    added += database().getChanges();
  }
  if (added != 0 || params.all().empty()) ensure_lab_view(database(), known->second);
}

void Store::Impl::insert_run(RunRecord& run, RunStatus status, const std::string& finished_at) {
  const std::string source = add_source(database(), run.source_text);
  Inserter<RunRecord> rows(database(), {"finished_at", "source_sha256"});
  std::swap(run.status, status);
  rows.add(run, finished_at.empty() ? std::nullopt : std::optional(finished_at), source);
  std::swap(run.status, status);
  run.id = database().getLastInsertRowid();
  add_included(database(), run);
  add_environment(database(), run);
  add_larger_times(database(), run);
}

void Store::Impl::insert_case(std::int64_t run_id, const CaseRecord& record) {
  learn_params(run_id, record.params);
  Inserter<CaseRecord>(database(), {"run_id"}).add(record, run_id);
  const std::int64_t id = database().getLastInsertRowid();
  add_list(database(), id, record.observations);
  add_list(database(), id, record.verdicts);
  // Their kinds say which is which.
  std::vector<Finding> found = record.findings;
  found.insert(found.end(), record.remarks.begin(), record.remarks.end());
  add_list(database(), id, found);
  add_one(database(), id, record.timing);
  add_one(database(), id, record.kernel_facts);
  add_one(database(), id, record.expected);
  add_list(database(), id, record.lines);
  add_list(database(), id, record.accesses);
  insert_reading(database(), id, record);
}

Store::Store(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

Connection& Store::connection() {
  impl_->store_waiting();
  return impl_->connection;
}

Store Store::open(const std::string& path, Mode mode, const std::vector<LabColumns>& labs,
                  std::chrono::milliseconds busy) {
  Store store(std::make_unique<Impl>(Connection(path, mode, busy)));
  if (mode == Mode::kReadOnly) return store;
  SQLite::Database& database = store.impl_->database();
  store.impl_->transact([&] { refresh_views(database, declare_labs(database, labs)); });
  return store;
}

std::int64_t Store::begin_run(RunRecord& run) {
  if (run.uuid.empty()) run.uuid = new_uuid();
  if (run.started_at.empty()) run.started_at = utc_now();
  impl_->transact([&] { impl_->insert_run(run, RunStatus::kRunning, {}); });
  return run.id;
}

std::int64_t Store::import_run(RunRecord run, const std::string& finished_at) {
  impl_->transact([&] {
    impl_->insert_run(run, run.status, finished_at);
    for (const CaseRecord& record : run.cases) impl_->insert_case(run.id, record);
    if (!finished_at.empty()) seal_run(impl_->database(), run.id, impl_->key);
  });
  return run.id;
}

void Store::add_case(std::int64_t run_id, const CaseRecord& record) {
  impl_->add_case(run_id, record);
}

void Store::replace_case(std::int64_t run_id, const CaseRecord& record) {
  impl_->transact([&] {
    Statement remove(impl_->database(), "DELETE FROM cases WHERE run_id = ? AND position = ?");
    execute(remove, run_id, record.index);
    impl_->insert_case(run_id, record);
  });
}

void Store::update_run(const RunRecord& run) {
  impl_->transact([&] {
    Statement update(impl_->database(),
                     "UPDATE runs SET backend = ?, gpu = ?, arch = ?, seed = ?, missing_cases = ?"
                     " WHERE id = ?");
    Binder binder(update);
    for (const std::string* text : {&run.backend, &run.gpu, &run.arch}) {
      binder.put(*text, Trait::kNullable);
    }
    binder.put(run.seed);
    binder.put(run.missing_cases);
    binder.put(run.id);
    update.exec();
    add_environment(impl_->database(), run);
    // An import into a finished run.
    Statement sealed(impl_->database(), "SELECT 1 FROM seals WHERE run_id = ? AND sha256 NOTNULL");
    start(sealed, run.id);
    if (sealed.executeStep()) seal_run(impl_->database(), run.id, impl_->key);
  });
}

void Store::keep_at_gpu_size(const RunRecord& run) {
  if (run.at_gpu_size.empty()) return;
  impl_->transact([&] {
    add_larger_times(impl_->database(), run);
    seal_run(impl_->database(), run.id, impl_->key);
  });
}

void Store::finish_run(std::int64_t run_id, RunStatus status, std::string finished_at) {
  if (finished_at.empty()) finished_at = utc_now();
  impl_->transact([&] {
    Statement update(impl_->database(), "UPDATE runs SET status = ?, finished_at = ? WHERE id = ?");
    execute(update, std::string(name_of(status)), finished_at, run_id);
    seal_run(impl_->database(), run_id, impl_->key);
  });
}

void Store::set_key(std::string key) { impl_->key = std::move(key); }
const std::string& Store::key() const { return impl_->key; }

void Store::together(const std::function<void()>& body) {
  impl_->transact([&] {
    impl_->together = true;
    try {
      body();
    } catch (...) {
      impl_->together = false;
      impl_->labs.clear();  // ids that are given anew
      throw;
    }
    impl_->together = false;
  });
}

void Store::delete_run(std::int64_t run_id) {
  impl_->transact([&] {
    Statement remove(impl_->database(), "DELETE FROM runs WHERE id = ?");
    execute(remove, run_id);
    // A text is kept as long as a run refers to it.
    impl_->database().exec(
        "DELETE FROM sources WHERE sha256 NOT IN (SELECT source_sha256 FROM runs"
        " UNION SELECT source_sha256 FROM included_sources)");
  });
}

}  // namespace lab::db
