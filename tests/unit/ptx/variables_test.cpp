// Variables: spaces, alignment, arrays, and initial values byte by byte.
#include <gtest/gtest.h>

#include "tests/unit/ptx/support.h"

namespace lab::ptx {
namespace {

Variable variable(const std::string& text) {
  return parse(std::string(kHeader) + ".global .b32 g; .shared .b32 s; .func f();\n" + text,
               "x.ptx")
      .variables.at(2);
}

std::vector<int> bytes_of(const Variable& variable) {
  std::vector<int> bytes;
  for (const std::byte byte : variable.init) bytes.push_back(std::to_integer<int>(byte));
  return bytes;
}
using Bytes = std::vector<int>;

TEST(Variables, HaveTheirSpaceSizeAndAlignment) {
  struct Row {
    const char* text;
    Space space;
    std::uint64_t bytes;
    std::uint32_t align;
  };
  constexpr Row kRows[] = {
      {".global .u8 v;", Space::kGlobal, 1, 1},
      {".const .f64 v;", Space::kConst, 8, 8},
      {".shared .b16 v[5];", Space::kShared, 10, 2},
      {".local .align 16 .b8 v[100];", Space::kLocal, 100, 16},
      {".global .s64 v[3][4];", Space::kGlobal, 96, 8},
      {".global .v2 .u16 v[3];", Space::kGlobal, 12, 4},  // a vector is aligned to its size
      {".global .v4 .f64 v;", Space::kGlobal, 32, 32},
      {".global .align 4 .v4 .f32 v;", Space::kGlobal, 16, 4},  // but for what is said
      {".global .bf16x2 v[2];", Space::kGlobal, 8, 4},
      {".global .surfref v;", Space::kGlobal, 8, 8},  // a handle of 8 bytes
      {".global .b128 v;", Space::kGlobal, 16, 16},
      {".extern .shared .align 8 .b8 v[];", Space::kShared, 0, 8},
      {".weak .global .u32 v;", Space::kGlobal, 4, 4},
      {".common .global .u32 v;", Space::kGlobal, 4, 4},
      {".global .u8 v[0x10];", Space::kGlobal, 16, 1},
      {".global .u8 v[1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][2];", Space::kGlobal, 2, 1},
  };
  for (const Row& row : kRows) {
    const Variable v = variable(row.text);
    EXPECT_EQ(v.name, "v") << row.text;
    EXPECT_EQ(v.space, row.space) << row.text;
    EXPECT_EQ(v.bytes, row.bytes) << row.text;
    EXPECT_EQ(v.align, row.align) << row.text;
    EXPECT_TRUE(v.init.empty()) << row.text;
  }
}

TEST(Variables, MayBeDeclaredExternBefore) {
  const std::string before = std::string(kHeader) + ".extern .global .b32 a;\n";
  const Module module = parse(before + ".global .b32 a = 7;\n.extern .global .b32 a;\n", "x.ptx");
  ASSERT_EQ(module.variables.size(), 1U);
  EXPECT_FALSE(module.variables[0].is_extern);
  EXPECT_EQ(bytes_of(module.variables[0]), (Bytes{7, 0, 0, 0}));
}

TEST(InitialValues, StandLowByteFirst) {
  struct Row {
    const char* text;
    Bytes bytes;
  };
  const Row rows[] = {
      {".global .u16 v = 0x1234;", {0x34, 0x12}},
      {".global .s32 v = -2;", {0xfe, 0xff, 0xff, 0xff}},
      {".global .u8 v = 0x1ff;", {0xff}},  // what is past the width is cut off
      {".global .b64 v = 0x0102030405060708;", {8, 7, 6, 5, 4, 3, 2, 1}},
      {".global .f32 v = 0fBF800000;", {0, 0, 0x80, 0xbf}},       // -1.0f
      {".global .f64 v = 0.5;", {0, 0, 0, 0, 0, 0, 0xe0, 0x3f}},  // 3fe0...
      {".global .u8 v[4] = {1, 2};", {1, 2}},                     // the rest is zero
      {".global .u8 v[2][2] = {{1, 2}, {3, 4}};", {1, 2, 3, 4}},
      {".global .u8 v[2][2] = {1, 2, 3};", {1, 2, 3}},  // braces may be left out
      {".global .u8 v[2][2] = {{1, 2}};", {1, 2}},
      {".global .v2 .u8 v[2] = {{1, 2}, {3, 4}};", {1, 2, 3, 4}},
      {".global .u8 v[] = {9, 8, 7};", {9, 8, 7}},
      {".global .u8 v[][2] = {{1, 2}, {3, 4}, {5, 6}};", {1, 2, 3, 4, 5, 6}},
      {".global .b8 v[] = \"hi\";", {'h', 'i', 0}},
      {".global .u8 v[3] = {};", {}},
  };
  for (const Row& row : rows) EXPECT_EQ(bytes_of(variable(row.text)), row.bytes) << row.text;
  EXPECT_EQ(variable(".global .u8 v[][2] = {{1, 2}, {3, 4}, {5, 6}};").bytes, 6U);
}

TEST(InitialValues, NameAddresses) {
  struct Row {
    const char* text;
    std::uint64_t at;
    const char* symbol;
    std::int64_t offset;
    bool generic;
  };
  constexpr Row kRows[] = {
      {".global .u64 v = g;", 0, "g", 0, false},
      {".global .u64 v = g+12;", 0, "g", 12, false},
      {".global .u64 v = g+-4;", 0, "g", -4, false},
      {".global .u64 v = g-4;", 0, "g", -4, false},
      {".global .u64 v = g+4+4;", 0, "g", 8, false},
      {".global .u64 v = g+4-12+1;", 0, "g", -7, false},
      {".global .u64 v = generic(s);", 0, "s", 0, true},
      {".global .u64 v = generic(s)+16+0x10;", 0, "s", 32, true},
      {".global .u64 v[3] = {5, f, 0};", 8, "f", 0, false},
      {".global .u64 v[2][2] = {{0, 0}, {0, g+8}};", 24, "g", 8, false},
      {".global .u64 v = later;", 0, "later", 0, false},  // names may come before what they name
  };
  for (const Row& row : kRows) {
    const Variable v = variable(row.text);
    ASSERT_EQ(v.relocations.size(), 1U) << row.text;
    EXPECT_EQ(v.relocations[0].at, row.at) << row.text;
    EXPECT_EQ(v.relocations[0].symbol, row.symbol) << row.text;
    EXPECT_EQ(v.relocations[0].offset, row.offset) << row.text;
    EXPECT_EQ(v.relocations[0].generic, row.generic) << row.text;
  }
}

// The 8 bytes of an address as compilers write them in a struct.
std::string masked(const std::string& symbol, int first = 0, int last = 7) {
  std::string list;
  for (int i = first; i <= last; ++i) {
    list += (i > first ? ", 0xFF" : "0xFF") + std::string(static_cast<std::size_t>(2 * i), '0') +
            "(" + symbol + ")";
  }
  return list;
}

TEST(InitialValues, JoinTheBytesOfAddresses) {
  // struct { char c; void* a; char d; void* b; } packed: bytes 0, 1-8, 9, 10-17.
  const Variable v = variable(".global .align 8 .b8 v[18] = {1, " + masked("generic(s)+4") +
                              ", 2, " + masked("f") + "};");
  ASSERT_EQ(v.relocations.size(), 2U);
  EXPECT_EQ(v.relocations[0].at, 1U);
  EXPECT_EQ(v.relocations[0].symbol, "s");
  EXPECT_EQ(v.relocations[0].offset, 4);
  EXPECT_TRUE(v.relocations[0].generic);
  EXPECT_EQ(v.relocations[1].at, 10U);
  EXPECT_FALSE(v.relocations[1].generic);
  EXPECT_EQ(v.init.size(), 18U);
  EXPECT_EQ(bytes_of(v)[9], 2);
  // Two addresses, one right behind the other.
  EXPECT_EQ(
      variable(".global .b8 v[16] = {" + masked("g") + "," + masked("g") + "};").relocations.size(),
      2U);
}

TEST(InitialValues, RefuseBrokenAddresses) {
  const std::string mark = "`";
  const auto refuse = [&](const std::string& list, const char* message) {
    const std::string text = ".global .b8 v[32] = {" + list + "};";
    expect_marked_error(std::string(kHeader) + text, {text.c_str(), message});
  };
  constexpr const char* kAll = "an address must have all of its 8 bytes";
  constexpr const char* kOrder = "the bytes of an address must follow each other";
  refuse(masked("g", 0, 6) + ", 0`", kAll);
  refuse(masked("g", 0, 3) + ", 0xFF(g)`", kAll);
  refuse(mark + masked("g", 1, 7), kOrder);
  refuse(masked("g", 0, 1) + ", " + mark + masked("g", 3, 7), kOrder);
  refuse(masked("g", 0, 1) + ", " + mark + masked("h", 2, 7), kOrder);
  refuse(masked("g", 0, 1) + ", " + mark + masked("g+4", 2, 7), kOrder);
  refuse(masked("g", 0, 1) + ", " + mark + masked("generic(g)", 2, 7), kOrder);
  refuse(masked("g") + ", " + mark + masked("g", 7, 7), kOrder);
  constexpr const char* kMask = "an address mask must select one byte of an array of bytes";
  refuse("`0xFFFF(g)", kMask);
  refuse("`0(g)", kMask);
  refuse("`0x7F(g)", kMask);
  refuse("0xFF(`0)", "expected the name of a variable, found '0'");
  refuse("0xFF(generic(`0))", "expected the name of a variable, found '0'");
  refuse("0xFF(generic(g`+4))", "expected ')' after the name, found '+'");
  refuse("0xFF(g`", "expected ')' after the address, found '}'");
}

TEST(Declarations, Refuse) {
  constexpr Marked kRows[] = {
      {".global `a;", "this declaration has no type"},
      {".global `.pred a;", "'.pred' can't stand in a declaration"},
      {".global `.v8 .f32 a;", "'.v8' can't stand in a declaration"},
      {".global .b32 `4;", "expected the name of a variable, found '4'"},
      {".global .b32 a[4`;", "expected ']' after the size of the array, found ';'"},
      {".global .b32 a `b;", "expected ';' after the variable, found 'b'"},
      {".global .b32 a, `a;", "'a' is declared twice"},
      {".global .b8 a[1099511627776][2`];", "array is too large"},
      {".global .v4 .b64 `a[1099511627776];", "array is too large"},
      {".global .b8 a[1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1`];", "too many dimensions"},
      {".global .attribute`(.managed .b32 a;", "this '(' is never closed"},
      {".global .b8 a[4] = {1, 2, 3, 4, 5}`;", "too many initial values"},
      {".global .b8 a = {`1};", "more braces than dimensions"},
      {".global .b8 a[2][2] = {{1}`, {2, 3}};", "an inner list must give all of its values"},
      {".global .b8 a[2][2] = {{1, 2, 3}`};", "an inner list must give all of its values"},
      {".global .b8 a[2] = {1 `2};", "expected '}' after the initial values, found '2'"},
      {".global .b8 a[2] = {1, 2`;", "expected '}' after the initial values, found ';'"},
      {".global .b32 a = `;", "expected a number, found ';'"},
      {".global .b32 a = `b;", "an address needs an element of 8 bytes"},
      {".global .b64 a = b`+1.5;", "an offset must be an integer"},
      {".global .b64 a = generic(b`;", "expected ')' after the name, found ';'"},
      {".global .u32 a = `1.5;", "a floating-point number can't stand for a .u32 value"},
      {".global .f64 a = `2;", "an integer can't stand for a .f64 value",
       "write it with a point, or as 0f and 8 hex digits (0d and 16 for .f64)"},
  };
  for (const Marked& row : kRows) expect_marked_error(std::string(kHeader) + row.text, row);
}

}  // namespace
}  // namespace lab::ptx
