// What a few blocks tell of a launch's stores, atomics and loads.
#include "harness/model/facts/block_log.h"

#include <gtest/gtest.h>

#include <set>

#include "harness/model/facts/facts.h"
#include "tests/unit/model/run_ptx.h"

namespace lab::model {
namespace {

using ptx_run::entry;

/// The facts of all blocks of a launch.
KernelFacts logged(const std::string& body, Launch launch = {{1, 1, 1}, {32, 1, 1}, 0},
                   std::uint64_t begins = 0) {
  const std::string text = entry(body);
  const ptx::Module module = ptx::parse(text, "k.ptx");
  std::vector<std::uint32_t> out(1U << 16U);
  std::vector<std::uint32_t> in(1U << 16U);
  GlobalMemory memory;
  // In one piece, so that lines begin where the buffer does.
  const std::uint64_t to =
      memory.add(std::as_writable_bytes(std::span<std::uint32_t>(out)), "out", 0);
  const std::uint64_t from =
      memory.add(std::as_writable_bytes(std::span<std::uint32_t>(in)), "in", 1);
  DecodeRequest request;
  request.module = &module;
  request.entry = module.find_entry("k");
  request.parameters.resize(20);
  std::memcpy(request.parameters.data(), &to, 8);
  std::memcpy(request.parameters.data() + 8, &from, 8);
  request.parameter_address = memory.add(request.parameters, "parameters", -1, false);
  const Program program = decode(request, best_table());
  BlockLog log(program, memory, begins);
  GridOptions options;
  options.threads = 1;
  options.observer = [&] { return log.observer(); };
  const GridResult result = run_grid(program, launch, memory, options);
  KernelFacts facts;
  log.write(result.blocks, facts);
  return facts;
}

TEST(BlockLog, StoresOfEveryOtherWordLeaveSectorsInPart) {
  const KernelFacts facts = logged(R"(
    mul.wide.u32 %rd1, %t, 8;
    add.s64 %rd2, %out, %rd1;
    st.global.u32 [%rd2], %t;
    ret;)");
  EXPECT_EQ(facts.stores.sectors, 8);  // 32 x 8 bytes
  EXPECT_EQ(facts.stores.partly, 8);
  EXPECT_EQ(facts.stores.filled, 8);
  EXPECT_EQ(facts.stores.empty_bytes, 8 * 16);
  EXPECT_EQ(facts.stores.lines, 2);
  EXPECT_EQ(facts.stores.stored_bytes, 128);
  EXPECT_EQ(facts.stores.distinct_bytes, 128);
}

TEST(BlockLog, WhatWasLoadedIsNotFetchedAgain) {
  const KernelFacts facts = logged(R"(
    mul.wide.u32 %rd1, %t, 8;
    add.s64 %rd2, %out, %rd1;
    ld.global.u32 %r1, [%rd2];
    st.global.u32 [%rd2], %r1;
    ret;)");
  EXPECT_EQ(facts.stores.partly, 8);
  EXPECT_EQ(facts.stores.filled, 0);
}

// Two stores 8 bytes apart per lane, to the even and to the odd words.
constexpr const char* kTwoStores = R"(
    mul.wide.u32 %rd1, %t, 8;
    add.s64 %rd2, %out, %rd1;
    st.global.u32 [%rd2], %t;
    BETWEEN
    st.global.u32 [%rd2+4], %t;
    ret;)";

KernelFacts two_stores(const std::string& between) {
  std::string body = kTwoStores;
  return logged(body.replace(body.find("BETWEEN"), 7, between));
}

TEST(BlockLog, StoresThatFillTheirSectorsTogetherLeaveL1AsOne) {
  const KernelFacts facts = two_stores("");
  EXPECT_EQ(facts.stores.sent_sectors, 16);
  EXPECT_EQ(facts.stores.merged_sectors, 8);
  EXPECT_EQ(facts.stores.merged_lines, 2);
  EXPECT_EQ(facts.stores.merged_whole, 8);
  EXPECT_EQ(facts.stores.partly, 0);
}

TEST(BlockLog, StoresWithALoadBetweenDoNot) {
  const KernelFacts facts = two_stores("ld.global.u32 %r1, [%from];");
  EXPECT_EQ(facts.stores.sent_sectors, 16);
  EXPECT_EQ(facts.stores.merged_sectors, 16);
  EXPECT_EQ(facts.stores.partly, 0);  // whole in the end
}

TEST(BlockLog, OneAddressOfAllBlocksIsTheHottest) {
  // Ten blocks of two warps, 32 lanes each.
  const KernelFacts facts = logged(R"(
    mov.f32 %f1, 0f3F800000;
    red.global.add.f32 [%out], %f1;
    red.global.add.u32 [%mine], 1;
    ret;)",
                                   {{10, 1, 1}, {64, 1, 1}, 0});
  EXPECT_EQ(facts.hot.float_adds, 640);
  // 64 words in eight sectors of one part of L2, each sector once for each block; the floats' turns
  // are in the same part.
  EXPECT_EQ(facts.hot.integer_adds, 80 + 640);
}

