#include "db/migrations.h"

#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>

#include <algorithm>

#include "db/connection.h"
#include "harness/core/error.h"

namespace lab::db {
namespace {

// Columns are specified in db/README.md. Numbers of kinds and statuses are those of
// harness/core/record.h and finding.h. Text as SQLite keeps it of files that grew to this version
// column by column: files are held against it to the letter.
constexpr std::string_view kBaseline = R"sql(
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
, seed INTEGER, missing_cases INTEGER CHECK(missing_cases > 0), compile_options TEXT) STRICT;
CREATE INDEX runs_by_lab ON runs(lab);
CREATE INDEX runs_by_student ON runs(student, lab);

CREATE TABLE environments(
  run_id INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY(run_id, key)
) STRICT, WITHOUT ROWID;

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
, cache INTEGER NOT NULL DEFAULT 2 CHECK(cache IN (1, 2)), warm_ups INTEGER NOT NULL DEFAULT 0, launches INTEGER AS (json_array_length(samples_ns)) VIRTUAL, sm_clock_mhz REAL, temperature_c REAL, power_w REAL, throttle_reasons TEXT) STRICT;

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
CREATE INDEX verdicts_by_excess ON verdicts(case_id, metric, excess) WHERE excess > 1;

CREATE TABLE seals(
  run_id INTEGER PRIMARY KEY REFERENCES runs(id) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  previous TEXT,
  sha256 TEXT,
  keyed INTEGER NOT NULL CHECK(keyed IN (0, 1))
) STRICT;

CREATE TABLE chain(
  id INTEGER PRIMARY KEY CHECK(id = 1),
  last TEXT NOT NULL
) STRICT;

CREATE TABLE included_sources(
  run_id INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  source_sha256 TEXT NOT NULL REFERENCES sources(sha256),
  PRIMARY KEY(run_id, position)
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

CREATE TABLE grade_seals(
  grade_id INTEGER PRIMARY KEY REFERENCES grades(id) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  previous TEXT,
  sha256 TEXT,
  keyed INTEGER NOT NULL CHECK(keyed IN (0, 1))
) STRICT;
CREATE INDEX grade_seals_by_sha256 ON grade_seals(sha256);

CREATE TABLE grade_chain(
  id INTEGER PRIMARY KEY CHECK(id = 1),
  last TEXT NOT NULL
) STRICT;
)sql";

// What a case came to, so that SQL may ask for it. Filled by fill_readings.
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

// Why a launch took long depends on this number, which was read out of a note for people before.
constexpr std::string_view kVersion10 = R"sql(
ALTER TABLE cases ADD COLUMN blocks_per_sm INTEGER;
UPDATE cases SET blocks_per_sm = CAST(json_extract(facts, '$.blocks_per_sm') AS INTEGER)
  WHERE json_valid(facts);
)sql";

// The time that a case is expected to take, and what of its kernel it comes from.
constexpr std::string_view kVersion11 = R"sql(
CREATE TABLE kernel_facts(
  case_id INTEGER PRIMARY KEY REFERENCES cases(id) ON DELETE CASCADE,
  absent TEXT,
  blocks INTEGER NOT NULL,
  instructions REAL NOT NULL,
  issue_cycles REAL NOT NULL,
  global_rounds REAL NOT NULL,
  shared_rounds REAL NOT NULL,
  global_hidden REAL NOT NULL,
  shared_hidden REAL NOT NULL,
  other_cycles REAL NOT NULL,
  barriers REAL NOT NULL,
  fp64 REAL NOT NULL,
  special REAL NOT NULL,
  tensor REAL NOT NULL,
  global_loads REAL NOT NULL,
  shared_loads REAL NOT NULL,
  stores REAL NOT NULL,
  phases INTEGER NOT NULL,
  stored_sectors REAL NOT NULL,
  partly_stored REAL NOT NULL,
  filled_up REAL NOT NULL,
  empty_bytes REAL NOT NULL,
  stored_lines REAL NOT NULL,
  stored_bytes REAL NOT NULL,
  distinct_bytes REAL NOT NULL,
  sent_sectors REAL NOT NULL,
  sent_lines REAL NOT NULL,
  merged_sectors REAL NOT NULL,
  merged_lines REAL NOT NULL,
  merged_whole REAL NOT NULL,
  hot_float_adds REAL NOT NULL,
  hot_integer_adds REAL NOT NULL,
  hot_stores REAL NOT NULL,
  hot_loads REAL NOT NULL,
  past_l1 REAL NOT NULL,
  tag_cycles REAL NOT NULL,
  data_cycles REAL NOT NULL,
  registers INTEGER NOT NULL,
  shared_bytes INTEGER NOT NULL
) STRICT;

