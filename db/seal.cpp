#include "db/seal.h"

#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <map>
#include <optional>
#include <utility>

#include "db/heads.h"
#include "db/migrations.h"
#include "db/statement.h"
#include "harness/core/text.h"

namespace lab::db {
namespace {

// The tables that hold a run, with what selects its rows. Ids differ from file to file.
struct Part {
  std::string_view table;
  std::string_view rows;
  int since = 0;  ///< the first version whose seals cover it, where it was there before
};
// Seals of this version and later cover included files, and the id in their file.
constexpr int kFirstOfHeads = 12;
constexpr std::string_view kOfRun = "t.run_id = ?";
constexpr std::string_view kOfCases = "";
constexpr Part kParts[] = {
    {"runs", "t.id = ?"},
    {"environments", kOfRun},
    {"cases", kOfRun},
    {"observations", kOfCases},
    {"verdicts", kOfCases},
    {"findings", kOfCases},
    {"timings", kOfCases},
    {"line_observations", kOfCases},
    {"accesses", kOfCases},
    {"readings", kOfCases},
    {"kernel_facts", kOfCases},
    {"expected_times", kOfCases},
    {"included_sources", kOfRun, kFirstOfHeads},
    {"larger_times", kOfRun},
};

// And those that hold a grade; the uuid of its run stands for the run.
constexpr Part kGradeParts[] = {
    {"grades", "t.id = ?"},
    {"criteria", "t.grade_id = ?"},
    {"rubrics", "t.sha256 = (SELECT rubric_sha256 FROM grades WHERE id = ?)"},
};
constexpr std::string_view kRunOfGrade =
    "SELECT uuid FROM runs WHERE id = (SELECT run_id FROM grades WHERE id = ?)";

bool is_id(const std::string& column) {
  return column == "id" || column == "run_id" || column == "case_id" || column == "grade_id";
}

// Columns of a table in a version, without ids and those that are computed.
const std::vector<std::string>& columns_of(const std::string& table, int version) {
  static std::map<std::pair<std::string, int>, std::vector<std::string>> known;
  const auto [at, fresh] = known.try_emplace({table, version});
  if (!fresh) return at->second;
  SQLite::Database made(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  for (const auto& [name, sql] : tables_of(version)) {
    if (name == table) made.exec(sql);
  }
  SQLite::Statement rows(made, fmt::format("PRAGMA table_xinfo({})", table));
  while (rows.executeStep()) {
    const std::string name = rows.getColumn(1).getString();
    if (rows.getColumn(6).getInt() == 0 && !is_id(name)) at->second.push_back(name);
  }
  return at->second;
}

std::string select_of(const Part& part, int version) {
  const std::string table(part.table);
  const std::vector<std::string>& columns = columns_of(table, version);
  const bool of_cases = part.rows.empty();
  std::string names = of_cases ? "c.position" : "";
  for (const std::string& column : columns) names += (names.empty() ? "t." : ", t.") + column;
  std::string order = "1";
  for (std::size_t i = 2; i <= columns.size() + (of_cases ? 1U : 0U); ++i) {
    order += fmt::format(", {}", i);
  }
  if (of_cases) {
    return fmt::format(
        "SELECT {} FROM cases c JOIN {} t ON t.case_id = c.id WHERE c.run_id = ?"
        " ORDER BY {}",
        names, table, order);
  }
  return fmt::format("SELECT {} FROM {} t WHERE {} ORDER BY {}", names, table, part.rows, order);
}

// A value by its kind and exactly: 1, 1.0 and '1' differ.
void append(std::string& out, const SQLite::Column& value) {
  if (value.isNull()) {
    out += "n;";
  } else if (value.isInteger()) {
    out += fmt::format("i{};", value.getInt64());
  } else if (value.isFloat()) {
    out += fmt::format("f{:x};", std::bit_cast<std::uint64_t>(value.getDouble()));
  } else {
    const std::string text = value.getString();
    out += fmt::format("t{}:{};", text.size(), text);
  }
}

std::string value_of(SQLite::Database& database, const std::string& sql) {
  SQLite::Statement row(database, sql);
  return row.executeStep() ? row.getColumn(0).getString() : std::string();
}

std::optional<Seal> load_seal(SQLite::Database& database, std::string_view from, std::int64_t id) {
  SQLite::Statement row(database,
                        fmt::format("SELECT version, previous, sha256, keyed FROM {} = ?", from));
  start(row, id);
  if (!row.executeStep()) return {};
  return Seal{row.getColumn(0).getInt(), row.getColumn(1).getString(), row.getColumn(2).getString(),
              row.getColumn(3).getInt() != 0};
}

bool is_there(SQLite::Database& database, std::string_view column, const std::string& value) {
  SQLite::Statement row(database, fmt::format("SELECT 1 FROM {} = ?", column));
  start(row, value);
  return row.executeStep();
}
bool has_run(SQLite::Database& database, const std::string& uuid) {
  return is_there(database, "runs WHERE uuid", uuid);
}
bool has_grade_seal(SQLite::Database& database, const std::string& sha256) {
  return is_there(database, "grade_seals WHERE sha256", sha256);
}

constexpr int kFirstVersion = 6;
constexpr int kFirstOfGrades = 8;
constexpr std::string_view kOfRuns = "seals WHERE run_id";
constexpr std::string_view kOfGrades = "grade_seals WHERE grade_id";

void append_rows(std::string& out, SQLite::Database& database, const std::string& sql,
                 std::int64_t id) {
  SQLite::Statement rows(database, sql);
  start(rows, id);
  while (rows.executeStep()) {
    for (int i = 0; i < rows.getColumnCount(); ++i) append(out, rows.getColumn(i));
    out += '\n';
  }
}

std::string seal_of_grade(SQLite::Database& database, std::int64_t grade_id, int version,
                          const std::string& previous, const std::string& key) {
  std::string content = fmt::format("lab seal of a grade {}\n{}\n", version, previous);
  for (const Part& part : kGradeParts) {
    content += fmt::format("{}\n", part.table);
    append_rows(content, database, select_of(part, version), grade_id);
  }
  append_rows(content, database, std::string(kRunOfGrade), grade_id);
  if (version >= kFirstOfHeads) content += fmt::format("{}\n", grade_id);
  return sealed_number(content, key);
}

// What a seal that is there says, but for its chain. `made` makes it anew.
template <typename Made>
void check_number(const Seal& seal, int first_version, const std::string& key, const Made& made,
                  SealCheck& check) {
  if (seal.version < first_version || seal.version > schema_version()) {
    check.problems.push_back(fmt::format("its seal is of version {}", seal.version));
  } else if (seal.keyed && key.empty()) {
    check.note = "it is sealed with a key, which LAB_SEAL_KEY does not have";
  } else if (made(seal.keyed ? key : "") != seal.sha256) {
    check.problems.emplace_back("what is stored is not what was sealed");
  } else if (!seal.keyed && !key.empty()) {
    check.note = "it was sealed without the key";
  }
  check.by_key = seal.keyed && check.problems.empty() && check.note.empty();
}

}  // namespace

std::string sealed_number(const std::string& content, const std::string& key) {
  std::string sum = sha256_hex(content);
  if (key.empty()) return sum;
  // Twice, as HMAC (RFC 2104) does, so that nothing can be appended.
  const std::string fixed = sha256_hex(key);
  return sha256_hex("outer" + fixed + sha256_hex("inner" + fixed + sum));
}

std::string seal_of(SQLite::Database& database, std::int64_t run_id, int version,
                    const std::string& previous, const std::string& key) {
  std::string content = fmt::format("lab seal {}\n{}\n", version, previous);
  for (const Part& part : kParts) {
    const bool known = tables_of(version).contains(std::string(part.table));
    if (!known || version < part.since) continue;
    content += fmt::format("{}\n", part.table);
    append_rows(content, database, select_of(part, version), run_id);
  }
  // Another id would make an older run the latest.
  if (version >= kFirstOfHeads) content += fmt::format("{}\n", run_id);
  return sealed_number(content, key);
}

void seal_run(SQLite::Database& database, std::int64_t run_id, const std::string& key) {
  const auto before = load_seal(database, kOfRuns, run_id);
  const std::string previous =
      before ? before->previous : value_of(database, "SELECT last FROM chain");
  const int version = schema_version();
  SQLite::Statement put(database,
                        "INSERT OR REPLACE INTO seals(run_id, version, previous, sha256, keyed)"
                        " VALUES (?, ?, ?, ?, ?)");
  execute(put, run_id, version, nullable(previous),
          seal_of(database, run_id, version, previous, key), !key.empty());
  if (before) return;
  move_head(database, key, [&] {
    SQLite::Statement chain(database,
                            "INSERT OR REPLACE INTO chain(id, last) SELECT 1, uuid FROM runs"
                            " WHERE id = ?");
    execute(chain, run_id);
  });
}

SealCheck check_seal(SQLite::Database& database, std::int64_t run_id, const std::string& key) {
  SealCheck check;
  const auto seal = load_seal(database, kOfRuns, run_id);
  if (!seal) {
    SQLite::Statement row(database, "SELECT finished_at FROM runs WHERE id = ?");
    start(row, run_id);
    const bool finished = row.executeStep() && !row.getColumn(0).isNull();
    (finished ? check.problems.emplace_back() : check.note) =
        finished ? "it is finished, but has no seal" : "it was not finished, and has no seal";
    return check;
  }
  if (!seal->previous.empty() && !has_run(database, seal->previous)) {
    check.problems.push_back(fmt::format("the run stored before it, {}, is gone", seal->previous));
  }
  if (seal->sha256.empty()) {
    check.note = "it was stored before runs were sealed";
    return check;
  }
  const auto made = [&](const std::string& with) {
    return seal_of(database, run_id, seal->version, seal->previous, with);
  };
  check_number(*seal, kFirstVersion, key, made, check);
  return check;
}

std::string check_chain(SQLite::Database& database) {
  const std::string last = value_of(database, "SELECT last FROM chain");
  if (last.empty() || has_run(database, last)) return {};
  return fmt::format("the newest run, {}, is gone", last);
}

void seal_grade(SQLite::Database& database, std::int64_t grade_id, const std::string& key) {
  const std::string previous = value_of(database, "SELECT last FROM grade_chain");
  const int version = schema_version();
  const std::string made = seal_of_grade(database, grade_id, version, previous, key);
  SQLite::Statement put(database,
                        "INSERT INTO grade_seals(grade_id, version, previous, sha256, keyed)"
                        " VALUES (?, ?, ?, ?, ?)");
  execute(put, grade_id, version, nullable(previous), made, !key.empty());
  move_head(database, key, [&] {
    SQLite::Statement chain(database, "INSERT OR REPLACE INTO grade_chain(id, last) VALUES (1, ?)");
    execute(chain, made);
  });
}

namespace {

SealCheck check_grade_seal(SQLite::Database& database, std::int64_t grade_id,
                           const std::string& key) {
  SealCheck check;
  const auto seal = load_seal(database, kOfGrades, grade_id);
  if (!seal) {
    check.problems.emplace_back("it has no seal");
    return check;
  }
  if (!seal->previous.empty() && !has_grade_seal(database, seal->previous)) {
    check.problems.emplace_back("the grade stored before it is gone, or was edited");
  }
  if (seal->sha256.empty()) {
    check.note = "it was stored before grades were sealed";
    return check;
  }
  const auto made = [&](const std::string& with) {
    return seal_of_grade(database, grade_id, seal->version, seal->previous, with);
  };
  check_number(*seal, kFirstOfGrades, key, made, check);
  return check;
}

}  // namespace

SealCheck check_grade(SQLite::Database& database, std::int64_t grade_id, const std::string& key) {
  SealCheck check = check_grade_seal(database, grade_id, key);
  if (std::string other = check_fingerprints(database, grade_id); !other.empty()) {
    check.problems.push_back(std::move(other));
  }
  return check;
}

void require_key(SealCheck& check, const std::string& key) {
  if (key.empty() || check.by_key || !check.problems.empty()) return;
  check.problems.push_back("it is not sealed with the key: " + check.note);
  check.note.clear();
}

std::vector<std::string> check_grades(SQLite::Database& database, const std::string& key) {
  std::vector<std::string> problems;
  SQLite::Statement grades(database, "SELECT id, student, lab FROM grades ORDER BY id");
  while (grades.executeStep()) {
    const std::int64_t id = grades.getColumn(0).getInt64();
    SealCheck check = check_grade(database, id, key);
    require_key(check, key);
    for (const std::string& problem : check.problems) {
      problems.push_back(fmt::format("grade {} ({}, lab {}) was edited: {}", id,
                                     grades.getColumn(1).getString(), grades.getColumn(2).getInt(),
                                     problem));
    }
  }
  const std::string last = value_of(database, "SELECT last FROM grade_chain");
  if (!last.empty() && !has_grade_seal(database, last)) {
    problems.emplace_back("the newest grade is gone, or was edited");
  }
  SQLite::Statement rubrics(database, "SELECT sha256, text FROM rubrics ORDER BY sha256");
  while (rubrics.executeStep()) {
    const std::string hash = rubrics.getColumn(0).getString();
    if (sha256_hex(rubrics.getColumn(1).getString()) == hash) continue;
    problems.push_back(fmt::format("the rubric kept as {} was edited", hash));
  }
  return problems;
}

}  // namespace lab::db
