// The clock of a warp, on machine code made by hand.
#include "harness/kernel/cubin/warp_clock.h"

#include <gtest/gtest.h>

#include "tests/unit/cubin/support.h"

namespace lab::cubin {
namespace {

constexpr std::uint8_t kNone = Issue::kNoCounter;
constexpr Latencies kLatencies = {100, 20, 10};

Issue plain(std::uint32_t line, std::uint8_t waits = 0) {
  Issue issue;
  issue.opcode = 0x21;
  issue.cycles = 4;
  issue.waits = waits;
  issue.ptx_line = line;
  return issue;
}
Issue load(std::uint32_t line, std::uint8_t counter, Pipe pipe = Pipe::kGlobalLoad) {
  Issue issue = plain(line);
  issue.opcode = pipe == Pipe::kGlobalLoad ? 0x181 : 0x184;
  issue.pipe = pipe;
  issue.cycles = 1;
  issue.sets = counter;
  return issue;
}
Issue jump(std::uint32_t line, std::int32_t instructions, bool predicated) {
  Issue issue = plain(line);
  issue.opcode = 0x147;
  issue.pipe = Pipe::kJump;
  issue.ends = true;
  issue.predicated = predicated;
  issue.jump_by = 16 * instructions;
  return issue;
}
Issue leave(std::uint32_t line) {
  Issue issue = jump(line, 0, false);
  issue.opcode = 0x14d;
  return issue;
}

Function function(std::vector<Issue> code) {
  Function made;
  made.code = std::move(code);
  return made;
}

TEST(WarpClock, LoadsThatAreWaitedForTogetherAreOneRound) {
  // Issued at 0 and 1; ready at 100 and 101; the sum waits from 2 to 101.
  const Function both = function({load(1, 0), load(2, 1), plain(3, 3), leave(4)});
  const WarpClock clock = warp_clock(both, {{1, 1}, {2, 1}, {3, 1}, {4, 1}}, kLatencies);
  EXPECT_DOUBLE_EQ(clock.waits_global, 99);
  EXPECT_DOUBLE_EQ(clock.instructions, 4);
  EXPECT_DOUBLE_EQ(clock.issue_cycles, 1 + 1 + 4 + 4);
  EXPECT_DOUBLE_EQ(clock.global_loads, 2);
}

TEST(WarpClock, ALoadThatNeedsAnotherIsASecondRound) {
  // 99 cycles for the first; its use takes 4; 99 for the second.
  const Function chain = function({load(1, 0), plain(2, 1), load(3, 0), plain(4, 1), leave(5)});
  const WarpClock clock = warp_clock(chain, {{1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}}, kLatencies);
  EXPECT_DOUBLE_EQ(clock.waits_global, 2 * 99);
}

TEST(WarpClock, WaitsAreThoseOfWhatSetTheCounter) {
  const Function shared = function({load(1, 0, Pipe::kSharedLoad), plain(2, 1), leave(3)});
  const WarpClock clock = warp_clock(shared, {{1, 1}, {2, 1}, {3, 1}}, kLatencies);
  EXPECT_DOUBLE_EQ(clock.waits_global, 0);
  EXPECT_DOUBLE_EQ(clock.waits_shared, 19);
}

// Instructions 1 to 3 are the loop: the jump at 3 leads to 1, three back from 4.
TEST(WarpClock, ALoopWaitsInEachRound) {
  const Function loop = function({plain(1), load(2, 0), plain(3, 1), jump(4, -3, true), leave(5)});
  const WarpClock clock = warp_clock(loop, {{1, 1}, {2, 6}, {3, 6}, {4, 6}, {5, 1}}, kLatencies);
  EXPECT_DOUBLE_EQ(clock.waits_global, 6 * 99);
  EXPECT_DOUBLE_EQ(clock.instructions, 1 + 6 * 3 + 1);
}

// The value of a round is used in the next one: the load is on its way meanwhile.
TEST(WarpClock, ALoadInALoopMayBeWaitedForInTheNextRound) {
  const Function loop = function({plain(1), plain(3, 1), load(2, 0), jump(4, -3, true), leave(5)});
  const WarpClock clock = warp_clock(loop, {{1, 1}, {2, 6}, {3, 6}, {4, 6}, {5, 1}}, kLatencies);
  // Walked twice: the first round waits for nothing, each of five others 100 - 1 - 4.
  EXPECT_DOUBLE_EQ(clock.waits_global, 5 * 95);
}

TEST(Stretches, AnUnrolledLoopTakesItsCopiesAndALoopForTheRestWhatIsLeft) {
  // Lines 2 and 3 twice in the first loop (1 to 5), once in the second (6 to 8): of 9 rounds the
  // first makes 4 times two, the second one.
  const Function unrolled =
      function({plain(1), load(2, 0), load(2, 1), plain(3, 1), plain(3, 2), jump(4, -5, true),
                load(2, 0), plain(3, 1), jump(4, -3, true), leave(5)});
  const auto all = stretches(unrolled, {{1, 1}, {2, 9}, {3, 9}, {4, 9}, {5, 1}});
  ASSERT_EQ(all.size(), 4U);
  EXPECT_FALSE(all[0].in_loop);
  EXPECT_DOUBLE_EQ(all[0].times, 1);
  EXPECT_TRUE(all[1].is_head);
  EXPECT_DOUBLE_EQ(all[1].times, 4);
  EXPECT_DOUBLE_EQ(all[2].times, 1);
  EXPECT_DOUBLE_EQ(all[3].times, 1);
}

TEST(Stretches, AnInstructionThatTakesSeveralOfOneOpcodeIsNoUnrolledLoop) {
  // A division, line 2: three multiplications and two instructions more. It is there once, and most
  // of the loop.
  Issue guess = plain(2);
  guess.opcode = 0x108;
  Issue rest = plain(2);
  rest.opcode = 0x12;
  const Function divides = function(
      {plain(1), guess, plain(2), plain(2), plain(2), rest, plain(3), jump(4, -7, true), leave(5)});
  const auto all = stretches(divides, {{1, 1}, {2, 8}, {3, 8}, {4, 8}, {5, 1}});
  ASSERT_EQ(all.size(), 3U);
  EXPECT_DOUBLE_EQ(all[1].times, 8);
}

TEST(Stretches, TheBodyOfAnIfUnderAPredicateIsIssuedEachTime) {
  // Of eight rounds a warp has lanes in the body, four of seven instructions, in two.
  Issue body = plain(3);
  body.predicated = true;
  const Function folds =
      function({plain(1), plain(2), body, body, body, body, plain(4), jump(5, -7, true), leave(6)});
  const auto all = stretches(folds, {{1, 1}, {2, 8}, {3, 2}, {4, 8}, {5, 8}, {6, 1}});
  ASSERT_EQ(all.size(), 3U);
  EXPECT_DOUBLE_EQ(all[1].times, 8);
}

TEST(Stretches, WhatNoPathLeadsToIsLeftOut) {
  // After the exit the compiler fills up with a jump to itself.
  const auto all = stretches(function({plain(1), leave(2), jump(2, -1, false)}), {{1, 1}, {2, 1}});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].last, 1U);
}

