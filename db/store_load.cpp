#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "db/json_text.h"
#include "db/statement.h"
#include "db/store_impl.h"
#include "harness/core/interrupted.h"

namespace lab::db {
namespace {

using SQLite::Statement;
using CasesById = std::unordered_map<std::int64_t, CaseRecord*>;

Launch read_launch(Columns& columns) {
  Launch launch;
  const Dim3 grid = columns.dim3();
  const Dim3 block = columns.dim3();
  const auto shared = static_cast<std::uint32_t>(columns.whole());
  if (grid == Dim3{0, 0, 0}) return launch;  // NULL: no single launch
  launch.grid = grid;
  launch.block = block;
  launch.dynamic_shared_bytes = shared;
  return launch;
}

CaseRecord read_case(Columns& columns) {
  CaseRecord record;
  record.index = columns.small();
  record.variant = columns.text();
  record.params = params_from(columns.text());
  record.kernel = columns.text();
  record.launch = read_launch(columns);
  record.status = static_cast<CaseStatus>(columns.small());
  record.correct = columns.maybe_bool();
  record.reason = columns.text();
  record.arch = columns.text();
  record.facts = facts_from(columns.text());
  return record;
}

Observation read_observation(Columns& columns) {
  Observation o;
  o.metric = columns.text();
  o.source = static_cast<SourceOf>(columns.small());
  const std::optional<double> value = columns.maybe_real();
  Missing missing;
  missing.reason = columns.text();
  missing.detail = columns.text();
  if (value) {
    o.value = *value;
  } else {
    o.value = std::move(missing);
  }
  o.min = columns.maybe_real();
  o.max = columns.maybe_real();
  o.samples = columns.small();
  o.pass = columns.small();
  return o;
}

Verdict read_verdict(Columns& columns) {
  Verdict v;
  v.metric = columns.text();
  v.kind = static_cast<VerdictKind>(columns.small());
  v.reason = columns.text();
  v.theory = columns.maybe_real();
  v.theory_high = columns.maybe_real();
  v.formula = columns.text();
  v.level = columns.text();
  v.target = columns.maybe_real();
  v.excess = columns.maybe_real();
  return v;
}

Finding read_finding(Columns& columns) {
  Finding f;
  f.kind = static_cast<FindingKind>(columns.small());
  f.message = columns.text();
  f.kernel = columns.text();
  f.file = columns.text();
  f.line = columns.small();
  f.source = columns.text();
  f.block = columns.dim3();
  f.thread = columns.dim3();
  f.address = static_cast<std::uint64_t>(columns.whole());
  f.count = static_cast<std::uint64_t>(columns.whole());
  return f;
}

Timing read_timing(Columns& columns) {
  Timing t;
  t.median_ns = columns.real();
  t.min_ns = columns.real();
  t.max_ns = columns.real();
  t.samples_ns = samples_from(columns.text());
  t.method = columns.text();
  return t;
}

LineObservation read_line(Columns& columns) {
  LineObservation l;
  l.file = columns.text();
  l.line = columns.small();
  l.metric = columns.text();
  l.source = static_cast<SourceOf>(columns.small());
  l.value = columns.real();
  return l;
}

Access read_access(Columns& columns) {
  Access a;
  a.sequence = static_cast<std::uint64_t>(columns.whole());
  a.line = columns.small();
  a.text = columns.text();
  a.space = columns.text();
  a.op = columns.text();
  a.bytes_per_lane = columns.small();
  a.address = addresses_from(columns.text());
  a.buffer = columns.text();
  a.sectors = columns.small();
  a.wavefronts = columns.small();
  a.conflicts = columns.small();
  return a;
}

// Hands each row of `table` that belongs to `run_id` to `take`, in the order it was stored.
template <typename Take>
void for_each_of_run(SQLite::Database& database, std::int64_t run_id, const char* table,
                     const char* columns, const char* order, const CasesById& cases,
                     const Take& take) {
  Statement rows(database, fmt::format("SELECT t.case_id, {} FROM cases c JOIN {} t"
                                       " ON t.case_id = c.id WHERE c.run_id = ?"
                                       " ORDER BY t.case_id{}",
                                       columns, table, order));
  start(rows, run_id);
  while (rows.executeStep()) {
    Columns row(rows);
    CaseRecord& record = *cases.at(row.whole());
    take(record, row);
  }
}

void load_details(SQLite::Database& database, std::int64_t run_id, const CasesById& cases) {
  for_each_of_run(database, run_id, "observations",
                  "metric, source, value, missing, missing_detail, min, max, samples, pass",
                  ", seq", cases, [](CaseRecord& record, Columns& row) {
                    record.observations.push_back(read_observation(row));
                  });
  for_each_of_run(
      database, run_id, "(SELECT * FROM verdicts WHERE kind NOTNULL)",
      "metric, kind, t.reason, theory, theory_high, formula, level, target, excess", ", seq", cases,
      [](CaseRecord& record, Columns& row) { record.verdicts.push_back(read_verdict(row)); });
  for_each_of_run(database, run_id, "findings",
                  "kind, message, t.kernel, file, line, source, t.block_x, t.block_y, t.block_z,"
                  " thread_x, thread_y, thread_z, address, count",
                  ", seq", cases, [](CaseRecord& record, Columns& row) {
                    record.findings.push_back(read_finding(row));
                  });
  for_each_of_run(database, run_id, "timings", "median_ns, min_ns, max_ns, samples_ns, method", "",
                  cases,
                  [](CaseRecord& record, Columns& row) { record.timing = read_timing(row); });
  for_each_of_run(database, run_id, "line_observations", "file, line, metric, source, value",
                  ", seq", cases,
                  [](CaseRecord& record, Columns& row) { record.lines.push_back(read_line(row)); });
  for_each_of_run(database, run_id, "accesses",
                  "sequence, line, text, space, op, bytes_per_lane, addresses, buffer, sectors,"
                  " wavefronts, conflicts",
                  ", seq", cases, [](CaseRecord& record, Columns& row) {
                    record.accesses.push_back(read_access(row));
                  });
}

std::vector<CaseRecord> load_cases(SQLite::Database& database, std::int64_t run_id) {
  std::vector<CaseRecord> cases;
  std::vector<std::int64_t> ids;
  Statement rows(database,
                 "SELECT id, position, variant, params, kernel, grid_x, grid_y, grid_z, block_x,"
                 " block_y, block_z, dynamic_shared_bytes, status, correct, reason, arch, facts"
                 " FROM cases WHERE run_id = ? ORDER BY position");
  start(rows, run_id);
  while (rows.executeStep()) {
    Columns row(rows);
    ids.push_back(row.whole());
    cases.push_back(read_case(row));
  }
  CasesById by_id;
  for (std::size_t i = 0; i < cases.size(); ++i) by_id[ids[i]] = &cases[i];
  load_details(database, run_id, by_id);
  return cases;
}

constexpr const char* kRunColumns =
    "r.id, r.uuid, r.lab, r.lab_id, r.folder, r.backend, r.gpu, r.arch, r.started_at, r.student,"
    " r.status, r.program_version, r.source_name, r.source_is_labs_own";

RunRecord read_run(Columns& columns) {
  RunRecord run;
  run.id = columns.whole();
  run.uuid = columns.text();
  run.lab = columns.small();
  run.lab_id = columns.text();
  run.folder = columns.text();
  run.backend = columns.text();
  run.gpu = columns.text();
  run.arch = columns.text();
  run.started_at = columns.text();
  run.student = columns.text();
  run.status = columns.text();
  run.program_version = columns.text();
  run.source_name = columns.text();
  run.source_is_labs_own = columns.small() != 0;
  return run;
}

std::vector<std::int64_t> ids_where(SQLite::Database& database, const std::string& condition,
                                    const std::string& value) {
  Statement rows(database, "SELECT id FROM runs WHERE " + condition);
  if (rows.getBindParameterCount() > 0) start(rows, value);
  std::vector<std::int64_t> ids;
  while (rows.executeStep()) ids.push_back(rows.getColumn(0).getInt64());
  return ids;
}

std::string lower_hex(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

// All digits may be an id or the beginning of a uuid: an id first.
std::vector<std::int64_t> matching_runs(SQLite::Database& database, std::string_view selector) {
  std::int64_t id = 0;
  const char* end = selector.data() + selector.size();
  const auto parsed = std::from_chars(selector.data(), end, id);
  if (parsed.ec == std::errc{} && parsed.ptr == end) {
    std::vector<std::int64_t> ids =
        ids_where(database, "id = CAST(? AS INTEGER)", std::string(selector));
    if (!ids.empty()) return ids;
  }
  return ids_where(database, "substr(uuid, 1, length(?1)) = ?1", lower_hex(selector));
}

}  // namespace

std::int64_t Store::find_run(std::string_view selector) {
  const std::string& path = impl_->connection.path();
  return impl_->connection.guarded([&] {
    if (selector == "last") {
      const auto ids =
          ids_where(impl_->database(), "1 ORDER BY started_at DESC, id DESC LIMIT 1", {});
      if (!ids.empty()) return ids.front();
      throw input_error(fmt::format("{}: no runs yet", path), "lab run 3 makes one");
    }
    const auto ids =
        selector.empty() ? std::vector<std::int64_t>{} : matching_runs(impl_->database(), selector);
    if (ids.size() == 1) return ids.front();
    if (ids.empty()) {
      throw input_error(fmt::format("{}: no run '{}'", path, selector),
                        "a run is an id, the beginning of a uuid, or last; lab runs lists them");
    }
    throw input_error(fmt::format("{}: {} runs begin with '{}'", path, ids.size(), selector),
                      "give more of the uuid, or the id; lab runs lists them");
  });
}

RunRecord Store::load_run(std::string_view selector) {
  const std::int64_t id = find_run(selector);
  return impl_->connection.guarded([&] {
    SQLite::Database& database = impl_->database();
    Statement row(database, fmt::format("SELECT {}, s.text FROM runs r JOIN sources s"
                                        " ON s.sha256 = r.source_sha256 WHERE r.id = ?",
                                        kRunColumns));
    start(row, id);
    if (!row.executeStep()) throw internal_error(fmt::format("run {} has no source", id));
    Columns columns(row);
    RunRecord run = read_run(columns);
    run.source_text = columns.text();
    Statement facts(database, "SELECT key, value FROM environments WHERE run_id = ?");
    start(facts, id);
    while (facts.executeStep()) {
      run.environment[facts.getColumn(0).getString()] = facts.getColumn(1).getString();
    }
    run.cases = load_cases(database, id);
    return run;
  });
}

std::vector<RunSummary> Store::list_runs(int limit) {
  return impl_->connection.guarded([&] {
    Statement rows(impl_->database(),
                   fmt::format("SELECT {}, r.finished_at,"
                               " (SELECT count(*) FROM cases c WHERE c.run_id = r.id),"
                               " (SELECT count(*) FROM cases c WHERE c.run_id = r.id"
                               "   AND c.status NOT IN ({}, {})),"
                               " (SELECT count(*) FROM cases c JOIN verdicts v ON v.case_id = c.id"
                               "   WHERE c.run_id = r.id AND v.kind = {}),"
                               " coalesce((SELECT CAST(e.value AS INTEGER) FROM environments e"
                               "   WHERE e.run_id = r.id AND e.key = '{}'), 0)"
                               " FROM runs r ORDER BY r.started_at DESC, r.id DESC LIMIT ?",
                               kRunColumns, static_cast<int>(CaseStatus::kOk),
                               static_cast<int>(CaseStatus::kSkipped),
                               static_cast<int>(VerdictKind::kDisagrees), kCasesMissing));
    start(rows, limit > 0 ? limit : -1);
    std::vector<RunSummary> runs;
    while (rows.executeStep()) {
      Columns columns(rows);
      RunSummary summary;
      summary.run = read_run(columns);
      summary.finished_at = columns.text();
      summary.cases = columns.whole();
      summary.not_ok = columns.whole();
      summary.disagrees = columns.whole();
      summary.missing = columns.whole();
      runs.push_back(std::move(summary));
    }
    return runs;
  });
}

}  // namespace lab::db
