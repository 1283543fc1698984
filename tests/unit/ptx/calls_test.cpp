// Calls: direct, through a register, with and without results; .branchtargets and prototypes.
#include <gtest/gtest.h>

#include "tests/unit/ptx/support.h"

namespace lab::ptx {
namespace {

using Kind = Operand::Kind;

// Functions to call, then a kernel whose body begins at line 9.
std::string caller(const std::string& body) {
  return std::string(kHeader) +
         ".func none();\n.func (.param .b32 r) one(.param .b64 a);\n"
         ".func (.param .align 16 .b8 r[16]) wide(.param .align 8 .b8 a[24], .param .b32 b);\n"
         ".entry k(.param .b64 p)\n{ .reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .pred %p<2>;\n" +
         body + "\nret; }\n";
}

Function kernel_of(const std::string& body) {
  const Module module = parse(caller(body), "x.ptx");
  return module.functions[module.find_entry("k")];
}

constexpr const char* kParams =
    "{ .param .b32 r; .param .b64 a; .param .align 16 .b8 v[16]; .param .align 8 .b8 s[24]; "
    ".shared .b32 m;\n";

TEST(Calls, HaveThreeOperands) {
  struct Row {
    const char* text;
    Kind callee;
    std::size_t results;
    std::size_t arguments;
  };
  constexpr Row kRows[] = {
      {"call none;", Kind::kFunction, 0, 0},
      {"call.uni none, ();", Kind::kFunction, 0, 0},
      {"call (r), one, (a);", Kind::kFunction, 1, 1},
      {"call.uni\n(r),\none,\n(\na\n)\n;", Kind::kFunction, 1, 1},
      {"call (v), wide, (s, r);", Kind::kFunction, 1, 2},
      {"P: .callprototype (.param .b32 _) _ (.param .b64 _); call (r), %rd1, (a), P;",
       Kind::kRegister, 1, 1},
      {"T: .calltargets one; call (r), %rd1, (a), T;", Kind::kRegister, 1, 1},
      {"P: .callprototype ()_ ();\ncall %rd1, P;", Kind::kRegister, 0, 0},
      {"call (r), one, (p);", Kind::kFunction, 1, 1},  // the caller's own parameter
  };
  for (const Row& row : kRows) {
    const Function k = kernel_of(std::string(kParams) + row.text + "}");
    const Instruction& call = k.instructions.at(0);
    ASSERT_EQ(call.operands.size(), 3U) << row.text;
    EXPECT_EQ(call.operands[0].kind, Kind::kList);
    EXPECT_EQ(call.operands[0].parts.size(), row.results) << row.text;
    EXPECT_EQ(call.operands[1].kind, row.callee) << row.text;
    EXPECT_EQ(call.operands[2].parts.size(), row.arguments) << row.text;
  }
}

TEST(Calls, NameTheirVariables) {
  const Function k = kernel_of(std::string(kParams) + "@!%p1 call (v), wide, (s, r); }");
  const Instruction& call = k.instructions[0];
  EXPECT_TRUE(call.guard_negated);
  // Declared in the order r, a, v, s.
  EXPECT_EQ(call.operands[0].parts[0].symbol, 2U);
  EXPECT_EQ(call.operands[2].parts[0].symbol, 3U);
  EXPECT_EQ(call.operands[2].parts[1].symbol, 0U);
  EXPECT_EQ(call.operands[2].parts[1].home, Home::kLocal);
  EXPECT_EQ(k.variables[3].bytes, 24U);
}

TEST(Calls, OfAFunctionThatIsDefinedLaterOrIsTheirOwn) {
  const Module module = parse(
      std::string(kHeader) + ".func g(); .func f() { call f; call g; ret; } .func g() { ret; }",
      "x.ptx");
  const auto& code = module.functions[1].instructions;
  EXPECT_EQ(code[0].operands[1].target, 1U);
  EXPECT_EQ(code[1].operands[1].target, 0U);
}

TEST(Calls, Refuse) {
  constexpr const char* kParam =
      "what a call passes and gets must be .param variables or registers";
  constexpr const char* kStore = "store the value into a .param variable first";
  constexpr Marked kRows[] = {
      {"call `;", "expected the name of a function"},
      {"call (r) `one, (a);", "expected ',' after the results, found 'one'"},
      {"call (r`; one;", "expected ')' after the parameters, found ';'"},
      {"call `%r1;", "'%r1' is neither a function nor a 64-bit register"},
      {"call `m;", "'m' is neither a function nor a 64-bit register"},
      {"call `nobody;", "'nobody' is not declared"},
      {"call (`5), one, (a);", kParam, kStore},
      {"call (r), one, (`_);", kParam, kStore},
      {"call (r), one, (`!%p1);", kParam, kStore},
      {"call `(r), one, (%r1);", "parameter or result 1 of the callee is a .param of 8 bytes"},
      {"call (r), one, (`a+4);", kParam, kStore},
      {"call (r), one, (a), `;", "expected the name of a prototype, found ';'"},
      {"call none `none;", "expected ';' after the call, found 'none'"},
      {"call `one, (a);", "the callee declares 1 parameters or results here, not 0"},
      {"call `(r), one, (a, a);", "the callee declares 1 parameters or results here, not 2"},
      {"call `none, (a);", "the callee declares 0 parameters or results here, not 1"},
      {"call `(r), one, (r);", "parameter or result 1 of the callee is a .param of 8 bytes"},
      {"call `(a), one, (a);", "parameter or result 1 of the callee is a .param of 4 bytes"},
      {"call `(v), wide, (s, a);", "parameter or result 2 of the callee is a .param of 4 bytes"},
      {"call `(m), one, (a);", "parameter or result 1 of the callee is a .param of 4 bytes"},
      {"P: .callprototype _ (); mov.b64 %rd1, `P;", "the prototype 'P' can't stand here"},
  };
  for (const Marked& row : kRows) {
    expect_marked_error(caller(std::string(kParams) + row.text + "}"), row);
  }
}

TEST(BranchTargets, Refuse) {
  constexpr Marked kRows[] = {
      {"T: .branchtargets `;", "expected a label, found ';'"},
      {"T: .branchtargets A, `5; A:", "expected a label, found '5'"},
      {"T: .branchtargets A `B; A: B:", "expected ';' after the branch targets, found 'B'"},
      {"T: .branchtargets A, `B; A:", "no label 'B' in this function or block"},
      {"T: .branchtargets A; `T: .branchtargets A; A:", "'T' is declared twice in this block"},
      {"{ T: .branchtargets A; } brx.idx %r1, `T; A:", "'T' is not declared"},
      {"T: .branchtargets A; bra `T; A:", "no label 'T' in this function or block"},
      {"bra `%r1;", "no label '%r1' in this function or block"},
      {"bra `5;", "expected a label, found '5'"},
      {"bra `k;", "no label 'k' in this function or block"},
  };
  for (const Marked& row : kRows) expect_marked_error(kernel(row.text), row);
}

TEST(Instructions, RefuseWhatIsNone) {
  constexpr Marked kRows[] = {
      {"@`;", "expected a predicate after '@', found ';'"},
      {"@!`5 ret;", "expected a predicate after '@', found '5'"},
      {"@`%r1 ret;", "'%r1' is not a predicate"},
      {"@`p ret;", "'p' is not a predicate"},
      {"@`%q1 ret;", "'%q1' is not a predicate"},
      {"@%p1 `{ ret; }", "expected an instruction, found '{'"},
      {"@%p1 `.loc 1 1 1;", "expected an instruction, found '.loc'"},
      {"`\"text\";", "expected an instruction, found a string"},
      {"`[%rd1];", "expected an instruction, found '['"},
      {"add.s32 %r1, %r2, %r3\n`bra L;", "expected ';' after the operands, found 'bra'"},
      {"add.s32 %r1, %r2 `[%r3];", "expected ';' after the operands, found '['"},
      {"mov.b32 %r1, [%r2`;", "expected ']' after the address, found ';'"},
      {"add.s32 %r1, `, %r2;", "expected an operand, found ','"},
      {"setp.eq.s32 %p1|`, %r1, %r2;", "expected an operand, found ','"},
      {"mov.u32 %r1, %tid`;", "expected .x, .y, .z or .w after '%tid'"},
      {"mov.u32 %r1, %ctaid`.v;", "expected .x, .y, .z or .w after '%ctaid'"},
      {"mov.b64 {%r1, %r2, `[%rd1];", "expected an operand, found '['"},
      {"mov.b64 {%r1 `%r2}, %rd1;", "expected '}' after the parts of a vector, found '%r2'"},
      {"add.s32 %r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8,`%r1;", "too many operands"},
      {"ld.v8.b32 {%r1,%r1,%r1,%r1,%r1,%r1,%r1,%r1,`%r1}, [%rd1];", "a vector has at most 8 parts"},
      {"ld.u32 %r1, [`%p];", "'%p' is not declared",
       "declare it with .reg, such as: .reg .b32 "
       "%r<8>;"},
      {"ld.u32 %r1, [`q];", "'q' is not declared"},
      {"ld.u32 %r1, [`_];", "'_' is not an address"},
      {"ld.u32 %r1, [`%laneid];", "'%laneid' is not an address"},
      {"ld.u32 %r1, [`k];", "'k' is not an address"},
      {"ld.u32 %r1, [%rd1`+1.0];", "an offset must be an integer"},
  };
  for (const Marked& row : kRows) expect_marked_error(kernel(row.text), row);
}

}  // namespace
}  // namespace lab::ptx
