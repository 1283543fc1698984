// Control flow of small kernels: blocks, ways between them and the meeting point of each, drawn by
// hand from the text. B0, B1, ... are the blocks in their order; "out" is the way out.
#include <gtest/gtest.h>

#include "harness/kernel/ptx/cfg.h"
#include "tests/unit/ptx/support.h"

namespace lab::ptx {
namespace {

constexpr std::uint32_t kOut = kNoIndex;

struct Node {
  std::uint32_t first;
  std::uint32_t last;
  std::vector<std::uint32_t> successors;
  std::uint32_t meets;
};

void expect_graph(const std::string& body, const std::vector<Node>& nodes) {
  const Function k = parse(kernel(body), "x.ptx").functions[0];
  ASSERT_EQ(k.blocks.size(), nodes.size()) << body;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    EXPECT_EQ(k.blocks[i].first, nodes[i].first) << body << " block " << i;
    EXPECT_EQ(k.blocks[i].last, nodes[i].last) << body << " block " << i;
    EXPECT_EQ(k.blocks[i].successors, nodes[i].successors) << body << " block " << i;
    EXPECT_EQ(k.blocks[i].post_dominator, nodes[i].meets) << body << " block " << i;
  }
}

TEST(Graphs, OfStraightCodeAreOneBlock) {
  // Barriers, calls' kin and labels that nobody goes to end no block.
  expect_graph("mov.b32 %r1, 1; bar.sync 0; L: mov.b32 %r2, 2;", {{0, 3, {}, kOut}});
  expect_graph("", {{0, 0, {}, kOut}});
}

TEST(Graphs, OfIfThen) {
  // 0 setp, 1 @p bra END | 2 mov | 3 ret
  expect_graph("setp.eq.s32 %p1, %r1, 0;\n@%p1 bra END;\nmov.b32 %r1, 1;\nEND:",
               {{0, 1, {2, 1}, 2}, {2, 2, {2}, 2}, {3, 3, {}, kOut}});
}

TEST(Graphs, OfIfThenElse) {
  expect_graph("@%p1 bra THEN;\nmov.b32 %r1, 1;\nbra END;\nTHEN: mov.b32 %r1, 2;\nEND:",
               {{0, 0, {2, 1}, 3}, {1, 2, {3}, 3}, {3, 3, {3}, 3}, {4, 4, {}, kOut}});
}

TEST(Graphs, OfDiamondsInADiamond) {
  // B0 -> B4 | B1;  B1 -> B3 | B2;  B2 -> B3;  B3 -> B5;  B4 -> B5
  expect_graph(
      "@%p1 bra A;\n@%p2 bra B;\nmov.b32 %r1, 1;\nB: mov.b32 %r2, 1;\nbra END;\nA: mov.b32 %r1, "
      "3;\n"
      "END:",
      {{0, 0, {4, 1}, 5},
       {1, 1, {3, 2}, 3},
       {2, 2, {3}, 3},
       {3, 4, {5}, 5},
       {5, 5, {5}, 5},
       {6, 6, {}, kOut}});
}

TEST(Graphs, OfShortCircuits) {
  // if (p1 && p2) body: both conditions skip to the end.
  expect_graph("@!%p1 bra END;\n@!%p2 bra END;\nmov.b32 %r1, 1;\nEND:",
               {{0, 0, {3, 1}, 3}, {1, 1, {3, 2}, 3}, {2, 2, {3}, 3}, {3, 3, {}, kOut}});
}

TEST(Graphs, OfAWhileLoop) {
  // B0 enters; B1 tests and leaves to B3; B2 is the body and goes back.
  expect_graph("mov.b32 %r1, 0;\nHEAD: @%p1 bra END;\nadd.s32 %r1, %r1, 1;\nbra HEAD;\nEND:",
               {{0, 0, {1}, 1}, {1, 1, {3, 2}, 3}, {2, 3, {1}, 1}, {4, 4, {}, kOut}});
}

TEST(Graphs, OfALoopWithBreakAndContinue) {
  // B0 head: break to B4; B1: continue to B3; B2: body; B3: tail, back to B0 or on to B4.
  expect_graph(
      "HEAD: @%p1 bra END;\n@%p2 bra TAIL;\nmov.b32 %r1, 1;\nTAIL: @%p3 bra HEAD;\nEND:",
      {{0, 0, {4, 1}, 4}, {1, 1, {3, 2}, 3}, {2, 2, {3}, 3}, {3, 3, {0, 4}, 4}, {4, 4, {}, kOut}});
}

TEST(Graphs, OfNestedLoops) {
  // B0 outer head, B1 inner loop on itself, B2 outer tail.
  expect_graph(
      "OUTER: mov.b32 %r1, 0;\nINNER: add.s32 %r1, %r1, 1;\n@%p1 bra INNER;\n@%p2 bra OUTER;",
      {{0, 0, {1}, 1}, {1, 2, {1, 2}, 2}, {3, 3, {0, 3}, 3}, {4, 4, {}, kOut}});
}

TEST(Graphs, OfALoopThatReturnsWithin) {
  // A lane that returns at B1 never comes to B3: B0 and B1 meet nothing on every way. What B1 has
  // left goes to B2 alone, but those that returned do not.
  expect_graph("LOOP: @%p1 bra END;\n@%p2 ret;\nbra LOOP;\nEND:",
               {{0, 0, {3, 1}, kOut}, {1, 1, {2}, kOut}, {2, 2, {0}, 0}, {3, 3, {}, kOut}});
}

TEST(Graphs, OfTwoEntriesToALoop) {
  // Irreducible: B0 jumps into the middle. B1 and B2 go round; out is from B2 to B3.
  expect_graph("@%p1 bra MID;\nTOP: mov.b32 %r1, 1;\nMID: mov.b32 %r1, 2;\n@%p2 bra TOP;",
               {{0, 0, {2, 1}, 2}, {1, 1, {2}, 2}, {2, 3, {1, 3}, 3}, {4, 4, {}, kOut}});
}

TEST(Graphs, OfArmsThatCross) {
  // B1 and B2 both may go to B3 and B4: they meet in B5 alone.
  expect_graph(
      "@%p1 bra B2;\n@%p2 bra B4;\nbra B3;\nB2: @%p3 bra B4;\nB3: mov.b32 %r1, 1;\nbra B5;\n"
      "B4: mov.b32 %r1, 2;\nB5:",
      {{0, 0, {3, 1}, 6},
       {1, 1, {5, 2}, 6},
       {2, 2, {4}, 4},
       {3, 3, {5, 4}, 6},
       {4, 5, {6}, 6},
       {6, 6, {6}, 6},
       {7, 7, {}, kOut}});
}

TEST(Graphs, OfSeveralWaysOut) {
  // trap, exit and ret end blocks; with no guard nothing follows them.
  expect_graph("@%p1 bra A;\n@%p2 bra B;\nexit;\nA: trap;\nB: ret;",
               {{0, 0, {3, 1}, kOut},
                {1, 1, {4, 2}, kOut},
                {2, 2, {}, kOut},
                {3, 3, {}, kOut},
                {4, 4, {}, kOut},
                {5, 5, {}, kOut}});  // kernel()'s own ret, which nothing reaches
}

TEST(Graphs, OfASwitch) {
  // brx goes to B1, B2, B3 (named twice); B1 falls into B2, which leaves to the end.
  expect_graph(
      "T: .branchtargets C0, C1, C2, C1;\nbrx.idx %r1, T;\nC0: mov.b32 %r1, 0;\nC1: mov.b32 %r1, "
      "1;\nbra END;\nC2: mov.b32 %r1, 2;\nEND:",
      {{0, 0, {1, 2, 3}, 4}, {1, 1, {2}, 2}, {2, 3, {4}, 4}, {4, 4, {4}, 4}, {5, 5, {}, kOut}});
  // A guarded one may fall through as well.
  expect_graph("T: .branchtargets END;\n@%p1 brx.idx %r1, T;\nmov.b32 %r1, 0;\nEND:",
               {{0, 0, {2, 1}, 2}, {1, 1, {2}, 2}, {2, 2, {}, kOut}});
}

TEST(Graphs, OfABranchToTheNextInstruction) {
  expect_graph("@%p1 bra NEXT;\nNEXT: mov.b32 %r1, 1;", {{0, 0, {1}, 1}, {1, 2, {}, kOut}});
}

TEST(Graphs, OfCodeThatNothingReaches) {
  // B1 is behind an unconditional branch; it has its own way out all the same.
  expect_graph("bra END;\nmov.b32 %r1, 1;\nEND:",
               {{0, 0, {2}, 2}, {1, 1, {2}, 2}, {2, 2, {}, kOut}});
}

TEST(Graphs, OfEndlessLoops) {
  // B0 holds itself; B1, the final ret, is not reached. A round ends where the next begins.
  expect_graph("LOOP: bra LOOP;", {{0, 0, {0}, 0}, {1, 1, {}, kOut}});
  // A wait that only a guard leaves: @p bra back, else on.
  expect_graph(
      "SPIN: ld.volatile.global.u32 %r1, [%rd1];\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 bra SPIN;",
      {{0, 2, {0, 1}, 1}, {3, 3, {}, kOut}});
}

TEST(Graphs, OfRefusedInstructionsEndThere) {
  // An instruction that is not modelled stands as a trap, guarded or not.
  expect_graph(
      "mov.b32 %r1, 1;\n@%p1 tld4.r.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t, {%r1}];\n"
      "mov.b32 %r1, 2;",
      {{0, 1, {}, kOut}, {2, 3, {}, kOut}});
}

TEST(PostDominators, OfGraphsByHand) {
  // 0 -> 1 2; 1 -> 3; 2 -> 4; 3 -> 4 5; 4 -> 5; 5 out. From 3 on every way ends in 5.
  EXPECT_EQ(post_dominators({{1, 2}, {3}, {4}, {4, 5}, {5}, {}},
                            {false, false, false, false, false, true}),
            (std::vector<std::uint32_t>{5, 3, 4, 5, 5, kOut}));
  // A node that leaves by itself meets nobody, though it has a successor.
  EXPECT_EQ(post_dominators({{1}, {2}, {}}, {false, true, true}),
            (std::vector<std::uint32_t>{1, kOut, kOut}));
  // A loop that never leaves ends its rounds where it comes back to its first node.
  EXPECT_EQ(post_dominators({{1}, {0}}, {false, false}), (std::vector<std::uint32_t>{1, 0}));
  // 0 -> 2; 2 -> 1 3; 3 -> 1; 1 -> 2: 2 is its head, and both sides of its branch come to 1.
  EXPECT_EQ(post_dominators({{2}, {2}, {1, 3}, {1}}, {false, false, false, false}),
            (std::vector<std::uint32_t>{2, 2, 1, 1}));
  EXPECT_EQ(endless_loops({{2}, {2}, {1, 3}, {1}}, {false, false, false, false}),
            (std::vector<std::uint32_t>{kOut, 2, 2, 2}));
  // 1 may leave, and 0 gets there: neither is in an endless loop.
  EXPECT_EQ(endless_loops({{1}, {0}}, {false, true}), (std::vector<std::uint32_t>{kOut, kOut}));
  EXPECT_EQ(post_dominators({{}}, {true}), (std::vector<std::uint32_t>{kOut}));
}

}  // namespace
}  // namespace lab::ptx
