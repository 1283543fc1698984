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
  // lies at 0x1000100100.
  const Wrong mistakes[] = {
      {"ld.global.u32 %r1, [%from+4];\nret;", FindingKind::kOutOfBounds,
       "out-of-bounds read of 4 bytes in global memory at 0x1000100180: it begins at byte 128 of "
       "'in' (128 bytes)"},
      {"st.global.u32 [%out+-4], %t;\nret;", FindingKind::kOutOfBounds,
       "out-of-bounds write of 4 bytes in global memory at 0xffffffffc: it begins 4 bytes before "
       "'out' (128 bytes)"},
      {"atom.global.add.u32 %r1, [%in+128], 1;\nret;", FindingKind::kOutOfBounds,
       "out-of-bounds atomic operation of 4 bytes in global memory at 0x1000100180: it begins at "
       "byte 128 of 'in' (128 bytes)"},
      {"mov.u64 %rd1, 64;\nld.global.u32 %r1, [%rd1];\nret;", FindingKind::kOutOfBounds,
       "out-of-bounds read of 4 bytes in global memory at 0x40: no buffer is near"},
      {"ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%in+8];\nret;", FindingKind::kMisaligned,
       "misaligned read of 16 bytes in global memory: address 0x1000100108 is not a multiple of "
       "16"},
      {"st.global.u16 [%out+1], %t;\nret;", FindingKind::kMisaligned,
       "misaligned write of 2 bytes in global memory: address 0x1000000001 is not a multiple of 2"},
      {"st.shared.u32 [tile+64], %t;\nret;", FindingKind::kOutOfBounds,
       "out-of-bounds write of 4 bytes in shared memory: byte 64 of the block's 64"},
      {"ld.shared.u32 %r1, [tile+-4];\nret;", FindingKind::kOutOfBounds,
       "out-of-bounds read of 4 bytes in shared memory: byte -4 of the block's 64"},
      {"ld.shared.u64 %rd1, [tile+4];\nret;", FindingKind::kMisaligned,
       "misaligned read of 8 bytes in shared memory: address 0x4 is not a multiple of 8"},
      {"ld.shared.u32 %r1, [tile+8];\nret;", FindingKind::kUninitialised,
       "read of 4 bytes at byte 8 of shared memory, which nobody has written"},
      {"ld.global.u32 %r1, [%out+16];\nret;", FindingKind::kUninitialised,
       "read of 4 bytes at byte 16 of 'out', which nobody has written"},
      {"atom.shared.add.u32 %r1, [tile], 1;\nret;", FindingKind::kUninitialised,
       "atomic operation of 4 bytes at byte 0 of shared memory, which nobody has written"},
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
    const Finding finding = only({.body = wrong.body, .before = kTile});
    EXPECT_EQ(finding.kind, wrong.kind) << wrong.body;
    EXPECT_EQ(finding.message, wrong.message) << wrong.body;
    EXPECT_EQ(finding.kernel, "k");
    EXPECT_EQ(finding.file, "k.ptx");
    EXPECT_GT(finding.line, 0);
    EXPECT_FALSE(finding.source.empty()) << wrong.body;
  }
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

}  // namespace
}  // namespace lab::model