CREATE TABLE expected_times(
  case_id INTEGER PRIMARY KEY REFERENCES cases(id) ON DELETE CASCADE,
  ns REAL,
  sets TEXT,
  reason TEXT,
  gpu TEXT,
  origin TEXT,
  calibrated INTEGER NOT NULL CHECK(calibrated IN (0, 1)),
  within REAL,
  off TEXT
) STRICT;
)sql";

// What no seal of one run or grade can say: that the newest is there, and a student's fingerprints.
constexpr std::string_view kVersion12 = R"sql(
CREATE TABLE head(
  id INTEGER PRIMARY KEY CHECK(id = 1),
  sha256 TEXT NOT NULL
) STRICT;
ALTER TABLE grades ADD COLUMN fingerprints_sha256 TEXT;
)sql";

// Why a launch took longer becomes a word of its own. Older rows keep their sentence in `reason`,
// since their runs' seals cover it.
constexpr std::string_view kVersion13 = R"sql(
ALTER TABLE verdicts ADD COLUMN longer TEXT;
ALTER TABLE verdicts ADD COLUMN longer_because TEXT;
UPDATE verdicts SET longer_because =
    substr(reason, instr(reason, '; it takes longer: ') + length('; it takes longer: '))
  WHERE metric = 'duration_ns' AND instr(reason, '; it takes longer: ') > 0;
UPDATE verdicts SET longer = CASE
    WHEN longer_because LIKE 'a launch of an empty kernel%' THEN 'launch'
    WHEN longer_because LIKE '%SMs without work' THEN 'few blocks'
    WHEN longer_because LIKE 'latency:%' THEN 'latency'
    WHEN longer_because LIKE 'L2 does the atomics%' THEN 'atomics'
    WHEN longer_because LIKE 'stores fill%' THEN 'partly written'
    WHEN longer_because LIKE '%which L1 serves a few at a time' THEN 'spread'
    WHEN longer_because LIKE '%to hide latency' THEN 'few warps'
    WHEN longer_because LIKE 'the last of%' THEN 'last round'
    ELSE 'unknown' END
  WHERE longer_because IS NOT NULL;
ALTER TABLE kernel_facts ADD COLUMN reloaded REAL NOT NULL DEFAULT 0;
ALTER TABLE kernel_facts ADD COLUMN line_gap REAL NOT NULL DEFAULT 0;
)sql";

// The report shows the times that the terminal showed: those of the sizes that a GPU runs.
constexpr std::string_view kVersion14 = R"sql(
CREATE TABLE larger_times(
  run_id INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  variant TEXT NOT NULL,
  params TEXT NOT NULL,
  bytes REAL,
  ns REAL,
  sets TEXT,
  reason TEXT,
  gpu TEXT,
  origin TEXT,
  calibrated INTEGER NOT NULL CHECK(calibrated IN (0, 1)),
  within REAL,
  off TEXT,
  PRIMARY KEY(run_id, seq)
) STRICT, WITHOUT ROWID;
)sql";

