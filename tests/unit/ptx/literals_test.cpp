// Numbers: their bits, the constants they become, and the texts that refuse them.
#include <gtest/gtest.h>

#include "harness/kernel/ptx/cursor.h"
#include "tests/unit/ptx/support.h"

namespace lab::ptx {
namespace {

// One number as a constant of a type.
std::uint64_t bits_as(std::string_view text, Type type) {
  const Source source = make_source(text, "x.ptx");
  Cursor cursor(source);
  const Token token = cursor.peek();
  const Literal literal = parse_constant(cursor);
  return literal_bits(cursor, token, literal, type);
}

std::string refusal(std::string_view text, Type type) {
  try {
    (void)bits_as(text, type);
  } catch (const Error& error) {
    return render(error);
  }
  return "";
}

TEST(Constants, OfIntegersAreTwosComplement) {
  struct Row {
    const char* text;
    std::uint64_t bits;
  };
  constexpr Row kRows[] = {
      {"0", 0},
      {"00", 0},
      {"0777", 511},  // 7 * 64 + 7 * 8 + 7
      {"0x7fffFFFF", 0x7fffffffU},
      {"0b10000000", 128},
      {"-0x10", 0xfffffffffffffff0U},
      {"+-+5", 0xfffffffffffffffbU},
      {"--5", 5},
      {"9223372036854775808", 0x8000000000000000U},
      {"-9223372036854775808", 0x8000000000000000U},
      {"01777777777777777777777", 0xffffffffffffffffU},  // 21 octal digits of 1s under a 1
  };
  for (const Row& row : kRows) EXPECT_EQ(bits_as(row.text, Type::kS64), row.bits) << row.text;
}

TEST(Constants, OfFloatsTakeTheTypesWidth) {
  struct Row {
    const char* text;
    Type type;
    std::uint64_t bits;
  };
  constexpr Row kRows[] = {
      // 0.1 is 3fb999999999999a as a double; rounded to nearest as a float 3dcccccd.
      {"0.1", Type::kF64, 0x3fb999999999999aU},
      {"0.1", Type::kF32, 0x3dcccccdU},
      {"0d3fb999999999999a", Type::kF32, 0x3dcccccdU},
      // 0f3dcccccd widened is exact: 0x3fb99999a0000000.
      {"0f3dcccccd", Type::kF64, 0x3fb99999a0000000U},
      {"0f7f800000", Type::kF64, 0x7ff0000000000000U},  // infinity
      {"0d0000000000000001", Type::kF32, 0},            // far below the least float
      {"1e39", Type::kF32, 0x7f800000U},                // beyond the largest, 3.4e38
      {"-0.0", Type::kF32, 0x80000000U},
      {"-0f00000000", Type::kF32, 0x80000000U},
      {"0f3f800000", Type::kB32, 0x3f800000U},
      {"0d4000000000000000", Type::kB64, 0x4000000000000000U},
      {"1.0", Type::kPred, 1},
      {"0f00000000", Type::kPred, 0},
      {"-7", Type::kPred, 1},
  };
  for (const Row& row : kRows) EXPECT_EQ(bits_as(row.text, row.type), row.bits) << row.text;
}

TEST(Constants, HaveToFitTheirKind) {
  const std::string hint =
      "hint: write it with a point, or as 0f and 8 hex digits (0d and 16 for .f64)\n";
  EXPECT_EQ(refusal("5", Type::kF32),
            "x.ptx:1:1: error: an integer can't stand for a .f32 value\n  5\n  ^\n" + hint);
  EXPECT_EQ(refusal("-5", Type::kF64),
            "x.ptx:1:1: error: an integer can't stand for a .f64 value\n  -5\n  ^\n" + hint);
  EXPECT_EQ(refusal("5", Type::kBF16x2),
            "x.ptx:1:1: error: an integer can't stand for a .bf16x2 value\n  5\n  ^\n" + hint);
  struct Row {
    const char* text;
    Type type;
  };
  // A float is a constant of a float type, or of an untyped one that is just as wide.
  constexpr Row kRows[] = {{"0f3f800000", Type::kU32}, {"0f3f800000", Type::kB64},
                           {"1.5", Type::kB32},        {"1.5", Type::kS64},
                           {"1.5", Type::kF16},        {"0f3f800000", Type::kB16}};
  for (const Row& row : kRows) {
    EXPECT_EQ(refusal(row.text, row.type),
              "x.ptx:1:1: error: a floating-point number can't stand for a ." +
                  std::string(name_of(row.type)) + " value\n  " + row.text + "\n  ^\n");
  }
}

TEST(Numbers, ThatAreNoneArePointedAt) {
  constexpr Marked kRows[] = {
      // By the lexer: what runs on into letters.
      {"mov.u32 %r1, `12ab;", "'12ab' is not a number"},
      {"mov.u32 %r1, `0x1g;", "'0x1g' is not a number"},
      {"mov.u32 %r1, `1.5f;", "'1.5f' is not a number"},
      {"mov.u32 %r1, `7UU;", "'7UU' is not a number"},
      {"mov.u32 %r1, `1_000;", "'1_000' is not a number"},
      // By the reader: a form that has no value in 64 bits.
      {"mov.u32 %r1, `08;", "'08' is not a number of 64 bits or less"},
      {"mov.u32 %r1, `0x;", "'0x' is not a number of 64 bits or less"},
      {"mov.u32 %r1, `0b12;", "'0b12' is not a number of 64 bits or less"},
      {"mov.u32 %r1, `0f3F80000;", "'0f3F80000' is not a number of 64 bits or less"},
      {"mov.u32 %r1, `0f3F8000000;", "'0f3F8000000' is not a number of 64 bits or less"},
      {"mov.u32 %r1, `0d3F800000;", "'0d3F800000' is not a number of 64 bits or less"},
      {"mov.u32 %r1, `0a1;", "'0a1' is not a number of 64 bits or less"},
      {"mov.u32 %r1, -`18446744073709551616;",
       "'18446744073709551616' is not a number of 64 bits or less"},
      {"mov.u32 %r1, `0x1ffffffffffffffff;",
       "'0x1ffffffffffffffff' is not a number of 64 bits or less"},
  };
  for (const Marked& row : kRows) expect_marked_error(kernel(row.text), row);
}

TEST(Numbers, WithALimitNameIt) {
  constexpr Marked kRows[] = {
      {".address_size `65", "an address size must be an integer from 0 to 64"},
      {".address_size `6.4", "an address size must be an integer from 0 to 64"},
      {".address_size `-1", "an address size must be an integer from 0 to 64"},
      {".address_size `x", "expected a number, found 'x'"},
      {".file `4294967296 \"a\"", "a file's number must be an integer from 0 to 4294967295"},
      {".global .align `2097152 .b8 a;", "an alignment must be an integer from 0 to 1048576"},
      {".global .align `0 .b8 a;", "an alignment must be a power of two"},
      {".global .align `12 .b8 a;", "an alignment must be a power of two"},
      {".global .b8 a[`1099511627777];",
       "an array's size must be an integer from 0 to "
       "1099511627776"},
      {".entry k() .maxntid `1025 { }", "a block's size must be an integer from 0 to 1024"},
      {".entry k() .reqntid 1, 1, `0x401 { }", "a block's size must be an integer from 0 to 1024"},
      {".entry k() { .reg .b32 %r<`4294967297>; }",
       "a register count must be an integer from 0 to 4294967296"},
      {".entry k() { .loc `2147483648 1 1 }", "a file must be an integer from 0 to 2147483647"},
      {".entry k() { .loc 1 `0x80000000 1 }", "a line must be an integer from 0 to 2147483647"},
      {".entry k() { .reg .b32 r; ld.u32 r, [`9223372036854775808]; }",
       "an address must be an integer from 0 to 9223372036854775807"},
  };
  for (const Marked& row : kRows) expect_marked_error(std::string(kHeader) + row.text, row);
}

}  // namespace
}  // namespace lab::ptx
