// Operations between the lanes of a warp, by the definitions of the PTX ISA written out lane by
// lane: "shfl.sync", "vote.sync", "match.sync", "redux.sync", "activemask", "elect.sync".
#include <gtest/gtest.h>

#include <functional>

#include "tests/unit/model/run_ptx.h"

namespace lab::model {
namespace {

using ptx_run::entry;
using ptx_run::Ran;
using ptx_run::run_ptx;
using ptx_run::Scene;

using Words = std::vector<std::uint32_t>;

/// 32 words of which many agree in some bits.
Words mixed() {
  Words words;
  std::uint32_t x = 12345;
  for (int i = 0; i < 32; ++i) {
    x = x * 1664525U + 1013904223U;
    words.push_back(x >> 8U);
  }
  return words;
}

/// Result of `body`, which has lane t's word in %r1 and leaves %r0, on every instruction set.
void expect_lanes(const std::string& body, const Words& in,
                  const std::function<std::uint32_t(std::uint32_t)>& want,
                  std::uint32_t threads = 32) {
  for (const HandlerTable* table : all_tables()) {
    Scene scene;
    scene.in = in;
    scene.table = table;
    scene.launch.block.x = threads;
    const Ran ran = run_ptx(
        entry("ld.global.u32 %r1, [%from];\n" + body + "\nst.global.u32 [%mine], %r0;\nret;"),
        scene);
    ASSERT_TRUE(ran.result.faults.empty()) << body << ran.result.faults[0].detail;
    for (std::uint32_t t = 0; t < threads; ++t) {
      ASSERT_EQ(ran.out[t], want(t)) << body << " lane " << t;
    }
  }
}

/// The lane that `lane` reads from, and whether that is in range. c is clamp | (segment mask << 8).
struct From {
  std::uint32_t lane;
  bool in_range;
};
From shuffle_source(const std::string& mode, std::uint32_t lane, std::uint32_t b, std::uint32_t c) {
  const std::uint32_t segment = (c >> 8U) & 31U;
  const std::uint32_t clamp = c & 31U;
  const std::uint32_t highest = (lane & segment) | (clamp & ~segment & 31U);
  const std::uint32_t lowest = lane & segment;
  const auto signed_lane = static_cast<std::int32_t>(lane);
  const auto by = static_cast<std::int32_t>(b & 31U);
  std::int32_t j = 0;
  bool good = false;
  if (mode == "up") {
    j = signed_lane - by;
    good = j >= static_cast<std::int32_t>(highest);
  } else if (mode == "down") {
    j = signed_lane + by;
    good = j <= static_cast<std::int32_t>(highest);
  } else if (mode == "bfly") {
    j = signed_lane ^ by;
    good = j <= static_cast<std::int32_t>(highest);
  } else {
    j = static_cast<std::int32_t>(lowest | (b & 31U & ~segment));
    good = j <= static_cast<std::int32_t>(highest);
  }
  return good ? From{static_cast<std::uint32_t>(j), true} : From{lane, false};
}

TEST(WarpOps, ShufflesOfEveryModeDistanceAndSegment) {
  const Words in = mixed();
  for (const std::string mode : {"up", "down", "bfly", "idx"}) {
    // Segments of 32, 16, 8, 4 and 2 lanes; .up clamps at the lower end, the others at the upper.
    for (const std::uint32_t width : {32U, 16U, 8U, 4U, 2U}) {
      const std::uint32_t c = ((32 - width) << 8U) | (mode == "up" ? 0U : 31U);
      for (const std::uint32_t b : {0U, 1U, 3U, 7U, 16U, 31U}) {
        expect_lanes("shfl.sync." + mode + ".b32 %r2|%p1, %r1, " + std::to_string(b) + ", " +
                         std::to_string(c) +
                         ", -1;\nselp.u32 %r3, 0x80000000, 0, %p1;\nor.b32 %r0, %r2, %r3;",
                     in, [&](std::uint32_t lane) {
                       const From from = shuffle_source(mode, lane, b, c);
                       return in[from.lane] | (from.in_range ? 0x80000000U : 0U);
                     });
      }
    }
  }
}

TEST(WarpOps, ShuffleClampsBelowTheEnd) {
  // c = 5: lanes above 5 are out of range for down, lanes below for up.
  const Words in = mixed();
  for (const std::string mode : {"up", "down", "idx"}) {
    expect_lanes("shfl.sync." + mode + ".b32 %r0, %r1, 2, 5, -1;", in,
                 [&](std::uint32_t lane) { return in[shuffle_source(mode, lane, 2, 5).lane]; });
  }
}

TEST(WarpOps, EachLaneMayShuffleFromALaneOfItsOwn) {
  // idx by a register: lane t reads lane 7 t mod 32.
  const Words in = mixed();
  expect_lanes("mul.lo.u32 %r2, %t, 7;\nshfl.sync.idx.b32 %r0, %r1, %r2, 31, -1;", in,
               [&](std::uint32_t lane) { return in[lane * 7 % 32]; });
}

TEST(WarpOps, SixtyFourBitValuesShuffleInHalves) {
  // As the compiler does it: both words of t * 2^33 + t from the neighbour.
  expect_lanes(
      "cvt.u64.u32 %rd1, %t;\nshl.b64 %rd2, %rd1, 33;\nadd.s64 %rd2, %rd2, %rd1;\n"
      "mov.b64 {%r2, %r3}, %rd2;\nshfl.sync.bfly.b32 %r4, %r2, 1, 31, -1;\n"
      "shfl.sync.bfly.b32 %r5, %r3, 1, 31, -1;\nmov.b64 %rd3, {%r4, %r5};\n"
      "shr.u64 %rd3, %rd3, 33;\ncvt.u32.u64 %r0, %rd3;",
      mixed(), [](std::uint32_t lane) { return lane ^ 1U; });
}

struct Voters {
  const char* predicate;  ///< sets %p1
  std::uint32_t votes;
};
constexpr Voters kVoters[] = {
    {"setp.lt.u32 %p1, %t, 32;\n", 0xffffffffU},
    {"setp.gt.u32 %p1, %t, 32;\n", 0},
    {"setp.eq.u32 %p1, %t, 31;\n", 0x80000000U},
    {"and.b32 %r9, %t, 1;\nsetp.ne.u32 %p1, %r9, 0;\n", 0xaaaaaaaaU},
};

TEST(WarpOps, Votes) {
  for (const Voters& voters : kVoters) {
    const bool any = voters.votes != 0;
    const bool all = voters.votes == 0xffffffffU;
    const auto body = [&](const std::string& vote) {
      return voters.predicate + ("vote.sync." + vote);
    };
    expect_lanes(body("ballot.b32 %r0, %p1, -1;"), mixed(),
                 [&](std::uint32_t) { return voters.votes; });
    expect_lanes(body("ballot.b32 %r0, !%p1, -1;"), mixed(),
                 [&](std::uint32_t) { return ~voters.votes; });
    const std::pair<const char*, bool> kinds[] = {{"any", any}, {"all", all}, {"uni", all || !any}};
    for (const auto& kind : kinds) {
      expect_lanes(body(std::string(kind.first) + ".pred %p2, %p1, -1;\nselp.u32 %r0, 1, 0, %p2;"),
                   mixed(), [&](std::uint32_t) { return kind.second ? 1U : 0U; });
    }
  }
}

TEST(WarpOps, VotesOfSomeLanesLeaveTheOthersOut) {
  // Lanes 8 .. 15 vote in a branch of their own.
  expect_lanes(
      "mov.u32 %r0, 5;\nshr.u32 %r2, %t, 3;\nsetp.ne.u32 %p1, %r2, 1;\n@%p1 bra J;\n"
      "setp.ge.u32 %p2, %t, 12;\nvote.sync.ballot.b32 %r0, %p2, 0xff00;\nJ:",
      mixed(), [](std::uint32_t lane) { return lane / 8 == 1 ? 0xf000U : 5U; });
}

TEST(WarpOps, MatchesFindTheLanesWithTheSameValue) {
  Words in;
  for (std::uint32_t i = 0; i < 32; ++i) in.push_back(i * i % 5);
  const auto same = [&](std::uint32_t lane) {
    std::uint32_t lanes = 0;
    for (std::uint32_t i = 0; i < 32; ++i) lanes |= (in[i] == in[lane] ? 1U : 0U) << i;
    return lanes;
  };
  expect_lanes("match.any.sync.b32 %r0, %r1, -1;", in, same);
  // 64 bits: equal lower halves do not suffice.
  expect_lanes(
      "and.b32 %r2, %t, 1;\nmov.b64 %rd1, {%r1, %r2};\nmatch.any.sync.b64 %r0, %rd1, -1;", in,
      [&](std::uint32_t lane) { return same(lane) & (lane % 2 != 0 ? 0xaaaaaaaaU : 0x55555555U); });
  expect_lanes(
      "match.all.sync.b32 %r0|%p1, %r1, -1;\nselp.u32 %r2, 7, 9, %p1;\n"
      "add.u32 %r0, %r0, %r2;",
      in, [](std::uint32_t) { return 9U; });
  expect_lanes(
      "match.all.sync.b32 %r0|%p1, %r1, -1;\nselp.u32 %r2, 0, 9, %p1;\n"
      "add.u32 %r0, %r0, %r2;",
      Words(32, 3), [](std::uint32_t) { return 0xffffffffU; });
  // Lanes 8 .. 15 have one value; the others, with values of their own, are elsewhere.
  expect_lanes(
      "mov.u32 %r0, 5;\nshr.u32 %r2, %t, 3;\nsetp.ne.u32 %p1, %r2, 1;\n@%p1 bra J;\n"
      "mov.u32 %r1, 99;\nmatch.all.sync.b32 %r0|%p2, %r1, 0xff00;\nJ:",
      in, [](std::uint32_t lane) { return lane / 8 == 1 ? 0xff00U : 5U; });
}

struct Fold {
  const char* name;
  std::uint32_t (*step)(std::uint32_t, std::uint32_t);
};
const Fold kFolds[] = {
    {"add.u32", [](std::uint32_t a, std::uint32_t b) { return a + b; }},
    {"add.s32", [](std::uint32_t a, std::uint32_t b) { return a + b; }},
    {"min.u32", [](std::uint32_t a, std::uint32_t b) { return std::min(a, b); }},
    {"max.u32", [](std::uint32_t a, std::uint32_t b) { return std::max(a, b); }},
    {"min.s32",
     [](std::uint32_t a, std::uint32_t b) {
       return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) ? a : b;
     }},
    {"max.s32",
     [](std::uint32_t a, std::uint32_t b) {
       return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) ? b : a;
     }},
    {"and.b32", [](std::uint32_t a, std::uint32_t b) { return a & b; }},
    {"or.b32", [](std::uint32_t a, std::uint32_t b) { return a | b; }},
    {"xor.b32", [](std::uint32_t a, std::uint32_t b) { return a ^ b; }},
};

