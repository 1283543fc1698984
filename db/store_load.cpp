#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <unordered_map>

#include "db/larger_times.h"
#include "db/rows.h"
#include "db/store_impl.h"

namespace lab::db {
namespace {

using SQLite::Statement;
using CasesById = std::unordered_map<std::int64_t, CaseRecord*>;

// Hands each row of the record's table that belongs to `run_id` to `take`, in the order it was
// stored.
template <typename Record, typename Take>
void for_each_of_run(SQLite::Database& database, std::int64_t run_id, const char* order,
                     const CasesById& cases, const Take& take) {
  Statement rows(database, fmt::format("SELECT t.case_id, {} FROM cases c JOIN {} t"
                                       " ON t.case_id = c.id WHERE c.run_id = ?"
                                       " ORDER BY t.case_id{}",
                                       select_list<Record>("t"), kTableOf<Record>, order));
  start(rows, run_id);
  while (rows.executeStep()) {
    Reader row(rows);
    CaseRecord& record = *cases.at(row.take<std::int64_t>());
    take(record, row.take<Record>());
  }
}

template <typename Record>
void load_lists(SQLite::Database& database, std::int64_t run_id,
                std::vector<Record> CaseRecord::*list, const CasesById& cases) {
  for_each_of_run<Record>(
      database, run_id, ", t.seq", cases,
      [list](CaseRecord& record, Record&& row) { (record.*list).push_back(std::move(row)); });
}

template <typename Record>
void load_one(SQLite::Database& database, std::int64_t run_id,
              std::optional<Record> CaseRecord::*one, const CasesById& cases) {
  for_each_of_run<Record>(database, run_id, "", cases, [one](CaseRecord& record, Record&& row) {
    record.*one = std::move(row);
  });
}

}  // namespace

std::vector<std::pair<std::int64_t, CaseRecord>> load_cases(SQLite::Database& database,
                                                            std::int64_t run_id) {
  std::vector<std::pair<std::int64_t, CaseRecord>> cases;
  Statement rows(database, fmt::format("SELECT c.id, {} FROM cases c WHERE c.run_id = ?"
                                       " ORDER BY c.position",
                                       select_list<CaseRecord>("c")));
  start(rows, run_id);
  while (rows.executeStep()) {
    Reader row(rows);
    const auto id = row.take<std::int64_t>();
    cases.emplace_back(id, row.take<CaseRecord>());
  }
  CasesById by_id;
  for (auto& [id, record] : cases) by_id[id] = &record;
  load_lists(database, run_id, &CaseRecord::observations, by_id);
  load_lists(database, run_id, &CaseRecord::verdicts, by_id);
  for_each_of_run<Finding>(database, run_id, ", t.seq", by_id,
                           [](CaseRecord& record, Finding&& one) {
                             const bool remark = severity_of(one.kind) == Severity::kRemark;
                             (remark ? record.remarks : record.findings).push_back(std::move(one));
                           });
  load_lists(database, run_id, &CaseRecord::lines, by_id);
  load_lists(database, run_id, &CaseRecord::accesses, by_id);
  load_one(database, run_id, &CaseRecord::timing, by_id);
  load_one(database, run_id, &CaseRecord::kernel_facts, by_id);
  load_one(database, run_id, &CaseRecord::expected, by_id);
  return cases;
}

namespace {

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
  return connection().guarded([&] {
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
  return connection().guarded([&] {
    SQLite::Database& database = impl_->database();
    Statement row(database, fmt::format("SELECT {}, s.text FROM runs r JOIN sources s"
                                        " ON s.sha256 = r.source_sha256 WHERE r.id = ?",
                                        row_list<RunRecord>("r")));
    start(row, id);
    if (!row.executeStep())
      throw input_error(fmt::format("run {} has no source: the database is damaged", id),
                        "restore a copy");
    Reader columns(row);
    RunRecord run = take_row<RunRecord>(columns);
    columns.read(run.source_text);
    Statement facts(database, "SELECT key, value FROM environments WHERE run_id = ?");
    start(facts, id);
    while (facts.executeStep()) {
      run.environment[facts.getColumn(0).getString()] = facts.getColumn(1).getString();
    }
    Statement files(database,
                    "SELECT i.name, s.text FROM included_sources i JOIN sources s"
                    " ON s.sha256 = i.source_sha256 WHERE i.run_id = ? ORDER BY i.position");
    start(files, id);
    while (files.executeStep()) {
      run.included.push_back({files.getColumn(0).getString(), files.getColumn(1).getString()});
    }
    for (auto& [case_id, record] : load_cases(database, id)) run.cases.push_back(std::move(record));
    run.at_gpu_size = load_larger_times(database, id);
    return run;
  });
}

std::vector<RunSummary> Store::list_runs(int limit) {
  return connection().guarded([&] {
    Statement rows(impl_->database(),
                   fmt::format("SELECT {}, r.finished_at,"
                               " (SELECT count(*) FROM cases c WHERE c.run_id = r.id),"
                               " (SELECT count(*) FROM cases c WHERE c.run_id = r.id"
                               "   AND c.status NOT IN ({}, {})),"
                               " (SELECT count(*) FROM cases c JOIN verdicts v ON v.case_id = c.id"
                               "   WHERE c.run_id = r.id AND v.kind = {})"
                               " FROM runs r ORDER BY r.started_at DESC, r.id DESC LIMIT ?",
                               row_list<RunRecord>("r"), static_cast<int>(CaseStatus::kOk),
                               static_cast<int>(CaseStatus::kSkipped),
                               static_cast<int>(VerdictKind::kDisagrees)));
    start(rows, limit > 0 ? limit : -1);
    std::vector<RunSummary> runs;
    while (rows.executeStep()) {
      Reader columns(rows);
      RunSummary summary;
      summary.run = take_row<RunRecord>(columns);
      columns.read(summary.finished_at);
      columns.read(summary.cases);
      columns.read(summary.not_ok);
      columns.read(summary.disagrees);
      runs.push_back(std::move(summary));
    }
    return runs;
  });
}

}  // namespace lab::db
