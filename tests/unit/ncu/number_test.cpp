// Numbers of several locales and units of several versions.
#include "harness/ncu/number.h"

#include <gtest/gtest.h>

#include "harness/core/error.h"

namespace lab::ncu {
namespace {

Decimal decimal(const std::vector<std::string>& texts, bool whole = false) {
  std::vector<NumberCell> cells;
  int line = 0;
  for (const std::string& text : texts) cells.push_back({text, whole, ++line});
  return decimal_of(cells);
}

TEST(Locale, BothSeparatorsTell) {
  EXPECT_EQ(decimal({"1,215,000,000.00"}), Decimal::kPoint);
  EXPECT_EQ(decimal({"1.215.000.000,00"}), Decimal::kComma);
}

TEST(Locale, RepeatedSeparatorGroups) {
  EXPECT_EQ(decimal({"27.595.520"}), Decimal::kComma);
  EXPECT_EQ(decimal({"27,595,520"}), Decimal::kPoint);
}

TEST(Locale, DigitsBehindTell) {
  EXPECT_EQ(decimal({"65,77"}), Decimal::kComma);
  EXPECT_EQ(decimal({"65.77"}), Decimal::kPoint);
  EXPECT_EQ(decimal({"0,125"}), Decimal::kComma);      // no group begins with 0
  EXPECT_EQ(decimal({"1234,125"}), Decimal::kComma);   // a group of four
  EXPECT_EQ(decimal({"-1234,125"}), Decimal::kComma);  // the sign is not a digit
}

TEST(Locale, OneGroupOfThreeTellsNothingUnlessItIsAWholeCount) {
  EXPECT_EQ(decimal({"1,234"}), Decimal::kPoint);  // the default
  EXPECT_EQ(decimal({"1.234"}), Decimal::kPoint);
  EXPECT_EQ(decimal({"1.234"}, true), Decimal::kComma);
  EXPECT_EQ(decimal({"1,234"}, true), Decimal::kPoint);
  EXPECT_EQ(decimal({"1.234", "2,5"}), Decimal::kComma);
  EXPECT_EQ(decimal({"n/a", "CachePreferNone", ""}), Decimal::kPoint);
}

TEST(Locale, ContradictionIsAnError) {
  try {
    (void)decimal({"7", "1.50", "2,75"});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "the numbers are of two locales: '1.50' in line 2 has a decimal point, '2,75' in "
                 "line 3 a decimal comma");
    EXPECT_EQ(error.hint(), "say which it is: --decimal point or --decimal comma");
    EXPECT_EQ(error.fault(), Fault::kInput);
  }
}

TEST(Number, Locales) {
  EXPECT_EQ(parse_number("1,215,000,000.25", Decimal::kPoint), 1215000000.25);
  EXPECT_EQ(parse_number("1.215.000.000,25", Decimal::kComma), 1215000000.25);
  EXPECT_EQ(parse_number("1 215 000,5", Decimal::kComma), 1215000.5);
  EXPECT_EQ(parse_number("1\u00A0215\u202F000,5", Decimal::kComma), 1215000.5);
  EXPECT_EQ(parse_number("1'215'000.5", Decimal::kPoint), 1215000.5);
  EXPECT_EQ(parse_number(" 12 ", Decimal::kPoint), 12.0);
  EXPECT_EQ(parse_number("+3e2", Decimal::kPoint), 300.0);
  EXPECT_EQ(parse_number("-4", Decimal::kPoint), -4.0);
}

TEST(Number, NotANumber) {
  for (const char* text : {"", "n/a", "nan", "inf", "12 bytes", "1-2", "--3", "e5", ".", "1e999"}) {
    EXPECT_FALSE(parse_number(text, Decimal::kPoint)) << text;
  }
}

TEST(Unit, Scales) {
  // Nanoseconds are the base of time, as in CUPTI's gpu__time_duration; the rest is decimal.
  EXPECT_EQ(unit_scale("ns"), 1);
  EXPECT_EQ(unit_scale("nsecond"), 1);
  EXPECT_EQ(unit_scale("us"), 1e3);
  EXPECT_EQ(unit_scale("usecond"), 1e3);
  EXPECT_EQ(unit_scale("msecond"), 1e6);
  EXPECT_EQ(unit_scale("second"), 1e9);
  EXPECT_EQ(unit_scale("byte"), 1);
  EXPECT_EQ(unit_scale("Kbyte"), 1e3);
  EXPECT_EQ(unit_scale("Mbyte"), 1e6);
  EXPECT_EQ(unit_scale("Gbyte/second"), 1e9);
  EXPECT_EQ(unit_scale("Tbyte/s"), 1e12);
  EXPECT_EQ(unit_scale("Kbyte/block"), 1e3);
  EXPECT_EQ(unit_scale("KiB"), 1024);
  EXPECT_EQ(unit_scale("Msector"), 1e6);
  EXPECT_EQ(unit_scale("Ghz"), 1e9);
  EXPECT_EQ(unit_scale("cycle/nsecond"), 1e9);
  EXPECT_EQ(unit_scale("cycle/usecond"), 1e6);
  EXPECT_EQ(unit_scale("%"), 1);
  EXPECT_EQ(unit_scale(""), 1);
  EXPECT_EQ(unit_scale("register/thread"), 1);
  EXPECT_EQ(unit_scale("inst/cycle"), 1);
}

TEST(Unit, UnknownOnesAreNotGuessed) {
  EXPECT_FALSE(unit_scale("Qbyte"));
  EXPECT_FALSE(unit_scale("furlong"));
  EXPECT_EQ(unit_scale("kilobyte"), 1e3);
  EXPECT_FALSE(unit_scale("byte/Fortnight"));
  EXPECT_FALSE(unit_scale("Msecond"));
}

TEST(Unit, ACounterHasOneKind) {
  EXPECT_EQ(why_not_in("dram__bytes_read.sum", "Mbyte"), "");
  for (const char* unit : {"", "%", "Gsector", "furlong", "byte/s", "us"}) {
    EXPECT_EQ(why_not_in("dram__bytes_read.sum", unit), "a count of bytes") << unit;
  }
  EXPECT_EQ(why_not_in("lts__t_sectors_op_read.sum", ""), "");
  EXPECT_EQ(why_not_in("lts__t_sectors_op_read.sum", "Ksector"), "");
  EXPECT_EQ(why_not_in("lts__t_sectors_op_read.sum", "Kbyte"), "a count");
  EXPECT_EQ(why_not_in("gpu__time_duration.sum", "ns"), "");
  EXPECT_EQ(why_not_in("gpu__time_duration.sum", ""), "a time");
}

}  // namespace
}  // namespace lab::ncu