TEST(WarpOps, ReductionsFoldTheMembers) {
  Words in = mixed();
  for (std::size_t i = 0; i < 32; i += 3) in[i] = ~in[i];  // some negative
  for (const Fold& fold : kFolds) {
    std::uint32_t all = in[0];
    for (std::size_t i = 1; i < 32; ++i) all = fold.step(all, in[i]);
    const std::string name = fold.name;
    expect_lanes("redux.sync." + name + " %r0, %r1, -1;", in, [&](std::uint32_t) { return all; });
    // The first eight alone.
    std::uint32_t some = in[0];
    for (std::size_t i = 1; i < 8; ++i) some = fold.step(some, in[i]);
    expect_lanes("mov.u32 %r0, 1;\nsetp.ge.u32 %p1, %t, 8;\n@%p1 bra J;\nredux.sync." + name +
                     " %r0, %r1, 0xff;\nJ:",
                 in, [&](std::uint32_t lane) { return lane < 8 ? some : 1U; });
  }
}

TEST(WarpOps, APartialWarpHasNoOtherLanes) {
  // 13 threads: the mask may name all 32.
  expect_lanes(
      "activemask.b32 %r0;", mixed(), [](std::uint32_t) { return 0x1fffU; }, 13);
  expect_lanes(
      "setp.ge.u32 %p1, %t, 0;\nvote.sync.ballot.b32 %r0, %p1, -1;", mixed(),
      [](std::uint32_t) { return 0x1fffU; }, 13);
  expect_lanes(
      "redux.sync.add.u32 %r0, %t, -1;", mixed(), [](std::uint32_t) { return 78U; }, 13);
}

