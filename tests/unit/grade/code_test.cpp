// A kernel's code without its names.
#include "harness/classes/grade/code.h"

#include <gtest/gtest.h>

namespace lab::grade {
namespace {

std::string ptx_of(const std::string& kernel, const std::string& tile, const std::string& lines,
                   const std::string& operation = "add.s32") {
  return ".visible .entry " + kernel + "(\n\t.param .u64 " + kernel + "_param_0\n)\n{\n" + lines +
         "\t.shared .align 4 .b8 " + tile + "[128];\n\tld.param.u64 %rd1, [" + kernel +
         "_param_0];\n\t" + operation + " %r1, %r2, %r3;\n$L__BB0_2:\n\tret;\n\n}\n";
}

TEST(Fingerprint, IsBlindToNamesAndLines) {
  const std::string one = fingerprint(ptx_of("k", "_ZZ1kE4tile", "\t.loc\t1 7 3\n"), "k");
  EXPECT_EQ(one.size(), 64u);
  EXPECT_EQ(
      fingerprint(ptx_of("other", "_ZZ5otherE6copied", "\t.loc\t1 9 1\n\t// mine\n"), "other"),
      one);
}

TEST(Fingerprint, SeesOtherCode) {
  EXPECT_NE(fingerprint(ptx_of("k", "_Z1t", ""), "k"),
            fingerprint(ptx_of("k", "_Z1t", "", "sub.s32"), "k"));
  // Two names for two things, not one.
  const std::string both =
      ptx_of("k", "_Z1t", "\tst.shared [_Z1a], %r1;\n\tst.shared [_Z1b], %r1;\n");
  const std::string same =
      ptx_of("k", "_Z1t", "\tst.shared [_Z1a], %r1;\n\tst.shared [_Z1a], %r1;\n");
  EXPECT_NE(fingerprint(both, "k"), fingerprint(same, "k"));
  EXPECT_EQ(fingerprint(both, "missing"), "");
  // Inline assembly, such as that of half additions, closes its own braces in the first column.
  const std::string braces = "\t{add.f16 %h1,%h2,%h3;\n}\n";
  EXPECT_NE(fingerprint(ptx_of("k", "_Z1t", braces), "k"),
            fingerprint(ptx_of("k", "_Z1t", braces, "sub.s32"), "k"));
}

}  // namespace
}  // namespace lab::grade
