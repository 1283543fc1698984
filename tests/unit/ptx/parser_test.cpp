#include "harness/kernel/ptx/parser.h"

#include <gtest/gtest.h>

#include "tests/unit/ptx/support.h"

namespace lab::ptx {
namespace {

using Kind = Operand::Kind;

Module module_of(const std::string& text) { return parse(kHeader + text, "x.ptx"); }

std::vector<int> bytes_of(const Variable& variable) {
  std::vector<int> bytes;
  for (const std::byte byte : variable.init) bytes.push_back(std::to_integer<int>(byte));
  return bytes;
}

TEST(Parser, ReadsTheHeader) {
  const Module module = parse(".version 8.4\n.target sm_90a, debug\n.address_size 64\n", "k.ptx");
  EXPECT_EQ(module.version, "8.4");
  EXPECT_EQ(module.target, "sm_90a");
  EXPECT_EQ(module.name, "k.ptx");
  EXPECT_EQ(module.lines[1], ".target sm_90a, debug");
}

TEST(Parser, ReadsVariables) {
  const Module module = module_of(
      ".const .align 4 .b8 c[16] = {0, 0, 128, 63};\n"
      ".visible .global .align 4 .u32 counter = 5;\n"
      ".global .align 8 .u64 pointer = generic(counter)+8;\n"
      ".extern .shared .align 16 .b8 dyn[];\n"
      ".global .f32 fs[2][2] = {{1.0, 2.0}, {0f40400000, -1.5}};\n"
      ".global .v4 .f32 v;\n"
      ".global .attribute(.managed) .align 2 .b16 m, n;\n"
      ".global .b8 text[] = \"ab\";\n"
      ".global .texref t;\n");
  const auto& v = module.variables;
  ASSERT_EQ(v.size(), 10U);
  EXPECT_EQ(v[0].space, Space::kConst);
  EXPECT_EQ(v[0].align, 4U);
  EXPECT_EQ(v[0].bytes, 16U);
  EXPECT_EQ(bytes_of(v[0]), (std::vector<int>{0, 0, 128, 63}));
  EXPECT_EQ(bytes_of(v[1]), (std::vector<int>{5, 0, 0, 0}));
  ASSERT_EQ(v[2].relocations.size(), 1U);
  EXPECT_EQ(v[2].relocations[0].symbol, "counter");
  EXPECT_EQ(v[2].relocations[0].offset, 8);
  EXPECT_TRUE(v[2].relocations[0].generic);
  EXPECT_TRUE(v[3].is_extern);
  EXPECT_EQ(v[3].bytes, 0U);
  EXPECT_EQ(v[3].align, 16U);
  // 1.0f = 3f800000, 2.0f = 40000000, 3.0f = 40400000, -1.5f = bfc00000, each low byte first.
  EXPECT_EQ(bytes_of(v[4]), (std::vector<int>{0, 0, 0x80, 0x3f, 0, 0, 0, 0x40, 0, 0, 0x40, 0x40, 0,
                                              0, 0xc0, 0xbf}));
  EXPECT_EQ(v[5].bytes, 16U);
  EXPECT_EQ(v[5].align, 16U);  // a vector's alignment is its size
  EXPECT_EQ(v[6].name, "m");
  EXPECT_EQ(v[7].name, "n");
  EXPECT_EQ(v[8].bytes, 3U);  // "ab" and its NUL
  EXPECT_EQ(v[9].name, "t");
}

TEST(Parser, JoinsTheBytesOfAnAddress) {
  const Module module = module_of(
      ".global .u32 g;\n.global .align 8 .b8 s[12] = {0xFF(generic(g)), 0xFF00(generic(g)), "
      "0xFF0000(generic(g)), 0xFF000000(generic(g)), 0xFF00000000(generic(g)), "
      "0xFF0000000000(generic(g)), 0xFF000000000000(generic(g)), 0xFF00000000000000(generic(g)), "
      "7, 0, 0, 0};\n");
  const Variable& s = module.variables[1];
  ASSERT_EQ(s.relocations.size(), 1U);
  EXPECT_EQ(s.relocations[0].at, 0U);
  EXPECT_EQ(s.relocations[0].symbol, "g");
  EXPECT_EQ(s.init.size(), 12U);
  EXPECT_EQ(std::to_integer<int>(s.init[8]), 7);
}

TEST(Parser, ReadsFunctionsAndTheirLimits) {
  const Module module = module_of(
      ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
      ".visible .entry k(.param .u64 .ptr .global .align 8 p, .param .align 8 .b8 s[24])\n"
      ".maxntid 16, 8 .minnctapersm 2\n{ ret; }\n"
      ".weak .entry q() .reqntid 32, 2, 1 { }\n");
  ASSERT_EQ(module.functions.size(), 3U);
  EXPECT_FALSE(module.functions[0].is_defined);
  EXPECT_EQ(module.functions[0].results[0].bytes, 4U);
  const Function& k = module.functions[1];
  EXPECT_TRUE(k.is_entry && k.is_defined);
  EXPECT_EQ(k.max_threads, 128U);
  EXPECT_EQ(k.params[0].bytes, 8U);
  EXPECT_EQ(k.params[1].bytes, 24U);
  EXPECT_EQ(k.params[1].align, 8U);
  EXPECT_EQ(module.functions[2].required_block, (std::array<std::uint32_t, 3>{32, 2, 1}));
  // A body with nothing in it still returns.
  ASSERT_EQ(module.functions[2].instructions.size(), 1U);
  EXPECT_EQ(module.functions[2].instructions[0].op, Op::kRet);
}

TEST(Parser, KeepsOnlyTheRegistersThatAreUsed) {
  const Module module = parse(kernel("mov.b32 %r7, %r2;\nmov.b32 %r2, %r7;"), "x.ptx");
  const Function& k = module.functions[0];
  ASSERT_EQ(k.registers.size(), 2U);
  EXPECT_EQ(k.registers[0].name, "%r7");
  EXPECT_EQ(k.registers[1].name, "%r2");
  EXPECT_EQ(k.instructions[0].operands[0].reg, k.instructions[1].operands[1].reg);
}

TEST(Parser, HidesNamesOfOuterBlocks) {
  // As inline assembly does: %p and L1 are declared twice, in blocks of their own.
  const Module module = parse(kernel("{ .reg .pred %p; setp.ne.s32 %p, %r1, 0; L1: @%p bra L1; }\n"
                                     "{ .reg .b32 %p; mov.b32 %p, %r1; L1: bra L2; L2: }"),
                              "x.ptx");
  const Function& k = module.functions[0];
  const std::uint32_t first = k.instructions[0].operands[0].reg;
  const std::uint32_t second = k.instructions[2].operands[0].reg;
  EXPECT_NE(first, second);
  EXPECT_EQ(k.registers[first].type, Type::kPred);
  EXPECT_EQ(k.registers[second].type, Type::kB32);
  EXPECT_EQ(k.instructions[1].operands[0].target, 1U);
  EXPECT_EQ(k.instructions[3].operands[0].target, 4U);  // L2 stands before the last ret
}

TEST(Parser, SendsBranchesToOuterBlocks) {
  const Module module = parse(kernel("OUT: { { @%p1 bra OUT; } bra DONE; } DONE:"), "x.ptx");
  const Function& k = module.functions[0];
  EXPECT_EQ(k.instructions[0].operands[0].target, 0U);
  EXPECT_EQ(k.instructions[1].operands[0].target, 2U);
}

TEST(Parser, ReturnsWhereALabelStandsAtTheEnd) {
  const Module module = module_of(
      ".entry k() { .reg .pred %p; @%p bra L; bra L; L: }\n.entry q() { bra L; exit; L: }");
  for (const Function& function : module.functions) {
    EXPECT_EQ(function.instructions.back().op, Op::kRet) << function.name;
    EXPECT_EQ(function.instructions[0].operands[0].target, 2U) << function.name;
  }
}

TEST(Parser, ReadsCalls) {
  const Module module = module_of(
      ".func (.param .b32 out) f(.param .b32 a, .param .b64 b);\n"
      ".func g() { ret; }\n"
      ".entry k() {\n.reg .b32 %r<3>; .reg .b64 %rd<2>;\n{ // callseq 0, 0\n"
      ".param .b32 param0;\n.param .b64 param1;\nst.param.b32 [param0+0], %r1;\n"
      "st.param.b64 [param1], %rd1;\n.param .b32 retval0;\n"
      "call.uni (retval0),\nf,\n(\nparam0,\nparam1\n);\nld.param.b32 %r2, [retval0+0];\n}\n"
      "call g;\n"
      "{ .param .b32 param0; .param .b32 retval0;\n"
      "proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
      "mov.u64 %rd1, f;\ncall (retval0), %rd1, (param0), proto; }\nret; }\n");
  const Function& k = module.functions[2];
  ASSERT_EQ(k.instructions.size(), 8U);
  const Instruction& direct = k.instructions[2];
  ASSERT_EQ(direct.operands.size(), 3U);
  EXPECT_TRUE(direct.uni);
  EXPECT_EQ(direct.operands[0].parts.size(), 1U);
  EXPECT_EQ(direct.operands[1].kind, Kind::kFunction);
  EXPECT_EQ(direct.operands[1].target, 0U);
  EXPECT_EQ(direct.operands[2].parts.size(), 2U);
  EXPECT_EQ(direct.where.ptx_line, 14U);  // its first line: kHeader has three
  const Instruction& plain = k.instructions[4];
  EXPECT_TRUE(plain.operands[0].parts.empty() && plain.operands[2].parts.empty());
  EXPECT_EQ(k.instructions[5].operands[1].kind, Kind::kFunction);
  EXPECT_EQ(k.instructions[6].operands[1].kind, Kind::kRegister);
  // param0 of the second call is a variable of its own.
  const Operand& first = direct.operands[2].parts[0];
  const Operand& second = k.instructions[6].operands[2].parts[0];
  EXPECT_EQ(first.home, Home::kLocal);
  EXPECT_NE(first.symbol, second.symbol);
}

TEST(Parser, HomesVariables) {
  const Module module = module_of(
      ".global .b32 g;\n.func (.param .b32 r) f(.param .b32 a)\n{ .reg .b32 %r<3>; .reg .b64 "
      "%rd<2>;"
      " .shared .align 4 .b8 s[64];\nld.param.b32 %r1, [a];\nst.param.b32 [r+0], %r1;\n"
      "ld.shared.b32 %r2, [s+12];\nmov.u64 %rd1, g;\nret; }\n");
  const Function& f = module.functions[0];
  EXPECT_EQ(f.instructions[0].operands[1].home, Home::kParam);
  EXPECT_EQ(f.instructions[1].operands[0].home, Home::kResult);
  EXPECT_EQ(f.instructions[2].operands[1].home, Home::kLocal);
  EXPECT_EQ(f.instructions[2].operands[1].offset, 12);
  EXPECT_EQ(f.variables[0].space, Space::kShared);
  EXPECT_EQ(f.instructions[3].operands[1].kind, Kind::kSymbol);
  EXPECT_EQ(f.instructions[3].operands[1].home, Home::kModule);
}

TEST(Parser, GivesInlinedCodeTheLineOfTheKernelsFile) {
  const Module module = parse(
      kernel(".loc 2 17 5, function_name $L__info_string0, inlined_at 1 40 3\nmov.b32 %r1, %r2;\n"
             ".loc 1 41 3\nmov.b32 %r1, %r2;\n.loc 1 0 3\nmov.b32 %r1, %r2;") +
          ".file 1 \"/src/a.cu\"\n.file 2 \"/src/b.h\", 1700000000, 99\n"
          ".section .debug_str { $L__info_string0: .b8 95,90 .b64 a-b { } }\n",
      "x.ptx");
  const auto& code = module.functions[0].instructions;
  EXPECT_EQ(module.files[code[0].where.file], "/src/a.cu");
  EXPECT_EQ(code[0].where.line, 40U);
  EXPECT_EQ(module.places.at(code[0].where.place).line, 17U);
  EXPECT_EQ(code[0].where.ptx_line, 7U);
  EXPECT_EQ(module.files[code[1].where.file], "/src/a.cu");
  EXPECT_EQ(code[1].where.line, 41U);
  // Line 0 is the compiler's "no line".
  EXPECT_EQ(code[2].where.line, 0U);
  EXPECT_EQ(code[2].where.file, 0U);
}

TEST(Parser, PointsAtWhatIsMalformed) {
  EXPECT_EQ(error_of(kernel("\tadd.s32 \t%r1, %r2 %r3;")),
            "x.ptx:6:20: error: expected ';' after the operands, found '%r3'\n"
            "  \tadd.s32 \t%r1, %r2 %r3;\n"
            "  \t        \t         ^\n");
  EXPECT_EQ(error_of(kernel("mov.u32 %r1, %q;")),
            "x.ptx:6:14: error: '%q' is not declared\n"
            "  mov.u32 %r1, %q;\n"
            "               ^\n"
            "hint: declare it with .reg, such as: .reg .b32 %r<8>;\n");
  EXPECT_EQ(error_of("hello"),
            "x.ptx:1:1: error: expected a directive such as .entry, .func or .global, found "
            "'hello'\n  hello\n  ^\n");
  EXPECT_EQ(error_of(""),
            "x.ptx:1:1: error: this text has no .version directive\nhint: is it PTX?\n");
}

struct Bad {
  const char* text;
  const char* message;
};
TEST(Parser, RefusesBadDeclarations) {
  constexpr Bad kBad[] = {
      {".global .b8 a[4] = {1,2,3,4,5};", "too many initial values"},
      {".global .b8 a[2][2] = {{1},{2,3}};", "an inner list must give all of its values"},
      {".global .b8 a[2] = {{1}};", "more braces than dimensions"},
      {".global .b32 a = b;", "an address needs an element of 8 bytes"},
      {".global .b32 g; .global .b64 a = g+1.5;", "an offset must be an integer"},
      // The whole address would be written where one byte, or seven, have room.
      {".global .b32 g; .global .b8 a[1] = {0xFF(g)};", "an address must have all of its 8 bytes"},
      {".global .b32 g; .global .b8 a[8] = {0, 0xFF(g), 0xFF00(g)};",
       "an address must have all of its 8 bytes"},
      {".global .f32 a = 1;", "an integer can't stand for a .f32 value"},
      {".global .align 3 .b8 a;", "an alignment must be a power of two"},
      {".global .b8 a[99999999999999];", "an array's size must be an integer from 0 to"},
      {".global .b8 a[1099511627776][1099511627776];", "array is too large"},
      {".global .b8 a; .global .b8 a;", "'a' is declared twice"},
      {".global a;", "this declaration has no type"},
      {".global .pred a;", "'.pred' can't stand in a declaration"},
      {".address_size 32", "only 64-bit addresses are modelled"},
      {".strange", "unknown directive '.strange'"},
      {".visible .version 1.0", "'.version' can't be linked"},
      {".entry k() { .strange }", "unknown directive '.strange' in a function"},
      {".entry k() { .reg .v2 .pred a; }", "a register can't have type '.pred'"},
      {".entry k() { .reg .v8 .b32 a; }", "a register can't have type '.v8'"},
      {".entry k() { .shared .b32 a = 7; }", "a .shared variable has no initial value"},
      {".local .b32 a = 7;", "a .local variable has no initial value"},
      {".entry k() { .reg .b32 a, a; }", "'a' is declared twice in this block"},
      {".entry k() { L: L: }", "'L' is declared twice in this block"},
      {".entry k() {", "this function's '}' is missing"},
      {".section .debug_str { {", "this '{' is never closed"},
      {".entry k(.reg .b32 a) { ret; }", "expected '.param', found '.reg'"},
      {".func f(.reg .v2 .b32 a) { ret; }", "a register that is passed has 8 to 64 bits"},
      {".func f(.reg .b32 a[2]) { ret; }", "a register that is passed has 8 to 64 bits"},
      {".entry k() { } .entry k() { }", "function 'k' is defined twice"},
      {".func f(.param .b32 a); .func f(.param .b64 a) { }", "was declared with other parameters"},
      {".func f(); .entry k() { .param .b32 a; call f, (a); }",
       "the callee declares 0 parameters or results here, not 1"},
      {".func f(.param .b64 q); .entry k() { .param .b32 a; call f, (a); }",
       "parameter or result 1 of the callee is a .param of 8 bytes"},
      {".func f(.param .b64 q); .entry k() { .reg .b32 a; call f, (a); }",
       "parameter or result 1 of the callee is a .param of 8 bytes"},
      {".func f(.param .b64 q); .entry k() { .reg .pred a; call f, (a); }",
       "a call can't pass this"},
      {".func f(.param .b64 q[2]); .entry k() { call f, (_); }",
       "what a call passes and gets must be .param variables or registers"},
      {".entry k() { .reg .b64 a; call a, (5); }", "a call can't pass this"},
      {".func (.param .b64 r) f(); .entry k() { call (5), f; }",
       "what a call passes and gets must be .param variables or registers"},
  };
  for (const Bad& bad : kBad) {
    const std::string text = error_of(std::string(kHeader) + bad.text);
    EXPECT_NE(text.find(bad.message), std::string::npos) << bad.text << "\n" << text;
  }
}

TEST(Parser, BoundsWhatATextCanNest) {
  std::string deep = std::string(kHeader) + ".entry k() {";
  for (int i = 0; i < 100; ++i) deep += "{";
  EXPECT_NE(error_of(deep).find("blocks nest deeper than 64"), std::string::npos);
  std::string list = std::string(kHeader) + ".global .b8 a";
  for (int i = 0; i < 17; ++i) list += "[1]";
  EXPECT_NE(error_of(list).find("too many dimensions"), std::string::npos);
}

TEST(Parser, ReadsALongTextQuickly) {
  // 20,000 blocks with names and labels of their own, in well under a second; a step that is
  // quadratic would run into the test's time limit.
  std::string body;
  for (int i = 0; i < 20000; ++i) {
    const std::string n = std::to_string(i);
    body += "{ .reg .pred q; L" + n + ": @q bra L" + n + "; @q bra M" + n + "; } M" + n + ":\n";
  }
  const Module module = parse(kernel(body), "x.ptx");
  EXPECT_EQ(module.functions[0].instructions.size(), 40001U);
}

}  // namespace
}  // namespace lab::ptx
