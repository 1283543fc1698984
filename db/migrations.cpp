#include "db/migrations.h"

#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>

#include "db/connection.h"
#include "harness/core/error.h"

namespace lab::db {
namespace {

// Columns are specified in db/README.md. Numbers of kinds and statuses are those of
// harness/core/record.h and finding.h.
constexpr std::string_view kVersion1 = R"sql(
CREATE TABLE sources(
  sha256 TEXT PRIMARY KEY CHECK(length(sha256) = 64),
  text TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE runs(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uuid TEXT NOT NULL UNIQUE,
  lab INTEGER NOT NULL,
  lab_id TEXT,
  folder TEXT,
  backend TEXT,
  gpu TEXT,
  arch TEXT,
  started_at TEXT NOT NULL,
  finished_at TEXT,
  student TEXT,
  status TEXT NOT NULL,
  program_version TEXT,
  source_name TEXT,
  source_sha256 TEXT NOT NULL REFERENCES sources(sha256),
  source_is_labs_own INTEGER NOT NULL CHECK(source_is_labs_own IN (0, 1))
) STRICT;
CREATE INDEX runs_by_lab ON runs(lab);

CREATE TABLE environments(
  run_id INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY(run_id, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE cases(
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  variant TEXT NOT NULL,
  params TEXT NOT NULL,
  kernel TEXT,
  grid_x INTEGER, grid_y INTEGER, grid_z INTEGER,
  block_x INTEGER, block_y INTEGER, block_z INTEGER,
  dynamic_shared_bytes INTEGER,
  status INTEGER NOT NULL CHECK(status BETWEEN 1 AND 7),
  correct INTEGER CHECK(correct IN (0, 1)),
  reason TEXT,
  arch TEXT,
  facts TEXT NOT NULL,
  UNIQUE(run_id, position)
) STRICT;

CREATE TABLE observations(
  case_id INTEGER NOT NULL REFERENCES cases(id) ON DELETE CASCADE,
  metric TEXT NOT NULL,
  source INTEGER NOT NULL CHECK(source BETWEEN 1 AND 5),
  seq INTEGER NOT NULL,
  value REAL,
  missing TEXT,
  missing_detail TEXT,
  min REAL,
  max REAL,
  samples INTEGER NOT NULL,
  pass INTEGER NOT NULL,
  PRIMARY KEY(case_id, metric, source),
  CHECK((value IS NULL) = (missing IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE verdicts(
  case_id INTEGER NOT NULL REFERENCES cases(id) ON DELETE CASCADE,
  metric TEXT NOT NULL,
  seq INTEGER NOT NULL,
  kind INTEGER CHECK(kind BETWEEN 1 AND 5),
  reason TEXT,
  theory REAL,
  theory_high REAL,
  formula TEXT,
  level TEXT,
  target REAL,
  excess REAL,
  PRIMARY KEY(case_id, metric)
) STRICT, WITHOUT ROWID;

CREATE TABLE metrics(
  key TEXT PRIMARY KEY,
  position INTEGER NOT NULL,
  unit TEXT NOT NULL,
  class TEXT NOT NULL,
  cupti_name TEXT,
  measured INTEGER NOT NULL,
  text TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE lab_params(
  lab INTEGER NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY(lab, name)
) STRICT, WITHOUT ROWID;
)sql";

constexpr std::string_view kVersion2 = R"sql(
CREATE TABLE findings(
  case_id INTEGER NOT NULL REFERENCES cases(id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  message TEXT NOT NULL,
  kernel TEXT,
  file TEXT,
  line INTEGER,
  source TEXT,
  block_x INTEGER NOT NULL, block_y INTEGER NOT NULL, block_z INTEGER NOT NULL,
  thread_x INTEGER NOT NULL, thread_y INTEGER NOT NULL, thread_z INTEGER NOT NULL,
  address INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY(case_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE timings(
  case_id INTEGER PRIMARY KEY REFERENCES cases(id) ON DELETE CASCADE,
  median_ns REAL NOT NULL,
  min_ns REAL NOT NULL,
  max_ns REAL NOT NULL,
  samples_ns TEXT NOT NULL,
  method TEXT NOT NULL
) STRICT;

CREATE TABLE line_observations(
  case_id INTEGER NOT NULL REFERENCES cases(id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  file TEXT NOT NULL,
  line INTEGER NOT NULL,
  metric TEXT NOT NULL,
  source INTEGER NOT NULL CHECK(source BETWEEN 1 AND 5),
  value REAL NOT NULL,
  PRIMARY KEY(case_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE accesses(
  case_id INTEGER NOT NULL REFERENCES cases(id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  line INTEGER NOT NULL,
  text TEXT NOT NULL,
  space TEXT NOT NULL,
  op TEXT NOT NULL,
  bytes_per_lane INTEGER NOT NULL,
  addresses TEXT NOT NULL,
  buffer TEXT,
  sectors INTEGER NOT NULL,
  wavefronts INTEGER NOT NULL,
  conflicts INTEGER NOT NULL,
  PRIMARY KEY(case_id, seq)
) STRICT, WITHOUT ROWID;
)sql";

constexpr std::string_view kVersion3 = R"sql(
CREATE TABLE calibrations(
  id INTEGER PRIMARY KEY,
  gpu_uuid TEXT NOT NULL,
  gpu TEXT NOT NULL,
  driver TEXT,
  taken_at TEXT NOT NULL,
  UNIQUE(gpu_uuid, taken_at)
) STRICT;

CREATE TABLE ceilings(
  calibration_id INTEGER NOT NULL REFERENCES calibrations(id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  value REAL NOT NULL,
  unit TEXT NOT NULL,
  method TEXT NOT NULL,
  PRIMARY KEY(calibration_id, name)
) STRICT, WITHOUT ROWID;
)sql";

constexpr std::string_view kVersion4 = R"sql(
ALTER TABLE verdicts ADD COLUMN measured REAL;
ALTER TABLE verdicts ADD COLUMN measured_source INTEGER CHECK(measured_source BETWEEN 3 AND 5);
UPDATE verdicts SET (measured, measured_source) = (
  SELECT o.value, o.source FROM observations o
  WHERE o.case_id = verdicts.case_id AND o.metric = verdicts.metric AND o.source >= 3
    AND o.value NOTNULL
  ORDER BY o.source = 5, o.source <> coalesce((SELECT m.measured FROM metrics m
    WHERE m.key = o.metric), iif(instr(o.metric, '__sass_'), 4, 3)) LIMIT 1);

ALTER TABLE timings ADD COLUMN cache INTEGER NOT NULL DEFAULT 2 CHECK(cache IN (1, 2));
ALTER TABLE timings ADD COLUMN warm_ups INTEGER NOT NULL DEFAULT 0;
ALTER TABLE timings ADD COLUMN launches INTEGER AS (json_array_length(samples_ns)) VIRTUAL;
ALTER TABLE timings ADD COLUMN sm_clock_mhz REAL;
ALTER TABLE timings ADD COLUMN temperature_c REAL;
ALTER TABLE timings ADD COLUMN power_w REAL;
ALTER TABLE timings ADD COLUMN throttle_reasons TEXT;
UPDATE timings SET
  cache = iif(instr(method, 'cold L2'), 1, 2),
  warm_ups = iif(instr(method, 'launches after '),
    CAST(substr(method, instr(method, 'launches after ') + 15) AS INTEGER), 0),
  sm_clock_mhz = iif(instr(method, 'SM clock '),
    CAST(substr(method, instr(method, 'SM clock ') + 9) AS REAL), NULL),
  method = iif(instr(method, ', '), substr(method, 1, instr(method, ', ') - 1), method);

ALTER TABLE cases ADD COLUMN access_level INTEGER CHECK(access_level IN (1, 2));
ALTER TABLE cases ADD COLUMN sampled_blocks INTEGER;
ALTER TABLE cases ADD COLUMN counter_cache INTEGER CHECK(counter_cache IN (1, 2));
ALTER TABLE cases ADD COLUMN carveout INTEGER CHECK(carveout BETWEEN -1 AND 100);
ALTER TABLE cases ADD COLUMN compile_options TEXT;
ALTER TABLE cases ADD COLUMN ptx_sha256 TEXT;
ALTER TABLE cases ADD COLUMN cubin_sha256 TEXT;
UPDATE cases SET
  access_level = CASE json_extract(facts, '$.access_level') WHEN 'sass' THEN 1 WHEN 'ptx' THEN 2 END,
  sampled_blocks = CAST(json_extract(facts, '$.sampled') AS INTEGER),
  counter_cache = CASE json_extract(facts, '$.counter_cache')
    WHEN 'cold' THEN 1 WHEN 'warm' THEN 2 END,
  carveout = iif(json_extract(facts, '$.carveout') = 'chosen by the driver', -1,
    CAST(json_extract(facts, '$.carveout') AS INTEGER)),
  cubin_sha256 = json_extract(facts, '$.cubin_sha256'),
  facts = json_remove(facts, '$.access_level', '$.sampled', '$.counter_cache', '$.carveout',
    '$.cubin_sha256')
WHERE json_valid(facts) AND json_type(facts) = 'object';
)sql";

constexpr std::string_view kVersion5 = R"sql(
ALTER TABLE runs ADD COLUMN seed INTEGER;
ALTER TABLE runs ADD COLUMN missing_cases INTEGER CHECK(missing_cases > 0);
UPDATE runs SET
  seed = (SELECT CAST(value AS INTEGER) FROM environments WHERE run_id = id AND key = 'seed'),
  missing_cases = (SELECT nullif(CAST(value AS INTEGER), 0) FROM environments
    WHERE run_id = id AND key = 'cases_missing');
DELETE FROM environments WHERE key IN ('seed', 'cases_missing');

CREATE TEMP TABLE kept AS SELECT * FROM verdicts;
DROP TABLE verdicts;
CREATE TABLE verdicts(
  case_id INTEGER NOT NULL REFERENCES cases(id) ON DELETE CASCADE,
  metric TEXT NOT NULL,
  seq INTEGER NOT NULL,
  kind INTEGER CHECK(kind BETWEEN 1 AND 6),
  reason TEXT,
  theory REAL,
  theory_high REAL,
  formula TEXT,
  level TEXT,
  target REAL,
  excess REAL,
  measured REAL,
  measured_source INTEGER CHECK(measured_source BETWEEN 3 AND 5),
  PRIMARY KEY(case_id, metric)
) STRICT, WITHOUT ROWID;
INSERT INTO verdicts SELECT * FROM kept;
DROP TABLE kept;
)sql";

constexpr std::string_view kVersion6 = R"sql(
CREATE TABLE seals(
  run_id INTEGER PRIMARY KEY REFERENCES runs(id) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  previous TEXT,
  sha256 TEXT,
  keyed INTEGER NOT NULL CHECK(keyed IN (0, 1))
) STRICT;
INSERT INTO seals(run_id, version, keyed) SELECT id, 5, 0 FROM runs WHERE finished_at NOTNULL;

CREATE TABLE chain(
  id INTEGER PRIMARY KEY CHECK(id = 1),
  last TEXT NOT NULL
) STRICT;

CREATE INDEX runs_by_student ON runs(student, lab);
CREATE INDEX verdicts_by_excess ON verdicts(case_id, metric, excess) WHERE excess > 1;
ALTER TABLE runs ADD COLUMN compile_options TEXT;
CREATE TABLE included_sources(
  run_id INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  source_sha256 TEXT NOT NULL REFERENCES sources(sha256),
  PRIMARY KEY(run_id, position)
) STRICT, WITHOUT ROWID;
)sql";

// Cases that did not compile (status 8), what grading leaves behind, and what students guess.
constexpr std::string_view kVersion7 = R"sql(
CREATE TEMP TABLE kept AS SELECT * FROM cases;
DROP TABLE cases;
CREATE TABLE cases(
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  variant TEXT NOT NULL,
  params TEXT NOT NULL,
  kernel TEXT,
  grid_x INTEGER, grid_y INTEGER, grid_z INTEGER,
  block_x INTEGER, block_y INTEGER, block_z INTEGER,
  dynamic_shared_bytes INTEGER,
  status INTEGER NOT NULL CHECK(status BETWEEN 1 AND 8),
  correct INTEGER CHECK(correct IN (0, 1)),
  reason TEXT,
  arch TEXT,
  facts TEXT NOT NULL,
  access_level INTEGER CHECK(access_level IN (1, 2)),
  sampled_blocks INTEGER,
  counter_cache INTEGER CHECK(counter_cache IN (1, 2)),
  carveout INTEGER CHECK(carveout BETWEEN -1 AND 100),
  compile_options TEXT,
  ptx_sha256 TEXT,
  cubin_sha256 TEXT,
  UNIQUE(run_id, position)
) STRICT;
INSERT INTO cases SELECT * FROM kept;
DROP TABLE kept;

CREATE TABLE students(
  student TEXT PRIMARY KEY,
  name TEXT,
  email TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE deadlines(
  lab INTEGER NOT NULL,
  student TEXT NOT NULL DEFAULT '',
  due TEXT NOT NULL,
  PRIMARY KEY(lab, student)
) STRICT, WITHOUT ROWID;

CREATE TABLE rubrics(
  sha256 TEXT PRIMARY KEY CHECK(length(sha256) = 64),
  lab INTEGER NOT NULL,
  text TEXT NOT NULL,
  seed INTEGER NOT NULL,
  pass REAL NOT NULL,
  of REAL NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE grades(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  student TEXT NOT NULL,
  lab INTEGER NOT NULL,
  rubric_sha256 TEXT NOT NULL REFERENCES rubrics(sha256),
  source_sha256 TEXT,
  run_id INTEGER REFERENCES runs(id) ON DELETE SET NULL,
  file TEXT,
  status TEXT NOT NULL CHECK(status IN ('ok', 'wrong', 'finding', 'timeout', 'error', 'manual',
    'not_compiled', 'no_kernel', 'missing')),
  reason TEXT,
  points REAL,
  of REAL NOT NULL,
  seconds REAL,
  memory_bytes INTEGER,
  submitted_at TEXT,
  graded_at TEXT NOT NULL,
  feedback TEXT,
  CHECK((points IS NULL) = (status = 'manual'))
) STRICT;
CREATE INDEX grades_by_student ON grades(student, lab);
CREATE INDEX grades_by_run ON grades(run_id);

CREATE TABLE criteria(
  grade_id INTEGER NOT NULL REFERENCES grades(id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  name TEXT NOT NULL,
  variant TEXT NOT NULL,
  points REAL,
  of REAL NOT NULL,
  metric TEXT,
  value REAL,
  excess REAL,
  threshold TEXT NOT NULL,
  params TEXT,
  reason TEXT,
  PRIMARY KEY(grade_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE adjustments(
  id INTEGER PRIMARY KEY,
  student TEXT NOT NULL,
  lab INTEGER NOT NULL,
  points REAL NOT NULL,
  reason TEXT NOT NULL,
  author TEXT,
  made_at TEXT NOT NULL DEFAULT (datetime('now'))
) STRICT;

CREATE TABLE fingerprints(
  lab INTEGER NOT NULL,
  student TEXT NOT NULL,
  kernel TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  PRIMARY KEY(lab, student, kernel)
) STRICT, WITHOUT ROWID;
CREATE INDEX fingerprints_by_code ON fingerprints(sha256, lab);

CREATE TABLE guesses(
  uuid TEXT NOT NULL PRIMARY KEY,
  student TEXT,
  lab INTEGER NOT NULL,
  variant TEXT NOT NULL,
  params TEXT NOT NULL,
  metric TEXT NOT NULL,
  guess REAL NOT NULL,
  made_at TEXT NOT NULL,
  run_uuid TEXT,
  answer REAL,
  rule TEXT
) STRICT;

CREATE TABLE quiz_answers(
  uuid TEXT NOT NULL PRIMARY KEY,
  student TEXT,
  lab INTEGER NOT NULL,
  question TEXT NOT NULL,
  given TEXT NOT NULL,
  correct INTEGER NOT NULL CHECK(correct IN (0, 1)),
  given_at TEXT NOT NULL
) STRICT;
)sql";

// Seals of grades. Those that were there have none, as runs had before version 6.
constexpr std::string_view kVersion8 = R"sql(
CREATE TABLE grade_seals(
  grade_id INTEGER PRIMARY KEY REFERENCES grades(id) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  previous TEXT,
  sha256 TEXT,
  keyed INTEGER NOT NULL CHECK(keyed IN (0, 1))
) STRICT;
CREATE INDEX grade_seals_by_sha256 ON grade_seals(sha256);
INSERT INTO grade_seals(grade_id, version, keyed) SELECT id, 7, 0 FROM grades;

CREATE TABLE grade_chain(
  id INTEGER PRIMARY KEY CHECK(id = 1),
  last TEXT NOT NULL
) STRICT;
)sql";

// What a case came to, in words that SQL may ask for. Filled by fill_readings.
constexpr std::string_view kVersion9 = R"sql(
CREATE TABLE readings(
  case_id INTEGER PRIMARY KEY REFERENCES cases(id) ON DELETE CASCADE,
  outcome INTEGER NOT NULL,
  standing INTEGER NOT NULL,
  metric TEXT,
  value REAL,
  target REAL,
  excess REAL
) STRICT;
)sql";

int version_of(SQLite::Database& database) {
  return database.execAndGet("PRAGMA user_version").getInt();
}

// One step: true where it was taken, false where another process took it meanwhile.
bool take_step(SQLite::Database& database, int from) {
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  if (version_of(database) != from) return false;
  database.exec(std::string(migrations()[static_cast<std::size_t>(from)].sql));
  database.exec(fmt::format("PRAGMA application_id = {}", kApplicationId));
  database.exec(fmt::format("PRAGMA user_version = {}", from + 1));
  if (SQLite::Statement(database, "PRAGMA foreign_key_check").executeStep()) {
    throw input_error(
        fmt::format("{}: rows refer to rows that are not there", database.getFilename()),
        "the database was edited; restore a copy");
  }
  transaction.commit();
  return true;
}

}  // namespace

const std::vector<Migration>& migrations() {
  static const std::vector<Migration> kMigrations = {
      {"runs, cases and what was observed of them", kVersion1},
      {"findings, timings, counts per source line, accesses of a warp", kVersion2},
      {"ceilings of a GPU", kVersion3},
      {"what was measured, how it was timed and how a case was run, as columns", kVersion4},
      {"seeds and missing cases of runs as columns, and the verdict `too small`", kVersion5},
      {"seals of runs, what a grader's questions are found by, and the files that a text includes",
       kVersion6},
      {"grades, criteria, students and what belongs to them; cases that did not compile; guesses "
       "and "
       "answers to quizzes",
       kVersion7},
      {"seals of grades", kVersion8},
      {"what each case came to, and how a student's kernel stands to its target", kVersion9},
  };
  return kMigrations;
}

const std::map<std::string, std::string>& tables_of(int version) {
  static std::map<int, std::map<std::string, std::string>> known;
  const auto [at, fresh] = known.try_emplace(version);
  if (!fresh) return at->second;
  SQLite::Database made(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  for (int step = 0; step < version; ++step) {
    made.exec(std::string(migrations()[static_cast<std::size_t>(step)].sql));
  }
  SQLite::Statement tables(
      made, "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql NOT NULL");
  while (tables.executeStep()) {
    const std::string name = tables.getColumn(0).getString();
    if (!name.starts_with("sqlite_")) at->second[name] = tables.getColumn(1).getString();
  }
  return at->second;
}

int schema_version() { return static_cast<int>(migrations().size()); }

bool migrate(SQLite::Database& database, int target) {
  bool changed = false;
  // A step may rebuild a table that others refer to; the rows are checked before it is committed.
  database.exec("PRAGMA foreign_keys = OFF");
  for (int version = version_of(database); version < target; version = version_of(database)) {
    changed |= take_step(database, version);
  }
  database.exec("PRAGMA foreign_keys = ON");
  return changed;
}

}  // namespace lab::db
