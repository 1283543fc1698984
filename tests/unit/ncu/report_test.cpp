// Both layouts of ncu's CSV, of several versions, locales and ways of making the file.
#include "harness/ncu/report.h"

#include <gtest/gtest.h>

#include "harness/core/error.h"

namespace lab::ncu {
namespace {

// Nsight Compute 2022 and later, --csv --metrics ... --print-units base.
const std::string kLong =
    "==PROF== Connected to process 143016 (/usr/bin/lab-worker)\n"
    "==PROF== Profiling \"stride\" - 0: 0%....50%....100% - 3 passes\n"
    "Lab 3: bank_conflicts\n"
    "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"thread "
    "Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg\",\"Kernel Name\","
    "\"Context\",\"Stream\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"Section Name\","
    "\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
    "\"0\",\"1\",\"w\",\"h\",\"1 lab:lab.03.stride.stride=1:none\",\"stride(const float *, "
    "int)\",\"1\",\"7\",\"(256, 1, 1)\",\"(16, 1, 1)\",\"0\",\"9.0\",\"Command line profiler "
    "metrics\",\"dram__bytes_read.sum\",\"byte\",\"1,234,560\"\n"
    "\"0\",\"1\",\"w\",\"h\",\"1 lab:lab.03.stride.stride=1:none\",\"stride(const float *, "
    "int)\",\"1\",\"7\",\"(256, 1, 1)\",\"(16, 1, 1)\",\"0\",\"9.0\",\"Command line profiler "
    "metrics\",\"gpu__time_duration.sum\",\"ns\",\"2,848\"\n"
    "\"1\",\"1\",\"w\",\"h\",\"1 lab:lab.03.stride.stride=2:none\",\"stride(const float *, "
    "int)\",\"1\",\"7\",\"(256, 1, 1)\",\"(16, 1, 1)\",\"0\",\"9.0\",\"Command line profiler "
    "metrics\",\"dram__bytes_read.sum\",\"byte\",\"n/a\"\n"
    "==PROF== Disconnected from process 143016\n";

double number(const KernelLaunch& launch, std::string_view name) {
  for (const MetricValue& value : launch.values) {
    if (value.name == name) return std::get<double>(value.value);
  }
  throw internal_error("no metric " + std::string(name));
}

TEST(Report, LongLayout) {
  const Report report = read_report(kLong, "x.csv");
  EXPECT_EQ(report.layout, Layout::kLong);
  EXPECT_EQ(report.notes, std::vector<std::string>{});
  ASSERT_EQ(report.launches.size(), 2u);
  const KernelLaunch& first = report.launches[0];
  EXPECT_EQ(first.id, "0");
  EXPECT_EQ(first.kernel, "stride(const float *, int)");
  EXPECT_EQ(first.ranges, "1 lab:lab.03.stride.stride=1:none\n");
  EXPECT_EQ(first.grid, (Dim3{16, 1, 1}));
  EXPECT_EQ(first.block, (Dim3{256, 1, 1}));
  EXPECT_EQ(number(first, "dram__bytes_read.sum"), 1234560);
  EXPECT_EQ(number(first, "gpu__time_duration.sum"), 2848);
  const auto& missing = std::get<Missing>(report.launches[1].values.at(0).value);
  EXPECT_EQ(missing, (Missing{NoValue::kNotAvailable, "Nsight Compute has no value for it"}));
}

TEST(Report, TheGpusName) {
  const std::string head =
      "ID,Kernel Name,dram__bytes_read.sum,device__attribute_display_name\n,,byte,\n";
  EXPECT_EQ(read_report(head + "0,k,1,NVIDIA H200\n1,k,1,NVIDIA H200\n", "x").device,
            "NVIDIA H200");
  EXPECT_EQ(read_report(head + "0,k,1,NVIDIA H200\n1,k,1,NVIDIA A100\n", "x").device, "");
  EXPECT_EQ(read_report(kLong, "x").device, "");
}

// --page raw: a row a launch; the row below the heading holds units, here scaled ones.
TEST(Report, RawLayoutWithScaledUnits) {
  const Report report = read_report(
      "\"ID\",\"Process ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\","
      "\"dram__bytes_read.sum\",\"gpu__time_duration.sum\",\"launch__func_cache_config\","
      "\"sm__warps_active.avg.pct_of_peak_sustained_active\",\"x__rate.sum.per_second\"\n"
      "\"\",\"\",\"\",\"\",\"\",\"Mbyte\",\"us\",\"\",\"%\",\"Gbyte/second\"\n"
      "\"4\",\"9\",\"void transpose<(int)32>(float *)\",\"(32, 8, 1)\",\"(128, 128, 1)\","
      "\"67.11\",\"33.02\",\"CachePreferNone\",\"87.50\",\"4.5\"\n",
      "raw.csv");
  EXPECT_EQ(report.layout, Layout::kRaw);
  ASSERT_EQ(report.launches.size(), 1u);
  const KernelLaunch& launch = report.launches[0];
  EXPECT_EQ(launch.kernel, "void transpose<(int)32>(float *)");
  EXPECT_EQ(launch.grid, (Dim3{128, 128, 1}));
  ASSERT_EQ(launch.values.size(), 4u);  // the word is not a value
  EXPECT_DOUBLE_EQ(number(launch, "dram__bytes_read.sum"), 67.11e6);
  EXPECT_DOUBLE_EQ(number(launch, "gpu__time_duration.sum"), 33020);
  EXPECT_EQ(number(launch, "sm__warps_active.avg.pct_of_peak_sustained_active"), 87.5);
  EXPECT_EQ(number(launch, "x__rate.sum.per_second"), 4.5e9);
}

// 2020 and 2021: Kernel Time, no Block Size and Grid Size; usecond.
TEST(Report, OlderColumns) {
  const Report report = read_report(
      "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Kernel Time\","
      "\"Context\",\"Stream\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
      "\"0\",\"7\",\"a\",\"h\",\"copy\",\"2020-Jun-01 10:00:00\",\"1\",\"7\",\"S\","
      "\"gpu__time_duration.sum\",\"usecond\",\"1,500.50\"\n",
      "old.csv");
  ASSERT_EQ(report.launches.size(), 1u);
  EXPECT_FALSE(report.launches[0].grid);
  EXPECT_EQ(number(report.launches[0], "gpu__time_duration.sum"), 1500500);
}

// Sections with rules: rows of advice have no metric; labels stay labels.
TEST(Report, SectionsAndRules) {
  const Report report = read_report(
      "\"ID\",\"Kernel Name\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\","
      "\"Rule Name\",\"Rule Type\",\"Rule Description\"\n"
      "\"0\",\"k\",\"GPU Speed Of Light Throughput\",\"DRAM Frequency\",\"Ghz\",\"2.62\",\"\",\"\","
      "\"\"\n"
      "\"0\",\"k\",\"SpeedOfLight\",\"\",\"\",\"\",\"SOLBottleneck\",\"WRN\",\"This kernel, which "
      "\"\"k\"\" is,\nruns 1.5 times\"\n",
      "sections.csv");
  ASSERT_EQ(report.launches.size(), 1u);
  ASSERT_EQ(report.launches[0].values.size(), 1u);
  EXPECT_DOUBLE_EQ(number(report.launches[0], "DRAM Frequency"), 2.62e9);
}

// German Windows: points group, the comma begins the fraction, and Excel has saved semicolons.
TEST(Report, DecimalComma) {
  const Report report = read_report(
      "ID;Kernel Name;Metric Name;Metric Unit;Metric Value\r\n"
      "0;k;gpu__time_duration.sum;ns;117.344\r\n"
      "0;k;dram__bytes.sum;byte;27.595.520\r\n"
      "0;k;sm__throughput.avg.pct_of_peak_sustained_elapsed;%;65,77\r\n",
      "de.csv");
  EXPECT_EQ(report.decimal, Decimal::kComma);
  EXPECT_EQ(number(report.launches.at(0), "gpu__time_duration.sum"), 117344);
  EXPECT_EQ(number(report.launches.at(0), "dram__bytes.sum"), 27595520);
  EXPECT_EQ(number(report.launches.at(0), "sm__throughput.avg.pct_of_peak_sustained_elapsed"),
            65.77);
}

TEST(Report, DecimalAsTold) {
  const std::string text =
      "ID,Kernel Name,Metric Name,Metric Unit,Metric Value\n0,k,a__b.avg,,117.344\n";
  EXPECT_EQ(number(read_report(text, "x").launches.at(0), "a__b.avg"), 117.344);
  EXPECT_EQ(number(read_report(text, "x", Decimal::kComma).launches.at(0), "a__b.avg"), 117344);
}

TEST(Report, UnknownUnitIsMissing) {
  const Report report = read_report(
      "ID,Kernel Name,Metric Name,Metric Unit,Metric Value\n0,k,a__b.sum,Qfoo,3\n", "x.csv");
  EXPECT_EQ(std::get<Missing>(report.launches.at(0).values.at(0).value),
            (Missing{NoValue::kUnknownUnit,
                     "Nsight Compute gives it in 'Qfoo', a unit that is not known here"}));
}

TEST(Report, InstancesBehindAValueAreLeftOut) {
  const Report report = read_report(
      "ID,Kernel Name,Metric Name,Metric Unit,Metric Value\n0,k,a__b.sum,,\"12 (4; 4; 4)\"\n", "x");
  EXPECT_EQ(number(report.launches.at(0), "a__b.sum"), 12);
}

// Two files one after the other: the IDs begin anew.
TEST(Report, SecondHeadingBeginsAnew) {
  const std::string one = "ID,Kernel Name,Metric Name,Metric Unit,Metric Value\n0,k,a__b.sum,,3\n";
  const Report report = read_report(one + one, "x.csv");
  ASSERT_EQ(report.launches.size(), 2u);
  EXPECT_EQ(report.launches[1].values.size(), 1u);
}

TEST(Report, LinesThatDoNotFitAreTold) {
  const Report report = read_report(
      "ID,Kernel Name,Metric Name,Metric Unit,Metric Value\n0,k\n0,k,a__b.sum,,3\n", "x.csv");
  EXPECT_EQ(report.notes, std::vector<std::string>{"line 2: 2 cells, where the heading has 5"});
  EXPECT_EQ(report.launches.size(), 1u);
}

TEST(Report, NoTable) {
  const auto message = [](const std::string& text) {
    try {
      (void)read_report(text, "x.csv");
    } catch (const Error& error) {
      EXPECT_EQ(error.hint(),
                "make one with: ncu --csv --page raw ... or ncu --import FILE.ncu-rep --csv --page "
                "raw");
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(message("a,b\n1,2\n"), "x.csv: no table of Nsight Compute in it");
  EXPECT_EQ(message("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n"),
            "x.csv: no table of Nsight Compute in it: ncu was not allowed to read counters "
            "(ERR_NVGPUCTRPERM)");
  EXPECT_EQ(message("==WARNING== No kernels were profiled.\n"),
            "x.csv: no table of Nsight Compute in it: ncu says that no kernels were profiled");
}

TEST(Report, TwoLocalesNameTheFile) {
  try {
    (void)read_report(
        "ID,Kernel Name,Metric Name,Metric Unit,Metric Value\n0,k,a__b.avg,,1.5\n0,k,c__d.avg,,"
        "\"2,75\"\n",
        "x.csv");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "x.csv: the numbers are of two locales: '1.5' in line 2 has a decimal point, "
                 "'2,75' in line 3 a decimal comma");
  }
}

}  // namespace
}  // namespace lab::ncu
