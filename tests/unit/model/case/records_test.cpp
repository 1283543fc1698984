// A case's record: counts and intervals, lines, the access log, dumps, time and samples.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <variant>

#include "tests/unit/model/case/ptx_case.h"

namespace lab::model {
namespace {

using ptx_case::buffer;
using ptx_case::dumped;
using ptx_case::observation;
using ptx_case::PtxCase;
using ptx_case::run;
using ptx_case::value;

const char* const kCopy = "ld.global.u32 %r1, [%from];\nst.global.u32 [%mine], %r1;\nret;";

TEST(Records, CountsOfACopy) {
  const CaseOutcome outcome = run({.body = kCopy});
  const CaseRecord& record = outcome.record;
  ASSERT_EQ(record.status, CaseStatus::kOk) << record.reason;
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(dumped(outcome)[i], i);
  const std::pair<const char*, double> wants[] = {
      {"global_load_requests", 1}, {"global_load_sectors", 4},   {"global_load_lines", 1},
      {"global_load_bytes", 128},  {"global_store_requests", 1}, {"global_store_sectors", 4},
      {"shared_load_requests", 0}, {"local_load_requests", 0},   {"global_atomic_sectors", 0},
      {"instructions", 7 + 3},     {"l2_read_sectors", 4},       {"l2_write_sectors", 4},
      {"dram_read_bytes", 128},    {"dram_write_bytes", 128},
  };
  for (const auto& [metric, want] : wants) EXPECT_EQ(value(record, metric), want) << metric;
  EXPECT_EQ(record.facts.access_level, AccessLevel::kPtx);
  EXPECT_EQ(record.notes.checkers, Looked::kFull);
  EXPECT_EQ(record.notes.model_threads, 1U);
  EXPECT_FALSE(record.facts.sampled_blocks.has_value());
  EXPECT_EQ(record.notes.printed, "");
  EXPECT_FALSE(record.correct.has_value());  // a probe has no reference
}

TEST(Records, TrafficIsAnIntervalWhereCachesDecide) {
  // Four blocks read the same 32 words twice: 4 sectors must move, each block fetches them once at
  // best, and all 32 requests' sectors at worst.
  PtxCase given{.body =
                    "ld.global.u32 %r1, [%from];\nld.global.u32 %r2, [%from];\n"
                    "add.u32 %r1, %r1, %r2;\nst.global.u32 [%mine], %r1;\nret;"};
  given.launch.grid.x = 4;
  const CaseRecord record = run(given).record;
  const Observation& reads = observation(record, "l2_read_sectors");
  EXPECT_EQ(reads.min, 4);
  EXPECT_EQ(reads.number(), 16);
  EXPECT_EQ(reads.max, 32);
  // DRAM gives each sector once, in 64-byte pieces: 128 bytes; again and again at most.
  const Observation& dram = observation(record, "dram_read_bytes");
  EXPECT_EQ(dram.min, 128);
  EXPECT_EQ(dram.number(), 128);
  EXPECT_EQ(dram.max, 32 * 64);
  const Observation& writes = observation(record, "l2_write_sectors");
  EXPECT_EQ(writes.min, 4);
  EXPECT_EQ(writes.max, 16);
  EXPECT_EQ(observation(record, "dram_write_bytes").min, 0);  // what L2 keeps
}

TEST(Records, SectorsLeftPartlyWrittenAreFilled) {
  // One byte in each sector of 32: what is written must be read first.
  const CaseRecord record = run({.body = "mul.wide.u32 %rd1, %t, 32;\nadd.s64 %rd2, %out, %rd1;\n"
                                         "st.global.u8 [%rd2], %t;\nret;",
                                 .args = {buffer("out", 256, Fill::Kind::kZero),
                                          buffer("in", 32, Fill::Kind::kIota), scalar_u32(0)}})
                                .record;
  EXPECT_EQ(value(record, "global_store_sectors"), 32);
  EXPECT_EQ(observation(record, "dram_read_bytes").min, 0);
  EXPECT_EQ(observation(record, "dram_read_bytes").max, 32 * 32);
}

TEST(Records, ASectorThatAtomicsComeBackToMayBeWrittenEachTime) {
  // Four blocks of 32 lanes add to one word: 128 sectors, one for each lane, of one sector.
  PtxCase given{.body = "red.global.add.u32 [%out], %t;\nret;"};
  given.launch.grid.x = 4;
  const CaseRecord record = run(given).record;
  EXPECT_EQ(value(record, "global_reduction_sectors"), 128);
  const Observation& written = observation(record, "dram_write_bytes");
  EXPECT_EQ(written.number(), 32);
  EXPECT_EQ(written.max, 128 * 32);
  EXPECT_EQ(observation(record, "dram_read_bytes").max, 128 * 64);
}

/// Sum of a metric over all lines.
double sum(const CaseRecord& record, const std::string& metric) {
  double total = 0;
  for (const LineObservation& line : record.lines) {
    if (line.metric == metric) total += line.value;
  }
  return total;
}

TEST(Records, LinesOfPtxAreItsOwnAndAddUpToTheWhole) {
  const CaseRecord record = run({.body = kCopy}).record;
  EXPECT_EQ(sum(record, "instructions"), value(record, "instructions"));
  EXPECT_EQ(sum(record, "global_load_sectors"), value(record, "global_load_sectors"));
  // entry() puts 16 lines before the body: version, target, address size, entry, brace, six of
  // registers, then the seven instructions of its head.
  const std::string text = ptx_run::entry(kCopy);
  const auto before = std::count(
      text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find("ld.global")), '\n');
  bool found = false;
  for (const LineObservation& line : record.lines) {
    EXPECT_EQ(line.file, "k.ptx");
    if (line.metric != "global_load_sectors") continue;
    found = true;
    EXPECT_EQ(line.line, before + 1);
    EXPECT_EQ(line.value, 4);
  }
  EXPECT_TRUE(found);
}

TEST(Records, LinesOfACompilersPtxStayItsSources) {
  // The store comes from line 7 of other.cu; what has no line of its own is the text's.
  const CaseRecord record = run({.body = ".loc 1 7 3\nst.global.u32 [%mine+512], %t;\nret;",
                                 .before = ".file 1 \"other.cu\"\n"})
                                .record;
  ASSERT_EQ(record.findings.size(), 1U);
  EXPECT_EQ(record.findings[0].file, "other.cu");
  EXPECT_EQ(record.findings[0].line, 7);
  EXPECT_EQ(record.findings[0].source, "");  // that file's text is not at hand
  EXPECT_EQ(sum(record, "instructions"), value(record, "instructions"));
}

TEST(Records, TheAccessLogHasTheWarpsAddresses) {
  PtxCase given{.body =
                    "mov.u64 %rd1, tile;\nadd.s64 %rd2, %rd1, %rd39;\n"
                    "setp.lt.u32 %p1, %t, 40;\n@%p1 ld.global.u32 %r1, [%from];\n"
                    "st.shared.u32 [%rd2], %r1;\nld.shared.u32 %r2, [tile+4];\n"
                    "st.global.u32 [%mine+128], %r2;\nret;",
                .before = ".shared .align 4 .b8 tile[256];\n",
                .launch = {{3, 1, 1}, {64, 1, 1}, 0},
                .args = {buffer("out", 96, Fill::Kind::kZero), buffer("in", 64, Fill::Kind::kIota),
                         scalar_u32(0)},
                .checks = Checks::kOff,
                .warp = std::pair<std::uint32_t, std::uint32_t>(2, 1)};
  const CaseRecord record = run(given).record;
  ASSERT_EQ(record.accesses.size(), 4U) << record.reason;
  const Access& load = record.accesses[0];
  EXPECT_EQ(load.sequence, 0U);
  EXPECT_EQ(load.text, "@%p1 ld.global.u32 %r1, [%from];");
  EXPECT_EQ(load.space, Space::kGlobal);
  EXPECT_EQ(load.op, AccessOp::kLoad);
  EXPECT_EQ(load.bytes_per_lane, 4);
  EXPECT_EQ(load.buffer, "in");
  // Threads 32 .. 39 of the block: bytes 128 .. 156 of `in`, one sector.
  for (std::size_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(load.address[lane], lane < 8 ? 128 + 4 * static_cast<std::int64_t>(lane) : -1);
  }
  EXPECT_EQ(load.sectors, 1);
  const Access& store = record.accesses[1];
  EXPECT_EQ(store.space, Space::kShared);
  EXPECT_EQ(store.op, AccessOp::kStore);
  EXPECT_EQ(store.address[31], 252);
  EXPECT_EQ(store.wavefronts, 1);
  EXPECT_EQ(store.conflicts, 0);
  EXPECT_EQ(record.accesses[2].address[0], 4);  // all lanes read one word
  EXPECT_EQ(record.accesses[2].address[31], 4);
  EXPECT_EQ(record.accesses[2].wavefronts, 1);
  EXPECT_EQ(record.accesses[3].buffer, "out");
  EXPECT_EQ(record.accesses[3].op, AccessOp::kStore);
  EXPECT_EQ(record.accesses[3].sectors, 4);
}

TEST(Records, AWarpThatDoesNotExistLogsNothing) {
  PtxCase given{.body = kCopy};
  given.warp = std::pair<std::uint32_t, std::uint32_t>(0, 9);
  EXPECT_TRUE(run(given).record.accesses.empty());
}

// 2^32 rounds: long, and not endless.
const char* const kLong =
    "mov.u32 %r1, 0;\nL: add.u32 %r1, %r1, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra L;\nret;";

TEST(Records, ACaseThatIsLateEndsAsTimeout) {
  PtxCase given{.body = kLong, .timeout_s = 0.05};
  const CaseRecord record = run(given).record;
  EXPECT_EQ(record.status, CaseStatus::kTimeout);
  // It was in one of the loop's lines, which are those of the PTX behind the header.
  EXPECT_TRUE(record.reason.starts_with("did not end within 0.05 s; it was at line 2"))
      << record.reason;
}

TEST(Records, ACancelledCaseIsInterrupted) {
  int asked = 0;
  PtxCase given{.body = kLong};
  given.cancelled = [&] { return ++asked > 1; };
  const CaseRecord running = run(given).record;
  EXPECT_EQ(running.status, CaseStatus::kInterrupted);
  EXPECT_EQ(running.reason, "interrupted");
  given.cancelled = [] { return true; };
  const CaseRecord before = run(given).record;
  EXPECT_EQ(before.status, CaseStatus::kInterrupted);
  EXPECT_TRUE(before.observations.empty());
}

TEST(Records, ProgressReachesTheEnd) {
  std::vector<double> seen;
  PtxCase given{.body = kCopy};
  given.launch.grid.x = 500;
  given.progress = &seen;
  run(given);
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen.back(), 1.0);
  for (std::size_t i = 1; i < seen.size(); ++i) EXPECT_GT(seen[i], seen[i - 1]);
}

