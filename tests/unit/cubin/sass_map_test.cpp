#include "harness/kernel/cubin/sass_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "harness/kernel/ptx/parser.h"
#include "tests/unit/cubin/support.h"

namespace lab::cubin {
namespace {

using ptx::Op;
using ptx::Space;

struct Mapped {
  ptx::Module module;
  SassMap map;
  std::uint32_t function = 0;

  [[nodiscard]] std::vector<Fate> fates(Op op, Space space) const {
    std::vector<Fate> list;
    const auto& code = module.functions[function].instructions;
    for (std::size_t i = 0; i < code.size(); ++i) {
      if (code[i].op == op && code[i].space == space) list.push_back(map.functions[function][i]);
    }
    return list;
  }
};

Mapped mapped(const std::string& sm, const std::string& kernel) {
  Mapped result;
  result.module = ptx::parse(fixture_ptx(sm), "merge.ptx");
  result.map = sass_map(read(fixture(sm)), kernel, result.module);
  result.function = result.module.find_entry(kernel);
  return result;
}

std::map<Fate::Kind, int> count(const std::vector<Fate>& fates) {
  std::map<Fate::Kind, int> counts;
  for (const Fate& fate : fates) ++counts[fate.kind];
  return counts;
}

class Maps : public testing::TestWithParam<const char*> {};

TEST_P(Maps, HaveNoDoubts) {
  for (const char* kernel :
       {"product", "two_words", "powers", "atomics", "volatile_twin", "half_used"}) {
    const Mapped m = mapped(GetParam(), kernel);
    EXPECT_EQ(m.map.absent, "");
    EXPECT_EQ(m.map.doubts, std::vector<std::string>{}) << kernel;
    ASSERT_EQ(m.map.functions.size(), m.module.functions.size());
  }
}

TEST_P(Maps, MergeTheRowsOfAProduct) {
  // 32 loads of t[i][x], 128 bytes apart, stay; 32 of s[y][i] become 8 groups of 4.
  const Mapped m = mapped(GetParam(), "product");
  auto counts = count(m.fates(Op::kLd, Space::kShared));
  EXPECT_EQ(counts[Fate::Kind::kKept], 32);
  EXPECT_EQ(counts[Fate::Kind::kWide], 8);
  EXPECT_EQ(counts[Fate::Kind::kMerged], 24);
  auto stores = count(m.fates(Op::kSt, Space::kShared));
  EXPECT_EQ(stores[Fate::Kind::kKept], 2);
  const auto& code = m.module.functions[m.function].instructions;
  const auto& fates = m.map.functions[m.function];
  for (std::size_t i = 0; i < fates.size(); ++i) {
    if (fates[i].kind != Fate::Kind::kMerged) continue;
    const Fate& leader = fates[fates[i].leader];
    EXPECT_EQ(leader.kind, Fate::Kind::kWide);
    EXPECT_EQ(leader.bytes, 16);
    // The member lies inside the leader's window.
    const auto own = code[i].operands[1].offset;
    const auto start = code[fates[i].leader].operands[1].offset + leader.shift;
    EXPECT_GE(own, start);
    EXPECT_LE(own + 4, start + 16);
  }
}

TEST_P(Maps, MergeConsecutiveStoresAtTheirLast) {
  const auto fates = mapped(GetParam(), "powers").fates(Op::kSt, Space::kShared);
  ASSERT_EQ(fates.size(), 32U);
  auto counts = count(fates);
  EXPECT_EQ(counts[Fate::Kind::kWide], 8);
  EXPECT_EQ(counts[Fate::Kind::kMerged], 24);
  for (const Fate& fate : fates) {
    if (fate.kind != Fate::Kind::kWide) continue;
    EXPECT_EQ(fate.bytes, 16);
    EXPECT_LE(fate.shift, 0);
    EXPECT_EQ(fate.shift % 4, 0);
    EXPECT_GE(fate.shift, -12);
  }
}

TEST_P(Maps, MergeAStructOfTwoWords) {
  for (const Op op : {Op::kLd, Op::kSt}) {
    const auto fates = mapped(GetParam(), "two_words").fates(op, Space::kShared);
    ASSERT_EQ(fates.size(), 2U);
    const bool first_leads = fates[0].kind == Fate::Kind::kWide;
    const Fate& leader = fates[first_leads ? 0 : 1];
    EXPECT_EQ(leader.kind, Fate::Kind::kWide);
    EXPECT_EQ(leader.bytes, 8);
    EXPECT_EQ(leader.shift, first_leads ? 0 : -4);
    EXPECT_EQ(fates[first_leads ? 1 : 0].kind, Fate::Kind::kMerged);
  }
}

TEST_P(Maps, LeaveVolatileAccessesAlone) {
  const Mapped m = mapped(GetParam(), "volatile_twin");
  EXPECT_EQ(count(m.fates(Op::kLd, Space::kShared))[Fate::Kind::kKept], 2);
  EXPECT_EQ(count(m.fates(Op::kSt, Space::kShared))[Fate::Kind::kKept], 2);
}

TEST_P(Maps, TellAtomicsApart) {
  const Mapped m = mapped(GetParam(), "atomics");
  const auto global = m.fates(Op::kAtom, Space::kGlobal);
  ASSERT_EQ(global.size(), 4U);
  // In the order of the source: one address for all with integers; with floats; an address each;
  // an exchange whose result is used.
  EXPECT_EQ(global[0].kind, Fate::Kind::kAggregated);
  EXPECT_EQ(global[1].kind, Fate::Kind::kKept);
  EXPECT_EQ(global[2].kind, Fate::Kind::kKept);
  EXPECT_EQ(global[3].kind, Fate::Kind::kKept);
  EXPECT_TRUE(global[0].is_reduction && global[1].is_reduction && global[2].is_reduction);
  EXPECT_FALSE(global[3].is_reduction);
  // Shared memory has no float add: a loop of compare-and-swap.
  EXPECT_EQ(m.fates(Op::kAtom, Space::kShared).at(0).kind, Fate::Kind::kExpanded);
}

TEST(SassMap, NarrowsALoadOfWhichHalfIsUsed) {
  // .z and .w of a float4: bytes 8 to 15.
  const auto fates = mapped("sm_90", "half_used").fates(Op::kLd, Space::kGlobal);
  ASSERT_EQ(fates.size(), 1U);
  EXPECT_EQ(fates[0].kind, Fate::Kind::kKept);
  EXPECT_EQ(fates[0].bytes, 8);
  EXPECT_EQ(fates[0].shift, 8);
}

INSTANTIATE_TEST_SUITE_P(Architectures, Maps, testing::Values("sm_75", "sm_90", "sm_120"));

TEST(SassMap, IsAbsentWithAReason) {
  const ptx::Module module = ptx::parse(fixture_ptx("sm_90"), "merge.ptx");
  const Image image = read(fixture("sm_90"));
  EXPECT_EQ(sass_map(image, "none", module).absent, "it has no kernel 'none'");
  EXPECT_EQ(sass_map(Image{}, "product", module).absent, "it has no kernel 'product'");
  EXPECT_EQ(sass_map(read({}), "product", module).absent, "not a 64-bit ELF file");
  // One line more in the text, and nothing stands where it did.
  const ptx::Module moved = ptx::parse("\n" + fixture_ptx("sm_90"), "merge.ptx");
  const std::string reason = sass_map(image, "product", moved).absent;
  EXPECT_NE(reason.find("of the PTX differs from that in the machine code"), std::string::npos)
      << reason;
}

// Machine code made by hand beside PTX made by hand.
struct Hand {
  std::string body;
  std::vector<MemoryInstruction> machine;
};

MemoryInstruction at(std::uint32_t line, Kind kind, std::uint8_t bytes) {
  MemoryInstruction one;
  one.ptx_line = line;
  one.access.kind = kind;
  one.access.bytes = bytes;
  return one;
}

Mapped by_hand(const std::string& body, std::vector<MemoryInstruction> machine,
               std::vector<Jump> jumps = {}) {
  Mapped m;
  // The body begins at line 3.
  m.module = ptx::parse(
      ".version 9.0 .target sm_90 .address_size 64\n.entry k() { .shared .align 16 .b8 s[256]; "
      ".reg "
      ".b32 %r<19>; .reg .pred %p<2>;\n" +
          body + "\nret; }\n",
      "x.ptx");
  Image image;
  image.ptx = m.module.lines;
  image.functions.push_back({"k", {}, {}, 0, std::move(machine), std::move(jumps), {}});
  m.map = sass_map(image, "k", m.module);
  EXPECT_EQ(m.map.absent, "");
  return m;
}

TEST(SassMap, FollowsSumsToTheirBase) {
  // Offsets 8 (through an add and a mov), 4 and 0, 12: one window of 16 bytes, led by the second.
  const Mapped m = by_hand(
      "add.s32 %r2, %r1, 8;\nmov.b32 %r3, %r2;\nld.shared.b32 %r4, [%r3];\nld.shared.b32 %r5, "
      "[%r1+4];\nld.shared.b32 %r6, [%r1];\nld.shared.b32 %r7, [%r3+4];",
      {at(6, Kind::kLoadShared, 16)});
  const auto fates = m.fates(Op::kLd, Space::kShared);
  EXPECT_EQ(fates[0].kind, Fate::Kind::kMerged);
  EXPECT_EQ(fates[0].leader, 3U);
  EXPECT_EQ(fates[1].kind, Fate::Kind::kWide);
  EXPECT_EQ(fates[1].shift, -4);
  EXPECT_EQ(fates[2].kind, Fate::Kind::kMerged);
  EXPECT_EQ(fates[3].kind, Fate::Kind::kMerged);
}

TEST(SassMap, DoesNotMergeAcrossANewValueOfTheBase) {
  const Mapped m =
      by_hand("ld.shared.b32 %r4, [%r1];\nmov.u32 %r1, %tid.x;\nld.shared.b32 %r5, [%r1+4];",
              {at(3, Kind::kLoadShared, 8)});
  const auto fates = m.fates(Op::kLd, Space::kShared);
  EXPECT_EQ(fates[0].kind, Fate::Kind::kUnknown);
  EXPECT_EQ(fates[1].kind, Fate::Kind::kVanished);
  EXPECT_EQ(m.map.doubts,
            (std::vector<std::string>{
                "PTX line 3: a wider machine access, but not of its neighbours in the PTX"}));
}

TEST(SassMap, DoesNotMergeAcrossBlocks) {
  const Mapped m =
      by_hand("ld.shared.b32 %r4, [%r1];\n@%p1 bra L;\nld.shared.b32 %r5, [%r1+4];\nL:",
              {at(3, Kind::kLoadShared, 8)});
  EXPECT_EQ(m.fates(Op::kLd, Space::kShared)[0].kind, Fate::Kind::kUnknown);
}

TEST(SassMap, AlignsWindowsAlike) {
  // Words 1 to 4 in two pairs: the windows begin at 4 and 12, both 4 past a multiple of 8.
  const Mapped m = by_hand(
      "ld.shared.b32 %r4, [%r1+4];\nld.shared.b32 %r5, [%r1+8];\nld.shared.b32 %r6, "
      "[%r1+12];\nld.shared.b32 %r7, [%r1+16];",
      {at(4, Kind::kLoadShared, 8), at(5, Kind::kLoadShared, 8)});
  const auto fates = m.fates(Op::kLd, Space::kShared);
  EXPECT_EQ(fates[0].leader, 1U);
  EXPECT_EQ(fates[1].shift, -4);
  EXPECT_EQ(fates[2].shift, 0);
  EXPECT_EQ(fates[3].leader, 2U);
}

TEST(SassMap, JoinsRoundsOfAnUnrolledLoop) {
  // Four copies of the other load, and two of an access of 16 bytes: each stands for two rounds of
  // two neighbours.
  const std::string loop =
      "L:\nld.shared.b32 %r4, [%r2];\nld.shared.b32 %r5, [%r1];\nld.shared.b32 %r6, [%r1+4];\n"
      "add.s32 %r1, %r1, 8;\nadd.s32 %r2, %r2, 128;\n@%p1 bra L;";
  const auto four = at(4, Kind::kLoadShared, 4);
  const auto wide = at(5, Kind::kLoadShared, 16);
  const Mapped m = by_hand(loop, {four, four, four, four, wide, wide});
  const auto fates = m.fates(Op::kLd, Space::kShared);
  EXPECT_EQ(fates[0].kind, Fate::Kind::kKept);
  EXPECT_EQ(fates[1].kind, Fate::Kind::kWide);
  EXPECT_EQ(fates[1].bytes, 16);
  EXPECT_EQ(fates[1].rounds, 2);
  EXPECT_EQ(fates[2].kind, Fate::Kind::kMerged);
  EXPECT_TRUE(m.map.doubts.empty());
  // The copies are those of the access that is found most often.
  const auto last = at(6, Kind::kLoadShared, 4);
  EXPECT_EQ(by_hand("L:\nld.shared.b32 %r4, [%r2];\nld.shared.b32 %r5, [%r1];\n"
                    "ld.shared.b32 %r7, [%r3];\nld.shared.b32 %r6, [%r1+4];\n@%p1 bra L;",
                    {four, four, four, four, wide, wide, last, last})
                .fates(Op::kLd, Space::kShared)[1]
                .rounds,
            2);
  // Five copies are no two rounds each, one neighbour is too little for 16 bytes, and another wide
  // access is no neighbour.
  const auto kind = [&](const std::string& text, std::vector<MemoryInstruction> machine) {
    return by_hand(text, std::move(machine)).fates(Op::kLd, Space::kShared)[1].kind;
  };
  EXPECT_EQ(kind(loop, {four, four, four, four, four, wide, wide}), Fate::Kind::kUnknown);
  EXPECT_EQ(kind("L:\nld.shared.b32 %r4, [%r2];\nld.shared.b32 %r5, [%r1];\n@%p1 bra L;",
                 {four, four, four, four, wide, wide}),
            Fate::Kind::kUnknown);
  const auto next = at(6, Kind::kLoadShared, 16);
  EXPECT_EQ(kind(loop, {four, four, four, four, wide, wide, next, next}), Fate::Kind::kUnknown);
  // Three copies do not fit two rounds each.
  EXPECT_EQ(by_hand(loop, {four, four, four, wide, wide}).fates(Op::kLd, Space::kShared)[1].kind,
            Fate::Kind::kUnknown);
}

// A window is of one instruction alone: not of a load and a store, of two spaces, or of a load that
// some lanes skip.
TEST(SassMap, MergesOneKindOfAccessAlone) {
  for (const char* other : {"st.shared.b32 [%r1+4], %r5;", "ld.local.b32 %r5, [%r1+4];",
                            "@%p1 ld.shared.b32 %r5, [%r1+4];"}) {
    const Mapped m =
        by_hand(std::string("ld.shared.b32 %r4, [%r1];\n") + other, {at(3, Kind::kLoadShared, 8)});
    EXPECT_EQ(m.fates(Op::kLd, Space::kShared)[0].kind, Fate::Kind::kUnknown) << other;
  }
}

// The second load of the same word vanished by itself, and does not stand in the first's way.
TEST(SassMap, AWordThatIsReadTwiceIsMergedOnce) {
  const Mapped m =
      by_hand("ld.shared.b32 %r4, [%r1];\nld.shared.b32 %r5, [%r1];\nld.shared.b32 %r6, [%r1+4];",
              {at(3, Kind::kLoadShared, 8)});
  const auto fates = m.fates(Op::kLd, Space::kShared);
  EXPECT_EQ(fates[0].kind, Fate::Kind::kWide);
  EXPECT_EQ(fates[1].kind, Fate::Kind::kVanished);
  EXPECT_EQ(fates[2].kind, Fate::Kind::kMerged);
}

// Windows at 0 and at 12 of 8 bytes cannot both be aligned, though each covers its own neighbour
// and the loop is not unrolled: one copy of the other load.
TEST(SassMap, DoubtsWindowsThatCannotAllBeAligned) {
  const Mapped m = by_hand(
      "ld.shared.b32 %r4, [%r1];\nld.shared.b32 %r5, [%r1+4];\nld.shared.b32 %r6, [%r1+12];\n"
      "ld.shared.b32 %r7, [%r1+16];\nld.shared.b32 %r8, [%r2];",
      {at(3, Kind::kLoadShared, 8), at(5, Kind::kLoadShared, 8), at(7, Kind::kLoadShared, 4)});
  const auto fates = m.fates(Op::kLd, Space::kShared);
  EXPECT_EQ(fates[0].kind, Fate::Kind::kUnknown);
  EXPECT_EQ(fates[2].kind, Fate::Kind::kUnknown);
}

// Of four neighbours that ptxas loads at once the first and the third are used: it parts them
// again, and both accesses then are on the first one's line.
TEST(SassMap, NeighboursThatWereJoinedInVainArePartedAgain) {
  const auto of = [](std::uint32_t line, Kind kind, std::int32_t offset) {
    MemoryInstruction one = at(line, kind, 4);
    one.access.offset = offset;
    return one;
  };
  const std::string body =
      "ld.shared.b32 %r4, [%r1];\nld.shared.b32 %r5, [%r1+8];\nst.shared.b32 [%r2], %r6;";
  const auto first = of(3, Kind::kLoadShared, 0);
  const auto third = of(3, Kind::kLoadShared, 8);
  const auto store = of(5, Kind::kStoreShared, 0);
  const auto fates = by_hand(body, {first, third, store}).fates(Op::kLd, Space::kShared);
  for (const Fate& fate : fates) {
    EXPECT_EQ(fate.kind, Fate::Kind::kKept);
    EXPECT_EQ(fate.bytes, 4);
    EXPECT_EQ(fate.copies, 1);
  }
  const auto second = [&](const std::string& text, std::vector<MemoryInstruction> machine) {
    return by_hand(text, std::move(machine)).fates(Op::kLd, Space::kShared)[1].kind;
  };
  // Two rounds of a loop, by the store's copies: the next round's first load is 8 bytes on, and the
  // second load's value is known.
  EXPECT_EQ(second(body, {first, third, store, store}), Fate::Kind::kVanished);
  // The accesses are at another distance than the loads.
  const auto fourth = of(3, Kind::kLoadShared, 12);
  EXPECT_EQ(second(body, {first, fourth, store}), Fate::Kind::kVanished);
  // Another register's.
  MemoryInstruction other = third;
  other.access.address_register = 7;
  EXPECT_EQ(second(body, {first, other, store}), Fate::Kind::kVanished);
  // Lanes that skip the second load are others.
  EXPECT_EQ(second("ld.shared.b32 %r4, [%r1];\n@%p1 ld.shared.b32 %r5, [%r1+8];\n"
                   "st.shared.b32 [%r2], %r6;",
                   {first, third, store}),
            Fate::Kind::kVanished);
}

TEST(SassMap, SeveralAccessesOfALineShareItsCopies) {
  const auto word = at(3, Kind::kLoadShared, 4);
  const Mapped m =
      by_hand("ld.shared.b32 %r4, [%r1]; ld.shared.b32 %r5, [%r2];", {word, word, word, word});
  for (const Fate& fate : m.fates(Op::kLd, Space::kShared)) EXPECT_EQ(fate.copies, 2);
}

// .x and .w are used: 16 bytes apart, of which an access of 8 has one alone.
TEST(SassMap, DoubtsANarrowAccessThatLacksAUsedPart) {
  const Mapped m = by_hand("ld.shared.v4.b32 {%r4, %r5, %r6, %r7}, [%r1];\nadd.s32 %r8, %r4, %r7;",
                           {at(3, Kind::kLoadShared, 8)});
  EXPECT_EQ(m.fates(Op::kLd, Space::kShared)[0].kind, Fate::Kind::kUnknown);
}

// The load is made behind the branch, at 32, that follows it in the PTX. Behind a loop's own branch
// stand the copies of its body, and a branch that all lanes take lets no lane leave.
TEST(SassMap, ALoadSinksBehindABranchForwardsAlone) {
  const auto sunk = [](const std::string& body, std::uint32_t load, std::uint32_t branch) {
    MemoryInstruction one = at(load, Kind::kLoadShared, 4);
    one.pc = 48;
    return by_hand(body, {one}, {{32, branch}}).fates(Op::kLd, Space::kShared)[0].sunk_behind;
  };
  const std::string load = "ld.shared.b32 %r4, [%r1];\n";
  EXPECT_EQ(sunk(load + "@%p1 bra L;\nadd.s32 %r5, %r4, 1;\nL:", 3, 4), 4U);
  EXPECT_EQ(sunk("L:\n" + load + "@%p1 bra L;", 4, 5), 0U);
  EXPECT_EQ(sunk(load + "bra L;\nL:", 3, 4), 0U);
}

TEST(SassMap, AMatrixThatIsLoadedTwiceMayBeLoadedOnce) {
  const std::string twice =
      "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r4, %r5}, [%r1];\n"
      "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r6, %r7}, [%r1];";
  const Mapped m = by_hand(twice, {at(3, Kind::kLoadMatrix, 8)});
  const auto fates = m.fates(Op::kLdmatrix, Space::kShared);
  EXPECT_EQ(fates[0].kind, Fate::Kind::kKept);
  EXPECT_EQ(fates[0].matrices, 2);
  EXPECT_EQ(fates[0].bytes, 16);  // of a row
  EXPECT_EQ(fates[1].kind, Fate::Kind::kVanished);
  EXPECT_TRUE(m.map.doubts.empty());
  // Four at once are not these two.
  const Mapped other = by_hand(twice, {at(3, Kind::kLoadMatrix, 16)});
  EXPECT_EQ(other.fates(Op::kLdmatrix, Space::kShared)[0].kind, Fate::Kind::kUnknown);
}

TEST(SassMap, AFragmentIsEveryAccessOfItsLine) {
  const std::string load =
      "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r4, %r5, %r6, %r7, %r8, %r9, %r10, "
      "%r11}, [%r1], %r2;";
  const auto fate = [&](std::vector<MemoryInstruction> machine) {
    return by_hand(load, std::move(machine)).fates(Op::kWmmaLoadA, Space::kShared).at(0);
  };
  const auto word = at(3, Kind::kLoadShared, 4);
  const Fate four = fate({word, word, word, word});
  EXPECT_EQ(four.kind, Fate::Kind::kKept);
  EXPECT_EQ(four.bytes, 4);
  EXPECT_EQ(four.copies, 4);
  EXPECT_EQ(four.matrices, 0);
  const Fate rows = fate({at(3, Kind::kLoadMatrix, 16)});
  EXPECT_EQ(rows.kind, Fate::Kind::kKept);
  EXPECT_EQ(rows.matrices, 4);
  EXPECT_EQ(rows.copies, 1);
  EXPECT_EQ(fate({word, at(3, Kind::kLoadMatrix, 8)}).kind, Fate::Kind::kUnknown);
  EXPECT_EQ(fate({word, at(3, Kind::kLoadShared, 8)}).kind, Fate::Kind::kUnknown);
  EXPECT_EQ(fate({}).kind, Fate::Kind::kVanished);
}

TEST(SassMap, KeepsAVectorThatJoinsAnother) {
  const Mapped m =
      by_hand("ld.shared.v2.b32 {%r4, %r5}, [%r1];\nld.shared.v2.b32 {%r6, %r7}, [%r1+8];",
              {at(3, Kind::kLoadShared, 16)});
  const auto fates = m.fates(Op::kLd, Space::kShared);
  EXPECT_EQ(fates[0].kind, Fate::Kind::kWide);
  EXPECT_EQ(fates[1].kind, Fate::Kind::kMerged);
}

TEST(SassMap, DoubtsAWidthItDoesNotKnow) {
  const Mapped m = by_hand("ld.shared.v2.b32 {%r4, %r5}, [%r1];", {at(3, Kind::kLoadShared, 0)});
  EXPECT_EQ(m.fates(Op::kLd, Space::kShared)[0].kind, Fate::Kind::kUnknown);
  EXPECT_EQ(m.map.doubts.at(0), "PTX line 3: its machine access has a width that is not known");
}

TEST(SassMap, DoubtsWhatItCannotTell) {
  // Two widths at one line (a loop unrolled with a remainder), and two loads on one line.
  const Mapped m = by_hand(
      "ld.shared.b32 %r4, [%r1];\nld.shared.b32 %r5, [%r1]; ld.shared.b32 %r6, [%r2];",
      {at(3, Kind::kLoadShared, 4), at(3, Kind::kLoadShared, 16), at(4, Kind::kLoadShared, 8)});
  const auto fates = m.fates(Op::kLd, Space::kShared);
  for (const Fate& fate : fates) EXPECT_EQ(fate.kind, Fate::Kind::kUnknown);
  EXPECT_EQ(m.map.doubts.at(0), "PTX line 3: its copies in the machine code have different widths");
  EXPECT_EQ(m.map.doubts.at(1), "PTX line 4: several accesses stand on one line");
}

}  // namespace
}  // namespace lab::cubin
