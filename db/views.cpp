#include "db/views.h"

#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "db/grade_views.h"
#include "db/migrations.h"
#include "db/statement.h"
#include "harness/core/record.h"
#include "harness/reading/case_reading.h"
#include "metrics/catalogue.h"

namespace lab::db {
namespace {

constexpr CaseStatus kStatuses[] = {
    CaseStatus::kOk,    CaseStatus::kWrong,   CaseStatus::kFinding, CaseStatus::kRefused,
    CaseStatus::kError, CaseStatus::kTimeout, CaseStatus::kSkipped, CaseStatus::kNotCompiled,
};
constexpr VerdictKind kVerdicts[] = {
    VerdictKind::kAgrees,  VerdictKind::kExplained, VerdictKind::kDisagrees,
    VerdictKind::kContext, VerdictKind::kMissing,   VerdictKind::kTooSmall,
};
constexpr SourceOf kSources[] = {SourceOf::kTheory, SourceOf::kModel, SourceOf::kCupti,
                                 SourceOf::kSass, SourceOf::kNcu};
constexpr reading::Standing kStandings[] = {
    reading::Standing::kOnTarget, reading::Standing::kAboveTarget, reading::Standing::kTooLittle,
    reading::Standing::kNoValue,  reading::Standing::kFailed,
};

// CASE column WHEN 1 THEN 'ok' ... END: stored numbers as the words people know.
template <typename Kinds>
std::string names_of(const std::string& column, const Kinds& kinds) {
  std::string sql = "CASE " + column;
  for (const auto kind : kinds) {
    sql += fmt::format(" WHEN {} THEN '{}'", static_cast<int>(kind), name_of(kind));
  }
  return sql + " END";
}

// The reading of case c.
std::string outcome_column() {
  return fmt::format("(SELECT {} FROM readings WHERE case_id = c.id)",
                     names_of("outcome", reading::all_outcomes()));
}

// How a student's kernel stands to its target in case c; NULL: it has none.
std::string standing_column() {
  return fmt::format("(SELECT {} FROM readings WHERE case_id = c.id)",
                     names_of("standing", kStandings));
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string in_quotes(const std::string& text, char quote) {
  std::string out(1, quote);
  for (const char c : text) {
    out += c;
    if (c == quote) out += quote;
  }
  return out + quote;
}

// The value of one metric for case c: what was measured, else the model's.
std::string metric_column(const metrics::Metric& metric) {
  return fmt::format(
      ",\n  coalesce((SELECT measured FROM verdicts WHERE case_id = c.id AND metric = '{0}'),"
      " (SELECT value FROM observations WHERE case_id = c.id AND metric = '{0}' AND source = {1}))"
      " AS \"{0}\"",
      metric.key, static_cast<int>(SourceOf::kModel));
}

constexpr std::string_view kCaseColumns[] = {
    "run",     "run_uuid", "started_at",  "student",     "backend", "variant",
    "params",  "gpu",      "arch",        "status",      "correct", "standing",
    "outcome", "time_ns",  "expected_us", "expected_on", "sets",
};

std::set<std::string> taken_names() {
  std::set<std::string> taken(std::begin(kCaseColumns), std::end(kCaseColumns));
  for (const metrics::Metric& metric : metrics::catalogue()) {
    taken.insert(lower(std::string(metric.key)));
  }
  return taken;
}

// Views that are not of one lab, by name.
std::map<std::string, std::string> fixed_views() {
  std::map<std::string, std::string> views = {{"compare", compare_view_sql()},
                                              {"latest", latest_view_sql()}};
  for (const GradeView& view : grade_views()) views[std::string(view.name)] = view.sql;
  return views;
}

// Makes or replaces view `name` where its stored text is not `sql`.
void ensure_view(SQLite::Database& database, const std::string& name, const std::string& sql) {
  SQLite::Statement stored(database,
                           "SELECT sql FROM sqlite_schema WHERE type = 'view' AND name = ?");
  start(stored, name);
  if (stored.executeStep() && stored.getColumn(0).getString() == sql) return;
  stored.reset();
  database.exec("DROP VIEW IF EXISTS " + name);
  database.exec(sql);
}

void ensure_metrics(SQLite::Database& database) {
  SQLite::Statement insert(database,
                           "INSERT INTO metrics(key, position, unit, class, cupti_name, measured,"
                           " text) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"
                           " ON CONFLICT(key) DO UPDATE SET position = ?2, unit = ?3, class = ?4,"
                           " cupti_name = ?5, measured = ?6, text = ?7"
                           " WHERE (position, unit, class, cupti_name, measured, text)"
                           " IS NOT (?2, ?3, ?4, ?5, ?6, ?7)");
  int position = 0;
  for (const metrics::Metric& metric : metrics::catalogue()) {
    const bool by_sass = metric.measured == SourceOf::kSass && !metric.sass.empty();
    const std::string_view counter = by_sass || metric.cupti.empty() ? metric.sass : metric.cupti;
    execute(insert, std::string(metric.key), position++, std::string(metric.unit),
            std::string(name_of(metric.metric_class)), nullable(std::string(counter)),
            static_cast<int>(metric.measured), nullable(std::string(metric.text)));
  }
}

}  // namespace

// Subqueries, not joins: SQLite leaves out those whose columns a query does not ask for.
std::string compare_view_sql() {
  const auto of_metric = [](const char* column) {
    return fmt::format("(SELECT {} FROM metrics WHERE key = v.metric)", column);
  };
  const auto value_from = [](SourceOf source) {
    return fmt::format(
        "(SELECT value FROM observations WHERE case_id = c.id AND metric = v.metric AND source = "
        "{})",
        static_cast<int>(source));
  };
  const auto of_measured = [](const char* column) {
    return fmt::format(
        "(SELECT {} FROM observations WHERE case_id = c.id AND metric = v.metric AND source ="
        " v.measured_source)",
        column);
  };
  // Where the model has an interval: one end of it.
  const auto end_of_model = [](const char* column) {
    return fmt::format(
        "(SELECT {} FROM observations WHERE case_id = c.id AND metric = v.metric AND source = {}"
        " AND min < max)",
        column, static_cast<int>(SourceOf::kModel));
  };
  return fmt::format(
      R"sql(CREATE VIEW compare AS
SELECT r.id AS run, r.uuid AS run_uuid, r.started_at AS started_at, r.lab AS lab,
  r.student AS student, c.variant AS variant, c.params AS params, r.gpu AS gpu,
  coalesce(c.arch, r.arch) AS arch, {status} AS status, c.correct AS correct, v.metric AS metric,
  CASE WHEN {key} IS NULL THEN v.metric ELSE {cupti_name} END AS cupti_name,
  {unit} AS unit, coalesce({class_name}, 'context') AS class, v.level AS level,
  coalesce(v.theory, {theory}) AS theory,
  v.theory_high AS theory_high, v.formula AS formula, v.target AS target, v.excess AS excess,
  {model} AS model,
  {model_low} AS model_low,
  {model_high} AS model_high,
  {cupti} AS cupti,
  {sass} AS sass,
  {ncu} AS ncu,
  v.measured AS measured,
  {measured_source} AS measured_source,
  {min} AS min,
  {max} AS max,
  {samples} AS samples,
  {verdict} AS verdict, v.reason AS reason
FROM runs r JOIN cases c ON c.run_id = r.id JOIN verdicts v ON v.case_id = c.id)sql",
      fmt::arg("status", names_of("c.status", kStatuses)), fmt::arg("key", of_metric("key")),
      fmt::arg("cupti_name", of_metric("cupti_name")), fmt::arg("unit", of_metric("unit")),
      fmt::arg("class_name", of_metric("class")), fmt::arg("theory", value_from(SourceOf::kTheory)),
      fmt::arg("model", value_from(SourceOf::kModel)),
      fmt::arg("cupti", value_from(SourceOf::kCupti)),
      fmt::arg("sass", value_from(SourceOf::kSass)), fmt::arg("ncu", value_from(SourceOf::kNcu)),
      fmt::arg("model_low", end_of_model("min")), fmt::arg("model_high", end_of_model("max")),
      fmt::arg("measured_source", names_of("v.measured_source", kSources)),
      fmt::arg("min", of_measured("min")), fmt::arg("max", of_measured("max")),
      fmt::arg("samples", of_measured("samples")),
      fmt::arg("verdict", names_of("v.kind", kVerdicts)));
}

std::string latest_view_sql() {
  return fmt::format(R"sql(CREATE VIEW latest AS
SELECT run, run_uuid, started_at, lab, student, variant, params, gpu, arch, backend, kernel, status,
  correct, outcome, standing, reason
FROM (SELECT r.id AS run, r.uuid AS run_uuid, r.started_at AS started_at, r.lab AS lab,
    r.student AS student, c.variant AS variant, c.params AS params, r.gpu AS gpu,
    coalesce(c.arch, r.arch) AS arch, r.backend AS backend, c.kernel AS kernel, {} AS status,
    c.correct AS correct, {} AS outcome, {} AS standing, c.reason AS reason,
    row_number() OVER (PARTITION BY r.student, r.lab, c.variant, c.params
      ORDER BY r.started_at DESC, r.id DESC, c.position DESC) AS age
  FROM runs r JOIN cases c ON c.run_id = r.id)
WHERE age = 1)sql",
                     names_of("c.status", kStatuses), outcome_column(), standing_column());
}