// The facts that a finding's sentence is made of. Earlier findings have none, and keep their
// message.
constexpr std::string_view kVersion15 = R"sql(
ALTER TABLE findings ADD COLUMN op TEXT NOT NULL DEFAULT 'load';
ALTER TABLE findings ADD COLUMN space TEXT NOT NULL DEFAULT 'generic';
ALTER TABLE findings ADD COLUMN array TEXT;
ALTER TABLE findings ADD COLUMN cause TEXT NOT NULL DEFAULT 'none';
ALTER TABLE findings ADD COLUMN element INTEGER NOT NULL DEFAULT 0;
ALTER TABLE findings ADD COLUMN last_element INTEGER NOT NULL DEFAULT 0;
ALTER TABLE findings ADD COLUMN elements INTEGER NOT NULL DEFAULT 0;
ALTER TABLE findings ADD COLUMN other_file TEXT;
ALTER TABLE findings ADD COLUMN other_line INTEGER;
ALTER TABLE findings ADD COLUMN other_source TEXT;
)sql";

// A launch that is timed finds in L2 what was put back before it, not what it needs; atomics whose
// results are waited for; managed memory, whose pages move.
constexpr std::string_view kVersion16 = R"sql(
ALTER TABLE kernel_facts ADD COLUMN restored_bytes REAL NOT NULL DEFAULT 0;
ALTER TABLE kernel_facts ADD COLUMN copied_bytes REAL NOT NULL DEFAULT 0;
ALTER TABLE kernel_facts ADD COLUMN managed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE kernel_facts ADD COLUMN global_atomic_rounds REAL NOT NULL DEFAULT 0;
ALTER TABLE kernel_facts ADD COLUMN shared_atomic_rounds REAL NOT NULL DEFAULT 0;
)sql";

int version_of(SQLite::Database& database) {
  return database.execAndGet("PRAGMA user_version").getInt();
}

// One step: true where it was taken, false where another process took it meanwhile.
bool take_step(SQLite::Database& database, int from, const Migration& step) {
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  if (version_of(database) != from) return false;
  database.exec(std::string(step.sql));
  database.exec(fmt::format("PRAGMA application_id = {}", kApplicationId));
  database.exec(fmt::format("PRAGMA user_version = {}", step.version));
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
      {8, "all that was there when versions began to be kept", kBaseline},
      {9, "what each case came to, and how a student's kernel stands to its target", kVersion9},
      {10, "how many blocks are on a multiprocessor at once", kVersion10},
      {11, "the time that each case is expected to take", kVersion11},
      {12, "the keyed end of the chains of seals, and fingerprints held by the grade", kVersion12},
      {13,
       "why a launch took longer, as a word; stored data that is loaded again, gaps between lines",
       kVersion13},
      {14, "the times expected at the sizes that a GPU runs", kVersion14},
      {15, "which element of which array a finding is about, and the other access of a race",
       kVersion15},
      {16, "what is put back before each launch that is timed, waits for atomics, managed memory",
       kVersion16},
  };
  return kMigrations;
}

const std::map<std::string, std::string>& tables_of(int version) {
  static std::map<int, std::map<std::string, std::string>> known;
  const auto [at, fresh] = known.try_emplace(version);
  if (!fresh) return at->second;
  SQLite::Database made(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  for (const Migration& step : migrations()) {
    if (step.version <= std::max(version, oldest_version())) made.exec(std::string(step.sql));
  }
  SQLite::Statement tables(
      made, "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql NOT NULL");
  while (tables.executeStep()) {
    const std::string name = tables.getColumn(0).getString();
    if (!name.starts_with("sqlite_")) at->second[name] = tables.getColumn(1).getString();
  }
  return at->second;
}

int oldest_version() { return migrations().front().version; }

int schema_version() { return migrations().back().version; }

bool migrate(SQLite::Database& database, int target) {
  bool changed = false;
  // A step may rebuild a table that others refer to; the rows are checked before it is committed.
  database.exec("PRAGMA foreign_keys = OFF");
  for (const Migration& step : migrations()) {
    const int version = version_of(database);
    if (version < step.version && step.version <= target) {
      changed |= take_step(database, version, step);
    }
  }
  database.exec("PRAGMA foreign_keys = ON");
  return changed;
}

}  // namespace lab::db
