#include "harness/run/code_page.h"

#include <gtest/gtest.h>

#include "harness/core/text.h"
#include "tests/unit/cubin/support.h"
#include "tools/cli/text/page_text.h"

namespace lab::cli {
namespace {

run::MachineCode code_of(const std::string& kernel) {
  Compiled compiled;
  compiled.cubin = cubin::fixture("sm_90");
  compiled.ptx = cubin::fixture_ptx("sm_90");
  compiled.lowered = {kernel};
  return run::machine_code(compiled);
}

KernelText merge_source() {
  const auto bytes = cubin::read_bytes("tests/fixtures/cubin/merge.cu");
  return {"/elsewhere/merge.cu", std::string(bytes.begin(), bytes.end())};
}

constexpr Terminal kWide{false, false, false, 200};

std::string text_of(const run::MachineCode& code, const KernelText& source, std::size_t most) {
  return page_text(run::code_page(code, source, most), kWide);
}

// merge.cu, lines 37 to 44: volatile accesses are merged by nobody. Two stores, two loads, and a
// load and a store of global memory.
TEST(SassText, RowsStandByTheirSourceLine) {
  const std::string text = text_of(code_of("volatile_twin"), merge_source(), 4);
  for (const char* part :
       {" v[4 * threadIdx.x] = out[threadIdx.x]; ", " v[4 * threadIdx.x + 1] = 2; ",
        " out[threadIdx.x] = v[2 * threadIdx.x] + v[2 * threadIdx.x + 1]; ",
        "ld.volatile.shared.f32 ", "  STS [R", "  LDS [R", "  STG [R"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  EXPECT_EQ(text.find("merged"), std::string::npos);
}

// Line 10: 32 LDS and 8 LDS.128, of each of which one is shown.
TEST(SassText, AlikeOnesAreCounted) {
  const std::string text = text_of(code_of("product"), merge_source(), 1);
  EXPECT_NE(text.find("  31 more LDS\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  7 more LDS.128\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  merged from PTX lines "), std::string::npos) << text;
}

TEST(SassText, AnotherFilesLinesAreNotShownAsOurs) {
  KernelText other = merge_source();
  other.name = "other.cu";
  const std::string text = text_of(code_of("half_used"), other, 4);
  EXPECT_NE(text.find("     -  (another file, or not known)"), std::string::npos) << text;
  EXPECT_EQ(text.find("float4"), std::string::npos) << text;
}

TEST(SassText, AKernelThatIsNotThere) {
  EXPECT_EQ(text_of(code_of("no_such"), merge_source(), 4),
            "no machine code: it has no such kernel\n");
}

}  // namespace
}  // namespace lab::cli