std::string lab_view_sql(int lab, const std::vector<std::string>& params) {
  std::string sql = fmt::format(R"sql(CREATE VIEW lab{} AS
SELECT r.id AS run, r.uuid AS run_uuid, r.started_at AS started_at, r.student AS student,
  r.backend AS backend, c.variant AS variant, c.params AS params)sql",
                                lab);
  std::set<std::string> taken = taken_names();
  for (const std::string& param : params) {
    // Column names are the same in any case: n and N are two parameters but one name.
    std::string column = param;
    while (!taken.insert(lower(column)).second) column.insert(0, "param_");
    const std::string path = in_quotes("$." + in_quotes(param, '"'), '\'');
    sql += fmt::format(",\n  json_extract(c.params, {}) AS {}", path, in_quotes(column, '"'));
  }
  sql += fmt::format(
      ",\n  r.gpu AS gpu, coalesce(c.arch, r.arch) AS arch, {} AS status, c.correct AS correct,\n"
      "  {} AS outcome, {} AS standing,\n"
      "  (SELECT median_ns FROM timings WHERE case_id = c.id) AS time_ns,\n"
      "  (SELECT ns / 1000 FROM expected_times WHERE case_id = c.id) AS expected_us,\n"
      "  (SELECT gpu FROM expected_times WHERE case_id = c.id) AS expected_on,\n"
      "  (SELECT sets FROM expected_times WHERE case_id = c.id) AS sets",
      names_of("c.status", kStatuses), outcome_column(), standing_column());
  for (const metrics::Metric& metric : metrics::catalogue()) sql += metric_column(metric);
  return sql + fmt::format("\nFROM runs r JOIN cases c ON c.run_id = r.id\nWHERE r.lab = {}", lab);
}

