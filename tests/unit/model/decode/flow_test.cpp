#include "harness/model/decode/decode.h"

#include <gtest/gtest.h>

#include "harness/kernel/ptx/parser.h"
#include "tests/unit/model/run_ptx.h"

namespace lab::model {
namespace {

using ptx_run::entry;

/// Where the lanes that block `block` splits meet again.
std::uint32_t meet(const std::string& body, std::uint32_t block) {
  const ptx::Module module = ptx::parse(entry(body), "k.ptx");
  return meeting_points(module.functions.at(0)).at(block);
}

TEST(Flow, AnIfMeetsAfterIt) {
  // Block 0: branch; 1: then; 2: after.
  EXPECT_EQ(meet("@%p1 bra L;\nadd.s32 %r1, %r1, 1;\nL: add.s32 %r2, %r2, 1;\nret;", 0), 2U);
}

TEST(Flow, BothSidesMeetBehindTheElse) {
  // 0: branch; 1: then, jumps; 2: else; 3: after.
  EXPECT_EQ(meet("@%p1 bra E;\nadd.s32 %r1, %r1, 1;\nbra J;\nE: add.s32 %r2, %r2, 1;\n"
                 "J: add.s32 %r3, %r3, 1;\nret;",
                 0),
            3U);
}

TEST(Flow, ALoopMeetsAtItsExit) {
  // 0: before; 1: loop; 2: after.
  EXPECT_EQ(meet("mov.u32 %r1, 0;\nL: add.s32 %r1, %r1, 1;\n@%p1 bra L;\n"
                 "add.s32 %r2, %r2, 1;\nret;",
                 1),
            2U);
}

TEST(Flow, LeavingEarlyDoesNotKeepTheOthersApart) {
  // 0: `if (a)` jumps to the join 3; 1: `if (b) return` jumps to 4; 2: work; 3: join; 4: ret.
  // With the way to the ret, the outer branch would meet at 4 only.
  const std::string body =
      "@%p1 bra J;\n@%p2 bra R;\nadd.s32 %r1, %r1, 1;\nJ: add.s32 %r2, %r2, 1;\nR: ret;";
  EXPECT_EQ(meet(body, 0), 3U);
  EXPECT_EQ(meet(body, 1), 2U);
}

TEST(Flow, ALoopThatOnlyReturnsLeavesItsLanesWhereTheyWere) {
  // 0: before; 1: head, may return; 2: body, jumps back; 3: ret. All ways out are set aside, so
  // the plain post-dominator is taken: block 3.
  const std::string body =
      "mov.u32 %r1, 0;\nL: add.s32 %r1, %r1, 1;\n@%p1 bra R;\nadd.s32 %r2, %r2, 1;\nbra L;\nR: "
      "ret;";
  EXPECT_EQ(meet(body, 1), 3U);
}

}  // namespace
}  // namespace lab::model