TEST(WarpOps, ExitedLanesAreNotWaitedFor) {
  Scene scene;
  const Ran ran = run_ptx(entry("setp.lt.u32 %p1, %t, 20;\n@%p1 ret;\n"
                                "redux.sync.add.u32 %r1, %t, 0xfff00000;\n"
                                "st.global.u32 [%mine], %r1;\nret;"),
                          scene);
  EXPECT_TRUE(ran.result.faults.empty());
  for (std::uint32_t t = 20; t < 32; ++t) EXPECT_EQ(ran.out[t], 20U * 12 + 66);  // 20 .. 31
  EXPECT_EQ(ran.out[0], 0xA5A5A5A5U);
}

TEST(WarpOps, OneLaneIsElected) {
  expect_lanes("elect.sync %r2|%p1, -1;\nselp.u32 %r3, 100, 0, %p1;\nadd.u32 %r0, %r2, %r3;",
               mixed(), [](std::uint32_t lane) { return lane == 0 ? 100U : 0U; });
  expect_lanes(
      "mov.u32 %r0, 1;\nsetp.lt.u32 %p2, %t, 5;\n@%p2 bra J;\n"
      "elect.sync %r2|%p1, 0xffffffe0;\nselp.u32 %r3, 100, 0, %p1;\nadd.u32 %r0, %r2, %r3;\nJ:",
      mixed(), [](std::uint32_t lane) { return lane < 5 ? 1U : (lane == 5 ? 105U : 5U); });
}

TEST(WarpOps, ReadingALaneThatIsElsewhereIsReported) {
  // Lanes below 16 shuffle among themselves, by 16: the sources are in the other branch.
  Scene scene;
  const Ran ran = run_ptx(entry("setp.ge.u32 %p1, %t, 16;\n@%p1 bra J;\n"
                                "shfl.sync.bfly.b32 %r1, %t, 16, 31, 0xffff;\n"
                                "J: st.global.u32 [%mine], %r1;\nret;"),
                          scene);
  ASSERT_FALSE(ran.result.faults.empty());
  EXPECT_EQ(ran.result.faults[0].kind, FindingKind::kInvalidWarpOperation);
}

TEST(WarpOps, ALaneThatItsMaskLeavesOutIsReported) {
  Scene scene;
  const Ran ran = run_ptx(entry("vote.sync.ballot.b32 %r1, %p1, 0x7fffffff;\n"
                                "st.global.u32 [%mine], %r1;\nret;"),
                          scene);
  ASSERT_FALSE(ran.result.faults.empty());
  EXPECT_EQ(ran.result.faults[0].kind, FindingKind::kInvalidWarpOperation);
  EXPECT_EQ(ran.result.faults[0].lane, 31U);
}

}  // namespace
}  // namespace lab::model
