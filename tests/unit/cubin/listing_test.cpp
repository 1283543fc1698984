#include "harness/kernel/cubin/listing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "harness/core/text.h"
#include "harness/kernel/ptx/parser.h"
#include "tests/unit/cubin/support.h"

namespace lab::cubin {
namespace {

std::vector<ListedAccess> listed(const std::string& kernel) {
  return listing(read(fixture("sm_90")), kernel, ptx::parse(fixture_ptx("sm_90"), "merge.ptx"));
}

std::map<std::string, int> mnemonics(const std::vector<ListedAccess>& accesses) {
  std::map<std::string, int> counts;
  for (const ListedAccess& one : accesses) ++counts[mnemonic(one.machine.access)];
  return counts;
}

// merge.cu, line 10: 32 words of a row become 8 loads of four, 32 words of a column stay; lines 7
// and 8 load and store one word each; line 13 stores one.
TEST(Listing, WideLoadsNameTheFourThatTheyStandFor) {
  const auto accesses = listed("product");
  EXPECT_EQ(mnemonics(accesses),
            (std::map<std::string, int>{
                {"LDG", 2}, {"LDS", 32}, {"LDS.128", 8}, {"STG", 1}, {"STS", 2}}));
  const auto text = fixture_ptx("sm_90");
  const auto ptx = split(text, '\n');
  for (const ListedAccess& one : accesses) {
    if (one.machine.access.bytes != 16) {
      EXPECT_TRUE(one.merged_from.empty()) << one.text;
      EXPECT_EQ(merged_text(one), "");
      continue;
    }
    EXPECT_EQ(one.text.rfind("LDS.128 [R", 0), 0u) << one.text;
    ASSERT_EQ(one.merged_from.size(), 4u);
    std::string lines;
    for (const PtxPlace& place : one.merged_from) {
      EXPECT_EQ(place.source_line, 10u);
      EXPECT_NE(ptx.at(place.ptx_line - 1).find("ld.shared.f32"), std::string_view::npos);
      lines += (lines.empty() ? "" : ", ") + std::to_string(place.ptx_line);
    }
    EXPECT_EQ(merged_text(one), "merged from PTX lines " + lines);
  }
}

TEST(Listing, InOrderOfPcAndEmptyForAnotherKernel) {
  const auto accesses = listed("atomics");
  EXPECT_TRUE(std::is_sorted(accesses.begin(), accesses.end(), [](const auto& a, const auto& b) {
    return a.machine.pc < b.machine.pc;
  }));
  EXPECT_FALSE(accesses.empty());
  EXPECT_TRUE(listed("no_such").empty());
}

TEST(Listing, MergedTextNamesSourceLinesWhereTheyDiffer) {
  ListedAccess access;
  access.merged_from = {{40, 12}, {44, 13}, {48, 12}};
  EXPECT_EQ(merged_text(access), "merged from lines 12, 13");
  access.merged_from = {{40, 0}, {44, 13}};  // a line that is not known
  EXPECT_EQ(merged_text(access), "merged from PTX lines 40, 44");
}

// word(): opcode, width code, predicate, byte offset; the address register is R2. Width codes of
// plain loads: 0 u8, 2 u16, 4 b32, 5 b64, 6 b128 (sass.cpp).
TEST(Listing, MnemonicsAndAddressesAsDisassemblersWriteThem) {
  const auto of = [](std::uint64_t opcode, std::uint64_t width) {
    return mnemonic(*decode(word(opcode, width), 90));
  };
  EXPECT_EQ(of(0x184, 4), "LDS");
  EXPECT_EQ(of(0x184, 6), "LDS.128");
  EXPECT_EQ(of(0x186, 5), "STG.64");
  EXPECT_EQ(of(0x181, 0), "LDG.U8");
  EXPECT_EQ(of(0x181, 2), "LDG.U16");
}

// As nvdisasm 13.0 -c prints it, shortened.
TEST(Listing, ReadsNvdisasm) {
  const std::string text =
      "\t.headerflags\t@\"EF_CUDA_SM90\"\n"
      "//--------------------- .text.stride --------------------------\n"
      "\t.section\t.text.stride,\"ax\",@progbits\n"
      ".text.stride:\n"
      "        /*0000*/                   LDC R1, c[0x0][0x28] ;\n"
      ".L_x_0:\n"
      "        /*0130*/              @!P0 LDS.128 R8, [R20+0x40] ;\n"
      "        /*0140*/                   LDG.E R5, desc[UR4][R2.64] ;  /* 0x0000000402057981 */\n"
      "        /*zz*/ broken ;\n"
      ".text.other:\n"
      "        /*0130*/                   EXIT ;\n";
  EXPECT_EQ(read_nvdisasm(text, "stride"),
            (std::map<std::uint32_t, std::string>{{0x0, "LDC R1, c[0x0][0x28]"},
                                                  {0x130, "@!P0 LDS.128 R8, [R20+0x40]"},
                                                  {0x140, "LDG.E R5, desc[UR4][R2.64]"}}));
  EXPECT_EQ(read_nvdisasm(text, "other").size(), 1u);
  EXPECT_TRUE(read_nvdisasm(text, "strid").empty());
}

}  // namespace
}  // namespace lab::cubin