namespace {

std::vector<std::string> stored_params(SQLite::Database& database, int lab) {
  SQLite::Statement names(database,
                          "SELECT name FROM lab_params WHERE lab = ? ORDER BY name LIMIT ?");
  start(names, lab, kMostParams);
  std::vector<std::string> params;
  while (names.executeStep()) params.push_back(names.getColumn(0).getString());
  return params;
}

std::set<int> stored_labs(SQLite::Database& database) {
  SQLite::Statement stored(database,
                           "SELECT lab FROM (SELECT lab FROM lab_params UNION SELECT lab FROM runs)"
                           " WHERE lab BETWEEN 0 AND ? ORDER BY lab LIMIT ?");
  start(stored, kMostLab, kMostParams);
  std::set<int> labs;
  while (stored.executeStep()) labs.insert(stored.getColumn(0).getInt());
  return labs;
}

void add_temporary(SQLite::Database& database, const std::string& create_view) {
  constexpr std::string_view kCreate = "CREATE ";
  database.exec("CREATE TEMP " + create_view.substr(kCreate.size()));
}

}  // namespace

void ensure_lab_view(SQLite::Database& database, int lab) {
  if (lab < 0 || lab > kMostLab) return;
  ensure_view(database, fmt::format("lab{}", lab), lab_view_sql(lab, stored_params(database, lab)));
}