TEST(Records, BuffersAreFilledAsAsked) {
  const std::pair<Fill::Kind, std::uint32_t> fills[] = {
      {Fill::Kind::kZero, 0}, {Fill::Kind::kOnes, 1}, {Fill::Kind::kIota, 31}};
  for (const auto& [kind, last] : fills) {
    const CaseOutcome outcome = run(
        {.body = "ret;", .args = {buffer("out", 32, kind), buffer("in", 1, kind), scalar_u32(0)}});
    EXPECT_EQ(dumped(outcome)[31], last);
  }
  // An output that nobody writes keeps its poison.
  EXPECT_EQ(dumped(run({.body = "ret;"}))[7], 0xA5A5A5A5U);
}

TEST(Records, CheckersThatCostCanBeLeftOut) {
  const char* const body = "ld.global.u32 %r1, [%mine];\nst.global.u32 [%mine], %r1;\nret;";
  const CaseRecord checked = run({.body = body}).record;
  EXPECT_EQ(checked.status, CaseStatus::kFinding);
  const CaseRecord unchecked = run({.body = body, .checks = Checks::kOff}).record;
  EXPECT_EQ(unchecked.status, CaseStatus::kOk);
  EXPECT_EQ(unchecked.notes.checkers, Looked::kOff);
}

