// How numbers and names of metrics are written in tables.
#include <gtest/gtest.h>

#include "harness/core/numbers.h"
#include "harness/page/make.h"
#include "harness/page/numbers.h"
#include "harness/reading/case_name.h"
#include "harness/reading/figures.h"

namespace lab::cli {
namespace {

TEST(Numbers, ThousandsAreApart) {
  EXPECT_EQ(grouped_text(0), "0");
  EXPECT_EQ(grouped_text(999), "999");
  EXPECT_EQ(grouped_text(1000), "1,000");
  EXPECT_EQ(grouped_text(-123456), "-123,456");
  EXPECT_EQ(grouped_text(1234567890), "1,234,567,890");
  EXPECT_EQ(grouped_text(4.706667), "4.70667");
  EXPECT_EQ(grouped_text(999999.7), "1,000,000");  // six digits would be 1e+06
  EXPECT_EQ(grouped_text(-1234567.8), "-1,234,568");
  EXPECT_EQ(grouped_text(123456.7), "123,457");
}

TEST(Numbers, ThreeDigitsSayEnough) {
  EXPECT_EQ(brief_text(4.70667), "4.71");
  EXPECT_EQ(brief_text(1.0 / 3), "0.333");
  EXPECT_EQ(brief_text(31.6667), "31.7");
  EXPECT_EQ(brief_text(3805.7), "3,806");
  EXPECT_EQ(brief_text(12288), "12,288");
  EXPECT_EQ(brief_text(999.7), "1,000");  // three digits would be 1e+03
  EXPECT_EQ(brief_text(-999.7), "-1,000");
  EXPECT_EQ(brief_text(99.96), "100");
}

TEST(Numbers, WhatIsNotThereIsADash) {
  EXPECT_EQ(page::text_of(page::number_cell({})), "-");
  EXPECT_EQ(page::text_of(page::number_cell(4096, 8192)), "4,096..8,192");
}

TEST(Numbers, ALargePowerOfTwoIsOne) {
  EXPECT_EQ(reading::param_text(std::int64_t{65536}), "2^16");
  EXPECT_EQ(reading::param_text(std::int64_t{1} << 40), "2^40");
  EXPECT_EQ(reading::param_text(std::int64_t{32768}), "32768");
  EXPECT_EQ(reading::param_text(std::int64_t{65537}), "65537");
  EXPECT_EQ(reading::param_text(std::string("float")), "float");
}

TEST(Numbers, ATitleHasAHeadingAndAColumn) {
  EXPECT_EQ(reading::heading_of("sectors per request, read").above, "sectors per request");
  EXPECT_EQ(reading::heading_of("sectors per request, read").own, "read");
  EXPECT_EQ(reading::heading_of("bank conflicts").above, "bank");
  EXPECT_EQ(reading::heading_of("dram__bytes_read.sum").above, "");
  EXPECT_EQ(reading::title_of("dram__bytes_read.sum"), "dram__bytes_read.sum");
  EXPECT_EQ(reading::title_of("shared_load_ways"), "n-way bank conflict, load");
}

}  // namespace
}  // namespace lab::cli