// Lanes that name one word take turns; other words of the sector go along with them, and so do
// those of another sector where it is in another part of L2.
TEST(BlockLog, AdditionsQueueForAPartOfL2) {
  // Each of ten blocks adds once per thread to word (t & mask) * step.
  const auto with = [](int threads, int mask, int step, std::uint64_t begins = 0) {
    return logged("and.b32 %r1, %t, " + std::to_string(mask) + ";\nmul.wide.u32 %rd1, %r1, " +
                      std::to_string(4 * step) +
                      ";\nadd.s64 %rd2, %out, %rd1;\nred.global.add.u32 [%rd2], 1;\nret;",
                  {{10, 1, 1}, {static_cast<std::uint32_t>(threads), 1, 1}, 0}, begins)
        .hot.integer_adds;
  };
  EXPECT_EQ(with(32, 0, 1), 320);    // one word
  EXPECT_EQ(with(32, 7, 1), 40);     // eight of a sector, four lanes each
  EXPECT_EQ(with(32, 7, 8), 320);    // eight sectors of 256 bytes
  EXPECT_EQ(with(32, 1, 64), 160);   // two words 256 bytes apart
  EXPECT_EQ(with(32, 1, 128), 320);  // 512 bytes apart: the same part again
  // A KiB has two parts; one that begins at its middle has two of the next one, too.
  EXPECT_EQ(with(256, 255, 1), 160);
  EXPECT_EQ(with(256, 255, 1, 512), 80);
}

// Eight floats of a sector, four lanes each: four turns. 32 of a line: one in each of four sectors.
TEST(BlockLog, FloatsTakeTurnsInTheirSector) {
  const auto with = [](int mask) {
    return logged("and.b32 %r1, %t, " + std::to_string(mask) +
                      ";\nmul.wide.u32 %rd1, %r1, 4;\nadd.s64 %rd2, %out, %rd1;\n"
                      "mov.f32 %f1, 0f3F800000;\nred.global.add.f32 [%rd2], %f1;\nret;",
                  {{10, 1, 1}, {32, 1, 1}, 0})
        .hot;
  };
  EXPECT_EQ(with(7).float_adds, 40);
  EXPECT_EQ(with(7).integer_adds, 40);
  EXPECT_EQ(with(31).float_adds, 10);
  EXPECT_EQ(with(31).integer_adds, 40);
}

// Every fourth of 16 blocks adds to the same KiB: no place is used by most, and all of L2 shares
// them.
TEST(BlockLog, WhatBlocksFarApartUseIsNotTheirOwn) {
  const KernelFacts facts = logged(R"(
    mov.u32 %r1, %ctaid.x;
    and.b32 %r1, %r1, 3;
    mad.lo.u32 %r1, %r1, 1024, %t;
    mul.wide.u32 %rd1, %r1, 4;
    add.s64 %rd2, %out, %rd1;
    red.global.add.u32 [%rd2], 1;
    ret;)",
                                   {{16, 1, 1}, {256, 1, 1}, 0});
  // 16 blocks of 8 warps, each with four sectors, over 64 parts.
  EXPECT_DOUBLE_EQ(facts.hot.integer_adds, 16 * 8 * 4 / 64.0);
}

TEST(BlockLog, LoadsPastL1AndTheirHottestLineAreToldApart) {
  const KernelFacts facts = logged(R"(
    ld.volatile.global.u32 %r1, [%from];
    ld.global.u32 %r2, [%from];
    add.u32 %r3, %r1, %r2;
    st.global.u32 [%mine], %r3;
    ret;)",
                                   {{6, 1, 1}, {32, 1, 1}, 0});
  EXPECT_DOUBLE_EQ(facts.past_l1, 0.5);
  EXPECT_EQ(facts.hot.loads, 6);
  EXPECT_EQ(facts.hot.stores, 6);
}

