#include "harness/kernel/ptx/cfg.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/unit/ptx/support.h"

namespace lab::ptx {
namespace {

using Graph = std::vector<std::vector<std::uint32_t>>;
using Nodes = std::vector<std::uint32_t>;
constexpr std::uint32_t kExit = kNoIndex;

std::vector<Block> blocks_of(const std::string& body) {
  return parse(kernel(body), "x.ptx").functions[0].blocks;
}

TEST(Blocks, OfADiamondMeetAtItsEnd) {
  // 0: branch; 1: else; 2: then; 3: ret
  const auto blocks =
      blocks_of("@%p1 bra THEN;\nmov.b32 %r1, %r2;\nbra END;\nTHEN: mov.b32 %r1, %r3;\nEND:");
  ASSERT_EQ(blocks.size(), 4U);
  EXPECT_EQ(blocks[0].successors, (Nodes{2, 1}));  // the branch first, then the fall through
  EXPECT_EQ(blocks[1].successors, Nodes{3});
  EXPECT_EQ(blocks[2].successors, Nodes{3});
  EXPECT_TRUE(blocks[3].successors.empty());
  EXPECT_EQ(blocks[1].first, 1U);
  EXPECT_EQ(blocks[1].last, 2U);
  EXPECT_EQ(blocks[0].post_dominator, 3U);
  EXPECT_EQ(blocks[1].post_dominator, 3U);
  EXPECT_EQ(blocks[3].post_dominator, kExit);
}

TEST(Blocks, OfALoopMeetBehindIt) {
  const auto blocks = blocks_of("LOOP: add.s32 %r1, %r1, 1;\n@%p1 bra LOOP;\nmov.b32 %r2, %r1;");
  ASSERT_EQ(blocks.size(), 2U);
  EXPECT_EQ(blocks[0].successors, (Nodes{0, 1}));
  EXPECT_EQ(blocks[0].post_dominator, 1U);
}

TEST(Blocks, WithAGuardedExitMeetOnlyAtTheExit) {
  // Lanes that return never come to block 1.
  const auto blocks = blocks_of("@%p1 ret;\nmov.b32 %r1, %r2;\n@%p2 exit;\n@%p2 trap;");
  ASSERT_EQ(blocks.size(), 4U);
  EXPECT_EQ(blocks[0].successors, Nodes{1});
  EXPECT_EQ(blocks[0].post_dominator, kExit);
  EXPECT_EQ(blocks[1].post_dominator, kExit);
  EXPECT_EQ(blocks[2].successors, Nodes{3});
}

TEST(Blocks, OfAnIndexedBranchKeepTheOrderOfTheList) {
  const auto blocks = blocks_of(
      "TT: .branchtargets C, A, C, B;\nbrx.idx %r1, TT;\nA: mov.b32 %r1, %r2;\nB: mov.b32 %r1, "
      "%r2;\nC:");
  ASSERT_EQ(blocks.size(), 4U);
  EXPECT_EQ(blocks[0].successors, (Nodes{3, 1, 2}));  // C once
  EXPECT_EQ(blocks[0].post_dominator, 3U);
}

TEST(Blocks, EndAtNoCall) {
  const Module module =
      parse(std::string(kHeader) + ".func f() { ret; } .entry k() { call f; call f; ret; }", "x");
  EXPECT_EQ(module.functions[1].blocks.size(), 1U);
}

TEST(Blocks, OfAnEndlessLoopMeetWhereARoundEnds) {
  // 0: head; 1: one arm; 2: tail, which goes back. The arms meet in the tail; 3: the final ret.
  const auto blocks =
      blocks_of("LOOP: @%p1 bra TAIL;\nmov.b32 %r1, %r2;\nTAIL: add.s32 %r1, %r1, 1;\nbra LOOP;");
  ASSERT_EQ(blocks.size(), 4U);
  EXPECT_EQ(blocks[0].post_dominator, 2U);
  EXPECT_EQ(blocks[2].post_dominator, 0U);
  EXPECT_TRUE(blocks[0].endless && blocks[1].endless && blocks[2].endless);
  EXPECT_FALSE(blocks[3].endless);
}

TEST(Blocks, OfTooManyBranchesAreAnError) {
  std::string text = "TT: .branchtargets ";
  for (int i = 0; i < 1100; ++i) text += (i > 0 ? ", L" : "L") + std::to_string(i);
  text += ";\n";
  for (int i = 0; i < 1100; ++i) text += "L" + std::to_string(i) + ": brx.idx %r1, TT;\n";
  EXPECT_EQ(error_of(kernel(text)), "error: function 'k' has more than 1000000 branches\n");
}

// By the definition: d post-dominates n if the exit can't be reached from n once d is taken out.
bool reaches_exit(const Graph& graph, const std::vector<bool>& leaves, std::uint32_t from,
                  std::uint32_t without) {
  std::vector<bool> seen(graph.size(), false);
  Nodes stack{from};
  while (!stack.empty()) {
    const std::uint32_t node = stack.back();
    stack.pop_back();
    if (node == without || seen[node]) continue;
    seen[node] = true;
    if (leaves[node]) return true;
    stack.insert(stack.end(), graph[node].begin(), graph[node].end());
  }
  return false;
}

std::uint32_t expected_meeting(const Graph& graph, const std::vector<bool>& leaves,
                               std::uint32_t node) {
  Nodes all;
  for (std::uint32_t d = 0; d < graph.size(); ++d) {
    if (d != node && !reaches_exit(graph, leaves, node, d)) all.push_back(d);
  }
  // The nearest one is post-dominated by all the others.
  for (const std::uint32_t candidate : all) {
    bool nearest = true;
    for (const std::uint32_t other : all) {
      nearest &= other == candidate || !reaches_exit(graph, leaves, candidate, other);
    }
    if (nearest) return candidate;
  }
  return kExit;
}

TEST(PostDominators, AreWhatTheDefinitionSays) {
  std::mt19937 engine(1);
  const auto random = [&] { return static_cast<std::uint32_t>(engine()); };
  int compared = 0;
  for (int round = 0; round < 400; ++round) {
    const std::uint32_t size = 2 + random() % 12;
    Graph graph(size);
    std::vector<bool> leaves(size, false);
    for (std::uint32_t i = 0; i < size; ++i) {
      for (std::uint32_t edge = random() % 3; edge > 0; --edge) graph[i].push_back(random() % size);
      leaves[i] = graph[i].empty() || random() % 8 == 0;
    }
    const Nodes meet = post_dominators(graph, leaves);
    for (std::uint32_t i = 0; i < size; ++i) {
      bool endless = false;  // where a loop has no way out the exit is our own addition
      for (std::uint32_t j = 0; j < size; ++j) endless |= !reaches_exit(graph, leaves, j, kExit);
      if (endless) continue;
      EXPECT_EQ(meet[i], expected_meeting(graph, leaves, i)) << "round " << round << " node " << i;
      ++compared;
    }
  }
  EXPECT_GT(compared, 1000);
}

TEST(PostDominators, OfALongChainNeedNoDeepStack) {
  constexpr std::uint32_t kLength = 200000;
  Graph graph(kLength);
  std::vector<bool> leaves(kLength, false);
  for (std::uint32_t i = 0; i + 1 < kLength; ++i) graph[i] = {i + 1};
  leaves.back() = true;
  const Nodes meet = post_dominators(graph, leaves);
  EXPECT_EQ(meet.front(), 1U);
  EXPECT_EQ(meet.back(), kExit);
}

}  // namespace
}  // namespace lab::ptx
