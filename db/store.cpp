#include "db/store.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "db/json_text.h"
#include "db/statement.h"
#include "db/store_impl.h"
#include "db/views.h"
#include "harness/core/text.h"

namespace lab::db {
namespace {

using SQLite::Statement;

// SQLite has no NaN: it would be stored as NULL, which is a missing value with no reason.
std::optional<double> finite_or_none(const std::optional<double>& value) {
  return value && std::isnan(*value) ? std::nullopt : value;
}

void add_observations(SQLite::Database& database, std::int64_t case_id, const CaseRecord& record) {
  Statement insert(database, "INSERT INTO observations VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  int seq = 0;
  for (const Observation& o : record.observations) {
    Missing missing;
    std::optional<double> value;
    if (o.has_value()) {
      value = finite_or_none(o.number());
      if (!value) missing.reason = "not_a_number";
    } else {
      missing = std::get<Missing>(o.value);
      if (missing.reason.empty()) missing.reason = "unknown";
    }
    execute(insert, case_id, o.metric, static_cast<int>(o.source), seq++, value,
            nullable(missing.reason), nullable(missing.detail), finite_or_none(o.min),
            finite_or_none(o.max), o.samples, o.pass);
  }
}

void add_verdicts(SQLite::Database& database, std::int64_t case_id, const CaseRecord& record) {
  Statement insert(database, "INSERT INTO verdicts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  int seq = 0;
  for (const Verdict& v : record.verdicts) {
    execute(insert, case_id, v.metric, seq++, static_cast<int>(v.kind), nullable(v.reason),
            finite_or_none(v.theory), finite_or_none(v.theory_high), nullable(v.formula),
            nullable(v.level), finite_or_none(v.target), finite_or_none(v.excess));
  }
  // View compare walks this table alone, so a metric that nobody judged has a row with no kind.
  Statement unjudged(database,
                     "INSERT OR IGNORE INTO verdicts(case_id, metric, seq)"
                     " SELECT case_id, metric, ?2 FROM observations WHERE case_id = ?1");
  execute(unjudged, case_id, seq);
}

void add_findings(SQLite::Database& database, std::int64_t case_id, const CaseRecord& record) {
  if (record.findings.empty()) return;
  Statement insert(database,
                   "INSERT INTO findings VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  int seq = 0;
  for (const Finding& f : record.findings) {
    execute(insert, case_id, seq++, static_cast<int>(f.kind), f.message, nullable(f.kernel),
            nullable(f.file), f.line, nullable(f.source), f.block.x, f.block.y, f.block.z,
            f.thread.x, f.thread.y, f.thread.z, f.address, f.count);
  }
}

void add_timing(SQLite::Database& database, std::int64_t case_id, const CaseRecord& record) {
  if (!record.timing) return;
  const Timing& t = *record.timing;
  Statement insert(database, "INSERT INTO timings VALUES (?, ?, ?, ?, ?, ?)");
  execute(insert, case_id, t.median_ns, t.min_ns, t.max_ns, json_of(t.samples_ns), t.method);
}

void add_lines(SQLite::Database& database, std::int64_t case_id, const CaseRecord& record) {
  if (record.lines.empty()) return;
  Statement insert(database, "INSERT INTO line_observations VALUES (?, ?, ?, ?, ?, ?, ?)");
  int seq = 0;
  for (const LineObservation& l : record.lines) {
    execute(insert, case_id, seq++, l.file, l.line, l.metric, static_cast<int>(l.source), l.value);
  }
}

void add_accesses(SQLite::Database& database, std::int64_t case_id, const CaseRecord& record) {
  if (record.accesses.empty()) return;
  Statement insert(database, "INSERT INTO accesses VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  int seq = 0;
  for (const Access& a : record.accesses) {
    execute(insert, case_id, seq++, a.sequence, a.line, a.text, a.space, a.op, a.bytes_per_lane,
            json_of(a.address), nullable(a.buffer), a.sectors, a.wavefronts, a.conflicts);
  }
}

std::int64_t add_case_row(SQLite::Database& database, std::int64_t run_id, const CaseRecord& c) {
  // A library variant is no single launch: its kernel, grid and block are NULL.
  const bool launched = !c.kernel.empty() || !(c.launch == Launch{});
  const auto known = [&](std::uint32_t value) {
    return launched ? std::optional<std::uint32_t>(value) : std::nullopt;
  };
  const Launch& l = c.launch;
  Statement insert(
      database,
      "INSERT INTO cases(run_id, position, variant, params, kernel, grid_x, grid_y,"
      " grid_z, block_x, block_y, block_z, dynamic_shared_bytes, status, correct,"
      " reason, arch, facts) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  execute(insert, run_id, c.index, c.variant, c.params.json(), nullable(c.kernel), known(l.grid.x),
          known(l.grid.y), known(l.grid.z), known(l.block.x), known(l.block.y), known(l.block.z),
          known(l.dynamic_shared_bytes), static_cast<int>(c.status), c.correct, nullable(c.reason),
          nullable(c.arch), json_of(c.facts));
  return database.getLastInsertRowid();
}

void add_environment(SQLite::Database& database, const RunRecord& run) {
  Statement remove(database, "DELETE FROM environments WHERE run_id = ?");
  execute(remove, run.id);
  Statement insert(database, "INSERT INTO environments VALUES (?, ?, ?)");
  for (const auto& [key, value] : run.environment) execute(insert, run.id, key, value);
}

std::string add_source(SQLite::Database& database, const std::string& text) {
  std::string hash = sha256_hex(text);
  Statement insert(database, "INSERT OR IGNORE INTO sources VALUES (?, ?)");
  execute(insert, hash, text);
  return hash;
}

std::set<int> declare_labs(SQLite::Database& database, const std::vector<LabColumns>& labs) {
  Statement insert(database, "INSERT OR IGNORE INTO lab_params VALUES (?, ?)");
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
  Statement insert(database(), "INSERT OR IGNORE INTO lab_params VALUES (?, ?)");
  int added = 0;
  for (const auto& [name, value] : params.all()) {
    execute(insert, known->second, name);
    added += database().getChanges();
  }
  if (added != 0 || params.all().empty()) ensure_lab_view(database(), known->second);
}

void Store::Impl::insert_run(RunRecord& run, const std::string& status,
                             const std::string& finished_at) {
  const std::string source = add_source(database(), run.source_text);
  Statement insert(database(),
                   "INSERT INTO runs(uuid, lab, lab_id, folder, backend, gpu, arch, started_at,"
                   " finished_at, student, status, program_version, source_name, source_sha256,"
                   " source_is_labs_own) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  execute(insert, run.uuid, run.lab, nullable(run.lab_id), nullable(run.folder),
          nullable(run.backend), nullable(run.gpu), nullable(run.arch), run.started_at,
          nullable(finished_at), nullable(run.student), status, nullable(run.program_version),
          nullable(run.source_name), source, run.source_is_labs_own);
  run.id = database().getLastInsertRowid();
  add_environment(database(), run);
}

void Store::Impl::insert_case(std::int64_t run_id, const CaseRecord& record) {
  learn_params(run_id, record.params);
  const std::int64_t id = add_case_row(database(), run_id, record);
  add_observations(database(), id, record);
  add_verdicts(database(), id, record);
  add_findings(database(), id, record);
  add_timing(database(), id, record);
  add_lines(database(), id, record);
  add_accesses(database(), id, record);
}

Store::Store(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

Connection& Store::connection() { return impl_->connection; }

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
  impl_->transact([&] { impl_->insert_run(run, "running", {}); });
  return run.id;
}

std::int64_t Store::import_run(RunRecord run, const std::string& finished_at) {
  impl_->transact([&] {
    impl_->insert_run(run, run.status, finished_at);
    for (const CaseRecord& record : run.cases) impl_->insert_case(run.id, record);
  });
  return run.id;
}

void Store::add_case(std::int64_t run_id, const CaseRecord& record) {
  impl_->transact([&] { impl_->insert_case(run_id, record); });
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
                     "UPDATE runs SET backend = ?, gpu = ?, arch = ? WHERE id = ?");
    execute(update, nullable(run.backend), nullable(run.gpu), nullable(run.arch), run.id);
    add_environment(impl_->database(), run);
  });
}

void Store::finish_run(std::int64_t run_id, const std::string& status, std::string finished_at) {
  if (finished_at.empty()) finished_at = utc_now();
  const bool important = true;
  impl_->transact(
      [&] {
        Statement update(impl_->database(),
                         "UPDATE runs SET status = ?, finished_at = ? WHERE id = ?");
        execute(update, status, finished_at, run_id);
      },
      important);
}

void Store::delete_run(std::int64_t run_id) {
  impl_->transact([&] {
    Statement remove(impl_->database(), "DELETE FROM runs WHERE id = ?");
    execute(remove, run_id);
    // A text is kept as long as a run refers to it.
    impl_->database().exec(
        "DELETE FROM sources WHERE sha256 NOT IN (SELECT source_sha256 FROM runs)");
  });
}

}  // namespace lab::db
