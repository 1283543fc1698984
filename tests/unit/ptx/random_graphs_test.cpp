// Control flow drawn by chance: loops with several entries, blocks nobody reaches, ways out in the
// middle. Blocks and post-dominators are held against their definitions, way by way.
#include <optional>

#include "harness/core/buffer.h"
#include "tests/unit/ptx/paths.h"
#include "tests/unit/ptx/support.h"

namespace lab::ptx {
namespace {

/// A kernel of `blocks` labelled pieces, each of which ends in a jump, a guarded jump, a way out, a
/// guarded way out, or nothing.
std::string random_kernel(std::uint64_t& state, std::uint64_t blocks) {
  std::string body;
  for (std::uint64_t i = 0; i < blocks; ++i) {
    body += "L" + std::to_string(i) + ": add.u32 %r1, %r1, 1;\n";
    const std::string target = "L" + std::to_string(split_mix64(state) % blocks) + ";\n";
    switch (split_mix64(state) % 8) {
      case 0:
        body += "bra " + target;
        break;
      case 1:
      case 2:
        body += "@%p1 bra " + target;
        break;
      case 3:
        body += "@!%p2 bra " + target;
        break;
      case 4:
        body += "@%p1 ret;\n";
        break;
      case 5:
        body += split_mix64(state) % 3 == 0 ? "exit;\n" : "";
        break;
      default:
        break;
    }
  }
  return kernel(body);
}

bool guarded(const Instruction& i) { return i.guard != kNoIndex; }

/// The instructions that may come after `at`, by that instruction alone.
std::set<std::uint32_t> next_of(const Function& function, std::uint32_t at) {
  const Instruction& i = function.instructions[at];
  std::set<std::uint32_t> next;
  if (i.op == Op::kBra) next.insert(i.operands[0].target);
  const bool ends = i.op == Op::kBra || i.op == Op::kRet || i.op == Op::kExit;
  if (!ends || guarded(i)) next.insert(at + 1);
  return next;
}

void expect_blocks_follow_their_instructions(const Function& function) {
  for (const Block& block : function.blocks) {
    std::set<std::uint32_t> to;
    for (const std::uint32_t successor : block.successors) {
      to.insert(function.blocks[successor].first);
    }
    EXPECT_EQ(to, next_of(function, block.last));
    // Within a block there is one way: on.
    for (std::uint32_t at = block.first; at < block.last; ++at) {
      EXPECT_EQ(next_of(function, at), std::set<std::uint32_t>{at + 1});
    }
  }
}

/// The nearest block that no way out of `from` goes around; empty where there is none.
std::optional<std::uint32_t> nearest_on_every_way(const Function& function, std::uint32_t from) {
  std::set<std::uint32_t> unavoidable;
  for (std::uint32_t b = 0; b < function.blocks.size(); ++b) {
    if (b != from && !leaves(function, from, b)) unavoidable.insert(b);
  }
  for (const std::uint32_t candidate : unavoidable) {
    bool nearest = true;
    for (const std::uint32_t other : unavoidable) {
      nearest = nearest && (other == candidate || !leaves(function, candidate, other));
    }
    if (nearest) return candidate;
  }
  return {};
}

TEST(RandomGraphs, BlocksAndPostDominatorsAreWhatTheirDefinitionsSay) {
  std::uint64_t state = 20260101;
  int compared = 0;
  int met = 0;
  for (int graph = 0; graph < 400; ++graph) {
    const std::string text = random_kernel(state, 2 + split_mix64(state) % 12);
    SCOPED_TRACE(text);
    const Module module = parse(text, "x.ptx");
    const Function& function = module.functions[0];
    expect_blocks_follow_their_instructions(function);
    for (std::uint32_t b = 0; b < function.blocks.size(); ++b) {
      // With no way out, everything is on every way: there the definition says nothing.
      bool all_leave = true;
      for (const std::uint32_t other : reached(function, b)) {
        all_leave = all_leave && leaves(function, other, kNoIndex);
      }
      if (!all_leave) continue;
      const auto expected = nearest_on_every_way(function, b);
      EXPECT_EQ(function.blocks[b].post_dominator, expected.value_or(kNoIndex)) << "block " << b;
      ++compared;
      if (expected) ++met;
    }
  }
  // Both kinds come up often enough to mean something.
  EXPECT_GT(met, 500);
  EXPECT_GT(compared - met, 500);
}

}  // namespace
}  // namespace lab::ptx
