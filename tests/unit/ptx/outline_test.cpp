// A text's functions, variables and words, without its meaning.
#include "harness/kernel/ptx/outline.h"

#include "tests/unit/ptx/support.h"

namespace lab::ptx {
namespace {

using Names = std::vector<std::string>;

Names names_of(const std::vector<Outline::Variable>& variables) {
  Names names;
  for (const Outline::Variable& one : variables) {
    names.push_back((one.is_extern ? "extern " : "") + std::string(name_of(one.space)) + " " +
                    std::string(one.name));
  }
  return names;
}

TEST(Outline, FindsEntriesAndNothingElse) {
  EXPECT_EQ(entry_names(".visible .entry plain(\n.param .u64 p)\n{ret;}\n"
                        ".func helper() {}\n.entry\t_Z1kILi32EEvPf(\n"),
            (Names{"plain", "_Z1kILi32EEvPf"}));
  EXPECT_TRUE(entry_names(".entrypoint x").empty());
  EXPECT_TRUE(entry_names("").empty());
  EXPECT_TRUE(entry_names("ends with .entry").empty());
  EXPECT_TRUE(entry_names("// .entry k()\n.section .debug_str { .entry k() }").empty());
}

TEST(Outline, VariablesOfTheModuleHaveTheirSpaces) {
  const Outline made = outline(
      ".extern .shared .align 16 .b8 s[];\n.visible .const .align 4 .b8 name[8] = {1, 2};\n"
      ".global .attribute(.managed) .u32 a = 3, b;\n.global .u64 p[2] = {generic(a)+4, b};\n"
      ".entry k() { .shared .b8 own[4]; ret; }");
  EXPECT_EQ(names_of(made.variables),
            (Names{"extern shared s", "const name", "global a", "global b", "global p"}));
}

// Inline assembly, such as that of cuda_fp16.hpp, closes its own braces at the beginning of a line.
TEST(Outline, ABodyEndsAtItsOwnBrace) {
  const std::string text = kernel("{add.f16 %h1,%h2,%h3;\n}\nmov.b32 %r1, last;");
  const Outline made = outline(text);
  ASSERT_NE(made.find_entry("k"), nullptr);
  EXPECT_TRUE(made.find_entry("k")->text.starts_with(".entry k("));
  EXPECT_TRUE(made.find_entry("k")->text.ends_with("last;\nret;\n"));
  EXPECT_TRUE(made.may_use("k", "last"));
  EXPECT_FALSE(made.may_use("k", "las")) << "a part of a word";
  EXPECT_FALSE(made.may_use("other", "last"));
}

TEST(Outline, AFunctionsWordsAreTheKernelsThatCalls) {
  const Outline made = outline(
      ".func (.param .b32 r) f (.param .b32 x);\n.entry calls() .maxntid 32, 1, 1\n"
      ".pragma \"nounroll\"; { call.uni (r), f, (x); }\n.entry alone() { ret; }\n"
      ".func (.param .b32 r) f (.param .b32 x) { mov.u32 %r1, %envreg1; }");
  EXPECT_TRUE(made.may_use("calls", "%envreg1"));
  EXPECT_FALSE(made.may_use("alone", "%envreg1"));
}

// A directive that came after the parser's ISA.
TEST(Outline, ReadsTextsThatTheParserRefuses) {
  const std::string text = kernel(".later 7; later.op.b32 %r1, %r2;");
  EXPECT_NE(error_of(text), "");
  EXPECT_EQ(entry_names(text), Names{"k"});
  try {
    (void)outline(".entry k() { ` }", "x.ptx");
    FAIL() << "nothing thrown";
  } catch (const Error& error) {
    EXPECT_EQ(
        render(error),
        "x.ptx:1:14: error: unexpected character '`'\n  .entry k() { ` }\n               ^\n");
  }
}

}  // namespace
}  // namespace lab::ptx
