#include "harness/kernel/cubin/cubin.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "harness/core/text.h"
#include "tests/unit/cubin/support.h"

namespace lab::cubin {
namespace {

std::vector<MemoryInstruction> of_kind(const Function& function, Kind kind) {
  std::vector<MemoryInstruction> list;
  std::copy_if(function.instructions.begin(), function.instructions.end(), std::back_inserter(list),
               [=](const MemoryInstruction& one) { return one.access.kind == kind; });
  return list;
}

class Fixtures : public testing::TestWithParam<const char*> {};

TEST_P(Fixtures, HaveTheirKernelsWithResources) {
  const Image image = read(fixture(GetParam()));
  EXPECT_EQ(image.absent, "");
  EXPECT_EQ(image.lines_absent, "");
  EXPECT_EQ(image.sm, std::stoi(std::string(GetParam()).substr(3)));
  EXPECT_EQ(image.functions.size(), 6U);
  // Static shared memory as declared: two tiles of 32 x 32 floats; 256 structs of 8 bytes.
  ASSERT_NE(image.find("product"), nullptr);
  EXPECT_EQ(image.find("product")->shared_bytes, 8192U);
  EXPECT_EQ(image.find("two_words")->shared_bytes, 2048U);
  EXPECT_EQ(image.find("half_used")->shared_bytes, 0U);
  for (const Function& function : image.functions) {
    EXPECT_GT(function.registers.value_or(0), 3U) << function.name;
    EXPECT_LE(function.registers.value_or(999), 255U) << function.name;
    EXPECT_EQ(function.local_bytes, 0U) << function.name;
  }
  EXPECT_EQ(image.find("nothing"), nullptr);
}

TEST_P(Fixtures, ShowMergedSharedAccesses) {
  const Image image = read(fixture(GetParam()));
  // 32 loads of a column stay; 32 loads of a row become 8 of 16 bytes.
  int narrow = 0;
  int wide = 0;
  for (const MemoryInstruction& one : of_kind(*image.find("product"), Kind::kLoadShared)) {
    narrow += one.access.bytes == 4 ? 1 : 0;
    wide += one.access.bytes == 16 ? 1 : 0;
  }
  EXPECT_EQ(narrow, 32);
  EXPECT_EQ(wide, 8);
  // 32 consecutive words per thread are 8 stores of 16 bytes, 16 bytes apart.
  const auto stores = of_kind(*image.find("powers"), Kind::kStoreShared);
  ASSERT_EQ(stores.size(), 8U);
  std::vector<std::int32_t> offsets;
  for (const MemoryInstruction& one : stores) {
    EXPECT_EQ(one.access.bytes, 16);
    offsets.push_back(one.access.offset);
  }
  std::sort(offsets.begin(), offsets.end());
  for (std::size_t i = 1; i < offsets.size(); ++i) EXPECT_EQ(offsets[i] - offsets[i - 1], 16);
  // A struct of two words is one access of 8 bytes, in and out of shared memory.
  EXPECT_EQ(of_kind(*image.find("two_words"), Kind::kLoadShared).at(0).access.bytes, 8);
  EXPECT_EQ(of_kind(*image.find("two_words"), Kind::kStoreShared).at(0).access.bytes, 8);
  // volatile stays as written.
  for (const Kind kind : {Kind::kLoadShared, Kind::kStoreShared}) {
    const auto list = of_kind(*image.find("volatile_twin"), kind);
    ASSERT_EQ(list.size(), 2U);
    EXPECT_EQ(list[0].access.bytes + list[1].access.bytes, 8);
  }
}

TEST_P(Fixtures, LeadToPtxAndSource) {
  const Image image = read(fixture(GetParam()));
  const File bytes = read_bytes("tests/fixtures/cubin/merge.cu");
  const std::string source(bytes.begin(), bytes.end());
  const MemoryInstruction store = of_kind(*image.find("two_words"), Kind::kStoreGlobal).at(0);
  EXPECT_EQ(trim(line_of(source, static_cast<int>(store.source_line))),
            "out[threadIdx.x] = v.a * v.b;");
  EXPECT_EQ(image.files.at(store.source_file), "/src/labs/merge.cu");
  EXPECT_NE(image.ptx.at(store.ptx_line - 1).find("st.global.f32"), std::string::npos);
  for (const Function& function : image.functions) {
    for (const MemoryInstruction& one : function.instructions) {
      EXPECT_GT(one.ptx_line, 0U);
      EXPECT_GT(one.source_line, 0U);
      EXPECT_EQ(one.pc % 16, 0U);
    }
  }
}

TEST_P(Fixtures, ShowWhereLanesAgree) {
  const Image image = read(fixture(GetParam()));
  const Function& atomics = *image.find("atomics");
  // atomicAdd(i, 1) and atomicAdd(each + threadIdx.x, 1) give no result: RED.
  const auto reductions = of_kind(atomics, Kind::kReduction);
  ASSERT_EQ(reductions.size(), 3U);
  EXPECT_EQ(of_kind(atomics, Kind::kAtomicGlobal).size(), 1U);  // atomicExch gives one
  EXPECT_EQ(atomics.vote_lines.size(), 1U);
  // One lane of the warp adds for all: its instruction is predicated.
  for (const MemoryInstruction& one : reductions) {
    EXPECT_EQ(one.access.predicated, one.ptx_line == atomics.vote_lines[0]);
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, Fixtures, testing::Values("sm_75", "sm_90", "sm_120"));

TEST(Cubin, SaysWhyAFileIsNone) {
  EXPECT_EQ(read({}).absent, "not a 64-bit ELF file");
  const File text{'h', 'e', 'l', 'l', 'o'};
  EXPECT_EQ(read(text).absent, "not a 64-bit ELF file");
  ElfBuilder builder;
  builder.machine = 62;  // x86-64
  EXPECT_EQ(read(builder.build()).absent, "an ELF file, but not of CUDA machine code");
  builder.machine = 190;
  EXPECT_EQ(read(builder.build()).absent, "it has no machine code");
  File cut = fixture("sm_90");
  cut.resize(cut.size() / 2);  // the section headers stand at the end
  EXPECT_EQ(read(cut).absent, "its section headers are cut off");
}

// Renames every section of this name, so that it can't be found.
File without(File bytes, const std::string& name) {
  auto at = bytes.begin();
  while (true) {
    at = std::search(at, bytes.end(), name.begin(), name.end());
    if (at == bytes.end()) return bytes;
    *at++ = '?';
  }
}

TEST(Cubin, SaysWhyItHasNoLines) {
  const File whole = fixture("sm_90");
  EXPECT_EQ(read(without(whole, ".nv_debug_line_sass")).lines_absent,
            "it has no PTX lines: compile with -lineinfo");
  EXPECT_EQ(read(without(whole, ".nv_debug_ptx_txt")).lines_absent,
            "it has no PTX text: compile with -lineinfo");
  // Without relocations the line tables can't say which kernel they are about.
  EXPECT_EQ(read(without(whole, ".rela.nv_debug_line_sass")).lines_absent,
            "it has no PTX lines: compile with -lineinfo");
  const Image bare = read(without(without(whole, ".debug_line"), ".nv.info"));
  EXPECT_EQ(bare.lines_absent, "");
  EXPECT_FALSE(bare.functions.at(0).registers.has_value());
  EXPECT_EQ(bare.functions.at(0).instructions.at(0).source_line, 0U);
}

TEST(Cubin, SurvivesEveryTruncation) {
  const File whole = fixture("sm_75");
  // Section headers: where the ELF header's e_shoff says, 64 bytes each. Sections stand before
  // them, program headers behind.
  const std::size_t sections = Reader(whole, 0x28).u64();
  const std::size_t end = sections + std::size_t{64} * Reader(whole, 0x3c).u16();
  for (std::size_t size = 0; size < whole.size(); size += 97) {
    const Image image = read(Bytes(whole.data(), size));
    const bool is_whole = image.absent.empty() && image.functions.size() == 6;
    EXPECT_TRUE(is_whole || size < end) << size;
    EXPECT_TRUE(!image.absent.empty() || size > sections) << size;
  }
}

TEST(Cubin, SurvivesDamage) {
  const File whole = fixture("sm_90");
  std::mt19937 random(7);
  int readable = 0;
  for (int round = 0; round < 300; ++round) {
    File bytes = whole;
    for (int i = 0; i < 40; ++i) {
      bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
    }
    // Damage to the headers of sections is the most telling.
    if (round % 2 == 0) {
      for (int i = 0; i < 8; ++i) {
        bytes[bytes.size() - 1 - random() % 2000] = static_cast<std::uint8_t>(random());
      }
    }
    readable += read(bytes).absent.empty() ? 1 : 0;
  }
  EXPECT_GT(readable, 30);
  EXPECT_LT(readable, 300);
}

}  // namespace
}  // namespace lab::cubin
