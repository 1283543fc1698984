// Constant expressions. The values are those that ptxas 13.0 gives the elements of
// `.global .u64 g[] = {...}`, read from its machine code; comments say which rule each one shows.
#include <gtest/gtest.h>

#include "harness/kernel/ptx/cursor.h"
#include "tests/unit/ptx/support.h"

namespace lab::ptx {
namespace {

struct Row {
  const char* text;
  std::uint64_t value;
};
std::uint64_t minus(std::uint64_t magnitude) { return 0 - magnitude; }

std::uint64_t value_of(std::string_view text, Type type) {
  const Source source = make_source(text, "x.ptx");
  Cursor cursor(source);
  const Token token = cursor.peek();
  const Literal literal = parse_constant(cursor);
  EXPECT_TRUE(cursor.at_end()) << text;
  return literal_bits(cursor, token, literal, type);
}

TEST(Expressions, OfIntegers) {
  const Row rows[] = {
      {"3+4*2", 11},
      {"(3+4)*2", 14},
      {"1<<2+3", 32},  // as in C, + before <<
      {"10-3-2", 5},   // from the left
      {"100/10/5", 2},
      {"256 >> 1 >> 2", 32},
      {"7 % 4 * 2", 6},
      {"5|2^7&3", 5},  // 7&3 is 3, 2^3 is 1, 5|1 is 5
      {"3 & 1 == 1", 1},
      {"1 | 2 < 1", 1},
      {"4 ^ 1 + 1", 6},
      {"0xF0&0xCC", 0xc0},
      {"017+0x10+0b11", 34},
      {"WARP_SZ*2", 64},
      {"WARP_SZ-1", 31},
      {"1&&0||1", 1},
      {"1||0&&0", 1},
      {"2&&4", 1},
      {"1>=2?3:4==4", 1},
      {"1?2:0?3:4", 2},
      {"0?2:0?3:4", 4},
      {"1 ? 2 : 3 + 10", 2},
      {"3==3", 1},
      {"3!=3", 0},
      {"2>=2", 1},
      {"- - -2", minus(2)},
      {"2--2", 4},
      {"2+-2", 0},
      {"-(3)", minus(3)},
      {"-2*-3", 6},
      {"!5", 0},
      {"!0", 1},
      {"!!5", 1},
      {"-!0", minus(1)},
      {"1.5<2.5", 1},
      {"1.5+1.5==3.0", 1},
      {"(1.5)<2.0&&1", 1},
      {"9223372036854775807+1", 0x8000000000000000},
  };
  for (const Row& row : rows) EXPECT_EQ(value_of(row.text, Type::kU64), row.value) << row.text;
}

TEST(Expressions, AreSignedUnlessOneSideIsNot) {
  const Row rows[] = {
      {"-7/2", minus(3)},  // towards zero
      {"-7>>1", minus(4)},
      {"-7U>>1", 0x7ffffffffffffffc},  // 2^63 - 4
      {"-8/2U", 0x7ffffffffffffffc},
      {"-1<1", 1},
      {"-1<1U", 0},
      {"-1==18446744073709551615", 1},
      {"-1<18446744073709551615", 0},  // too large for .s64
      {"0xFFFFFFFFFFFFFFFF/2", 0x7fffffffffffffff},
      {"0777777777777777777777/2", 0x3fffffffffffffff},  // 2^63 - 1 still fits
      {"-9223372036854775808/2", 0x4000000000000000},    // 2^63 does not
      {"(9223372036854775807+1)/2", 0xc000000000000000},
      {"(.u64)-1/2", 0x7fffffffffffffff},
      {"(.s64)18446744073709551615/2", 0},  // -1 / 2
      {"(.s64)-1U<0", 1},
      {"(5U|0)-6<0", 0},
      {"(5|-1)/2", 0},
      {"~5/2", 0x7ffffffffffffffd},  // ~ gives .u64
      {"(1<2)-2", minus(1)},         // a comparison .s64
      {"(1U<2)-2 < 0", 1},
      {"-7 % 3", 0},  // % of .u64: 2^64 - 7 is a multiple of 3
      {"7 % -3", 7},
      {"(3 % 2)-2<0", 0},
      {"1<<64", 1},  // counts modulo 64
      {"1<<65", 2},
      {"-1>>64", minus(1)},
      {"1<<-1", 0x8000000000000000},
      {"(1<<2U)-5<0", 1},  // a shift has its left side's type
      {"(1U<<2)-5<0", 0},
      {"(0?1U:-1)<0", 1},  // '?' that of the side it takes
      {"(1?1:1U)-2<0", 1},
  };
  for (const Row& row : rows) EXPECT_EQ(value_of(row.text, Type::kU64), row.value) << row.text;
  // A result that no number of .s64 can hold: the hardware's division of the same bits traps in
  // C++.
  EXPECT_EQ(value_of("(-9223372036854775807-1)/-1", Type::kU64), 0x8000000000000000U);
}

TEST(Expressions, OfFloats) {
  const Row rows[] = {
      {"1.0/3.0", 0x3fd5555555555555},
      {"1.5*2.0-1.0", 0x4000000000000000},
      {"2.0-0.5-0.25", 0x3ff4000000000000},
      {"-(1.5)", 0xbff8000000000000},
      {"(0d3FF0000000000000)", 0x3ff0000000000000},
  };
  for (const Row& row : rows) EXPECT_EQ(value_of(row.text, Type::kF64), row.value) << row.text;
  EXPECT_EQ(value_of("1.5+2.5", Type::kF32), 0x40800000U);  // 4
}

TEST(Expressions, Refuse) {
  std::string deep(100, '(');
  const Marked rows[] = {
      {"mov.u32 %r1, 1`/0;", "a constant can't be divided by zero"},
      {"mov.u32 %r1, 1 `% (2-2);", "a constant can't be divided by zero"},
      {"mov.f64 %d1, 1.0`/0.0;", "a constant can't be divided by zero"},
      {"mov.f32 %f1, 1`+1.5;", "'+' can't join these two constants",
       "both must be integers, or decimal numbers with a point"},
      {"mov.f32 %f1, 0f3F800000`*2.0;", "'*' can't join these two constants",
       "both must be integers, or decimal numbers with a point"},
      {"mov.u32 %r1, 1.0`&&1;", "'&&' can't join these two constants",
       "both must be integers, or decimal numbers with a point"},
      {"mov.u32 %r1, `!1.5;", "this needs an integer"},
      {"mov.u32 %r1, (.s64)`1.5;", "this needs an integer"},
      {"mov.f64 %d1, `1?2.5:3.5;", "'?' chooses between integers only"},
      {"mov.u32 %r1, (1+2`;", "expected ')' after the constant, found ';'"},
      {"mov.u32 %r1, 1?2`;", "expected ':' between the values of '?', found ';'"},
      {"mov.u32 %r1, 1+`;", "expected a number, found ';'"},
      {"mov.u32 %r1, 4+`p;", "expected a number, found 'p'"},
      {"mov.f32 %f1, `1+1;", "an integer can't stand for a .f32 value",
       "write it with a point, or as 0f and 8 hex digits (0d and 16 for .f64)"},
  };
  for (const Marked& row : rows) expect_marked_error(kernel(row.text), row);
  EXPECT_NE(error_of(kernel("mov.u32 %r1, " + deep)).find("nests deeper than 64"),
            std::string::npos);
  EXPECT_NE(
      error_of(kernel("mov.u32 %r1, " + std::string(100, '-') + "1;")).find("nests deeper than 64"),
      std::string::npos);
}

// Where ptxas takes an expression: each of these, with its value worked out, is the same module.
TEST(Expressions, StandWhereverAConstantDoes) {
  const std::pair<const char*, const char*> rows[] = {
      {"add.s32 %r1, %r2, (3+4)*2;", "add.s32 %r1, %r2, 14;"},
      {"mov.u32 %r1, ~5;", "mov.u32 %r1, 0xfffffffffffffffa;"},
      {"ld.global.u32 %r1, [%rd1+4*2];", "ld.global.u32 %r1, [%rd1+8];"},
      {"ld.global.u32 %r1, [%rd1+(4*2)];", "ld.global.u32 %r1, [%rd1+8];"},
      {"ld.global.u32 %r1, [%rd1+8-4];", "ld.global.u32 %r1, [%rd1+4];"},
      {"ld.global.u32 %r1, [%rd1+-4+8];", "ld.global.u32 %r1, [%rd1+4];"},
      {"ld.global.u32 %r1, [%rd1+1<<3];", "ld.global.u32 %r1, [%rd1+8];"},
      {"ld.param.u32 %r1, [p+WARP_SZ/8];", "ld.param.u32 %r1, [p+4];"},
      {"st.global.v2.u8 [%rd1], {3+4, (9)};", "st.global.v2.u8 [%rd1], {7, 9};"},
      {"setp.lt.s32 %p1|%p2, %r1, 1|2;", "setp.lt.s32 %p1|%p2, %r1, 3;"},
      {"selp.b32 %r1, 1, 2, 1<2;", "selp.b32 %r1, 1, 2, 1;"},
      {"lop3.b32 %r1, %r2, %r3, %r4, 0xF0&0xCC;", "lop3.b32 %r1, %r2, %r3, %r4, 0xC0;"},
      {"bar.sync 1+1, 32*2;", "bar.sync 2, 64;"},
      {"cp.async.ca.shared.global [%r1], [%rd1], 4*2;",
       "cp.async.ca.shared.global [%r1], [%rd1], 8;"},
      {"shfl.sync.idx.b32 %r1, %r2, 3+1, 31, -1;", "shfl.sync.idx.b32 %r1, %r2, 4, 31, -1;"},
      {"add.f32 %f1, %f2, -(1.5);", "add.f32 %f1, %f2, 0fBFC00000;"},
  };
  for (const auto& [written, worked_out] : rows) {
    const Module a = parse(kernel(written), "x.ptx");
    const Module b = parse(kernel(worked_out), "x.ptx");
    const Instruction& x = a.functions[0].instructions.at(0);
    const Instruction& y = b.functions[0].instructions.at(0);
    ASSERT_EQ(x.operands.size(), y.operands.size()) << written;
    for (std::size_t i = 0; i < x.operands.size(); ++i) {
      EXPECT_EQ(x.operands[i].bits, y.operands[i].bits) << written;
      EXPECT_EQ(x.operands[i].offset, y.operands[i].offset) << written;
      EXPECT_EQ(x.operands[i].kind, y.operands[i].kind) << written;
      ASSERT_EQ(x.operands[i].parts.size(), y.operands[i].parts.size()) << written;
      for (std::size_t part = 0; part < x.operands[i].parts.size(); ++part) {
        EXPECT_EQ(x.operands[i].parts[part].bits, y.operands[i].parts[part].bits) << written;
      }
    }
  }
  const Module module = parse(std::string(kHeader) +
                                  ".global .u32 a[4];\n.global .u32 g[2] = {3+4, WARP_SZ};\n"
                                  ".global .u64 h = a+(2*4);\n",
                              "x.ptx");
  EXPECT_EQ(module.variables[1].init[0], std::byte{7});
  EXPECT_EQ(module.variables[1].init[4], std::byte{32});
  EXPECT_EQ(module.variables[2].relocations.at(0).offset, 8);
}

}  // namespace
}  // namespace lab::ptx
