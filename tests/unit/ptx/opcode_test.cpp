#include "harness/kernel/ptx/opcode.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "harness/core/text.h"

namespace lab::ptx {
namespace {

constexpr std::string_view kLetters = "DdUWAVXPQMBTSswvxupifgmltcFYyI";

TEST(OpcodeTable, HasARowForEveryOpcodeAtItsPlace) {
  for (std::uint16_t i = 0; i < static_cast<std::uint16_t>(Op::kCount_); ++i) {
    EXPECT_EQ(static_cast<std::uint16_t>(row_of(static_cast<Op>(i)).op), i);
  }
}

TEST(OpcodeTable, FindsEveryRowByItsName) {
  std::set<std::string_view> names;
  for (std::uint16_t i = 1; i < static_cast<std::uint16_t>(Op::kCount_); ++i) {
    const OpcodeRow& row = row_of(static_cast<Op>(i));
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_EQ(find_row(row.name), &row) << row.name;
    EXPECT_EQ(find_unmodelled(row.name), nullptr) << row.name;
  }
  // kNop stands for no spelling.
  EXPECT_EQ(find_row("nop"), nullptr);
}

TEST(OpcodeTable, UsesKnownOperandLetters) {
  for (std::uint16_t i = 0; i < static_cast<std::uint16_t>(Op::kCount_); ++i) {
    const OpcodeRow& row = row_of(static_cast<Op>(i));
    for (const std::string_view pattern : split(row.operands, '/')) {
      EXPECT_EQ(pattern.find_first_not_of(kLetters), std::string_view::npos) << row.name;
    }
  }
}

TEST(OpcodeTable, NamesTypesWhereAndOnlyWhereOneIsTaken) {
  for (std::uint16_t i = 0; i < static_cast<std::uint16_t>(Op::kCount_); ++i) {
    const OpcodeRow& row = row_of(static_cast<Op>(i));
    EXPECT_EQ(row.types == Types::kNo, row.first_types == 0) << row.name;
    const bool two = row.types == Types::kTwo || row.types == Types::kThree;
    EXPECT_EQ(two, row.second_types != 0) << row.name;
    EXPECT_TRUE(row.needs == Needs::kNothing || row.subs != 0) << row.name;
  }
}

TEST(Types, KnowTheirWidthAndName) {
  struct Row {
    const char* name;
    int bits;
    bool is_float;
    bool is_signed;
  };
  // PTX ISA, "Fundamental Types" and "Packed Data Types".
  constexpr Row kRows[] = {
      {"pred", 1, false, false},  {"b8", 8, false, false},    {"b16", 16, false, false},
      {"b32", 32, false, false},  {"b64", 64, false, false},  {"b128", 128, false, false},
      {"u8", 8, false, false},    {"u16", 16, false, false},  {"u32", 32, false, false},
      {"u64", 64, false, false},  {"s8", 8, false, true},     {"s16", 16, false, true},
      {"s32", 32, false, true},   {"s64", 64, false, true},   {"f16", 16, true, false},
      {"f16x2", 32, true, false}, {"bf16", 16, true, false},  {"bf16x2", 32, true, false},
      {"f32", 32, true, false},   {"f32x2", 64, true, false}, {"f64", 64, true, false},
  };
  for (const Row& row : kRows) {
    const auto type = find_type(row.name);
    ASSERT_TRUE(type.has_value()) << row.name;
    EXPECT_EQ(name_of(*type), row.name);
    EXPECT_EQ(bits_of(*type), row.bits) << row.name;
    EXPECT_EQ(is_float(*type), row.is_float) << row.name;
    EXPECT_EQ(is_signed(*type), row.is_signed) << row.name;
  }
  EXPECT_FALSE(find_type("none").has_value());
  EXPECT_FALSE(find_type("u33").has_value());
}

TEST(Modifiers, MeanWhatTheOpcodeAllows) {
  // .lo is a half for mul and a comparison for setp.
  const ModifierRow* half = find_modifier(row_of(Op::kMul), "lo");
  ASSERT_NE(half, nullptr);
  EXPECT_EQ(half->mod, Mod::kSub);
  EXPECT_EQ(static_cast<Sub>(half->value), Sub::kLo);
  const ModifierRow* below = find_modifier(row_of(Op::kSetp), "lo");
  ASSERT_NE(below, nullptr);
  EXPECT_EQ(below->mod, Mod::kCompare);
  EXPECT_EQ(static_cast<Compare>(below->value), Compare::kLo);
  EXPECT_EQ(find_modifier(row_of(Op::kAdd), "lo"), nullptr);
  EXPECT_EQ(find_modifier(row_of(Op::kBra), "u32"), nullptr);
}

}  // namespace
}  // namespace lab::ptx