// As an H200 has them: 256 bytes are in one part of L2, a KiB in two, 4 KiB in eight.
TEST(BlockLog, LoadsPastL1AreOfPartsOfL2) {
  // Each of ten blocks loads `lines` lines, one per warp.
  const auto with = [](std::uint32_t lines) {
    return logged(R"(
        ld.volatile.global.u32 %r1, [%from];
        st.global.u32 [%mine], %r1;
        ret;)",
                  {{10, 1, 1}, {32 * lines, 1, 1}, 0})
        .hot.loads;
  };
  EXPECT_EQ(with(1), 10);
  EXPECT_EQ(with(2), 20);
  EXPECT_EQ(with(4), 20);
  EXPECT_EQ(with(8), 40);
  EXPECT_EQ(with(32), 40);
}

// 32 lines a row of 512 bytes apart are in one bank of tags, and their words in one of data; 128
// bytes apart their lines are in four banks.
TEST(BlockLog, LinesInDifferentBanksAreLookedUpTogether) {
  const auto at_stride = [](int bytes) {
    return logged("mul.wide.u32 %rd1, %t, " + std::to_string(bytes) +
                  ";\nadd.s64 %rd2, %in, %rd1;\nld.global.u32 %r1, [%rd2];\n"
                  "st.global.u32 [%mine], %r1;\nret;");
  };
  EXPECT_DOUBLE_EQ(at_stride(512).tag_cycles, 1);
  EXPECT_DOUBLE_EQ(at_stride(512).data_cycles, 1);
  EXPECT_DOUBLE_EQ(at_stride(128).tag_cycles, 0.25);
  EXPECT_DOUBLE_EQ(at_stride(128).data_cycles, 1);
  EXPECT_DOUBLE_EQ(at_stride(132).data_cycles, 1.0 / 32);  // each word in a bank of its own
  EXPECT_DOUBLE_EQ(at_stride(512).line_gap, 4);
  EXPECT_DOUBLE_EQ(at_stride(128).line_gap, 1);
  EXPECT_DOUBLE_EQ(at_stride(4).line_gap, 0);  // one line
}

// Two blocks share a sector of `out`: each loads a word of it before and after its own store.
TEST(BlockLog, WhatTheSameBlockStoredIsLoadedAgain) {
  const KernelFacts facts = logged(R"(
    ld.global.u32 %r1, [%out];
    st.global.u32 [%out], %r1;
    ld.volatile.global.u32 %r2, [%out];
    st.global.u32 [%out+4], %r2;
    ret;)",
                                   {{2, 1, 1}, {32, 1, 1}, 0});
  EXPECT_DOUBLE_EQ(facts.reloaded, 0.5);
}

TEST(Facts, LookAtBlocksOverTheWholeGridWithTheirNeighbours) {
  const auto look = [](Dim3 grid) { return blocks_to_look_at(grid); };
  EXPECT_EQ(look({1, 1, 1}), (std::vector<std::uint64_t>{0}));
  EXPECT_EQ(look({2, 1, 1}), (std::vector<std::uint64_t>{0, 1}));
  // Six sites, at (0.618, 1.236 - 1 + 1, 1.854 - 1 + 2, ...) / 6 of the way, at even places.
  EXPECT_EQ(look({600, 1, 1}),
            (std::vector<std::uint64_t>{60, 61, 122, 123, 284, 285, 346, 347, 408, 409, 570, 571}));
  // Three sites of a large picture, one of a small one: two rows of two each.
  EXPECT_EQ(look({10, 20, 1}).size(), 12U);
  EXPECT_EQ(look({10, 10, 1}).size(), 4U);
}

// What the first blocks do, or every 64th, is not what most do.
TEST(Facts, LookAtBlocksThatNoPeriodPicks) {
  for (const std::uint32_t blocks : {256U, 1024U, 4096U, 65536U}) {
    for (const std::uint64_t period : {2U, 8U, 32U, 64U}) {
      std::set<std::uint64_t> seen;
      for (const std::uint64_t one : blocks_to_look_at({blocks, 1, 1})) seen.insert(one % period);
      EXPECT_GE(seen.size(), std::min<std::uint64_t>(period, 6)) << blocks << ' ' << period;
    }
  }
}

TEST(Facts, OfAKernelWithNoMachineCodeAreAbsent) {
  const Program program;
  const GlobalMemory memory;
  EXPECT_EQ(few_blocks(program, nullptr, {}, memory).facts.absent, "no machine code");
}

}  // namespace
}  // namespace lab::model