TEST(Stretches, ABranchThatFewWarpsTakeCountsForThem) {
  // One of eight warps jumps over two instructions of line 2.
  const Function skips =
      function({plain(1), jump(1, 2, true), plain(2), plain(2), plain(3), leave(3)});
  const WarpClock clock = warp_clock(skips, {{1, 1}, {2, 0.875}, {3, 1}}, kLatencies);
  EXPECT_DOUBLE_EQ(clock.instructions, 2 + 2 * 0.875 + 2);
}

// LDG.E R2, [R2.64] under !P0, and the STS that waits for it, as ptxas 13.0 made them for sm_90.
TEST(Sass, SaysHowInstructionsAreIssued) {
  const auto bits = [](std::uint64_t opcode, std::uint64_t control) {
    File out;
    put(out, opcode, 8);
    put(out, control << 41, 8);  // bits 105 and up
    return out;
  };
  // 1 cycle, no yield hint: 1 | 1 << 4; counter 2 by the result: 2 << 5; none by reading: 7 << 8.
  const Issue ldg = decode_issue(bits(0x8981, 1 | 1U << 4 | 2U << 5 | 7U << 8), 90);
  EXPECT_EQ(ldg.pipe, Pipe::kGlobalLoad);
  EXPECT_EQ(ldg.cycles, 1);
  EXPECT_EQ(ldg.sets, 2);
  EXPECT_EQ(ldg.reads, kNone);
  EXPECT_EQ(ldg.waits, 0);
  EXPECT_TRUE(ldg.predicated);
  const Issue sts = decode_issue(bits(0x7388, 1 | 7U << 5 | 0U << 8 | 4U << 11), 90);
  EXPECT_EQ(sts.pipe, Pipe::kStore);
  EXPECT_EQ(sts.sets, kNone);
  EXPECT_EQ(sts.reads, 0);
  EXPECT_EQ(sts.waits, 4);
  EXPECT_FALSE(sts.predicated);
}

// The jump to itself behind a kernel's end, before and since sm_90.
TEST(Sass, SaysWhereBranchesLead) {
  File old;
  put(old, 0xfffffff000007947U, 8);
  put(old, 0x000fc0000383ffffU, 8);
  EXPECT_EQ(decode_issue(old, 80).jump_by, -16);
  File young;
  put(young, 0xfffffffc00fc7947U, 8);
  put(young, 0x000fc0000383ffffU, 8);
  EXPECT_EQ(decode_issue(young, 90).jump_by, -16);
  EXPECT_TRUE(decode_issue(young, 90).ends);
}

// Every branch in the fixtures leads to an instruction of its function.
TEST(Sass, BranchesOfCompilersLeadIntoTheirFunction) {
  for (const char* sm : {"sm_75", "sm_90", "sm_120"}) {
    int branches = 0;
    for (const Function& one : read(fixture(sm)).functions) {
      for (std::size_t i = 0; i < one.code.size(); ++i) {
        if (one.code[i].opcode != 0x147) continue;
        ++branches;
        const auto to = static_cast<std::int64_t>(i + 1) * 16 + one.code[i].jump_by;
        EXPECT_EQ(to % 16, 0) << sm << ' ' << one.name;
        EXPECT_TRUE(to >= 0 && to < static_cast<std::int64_t>(one.code.size()) * 16)
            << sm << ' ' << one.name;
      }
    }
    EXPECT_GT(branches, 0) << sm;
  }
}

}  // namespace
}  // namespace lab::cubin
