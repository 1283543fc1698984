// Findings in words: what was done, where, by whom, and how often.
#include <gtest/gtest.h>

#include "tests/unit/model/case/ptx_case.h"

namespace lab::model {
namespace {

using ptx_case::buffer;
using ptx_case::PtxCase;
using ptx_case::run;

const char* const kTile = ".shared .align 16 .b8 tile[64];\n";

/// The one finding of `given`.
Finding only(const PtxCase& given) {
  const CaseRecord record = run(given).record;
  EXPECT_EQ(record.status, CaseStatus::kFinding) << record.reason;
  EXPECT_EQ(record.findings.size(), 1U) << given.body;
  if (record.findings.empty()) return {};
  EXPECT_EQ(record.reason, record.findings[0].message);
  return record.findings[0];
}

/// Kernels that do one thing wrong, and the sentence about it.
struct Wrong {
  const char* body;
  FindingKind kind;
  const char* message;
};

TEST(Findings, EachMistakeHasItsSentence) {
  // 'out' lies at 0x1000000000, its 128 bytes take 0x100, and a guard of 0x100000 follows: 'in'
  // lies at 0x1000100100. Both have 32 elements of 4 bytes; tile's 64 bytes are 16 accesses of 4.
  const Wrong mistakes[] = {
      {"ld.global.u32 %r1, [%from+4];\nret;", FindingKind::kOutOfBounds,
       "reads in[32]: in has 32 elements"},
      {"st.global.u32 [%out+-4], %t;\nret;", FindingKind::kOutOfBounds,
       "writes out[-1]: out has 32 elements"},
      {"atom.global.add.u32 %r1, [%in+128], 1;\nret;", FindingKind::kOutOfBounds,
       "changes in[32]: in has 32 elements"},
      {"mov.u64 %rd1, 64;\nld.global.u32 %r1, [%rd1];\nret;", FindingKind::kOutOfBounds,
       "out-of-bounds read of 4 bytes in global memory at 0x40: no buffer is near"},
      {"ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%in+8];\nret;", FindingKind::kMisaligned,
       "misaligned read of 16 bytes in global memory: address 0x1000100108 is not a multiple of "
       "16"},
      {"st.global.u16 [%out+1], %t;\nret;", FindingKind::kMisaligned,
       "misaligned write of 2 bytes in global memory: address 0x1000000001 is not a multiple of 2"},
      {"st.shared.u32 [tile+64], %t;\nret;", FindingKind::kOutOfBounds,
       "writes tile[16]: tile has 16 elements"},
      {"ld.shared.u32 %r1, [tile+-4];\nret;", FindingKind::kOutOfBounds,
       "reads tile[-1]: tile has 16 elements"},
      {"ld.shared.u64 %rd1, [tile+4];\nret;", FindingKind::kMisaligned,
       "misaligned read of 8 bytes in shared memory: address 0x4 is not a multiple of 8"},
      // entry() and kTile have 21 lines before the body.
      {"ld.shared.u32 %r1, [tile+8];\nst.global.u32 [%mine], %r1;\nret;",
       FindingKind::kUninitialised,
       "read of byte 8 of shared memory, which nobody has written; line 23 uses the "
       "value"},
      {"ld.global.u32 %r1, [%out+16];\nst.global.u32 [%from], %r1;\nret;",
       FindingKind::kUninitialised,
       "read of out[4], which nobody has written; line 23 uses the value"},
      {"atom.shared.add.u32 %r1, [tile], 1;\nret;", FindingKind::kUninitialised,
       "atomic operation of byte 0 of shared memory, which nobody has written"},
      {"mov.u32 %r1, 4294967295;\nbar.sync %r1;\nret;", FindingKind::kInvalidBarrier,
       "barrier 4294967295 does not exist: a block has barriers 0 to 15"},
      {"bar.sync 1, 0;\nret;", FindingKind::kInvalidBarrier,
       "barrier 1 can't wait for 0 threads: it counts whole warps of 32"},
      {"bar.sync 1, 20;\nret;", FindingKind::kInvalidBarrier,
       "barrier 1 can't wait for 20 threads: it counts whole warps of 32"},
      {"T: .branchtargets A, B;\nbrx.idx %t, T;\nA: nanosleep.u32 1;\nB: ret;",
       FindingKind::kOutOfBounds, "a jump to entry 2 of a table that has 2"},
      {"mbarrier.arrive.shared.b64 %rd1, [tile+8];\nret;", FindingKind::kInvalidBarrier,
       "the mbarrier at byte 8 of shared memory is used and not initialised"},
      {"mbarrier.test_wait.parity.shared.b64 %p1, [tile], 1;\nret;", FindingKind::kInvalidBarrier,
       "the mbarrier at byte 0 of shared memory is used and not initialised"},
      {"setp.ne.u32 %p1, %t, 0;\n@%p1 ret;\nmbarrier.init.shared.b64 [tile], 16;\n"
       "mbarrier.arrive.shared.b64 %rd1, [tile], 20;\nret;",
       FindingKind::kInvalidBarrier, "20 arrive at an mbarrier whose phase waits for 16 more"},
      {"setp.ne.u32 %p1, %t, 0;\n@%p1 ret;\nmbarrier.init.shared.b64 [tile], 16;\n"
       "st.shared.u32 [tile], 7;\nmbarrier.arrive.shared.b64 %rd1, [tile];\nret;",
       FindingKind::kInvalidBarrier,
       "the mbarrier at byte 0 of shared memory was overwritten: something else than operations "
       "on it changed it"},
      {"setp.ne.u32 %p1, %t, 0;\n@%p1 ret;\nmbarrier.init.shared.b64 [tile], 16;\n"
       "mbarrier.arrive.shared.b64 %rd1, [tile];\nmbarrier.init.shared.b64 [tile], 16;\nret;",
       FindingKind::kInvalidBarrier,
       "an mbarrier is initialised again while its phase waits for 15 arrivals and 0 bytes"},
      {"setp.ne.u32 %p1, %t, 0;\n@%p1 ret;\nmbarrier.init.shared.b64 [tile], 0;\nret;",
       FindingKind::kInvalidBarrier, "an mbarrier can't wait for 0 arrivals: from 1 to 1048575"},
      {"setp.ne.u32 %p1, %t, 0;\n@%p1 ret;\nmov.u32 %r1, -1;\n"
       "cp.async.ca.shared.global [tile], [%in], 16, %r1;\nret;",
       FindingKind::kOutOfBounds,
       "cp.async copies 16 bytes and can't read 4294967295: its source size is at most what it "
       "copies"},
      // A lane holds 8 registers of 4 bytes. 'in' begins at 0x1000100100, which is a multiple of
      // 256; 16 rows of 16 halves are 512 bytes, 15 rows of 20 and one of 16 are 632.
      {"wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8},"
       " [%in+16], 16;\nret;",
       FindingKind::kMisaligned,
       "misaligned matrix: it begins at address 68720525584, which is not a multiple of 32"},
      {"wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8},"
       " [%in], 20;\nret;",
       FindingKind::kMisaligned,
       "misaligned matrix: its stride is 40 bytes, which is not a multiple of 16"},
      {"setp.eq.u32 %p1, %t, 5;\n@%p1 trap;\nret;", FindingKind::kTrap,
       "the kernel executed a trap"},
      {"bar.sync 3, 64;\nret;", FindingKind::kBarrierDeadlock,
       "barrier 3 waits forever: 32 of the 64 threads it counts arrived at it"},
      {"setp.lt.u32 %p1, %t, 8;\n@%p1 bra J;\nbar.warp.sync -1;\nJ: add.u32 %r1, %r1, 1;\n"
       "st.global.u32 [%mine], %r1;\nret;",
       FindingKind::kInvalidWarpOperation,
       "__syncwarp() names threads that never come: 24 wait, 8 are elsewhere"},
      {"setp.lt.u32 %p1, %t, 8;\n@%p1 bra J;\nvote.sync.ballot.b32 %r1, %p1, -1;\n"
       "J: st.global.u32 [%mine], %r1;\nret;",
       FindingKind::kInvalidWarpOperation,
       "the mask of a warp-wide operation names lane 0, which does not execute it with the others"},
      {"L: ld.volatile.global.u32 %r1, [%in];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;\nret;",
       FindingKind::kNoProgress,
       "no progress: the thread waits in a loop for a change that no thread of its block makes"},
  };
  for (const Wrong& wrong : mistakes) {
    PtxCase given{.body = wrong.body, .before = kTile};
    if (given.body.starts_with("wmma")) given.args[1] = buffer("in", 256, Fill::Kind::kIota);
    const Finding finding = only(given);
    EXPECT_EQ(finding.kind, wrong.kind) << wrong.body;
    EXPECT_EQ(finding.message, wrong.message) << wrong.body;
    EXPECT_EQ(finding.kernel, "k");
    EXPECT_EQ(finding.file, "k.ptx");
    EXPECT_GT(finding.line, 0);
    EXPECT_FALSE(finding.source.empty()) << wrong.body;
  }
}

// %r1 of lane t is tile[t], of which nobody has written words 8 to 15. 64 bytes are 16 lanes'.
const char* const kHalfWritten =
    "setp.ge.u32 %p1, %t, 16;\n@%p1 ret;\nmov.u64 %rd1, tile;\nmul.wide.u32 %rd2, %t, 4;\n"
    "add.s64 %rd3, %rd1, %rd2;\nsetp.lt.u32 %p2, %t, 8;\n@%p2 st.shared.u32 [%rd3], 4;\n"
    "ld.shared.u32 %r1, [%rd3];\nsetp.eq.u32 %p3, %r1, 4;\n";

std::vector<Finding> uninitialised(const std::string& body) {
  const std::string before = body.find("[own]") == std::string::npos ? "" : ".local .b8 own[4];\n";
  const CaseRecord record = run({.body = before + kHalfWritten + body, .before = kTile}).record;
  EXPECT_TRUE(record.status == CaseStatus::kOk || record.status == CaseStatus::kFinding)
      << record.reason;
  std::vector<Finding> found = record.findings;
  std::erase_if(found, [](const Finding& f) { return f.kind != FindingKind::kUninitialised; });
  return found;
}

TEST(Findings, WhatNobodyWroteIsReportedWhereItIsUsed) {
  // 8 lanes each use it once.
  const char* const uses[] = {
      "st.global.u32 [%mine], %r1;\nret;",
      "add.u32 %r2, %r1, 1;\nmov.b32 %r3, %r2;\nst.global.u32 [%mine], %r3;\nret;",
      "@%p3 bra J;\nmembar.cta;\nJ: ret;",
      "@%p3 st.global.u32 [%mine], 1;\nret;",
      "and.b32 %r2, %r1, 4;\ncvt.u64.u32 %rd4, %r2;\nadd.s64 %rd5, %in, %rd4;\n"
      "ld.global.u32 %r3, [%rd5];\nret;",
      "red.global.add.u32 [%in], %r1;\nret;",
      "atom.global.exch.b32 %r2, [%in], %r1;\nret;",
      "selp.b32 %r2, 1, %r1, %p2;\nst.global.u32 [%mine], %r2;\nret;",
      "selp.b32 %r2, 1, 2, %p3;\nst.global.u32 [%mine], %r2;\nret;",
      "and.pred %p4, %p2, %p3;\nor.pred %p5, %p4, %p3;\n@%p5 st.global.u32 [%mine], 1;\nret;",
      "setp.lt.or.u32 %p4, %t, 4, %p3;\n@%p4 st.global.u32 [%mine], 1;\nret;",
      "mov.b64 %rd6, {%r1, %t};\nadd.s64 %rd7, %mine, 0;\nmov.b64 {%r2, %r3}, %rd6;\n"
      "st.global.u32 [%rd7], %r2;\nret;",
      // Lane t gets what lane t ^ 8 read.
      "shfl.sync.bfly.b32 %r2, %r1, 8, 31, 0xffff;\nst.global.u32 [%mine], %r2;\nret;",
      "st.local.u32 [own], %r1;\nret;",
  };
  for (const char* const use : uses) {
    const std::vector<Finding> found = uninitialised(use);
    ASSERT_EQ(found.size(), 1U) << use;
    EXPECT_TRUE(found[0].message.starts_with(
        "read of byte 32 of shared memory, which nobody has written; line "))
        << found[0].message;
    EXPECT_EQ(found[0].source, "ld.shared.u32 %r1, [%rd3];");
    EXPECT_EQ(found[0].thread, (Dim3{8, 0, 0}));
    EXPECT_EQ(found[0].count, 8U) << use;
  }
}

TEST(Findings, WhatNobodyWroteMayBeReadWhereNothingDependsOnIt) {
  const char* const harmless[] = {
      "ret;",
      "add.u32 %r2, %r1, 1;\nmov.u32 %r2, 3;\nst.global.u32 [%mine], %r2;\nret;",
      // The select keeps what was written.
      "selp.b32 %r2, %r1, 0, %p2;\nst.global.u32 [%mine], %r2;\nret;",
      "@%p2 st.global.u32 [%mine], %r1;\nret;",
      "@!%p2 bra J;\nst.global.u32 [%mine], %r1;\nJ: ret;",
      "and.pred %p4, %p2, %p3;\n@%p4 st.global.u32 [%mine], 1;\nret;",
      "not.pred %p4, %p2;\nor.pred %p5, %p4, %p3;\n@%p5 st.global.u32 [%mine], 1;\nret;",
      "setp.lt.and.u32 %p4, %t, 8, %p3;\n@%p4 st.global.u32 [%mine], 1;\nret;",
      "setp.eq.and.u32 %p4, %r1, 4, %p2;\n@%p4 st.global.u32 [%mine], 1;\nret;",
      "selp.b32 %r2, -1, 0, %p2;\nand.b32 %r3, %r1, %r2;\nst.global.u32 [%mine], %r3;\nret;",
      // Lanes 8 to 15 get what lanes 0 to 7 read.
      "and.b32 %r2, %t, 7;\nshfl.sync.idx.b32 %r3, %r1, %r2, 31, 0xffff;\n"
      "st.global.u32 [%mine], %r3;\nret;",
      // Of a vector, what was written.
      "ld.shared.v4.u32 {%r2, %r3, %r4, %r5}, [tile+16];\n"
      "ld.shared.v2.u32 {%r6, %r7}, [tile+32];\nst.global.u32 [%mine], %r5;\nret;",
  };
  for (const char* const use : harmless) {
    for (const Finding& f : uninitialised(use)) ADD_FAILURE() << use << f.message;
  }
}

TEST(Findings, OfAMatrixWhatNobodyWroteReachesOnlyWhatItIsMultipliedFor) {
  // 8 rows of 16 bytes, of which rows 4 to 7 are not written. Lane 4 r + m holds columns 2 m and
  // 2 m + 1 of row r of such a matrix, of A in the first of two registers and of D; of B it holds
  // rows 2 m and 2 m + 1 of column r.
  const std::string load =
      "mov.u64 %rd1, rows;\nmul.wide.u32 %rd2, %t, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
      "setp.lt.u32 %p1, %t, 16;\nand.b32 %r9, %t, 3;\nsetp.lt.u32 %p2, %r9, 2;\n"
      "and.b32 %r10, %t, 7;\nmul.wide.u32 %rd4, %r10, 16;\nadd.s64 %rd5, %rd1, %rd4;\n"
      "mov.b32 %r1, 0;\nmov.f32 %f1, 0f00000000;\n@%p1 st.shared.u32 [%rd3], 0;\n"
      "bar.warp.sync -1;\n"
      "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%rd5];\n";
  const std::string product =
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f2, %f3, %f4, %f5}, ";
  const std::string rest = ", {%f1, %f1, %f1, %f1};\n";
  const auto count = [&](const std::string& body, int bytes = 128) {
    std::uint64_t seen = 0;
    const PtxCase given{.body = load + body,
                        .before = ".shared .align 32 .b8 rows[" + std::to_string(bytes) + "];\n"};
    const CaseRecord record = run(given).record;
    for (const Finding& f : record.findings) {
      EXPECT_EQ(f.kind, FindingKind::kUninitialised) << f.message;
      seen += f.count;
    }
    return seen;
  };
  EXPECT_EQ(count("@%p1 st.global.u32 [%mine], %r2;\nret;"), 0U);
  EXPECT_EQ(count("st.global.u32 [%mine], %r2;\nret;"), 16U);
  // As A: rows 4 to 7 of D, lanes 16 to 31.
  const std::string as_a = product + "{%r2, %r1}, {%r1}" + rest;
  EXPECT_EQ(count(as_a + "@%p1 st.global.f32 [%mine], %f2;\nret;"), 0U);
  EXPECT_EQ(count(as_a + "st.global.f32 [%mine], %f2;\nret;"), 16U);
  // As B: columns 4 to 7 of D, lanes 4 r + 2 and 4 r + 3.
  const std::string as_b = product + "{%r1, %r1}, {%r2}" + rest;
  EXPECT_EQ(count(as_b + "@%p2 st.global.f32 [%mine], %f2;\nret;"), 0U);
  EXPECT_EQ(count(as_b + "st.global.f32 [%mine], %f2;\nret;"), 16U);
  // A of 16 rows of 32 bytes, of which rows 4 to 7 are not written: bytes 128 to 255.
  const std::string fragment =
      "bar.warp.sync -1;\nmov.b64 %rd6, 0;\nmul.wide.u32 %rd7, %t, 8;\nadd.s64 %rd8, %rd1, %rd7;\n"
      "@%p1 st.shared.u64 [%rd8], %rd6;\nst.shared.u64 [%rd8+256], %rd6;\nbar.warp.sync -1;\n"
      "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r12, %r13, %r14, %r15, %r16, %r17, "
      "%r18, %r19}, [%rd1], 16;\n";
  EXPECT_EQ(count(fragment + "@%p1 st.global.u32 [%mine], %r12;\nret;", 512), 0U);
  EXPECT_EQ(count(fragment + "st.global.u32 [%mine], %r12;\nret;", 512), 16U);
}

TEST(Findings, APartOfAWarpAtABarrierIsDivergentAndThenStuck) {
  const CaseRecord record =
      run({.body = "setp.lt.u32 %p1, %t, 8;\n@%p1 bra A;\nbra J;\nA: bar.sync 0;\n"
                   "J: st.global.u32 [%mine], %t;\nret;"})
          .record;
  ASSERT_EQ(record.findings.size(), 2U);
  EXPECT_EQ(record.findings[0].message,
            "barrier reached by part of a warp: 8 threads of the warp are at the barrier, 24 are "
            "elsewhere");
  EXPECT_EQ(record.findings[1].message,
            "barrier 0 waits forever: 8 of 32 threads that have not exited arrived at it");
  EXPECT_EQ(record.findings[0].line, record.findings[1].line);
}

TEST(Findings, TheFirstIsDescribedAndTheOthersCounted) {
  // Threads 40 .. 63 of each of three blocks of 8 x 8 read past 40 words: 24 each.
  const Finding finding =
      only({.body = "mov.u32 %r1, %tid.y;\nshl.b32 %r1, %r1, 3;\nadd.u32 %r1, %r1, %t;\n"
                    "mul.wide.u32 %rd1, %r1, 4;\nadd.s64 %rd2, %in, %rd1;\n"
                    "ld.global.u32 %r2, [%rd2];\nret;",
            .launch = {{1, 3, 1}, {8, 8, 1}, 0},
            .args = {buffer("out", 1, Fill::Kind::kZero), buffer("in", 40, Fill::Kind::kIota),
                     scalar_u32(0)}});
  EXPECT_EQ(finding.count, 3U * 24U);
  EXPECT_EQ(finding.block, (Dim3{0, 0, 0}));
  EXPECT_EQ(finding.thread, (Dim3{0, 5, 0}));  // thread 40
  EXPECT_EQ(finding.source, "ld.global.u32 %r2, [%rd2];");
}

TEST(Findings, ALaterBlockIsNamedByItsCoordinates) {
  // Only block (1, 2) of 2 x 3 goes wrong.
  const Finding finding = only({.body = "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ctaid.y;\n"
                                        "shl.b32 %r2, %r2, 1;\nadd.u32 %r1, %r1, %r2;\n"
                                        "setp.eq.u32 %p1, %r1, 5;\n"
                                        "@%p1 st.global.u32 [%mine+128], %t;\nret;",
                                .launch = {{2, 3, 1}, {32, 1, 1}, 0}});
  EXPECT_EQ(finding.block, (Dim3{1, 2, 0}));
  EXPECT_EQ(finding.count, 32U);
}

TEST(Findings, OfSeveralMistakesEachIsListedAndCountingGoesOn) {
  const CaseOutcome outcome = run({.body = "ld.global.u32 %r1, [%from+128];\n"
                                           "ld.shared.u32 %r2, [tile];\n"
                                           "st.global.u16 [%mine+1], %r2;\n"
                                           "st.global.u32 [%mine], %t;\nret;",
                                   .before = kTile});
  const CaseRecord& record = outcome.record;
  ASSERT_EQ(record.findings.size(), 3U);
  EXPECT_EQ(record.findings[0].kind, FindingKind::kOutOfBounds);
  EXPECT_EQ(record.findings[1].kind, FindingKind::kUninitialised);
  EXPECT_EQ(record.findings[2].kind, FindingKind::kMisaligned);
  EXPECT_LT(record.findings[0].line, record.findings[1].line);
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(ptx_case::dumped(outcome)[t], t);
  EXPECT_EQ(ptx_case::value(record, "shared_load_requests"), 1);
}

TEST(Findings, WarpsThatWaitAtDifferentBarriersAreBothNamed) {
  const CaseRecord record =
      run({.body = "setp.lt.u32 %p1, %t, 32;\n@%p1 bra A;\nbar.sync 1, 64;\nbra J;\n"
                   "A: bar.sync 2, 64;\nJ: ret;",
           .launch = {{1, 1, 1}, {64, 1, 1}, 0}})
          .record;
  ASSERT_EQ(record.findings.size(), 2U);
  std::vector<std::string> messages = {record.findings[0].message, record.findings[1].message};
  std::sort(messages.begin(), messages.end());
  EXPECT_EQ(messages[0], "barrier 1 waits forever: 32 of the 64 threads it counts arrived at it");
  EXPECT_EQ(messages[1], "barrier 2 waits forever: 32 of the 64 threads it counts arrived at it");
}

TEST(Findings, ASpinningWarpEndsAsNoProgressWhateverItsNeighboursDid) {
  // Warp 1 leaves; warp 0 waits for a word that warp 1 would have had to write.
  const Finding finding = only({.body = "setp.ge.u32 %p1, %t, 32;\n@%p1 bra J;\n"
                                        "L: ld.volatile.global.u32 %r1, [%in];\n"
                                        "setp.eq.u32 %p2, %r1, 0;\n@%p2 bra L;\nJ: ret;",
                                .launch = {{1, 1, 1}, {64, 1, 1}, 0}});
  EXPECT_EQ(finding.kind, FindingKind::kNoProgress);
  EXPECT_EQ(finding.thread, (Dim3{0, 0, 0}));
}

TEST(Findings, RacesNameBothLines) {
  // Warp 0 writes word 0, warp 1 reads it.
  const char* const body =
      "setp.ge.u32 %p1, %t, 32;\n@%p1 bra R;\nst.shared.u32 [tile], 7;\n"
      "BARRIER\nbra J;\nR:\nBARRIER\nld.shared.u32 %r1, [tile];\nJ: ret;";
  const auto with = [&](const std::string& barrier) {
    std::string text = body;
    for (auto at = text.find("BARRIER"); at != std::string::npos; at = text.find("BARRIER")) {
      text.replace(at, 7, barrier);
    }
    return text;
  };
  const PtxCase two_warps{.before = kTile, .launch = {{1, 1, 1}, {64, 1, 1}, 0}};
  PtxCase racing = two_warps;
  racing.body = with("");
  const Finding race = only(racing);
  EXPECT_EQ(race.kind, FindingKind::kSharedRace);
  const std::string text = ptx_run::entry(racing.body, kTile);
  const auto store_line =
      1 + std::count(text.begin(),
                     text.begin() + static_cast<std::ptrdiff_t>(text.find("st.shared")), '\n');
  const auto load_line =
      1 + std::count(text.begin(),
                     text.begin() + static_cast<std::ptrdiff_t>(text.find("ld.shared")), '\n');
  // A thread goes one way or the other.
  EXPECT_EQ(race.message, "race at byte 0 of shared memory: line " + std::to_string(store_line) +
                              " writes, line " + std::to_string(load_line) +
                              " reads in another warp, and no barrier orders the two");
  EXPECT_EQ(race.thread, (Dim3{32, 0, 0}));
  PtxCase ordered = two_warps;
  ordered.body = with("barrier.sync 0;");
  EXPECT_EQ(run(ordered).record.status, CaseStatus::kOk) << run(ordered).record.reason;
}

// The second round's index is 70,000 * 70,000 - 2^32, and by the time of the access the register of
// its factor holds 80,000: no product of which that index is.
TEST(Findings, AFactorThatWasOverwrittenIsNotTold) {
  PtxCase given;
  std::vector<std::byte> bytes;
  for (const std::uint32_t number : {70000U, 80000U}) {
    for (unsigned i = 0; i < 4; ++i) bytes.push_back(static_cast<std::byte>(number >> 8 * i));
  }
  BufferSpec in = buffer("in", 2, Fill::Kind::kBytes);
  in.fill.bytes = std::move(bytes);
  given.args[1] = in;
  given.launch = {{1, 1, 1}, {1, 1, 1}, 0};
  const std::string body =
      "mov.u32 %r3, 0;\nmov.u32 %r1, 0;\nLOOP:\n"
      "mul.lo.u32 %r2, %r4, %r4;\n"
      "mul.wide.u32 %rd1, %r3, 4;\nadd.s64 %rd2, %in, %rd1;\nld.global.u32 %r4, [%rd2];\n"
      "mul.wide.u32 %rd3, %r2, 4;\nadd.s64 %rd4, %in, %rd3;\nld.global.u32 %r5, [%rd4];\n"
      "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 2;\n@%p1 bra LOOP;\nret;";
  given.body = body;
  const auto beyond = [](const CaseRecord& record) {
    for (const Finding& one : record.findings) {
      if (one.kind == FindingKind::kOutOfBounds) return one;
    }
    return Finding{};
  };
  EXPECT_EQ(beyond(run(given).record).kind, FindingKind::kOutOfBounds);
  EXPECT_EQ(beyond(run(given).record).cause, FindingCause::kNone);
  // Not overwritten, it is told: the factor is the one of this round.
  given.body =
      "ld.global.u32 %r4, [%in];\nmul.lo.u32 %r2, %r4, %r4;\n"
      "mul.wide.u32 %rd3, %r2, 4;\nadd.s64 %rd4, %in, %rd3;\nld.global.u32 %r5, [%rd4];\nret;";
  EXPECT_EQ(beyond(run(given).record).cause, FindingCause::kWrapped);
  // Nor is an address that is another round's: of the index 605,032,704, not of what %r2 holds now.
  given.body =
      "mov.u32 %r3, 0;\nLOOP:\nadd.s64 %rd4, %in, %rd3;\n"
      "mul.wide.u32 %rd1, %r3, 4;\nadd.s64 %rd2, %in, %rd1;\nld.global.u32 %r4, [%rd2];\n"
      "mul.lo.u32 %r2, %r4, %r4;\nmul.wide.u32 %rd3, %r2, 4;\n"
      "ld.global.u32 %r5, [%rd4];\n"
      "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 2;\n@%p1 bra LOOP;\nret;";
  EXPECT_EQ(beyond(run(given).record).kind, FindingKind::kOutOfBounds);
  EXPECT_EQ(beyond(run(given).record).cause, FindingCause::kNone);
}

}  // namespace
}  // namespace lab::model