TEST(Records, ThreadsDoNotChangeARecord) {
  // Sums by atomics, shared memory and findings: all but the number of threads is the same.
  PtxCase given{.body =
                    "mov.u64 %rd1, tile;\nadd.s64 %rd2, %rd1, %rd39;\n"
                    "st.shared.u32 [%rd2], %t;\nbar.sync 0;\nld.shared.u32 %r1, [%rd2];\n"
                    "red.global.add.u32 [%out], %r1;\nld.global.u32 %r2, [%in+256];\nret;",
                .before = ".shared .align 4 .b8 tile[256];\n",
                .launch = {{200, 1, 1}, {64, 1, 1}, 0}};
  given.args[0] = buffer("out", 1, Fill::Kind::kZero);
  CaseOutcome one = run(given);
  EXPECT_EQ(dumped(one)[0], 200U * 2016U);
  for (const int threads : {2, 3}) {
    given.threads = threads;
    CaseOutcome many = run(given);
    EXPECT_EQ(dumped(many), dumped(one));
    many.record.notes.model_threads = 1;
    EXPECT_EQ(many.record, one.record);
  }
}

// Without machine code nobody knows which stores a wmma.store is: no count of stores, and no zero.
TEST(Records, AccessesThatNobodyCanCountAreMissing) {
  PtxCase given{.body =
                    "ld.global.u32 %r1, [%from];\n"
                    "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%out], {%f1, %f1, %f1, "
                    "%f1, %f1, %f1, %f1, %f1};\nret;"};
  given.args[0] = buffer("out", 256, Fill::Kind::kZero);
  CaseRecord record = run(given).record;
  ASSERT_EQ(record.status, CaseStatus::kOk) << record.reason;
  for (const char* metric : {"global_store_requests", "global_store_sectors", "global_store_bytes",
                             "l2_write_sectors", "dram_write_bytes"}) {
    const Observation& stores = observation(record, metric);
    ASSERT_FALSE(stores.has_value()) << metric;
    EXPECT_EQ(std::get<Missing>(stores.value).detail,
              "k.ptx:22: wmma.store is other instructions on each chip, and there is no machine "
              "code to count them in")
        << metric;
  }
  EXPECT_EQ(value(record, "global_load_requests"), 1);
}

