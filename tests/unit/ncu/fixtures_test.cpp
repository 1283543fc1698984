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

// The run in which both were measured: blocks of 256 threads, strides 1 and 2.
RunRecord strides(std::uint32_t blocks = 16, std::int64_t loads = 1) {
  RunRecord run;
  run.lab = 3;
  for (const std::int64_t stride : {1, 2}) {
    CaseRecord record;
    record.variant = "stride";
    record.params = Params{{"blocks", std::int64_t{blocks}}, {"loads", loads}, {"stride", stride}};
    record.kernel = "stride";
    record.launch = {{blocks, 1, 1}, {256, 1, 1}, 0};
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
  EXPECT_EQ(std::get<Missing>(report.launches[0].values[3].value).reason, NoValue::kNotAvailable);
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

// Nsight Compute's own output on an H200 of lab 3's `stride`, strides 1 and 2, 132 blocks of 256
// threads (tests/bench/ncu_table writes these files): the long page and the raw page with all of
// their sections, and the long page of a few counters in base units.
class RealFiles : public testing::TestWithParam<const char*> {};

RunRecord measured_strides() { return strides(132, 32); }

TEST_P(RealFiles, HaveBothLaunchesByTheirRanges) {
  const Report report = read_report(fixture_text(std::string("../") + GetParam()), GetParam());
  EXPECT_EQ(report.notes, std::vector<std::string>{});
  ASSERT_EQ(report.launches.size(), 2u);
  const Matching matching = match(measured_strides(), report);
  EXPECT_TRUE(matching.unmatched.empty());
  ASSERT_EQ(matching.matches.size(), 2u);
  for (const Match& one : matching.matches) {
    EXPECT_TRUE(one.by_range);
    const KernelLaunch& launch = report.launches[one.launches.at(0)];
    EXPECT_EQ(launch.grid, (Dim3{132, 1, 1}));
    EXPECT_EQ(launch.block, (Dim3{256, 1, 1}));
    EXPECT_GT(launch.values.size(), 8u);
  }
}

INSTANTIATE_TEST_SUITE_P(H200, RealFiles,
                         testing::Values("h200_details.csv", "h200_raw.csv",
                                         "h200_details_base.csv"));

// Each block stores 256 floats: 32 sectors, 4224 in all. It reads 255 * stride + 1 floats: 32
// sectors per block at stride 1, 64 at stride 2.
TEST(RealFile, CountersAreWhatTheAddressesSay) {
  const Report report = read_report(fixture_text("../h200_details_base.csv"), "x");
  const Matching matching = match(measured_strides(), report);
  ASSERT_EQ(matching.matches.size(), 2u);
  const double loads[] = {4224, 8448};
  for (const Match& one : matching.matches) {
    for (const MetricValue& value : report.launches[one.launches.at(0)].values) {
      if (value.name == "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum") {
        EXPECT_EQ(std::get<double>(value.value), 4224);
      }
      if (value.name == "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") {
        EXPECT_EQ(std::get<double>(value.value), loads[one.case_at]);
      }
    }
  }
}

}  // namespace
}  // namespace lab::ncu