void add_own_views(SQLite::Database& database, std::string_view sql) {
  const std::string asked = lower(std::string(sql));
  const auto names = [&](const std::string& view) { return asked.find(view) != std::string::npos; };
  database.exec("PRAGMA temp_store = MEMORY");
  // The catalogue says what a value is; keys that only the file has keep what it says.
  database.exec(
      "CREATE TEMP TABLE metrics(key TEXT PRIMARY KEY, position INTEGER, unit TEXT, class TEXT,"
      " cupti_name TEXT, measured INTEGER, text TEXT) WITHOUT ROWID;"
      "INSERT INTO temp.metrics SELECT key, position, unit, class, cupti_name, measured, text"
      " FROM main.metrics");
  ensure_metrics(database);
  if (names("compare")) add_temporary(database, compare_view_sql());
  if (names("latest")) add_temporary(database, latest_view_sql());
  for (const GradeView& view : grade_views()) {
    if (names(std::string(view.name))) add_temporary(database, std::string(view.sql));
  }
  for (const int lab : stored_labs(database)) {
    if (!names(fmt::format("lab{}", lab))) continue;
    add_temporary(database, lab_view_sql(lab, stored_params(database, lab)));
  }
}

std::vector<std::string> other_views(SQLite::Database& database) {
  std::map<std::string, std::string> own = fixed_views();
  for (const int lab : stored_labs(database)) {
    own[fmt::format("lab{}", lab)] = lab_view_sql(lab, stored_params(database, lab));
  }
  SQLite::Statement stored(database,
                           "SELECT name, sql FROM main.sqlite_schema WHERE type = 'view'");
  std::vector<std::string> others;
  while (stored.executeStep()) {
    const std::string name = stored.getColumn(0).getString();
    const auto at = own.find(name);
    if (at != own.end() && at->second != stored.getColumn(1).getString()) others.push_back(name);
    if (at != own.end()) own.erase(at);
  }
  for (const auto& [name, sql] : own) others.push_back(name);  // gone
  std::sort(others.begin(), others.end());
  return others;
}

std::vector<std::string> other_metrics(SQLite::Database& database) {
  const auto rows = [](SQLite::Database& from) {
    SQLite::Statement all(from,
                          "SELECT key, format('%d|%s|%s|%s|%d|%s', position, unit, class,"
                          " cupti_name, measured, text) FROM metrics");
    std::map<std::string, std::string> found;
    while (all.executeStep()) {
      found[all.getColumn(0).getString()] = all.getColumn(1).getString();
    }
    return found;
  };
  SQLite::Database made(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  made.exec(tables_of(schema_version()).at("metrics"));
  ensure_metrics(made);
  const auto own = rows(made);
  const auto stored = rows(database);
  std::vector<std::string> others;
  for (const auto& [key, row] : stored) {
    const auto at = own.find(key);
    if (at == own.end() || at->second != row) others.push_back(key);
  }
  for (const auto& [key, row] : own) {
    if (!stored.contains(key)) others.push_back(key);
  }
  return others;
}

void refresh_views(SQLite::Database& database, const std::set<int>& others) {
  ensure_metrics(database);
  for (const auto& [name, sql] : fixed_views()) ensure_view(database, name, sql);
  std::set<int> labs = others;
  labs.merge(stored_labs(database));
  for (const int lab : labs) ensure_lab_view(database, lab);
}

}  // namespace lab::db