TEST(Records, RoundsOfOneAccessAreCountedTogether) {
  // Four rounds of one access, each counted as the whole of it.
  SiteCounts counts;
  counts.requests = 4;
  counts.lanes = 128;
  counts.distinct_bytes = 2048;
  counts.sectors = 64;
  counts.lines = 16;
  counts.wavefronts = 16;
  counts.wavefronts_sass = 20;
  counts.groups = 12;
  counts.load_requests = 8;
  counts.load_wavefronts = 24;
  counts.load_wavefronts_sass = 28;
  counts.load_groups = 32;
  counts.past_l1_sectors = 36;
  SiteCounts again;
  for (int i = 0; i < 4; ++i) again.add(counts.per(4));
  EXPECT_EQ(std::memcmp(&again, &counts, sizeof counts), 0);
}

TEST(Records, RoundsOfOneAccessAreCountedWhereItBegins) {
  // Lane l reads words 4 l to 4 l + 3 in four rounds, which the machine code does at once: 512
  // bytes are 16 sectors, though 16 bytes from word 1 on would touch 17.
  const std::string body =
      "shl.b32 %r3, %t, 4;\ncvt.u64.u32 %rd1, %r3;\nadd.s64 %rd1, %in, %rd1;\nmov.u32 %r1, 0;\n"
      "L:\nld.global.u32 %r2, [%rd1];\nadd.s64 %rd1, %rd1, 4;\nadd.u32 %r1, %r1, 1;\n"
      "setp.lt.u32 %p1, %r1, 4;\n@%p1 bra L;\nret;";
  const ptx::Module module = ptx::parse(ptx_run::entry(body), "k.ptx");
  const auto& code = module.functions.at(0).instructions;
  cubin::SassMap map;
  map.functions.emplace_back(code.size());
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code[i].op != ptx::Op::kLd || code[i].space != ptx::Space::kGlobal) continue;
    map.functions[0][i].kind = cubin::Fate::Kind::kWide;
    map.functions[0][i].bytes = 16;
    map.functions[0][i].rounds = 4;
  }
  ptx_run::Scene scene;
  scene.launch.grid.x = 4;
  scene.in.assign(128, 7);
  scene.machine = &map;
  const ptx_run::Ran ran = ptx_run::run_ptx(ptx_run::entry(body), scene);
  const SiteCounts counts = ran.counts(ptx::Space::kGlobal, AccessOp::kLoad).per(4);
  EXPECT_EQ(counts.requests, 4U);
  EXPECT_EQ(counts.sectors, 4U * 16);
  EXPECT_EQ(counts.distinct_bytes, 4U * 512);
}

TEST(Records, ShufflesAreCounted) {
  const CaseRecord record = run({.body = "shfl.sync.bfly.b32 %r1, %t, 1, 31, -1;\n"
                                         "shfl.sync.bfly.b32 %r1, %r1, 2, 31, -1;\n"
                                         "st.global.u32 [%mine], %r1;\nret;",
                                 .launch = {{3, 1, 1}, {64, 1, 1}, 0},
                                 .args = {buffer("out", 64, Fill::Kind::kPoison),
                                          buffer("in", 32, Fill::Kind::kIota), scalar_u32(0)}})
                                .record;
  EXPECT_EQ(value(record, "warp_shuffles"), 3 * 2 * 2);
}

}  // namespace
}  // namespace lab::model
