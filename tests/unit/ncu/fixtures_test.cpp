// One measurement as machines of several locales and versions of Nsight Compute print it: all files
// say the same. They were made by hand after the page layouts of the versions that they are named
// after.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <stdexcept>

#include "harness/ncu/match.h"
#include "harness/ncu/report.h"

namespace lab::ncu {
namespace {

std::string fixture_text(const std::string& name) {
  std::ifstream file(std::string(LAB_SOURCE_DIR) + "/tests/fixtures/ncu/made/" + name,
                     std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The run in which both were measured: 16 blocks of 256 threads, strides 1 and 2.
RunRecord strides() {
  RunRecord run;
  run.lab = 3;
  for (const std::int64_t stride : {1, 2}) {
    CaseRecord record;
    record.variant = "stride";
    record.params =
        Params{{"blocks", std::int64_t{16}}, {"loads", std::int64_t{1}}, {"stride", stride}};
    record.kernel = "stride";
    record.launch = {{16, 1, 1}, {256, 1, 1}, 0};
    run.cases.push_back(record);
  }
  return run;
}

struct Made {
  const char* file;
  Decimal decimal;
  bool scaled = false;  // bytes and times are printed in larger units
};

class MadeFiles : public testing::TestWithParam<Made> {};

TEST_P(MadeFiles, SayTheSame) {
  const Report report = read_report(fixture_text(GetParam().file), GetParam().file);
  EXPECT_EQ(report.decimal, GetParam().decimal);
  EXPECT_EQ(report.notes, std::vector<std::string>{});
  ASSERT_EQ(report.launches.size(), 2u);
  // 1,234,560 bytes in 2,848.5 ns at 87.25 %, and 27,595,520 in 117,344.75 at 6.5 %.
  const double expected[2][3] = {{1234560, 2848.5, 87.25}, {27595520, 117344.75, 6.5}};
  for (std::size_t i = 0; i < 2; ++i) {
    const auto& values = report.launches[i].values;
    ASSERT_EQ(values.size(), 4u);
    EXPECT_EQ(values[0].name, "dram__bytes_read.sum");
    EXPECT_EQ(values[1].name, "gpu__time_duration.sum");
    EXPECT_EQ(values[2].name, "sm__warps_active.avg.pct_of_peak_sustained_active");
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_DOUBLE_EQ(std::get<double>(values[j].value), expected[i][j]) << values[j].name;
      EXPECT_EQ(values[j].rounded.has_value(), GetParam().scaled && j < 2) << values[j].name;
    }
  }
  // No line was looked up: n/a; the second launch hit none.
  EXPECT_EQ(std::get<Missing>(report.launches[0].values[3].value).reason, "not_available");
  EXPECT_EQ(std::get<double>(report.launches[1].values[3].value), 0);
}

TEST_P(MadeFiles, MatchByRange) {
  const Report report = read_report(fixture_text(GetParam().file), GetParam().file);
  RunRecord run = strides();
  std::swap(run.cases[0], run.cases[1]);  // not in the order of the file
  const Matching matching = match(run, report);
  EXPECT_TRUE(matching.unmatched.empty());
  ASSERT_EQ(matching.matches.size(), 2u);
  for (const Match& one : matching.matches) {
    EXPECT_TRUE(one.by_range);
    EXPECT_EQ(one.launches, std::vector<std::size_t>{1 - one.case_at});
  }
}

INSTANTIATE_TEST_SUITE_P(Locales, MadeFiles,
                         testing::Values(Made{"long_en.csv", Decimal::kPoint},
                                         Made{"long_ch.csv", Decimal::kPoint},
                                         Made{"long_de.csv", Decimal::kComma},
                                         Made{"long_de_semicolons.csv", Decimal::kComma},
                                         Made{"long_fr.csv", Decimal::kComma},
                                         Made{"long_fr_spaces.csv", Decimal::kComma},
                                         Made{"long_2020.csv", Decimal::kPoint},
                                         Made{"long_utf16.csv", Decimal::kPoint},
                                         Made{"raw_en.csv", Decimal::kPoint},
                                         Made{"raw_scaled_2021.csv", Decimal::kPoint, true},
                                         Made{"raw_scaled_de.csv", Decimal::kComma, true}));

}  // namespace
}  // namespace lab::ncu
