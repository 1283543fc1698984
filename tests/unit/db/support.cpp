#include "tests/unit/db/support.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <unistd.h>

#include <cstdlib>

namespace lab::db {

TempFolder::TempFolder() {
  // In memory where there is such a disk: hundreds of files are synced.
  const bool shm = ::access("/dev/shm", W_OK) == 0;
  const auto base =
      shm ? std::filesystem::path("/dev/shm") : std::filesystem::temp_directory_path();
  std::string name = (base / "lab_db_XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  path_ = name;
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

CaseRecord full_case(int index) {
  CaseRecord record;
  record.index = index;
  record.variant = "padded";
  record.params = Params{{"n", std::int64_t{32}}, {"type", std::string("float \"x\" ü")}};
  record.kernel = "transpose<32>";
  record.launch = {{4, 2, 1}, {32, 8, 1}, 4224};
  record.status = CaseStatus::kFinding;
  record.correct = false;
  record.reason = "out[5]: got 3, expected 4";
  record.arch = "sm_90";
  record.facts.access_level = AccessLevel::kSass;
  record.facts.sampled_blocks = 1;
  record.facts.counter_cache = Cache::kWarm;
  record.facts.carveout = 50;
  record.facts.compile_options = "-O0 -lineinfo";
  record.facts.ptx_sha256 = "aa";
  record.facts.cubin_sha256 = "bb";
  record.notes.checkers = Looked::kFull;

  Finding race;
  race.kind = FindingKind::kSharedRace;
  race.message = "two threads write tile[3]";
  race.kernel = "transpose";
  race.file = "kernels.cu";
  race.line = 17;
  race.source = "tile[x] = in[i];";
  race.block = {1, 2, 3};
  race.thread = {4, 5, 6};
  race.address = 0xFFFFFFFFFFFFFFF0u;  // above 2^63
  race.count = 99;
  race.op = AccessOp::kStore;
  race.space = Space::kShared;
  race.array = "tile";
  race.cause = FindingCause::kOverlap;
  race.element = -3;
  race.last_element = 2;
  race.elements = 0xFFFFFFFFFFFFFFF1u;
  race.other_file = "tile.h";
  race.other_line = 18;
  race.other_source = "tile[0] = 1;";
  Finding plain;  // nothing known but kind and message
  plain.kind = FindingKind::kTrap;
  plain.message = "trap";
  record.findings = {race, plain};

  // Not in alphabetical order: the order of storing is kept.
  Observation measured{"shared_load_wavefronts", SourceOf::kSass, 1056.0, 1050.5, 1061.25, 5, 3};
  Observation missing{"dram_read_bytes", SourceOf::kCupti,
                      Missing{NoValue::kNoPermission, "run as root"}};
  Observation large{"global_load_sectors", SourceOf::kModel, 9007199254740992.0};  // 2^53
  record.observations = {measured, missing, large};

  record.verdicts = {
      {"shared_load_wavefronts", 1024.0, 2048.5, "warps * 32", Level::kAsCompiled, 512.0, 2.0625,
       1056.0, SourceOf::kSass, VerdictKind::kExplained, "arbitration"},
      {"dram_read_bytes", {}, {}, {}, {}, {}, {}, {}, {}, VerdictKind::kMissing, "no value"},
      {"global_load_sectors", {}, {}, {}, {}, {}, {}, {}, {}, VerdictKind::kNone, {}},
  };
  record.timing = Timing{1500.5,
                         1400.25,
                         1700.0,
                         {1400.25, 1500.5, 0.1, 1700.0},
                         "cuda events",
                         Cache::kCold,
                         3,
                         1980.5,
                         41.0,
                         350.25,
                         "sw_power_cap"};
  Access access;
  access.sequence = 7;
  access.line = 17;
  access.text = "st.shared.f32 [%r1], %f1;";
  access.space = Space::kShared;
  access.op = AccessOp::kStore;
  access.bytes_per_lane = 4;
  for (int lane = 0; lane < 32; ++lane) access.address[static_cast<std::size_t>(lane)] = lane - 1;
  access.buffer = "in";
  access.sectors = 4;
  access.wavefronts = 2;
  access.conflicts = 1;
  record.accesses = {access};
  record.lines = {{"kernels.cu", 17, "shared_store_wavefronts", SourceOf::kModel, 64.0},
                  {"kernels.cu", 3, "shared_store_wavefronts", SourceOf::kSass, 65.5}};
  return record;
}

RunRecord full_run() {
  RunRecord run;
  run.uuid = "0f0e0d0c-0b0a-4908-8706-050403020100";
  run.lab = 4;
  run.lab_id = "transpose";
  run.folder = "04_transpose";
  run.backend = "model+gpu";
  run.gpu = "NVIDIA H200";
  run.arch = "sm_90";
  run.started_at = "2026-11-21T03:54:15Z";
  run.student = "Zoë";
  run.status = RunStatus::kFailed;
  run.program_version = "0.1.0";
  run.source_name = "mine.cu";
  run.source_text = std::string("__global__ void k() {}\n\0x", 25);  // a NUL is text like any other
  run.source_is_labs_own = false;
  run.seed = 18446744073709551615U;
  run.missing_cases = 2;
  run.environment = {{"host", "a"}, {"driver", "580.159"}, {"empty", ""}};
  return run;
}

CaseRecord stride_case(int index, std::int64_t stride, double wavefronts) {
  CaseRecord record;
  record.index = index;
  record.variant = "stride";
  record.params = Params{{"stride", stride}};
  record.kernel = "stride";
  record.launch = {{1, 1, 1}, {32, 1, 1}, 0};
  record.correct = true;
  record.arch = "sm_90";
  record.observations = {{"shared_load_wavefronts", SourceOf::kTheory, wavefronts},
                         {"shared_load_wavefronts", SourceOf::kModel, wavefronts}};
  Verdict verdict;
  verdict.metric = "shared_load_wavefronts";
  verdict.theory = wavefronts;
  verdict.formula = "gcd(stride, 32)";
  verdict.level = Level::kAsCompiled;
  verdict.kind = VerdictKind::kAgrees;
  verdict.reason = "not measured: no GPU";
  record.verdicts = {verdict};
  return record;
}

void store(Store& store, RunRecord& run) {
  store.begin_run(run);
  for (const CaseRecord& record : run.cases) store.add_case(run.id, record);
  store.finish_run(run.id, run.status);
}

std::string error_of(const std::function<void()>& body, const std::string& folder) {
  std::string text = "no error";
  try {
    body();
  } catch (const Error& error) {
    text = render(error);
  }
  if (folder.empty()) return text;
  for (auto at = text.find(folder); at != std::string::npos; at = text.find(folder)) {
    text.replace(at, folder.size(), "DIR");
  }
  return text;
}

int status_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return static_cast<int>(error.fault());
  }
  return 0;
}

void raw_sql(const std::string& path, const std::string& sql) {
  SQLite::Database database(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  database.exec(sql);
}

std::string raw_value(const std::string& path, const std::string& sql) {
  SQLite::Database database(path, SQLite::OPEN_READONLY);
  return database.execAndGet(sql).getString();
}

}  // namespace lab::db
