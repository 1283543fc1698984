// Listing what all warps access, and running a kernel with x and y of its threads exchanged.
#include <gtest/gtest.h>

#include "tests/unit/model/case/ptx_case.h"

namespace lab::model {
namespace {

using ptx_case::buffer;
using ptx_case::PtxCase;
using ptx_case::run;

// Each thread stores its element of `in` in the second half of a tile, and to `out`.
PtxCase tile_case() {
  return {.body =
              "ld.global.u32 %r1, [%from];\nmov.u64 %rd1, tile;\n"
              "add.s64 %rd2, %rd1, %rd39;\nst.shared.u32 [%rd2], %r1;\n"
              "st.global.u32 [%mine], %r1;\nret;",
          .before = ".shared .align 4 .b8 first[64];\n.shared .align 4 .b8 tile[256];\n",
          .launch = {{3, 1, 1}, {64, 1, 1}, 0},
          .args = {buffer("out", 64, Fill::Kind::kZero), buffer("in", 64, Fill::Kind::kIota),
                   scalar_u32(0)},
          .checks = Checks::kOff};
}

TEST(Trace, EqualAccessesOfAllBlocksAreListedOnce) {
  PtxCase given = tile_case();
  given.trace = Trace::kAll;
  const CaseOutcome outcome = run(given);
  // Three instructions in each of two warps; each of the three blocks does the same.
  ASSERT_EQ(outcome.traced.size(), 6U) << outcome.record.reason;
  ASSERT_EQ(outcome.arrays.size(), 3U);
  for (const TracedArray& array : outcome.arrays) EXPECT_EQ(array.untraced, 0U);
  for (const TracedAccess& one : outcome.traced) EXPECT_EQ(one.times, 3U);
  const TracedAccess& store = outcome.traced[1];
  EXPECT_EQ(store.access.op, AccessOp::kStore);
  EXPECT_EQ(store.rule, CostRule::kSharedStore);
  EXPECT_EQ(store.unit_bytes, 4);
  const TracedArray& tile = outcome.arrays[static_cast<std::size_t>(store.array)];
  EXPECT_EQ(tile.name, "tile");
  EXPECT_EQ(tile.space, Space::kShared);
  EXPECT_EQ(tile.bytes, 256U);
  EXPECT_EQ(store.access.address[0], 0);  // from where the tile begins
  EXPECT_EQ(store.access.address[31], 124);
}

// Whoever weighs layouts must not take rows of a matrix for an atomic, whose lanes wait for each
// other.
TEST(Trace, AnAccessNamesTheRuleThatCountsIt) {
  PtxCase given{.body =
                    "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [tile];\n"
                    "atom.shared.cas.b32 %r2, [tile], 0, 1;\nred.global.add.u32 [%out], 1;\nret;",
                .before = ".shared .align 16 .b8 tile[16];\n",
                .launch = {{1, 1, 1}, {32, 1, 1}, 0},
                .args = {buffer("out", 1, Fill::Kind::kZero), buffer("in", 1, Fill::Kind::kIota),
                         scalar_u32(0)},
                .checks = Checks::kOff};
  given.trace = Trace::kAll;
  const CaseOutcome outcome = run(given);
  ASSERT_EQ(outcome.traced.size(), 3U) << outcome.record.reason;
  EXPECT_EQ(outcome.traced[0].rule, CostRule::kSharedRows);
  EXPECT_EQ(outcome.traced[1].rule, CostRule::kSharedSwap);
  EXPECT_EQ(outcome.traced[2].rule, CostRule::kGlobalAtomic);
}

// 32,800 blocks of one warp: each stores to its own element of `out` and reads the same word of the
// tile. Of the stores 32,768 are listed; the reads are one.
TEST(Trace, WhatIsTooMuchIsCounted) {
  PtxCase given{.body =
                    "mov.u32 %r1, %ctaid.x;\nmul.wide.u32 %rd1, %r1, 4;\n"
                    "add.s64 %rd2, %out, %rd1;\nst.global.u32 [%rd2], %r1;\n"
                    "st.shared.u32 [tile], %r1;\nret;",
                .before = ".shared .align 4 .b8 tile[4];\n",
                .launch = {{32800, 1, 1}, {32, 1, 1}, 0},
                .args = {buffer("out", 32800, Fill::Kind::kZero),
                         buffer("in", 1, Fill::Kind::kIota), scalar_u32(0)},
                .checks = Checks::kOff};
  given.trace = Trace::kAll;
  const CaseOutcome outcome = run(given);
  ASSERT_EQ(outcome.arrays.size(), 2U) << outcome.record.reason;
  EXPECT_EQ(outcome.arrays[0].name, "out");
  EXPECT_EQ(outcome.arrays[0].untraced, 32U);
  EXPECT_EQ(outcome.arrays[1].untraced, 0U);
  ASSERT_EQ(outcome.traced.size(), 32769U);
  EXPECT_EQ(outcome.traced[1].times, 32800U);
}

TEST(Trace, OfOneBlockEachWarpIsListed) {
  PtxCase given = tile_case();
  given.trace = Trace::kBlock;
  given.warp = std::pair<std::uint32_t, std::uint32_t>(1, 0);
  const CaseOutcome outcome = run(given);
  ASSERT_EQ(outcome.traced.size(), 6U) << outcome.record.reason;
  EXPECT_EQ(outcome.traced[0].warp, 0U);
  EXPECT_EQ(outcome.traced[5].warp, 1U);
  EXPECT_EQ(outcome.traced[5].access.address[0], 128);  // thread 32 of `out`
}

TEST(Trace, ExchangedThreadsReadAColumnWhereTheyReadARow) {
  // A block of 16 x 2 threads, one warp: thread (x, y) stores element 16 * y + x.
  const std::string body =
      "mov.u32 %r1, %tid.y;\nmov.u32 %r2, %ntid.x;\nmad.lo.u32 %r3, %r1, %r2, %t;\n"
      "mul.wide.u32 %rd1, %r3, 4;\nadd.s64 %rd2, %out, %rd1;\nst.global.u32 [%rd2], %r3;\nret;";
  PtxCase given{.body = body,
                .launch = {{1, 1, 1}, {16, 2, 1}, 0},
                .args = {buffer("out", 32, Fill::Kind::kZero), buffer("in", 32, Fill::Kind::kIota),
                         scalar_u32(0)},
                .checks = Checks::kOff};
  given.trace = Trace::kAll;
  for (const bool exchanged : {false, true}) {
    given.exchange_threads = exchanged;
    const CaseOutcome outcome = run(given);
    ASSERT_EQ(outcome.traced.size(), 1U) << outcome.record.reason;
    // Lane 1 is (1, 0), element 1; exchanged it is (0, 1), element 16.
    EXPECT_EQ(outcome.traced[0].access.address[1], exchanged ? 64 : 4);
    const std::vector<std::uint32_t> words = ptx_case::dumped(outcome);
    for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(words[i], i);  // whoever wrote it
  }
}

}  // namespace
}  // namespace lab::model
