// What people read: every headline formula fits two lines and says nothing that it need not.
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/core/text.h"
#include "harness/labs/registry.h"
#include "metrics/formulas.h"

namespace lab {
namespace {

constexpr std::size_t kColumns = 76;  // of 80: `lab run` indents by four
constexpr std::size_t kLines = 2;

struct Headline {
  std::string of;
  Expr formula;
};

std::vector<Headline> headlines() {
  std::vector<Headline> all;
  for (const auto& lab : all_labs()) {
    for (const auto& variant : lab.variants) {
      for (const auto& metric : lab.headline) {
        const auto* row = metrics::theory_row(variant, metric);
        if (row == nullptr) continue;
        all.push_back({lab.id + " " + variant.name + " " + metric,
                       metrics::over_defaults(row->formula, variant)});
      }
    }
  }
  return all;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string all;
  for (const auto& line : lines) all += (all.empty() ? "" : " ") + line;
  return all;
}

TEST(Headlines, FitTwoLines) {
  std::vector<std::size_t> lengths;
  for (const auto& [of, formula] : headlines()) {
    const auto lines = lines_of(formula, kColumns, kLines);
    EXPECT_FALSE(lines.empty()) << of << ": " << formula.text();
    lengths.push_back(joined(lines).size());
  }
  ASSERT_GT(lengths.size(), 100U);
  std::sort(lengths.begin(), lengths.end());
  RecordProperty("longest", std::to_string(lengths.back()));
  RecordProperty("median", std::to_string(lengths[lengths.size() / 2]));
  EXPECT_LE(lengths.back(), kColumns * kLines + 1);  // and the space where they are broken
  EXPECT_LE(lengths[lengths.size() / 2], 40U);
}

// What glued text used to print, and what two equal terms would.
void expect_clean(const std::string& text, const std::string& of) {
  for (const char* pattern : {"floor_sum", "units_of_ranges", "(0 ", " * 1)", "(1)", "* 1 ", "+ 0",
                              "0 +", "- 0", "0 * ", "if(0", "if(1", "((", "--"}) {
    // A number may end in such a digit: 10 + 1.
    const auto at = text.find(pattern);
    const bool inside = at != std::string::npos && at > 0 && std::isdigit(text[at - 1]) != 0;
    const bool call = std::string(pattern) == "((" && at != std::string::npos && at > 0 &&
                      std::isalpha(text[at - 1]) != 0;
    EXPECT_TRUE(at == std::string::npos || inside || call)
        << of << ": '" << pattern << "' in " << text;
  }
  for (const std::string_view part : split(text, ' ')) EXPECT_NE(part, "") << of;
}

TEST(Headlines, SayNothingThatTheyNeedNot) {
  for (const auto& [of, formula] : headlines()) {
    expect_clean(joined(lines_of(formula, kColumns, kLines)), of);
  }
}

// Simplified and specialised, at each default point, every row has the value that it is judged by.
TEST(Formulas, AreShownAsTheyAreEvaluated) {
  for (const auto& lab : all_labs()) {
    for (const auto& variant : lab.variants) {
      for (const auto& row : variant.theory) {
        const auto shown = metrics::over_defaults(row.formula, variant);
        const auto opened = shown.opened();
        const auto general = row.formula.simplified();
        for (const auto& point : variant.points) {
          SCOPED_TRACE(lab.id + " " + variant.name + " " + row.metric + " " + point.text());
          const auto names = formula_names(variant, point, variant.launch(point));
          const double value = row.formula.value(names);
          EXPECT_DOUBLE_EQ(shown.value(names), value) << shown.text();
          EXPECT_DOUBLE_EQ(opened.value(names), value) << opened.text();
          EXPECT_DOUBLE_EQ(general.value(names), value) << general.text();
        }
      }
    }
  }
}

// A sweep of strides in the shape that a lecture draws it.
TEST(Lab1, StridesReadAsTheirCurve) {
  const auto& load = find_variant(find_lab("1"), "load");
  std::vector<CaseRecord> cases;
  for (int stride = 1; stride <= 32; ++stride) {
    CaseRecord record;
    record.params = {{"n", std::int64_t{8192}},
                     {"bytes", std::int64_t{4}},
                     {"stride", std::int64_t{stride}},
                     {"offset", std::int64_t{0}}};
    cases.push_back(record);
  }
  std::vector<const CaseRecord*> pointers;
  for (const auto& record : cases) pointers.push_back(&record);
  const auto shown = [&](const std::string& metric) {
    const auto& formula = metrics::theory_row(load, metric)->formula;
    return metrics::over_cases(formula, load, pointers).opened().text();
  };
  EXPECT_EQ(shown("global_load_sectors_per_request"), "min(32, 4 * stride)");
  EXPECT_EQ(shown("global_load_sectors"), "256 * min(32, 4 * stride)");  // 8192 / 32 warps
}

}  // namespace
}  // namespace lab
