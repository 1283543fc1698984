#include "harness/ncu/source_page.h"

#include <gtest/gtest.h>

#include "harness/core/error.h"

namespace lab::ncu {
namespace {

// As ncu prints it: a row for each source line with the sums of the instructions below it. The
// column Source stands there twice.
constexpr const char* kPage =
    "==PROF== Connected to process 7\n"
    "\"File Path\",\"/home/a/k.cu\"\n"
    "\"Function Name\",\"void turn<(int)32>(float *)\"\n"
    "\"Line No\",\"Source\",\"Address\",\"Source\",\"Instructions Executed\",\"# Samples\","
    "\"Instructions Executed\",\"L1 Wavefronts Shared\",\"L1 Wavefronts Shared Ideal\","
    "\"L2 Theoretical Sectors Global\",\"L2 Theoretical Sectors Global Ideal\"\n"
    "\"4\",\"  tile[x] = "
    "in[i];\",\"-\",\"-\",\"1,024\",\"9\",\"1,024\",\"256\",\"8\",\"32\",\"32\"\n"
    "\"\",\"\",\"0x10\",\"LDG\",\"512\",\"9\",\"512\",\"0\",\"0\",\"32\",\"32\"\n"
    "\"\",\"\",\"0x20\",\"STS\",\"512\",\"0\",\"512\",\"256\",\"8\",\"0\",\"0\"\n"
    "\"5\",\"}\",\"-\",\"-\",\"0\",\"0\",\"0\",\"0\",\"0\",\"0\",\"0\"\n";

double value(const std::vector<LineObservation>& lines, int line, const std::string& metric) {
  double sum = -1;
  for (const LineObservation& one : lines) {
    if (one.line == line && one.metric == metric) sum = one.value;
  }
  return sum;
}

TEST(SourcePage, SourceLinesAreTakenAndTheirInstructionsAreNotAddedToThem) {
  const auto functions = read_source_page(kPage, "lines.csv");
  ASSERT_EQ(functions.size(), 1U);
  EXPECT_EQ(functions[0].name, "void turn<(int)32>(float *)");
  const auto lines = lines_of(functions, "turn<32>", "elsewhere/k.cu");
  EXPECT_EQ(value(lines, 4, "instructions"), 1024);
  EXPECT_EQ(value(lines, 4, "shared_wavefronts_sass"), 256);
  EXPECT_EQ(value(lines, 4, "shared_wavefronts_ideal"), 8);
  EXPECT_EQ(value(lines, 4, "global_sectors"), 32);
  EXPECT_EQ(lines.front().file, "elsewhere/k.cu");
  EXPECT_EQ(lines.front().source, SourceOf::kNcu);
}

std::string error_of(const std::string& text) {
  try {
    static_cast<void>(lines_of(read_source_page(text, "lines.csv"), "turn<16>", "k.cu"));
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(SourcePage, WhatIsNoSourcePageIsRefusedByName) {
  EXPECT_NE(error_of("1,2,3\n").find("lines.csv has no source page"), std::string::npos);
  EXPECT_NE(error_of("\"Kernel Name\",\"k\"\n\"Address\",\"Source\",\"# Samples\"\n")
                .find("machine code alone"),
            std::string::npos);
  EXPECT_NE(error_of(kPage).find("no kernel turn<16>"), std::string::npos);
}

}  // namespace
}  // namespace lab::ncu
