#include "harness/reading/explain_page.h"

#include <gtest/gtest.h>

#include "tools/cli/text/page_text.h"

namespace lab::cli {
namespace {

constexpr Terminal kPlain{false, false, false, 60};

LineObservation of_model(const std::string& file, int line, const std::string& metric,
                         double value) {
  return {file, line, metric, SourceOf::kModel, value};
}

// With no machine known, the share is of the instructions: 60, 30 and 10 of 100. Line 5 has two
// requests of 32 bytes in 8 sectors, where 2 would do; line 2 has 3 conflicts in 4 wavefronts.
CaseRecord sample() {
  CaseRecord record;
  record.kernel = "work";
  record.lines = {of_model("k.cu", 2, "instructions", 30),
                  of_model("k.cu", 2, "shared_load_wavefronts", 4),
                  of_model("k.cu", 2, "shared_load_bank_conflicts", 3),
                  of_model("k.cu", 5, "instructions", 60),
                  of_model("k.cu", 5, "global_load_sectors", 8),
                  of_model("k.cu", 5, "global_load_requests", 2),
                  of_model("k.cu", 5, "global_load_bytes", 64),
                  of_model("a.h", 7, "instructions", 4),
                  of_model("b.h", 9, "instructions", 6)};
  return record;
}

constexpr const char* kSource =
    "one\n  x = s[i];\nthree\nfour\n"
    "  sum += in[(blockIdx.x * blockDim.x + threadIdx.x) * stride + offset] * factor;\n";

const RunRecord kRun = [] {
  RunRecord run;
  run.source_name = "k.cu";
  run.source_text = kSource;
  return run;
}();

std::string explained(const CaseRecord& record, const std::map<int, std::string>& compiled = {}) {
  return page_text(reading::explain_page(kRun, record, {}, compiled), kPlain);
}

TEST(Explain, RanksLinesByTheirShareAndShowsThemWhole) {
  EXPECT_EQ(explained(sample(), {{5, "1 ld.global.f32 compiled to 1 LDG"}}),
            "work  k.cu\n\n"
            "Share: of the instructions.\n\n"
            "                                   sectors     wavefronts\n"
            "  line  share  instructions  ideal  actual  ideal  actual\n"
            "  ----  -----  ------------  -----  ------  -----  ------\n"
            "     5   60 %            60      2       8\n"
            "      sum += in[(blockIdx.x * blockDim.x + threadIdx.x) *\n"
            "      stride + offset] * factor;\n"
            "      1 ld.global.f32 compiled to 1 LDG\n"
            "     2   30 %            30                     1       4\n"
            "      x = s[i];\n"
            "         10 %            10\n"
            "      (other files)\n");
}

TEST(Explain, OtherCountersStandBelowTheModels) {
  CaseRecord record = sample();
  record.lines.push_back({"k.cu", 5, "global_sectors", SourceOf::kNcu, 9});
  record.lines.push_back({"k.cu", 5, "global_sectors_ideal", SourceOf::kNcu, 2});
  const std::string text = explained(record);
  EXPECT_NE(text.find("model"), std::string::npos) << text;
  EXPECT_NE(text.find("ncu"), std::string::npos) << text;
  EXPECT_EQ(text.find("measured"), std::string::npos) << text;
}

// On a GPU alone there is no model: 30 of 40 instructions, as they were measured.
TEST(Explain, WithoutTheModelSharesAreOfWhatWasMeasured) {
  CaseRecord record;
  record.lines = {{"k.cu", 2, "instructions", SourceOf::kSass, 10},
                  {"k.cu", 5, "instructions", SourceOf::kSass, 30}};
  const std::string text = explained(record);
  EXPECT_NE(text.find("     5   75 %            30\n"), std::string::npos) << text;
}

TEST(Explain, LinesWithNoAccessAreOneRow) {
  CaseRecord record;
  record.lines = {of_model("k.cu", 1, "instructions", 1000), of_model("k.cu", 2, "instructions", 4),
                  of_model("k.cu", 3, "instructions", 3)};
  const std::string text = explained(record);
  EXPECT_NE(text.find("(2 lines with no access to memory)\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("three"), std::string::npos) << text;
}

}  // namespace
}  // namespace lab::cli
