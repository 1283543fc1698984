// What was measured is one number: table, JSON, SQL views and report show the same.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>

#include "db/query.h"
#include "db/store.h"
#include "harness/core/text.h"
#include "harness/reading/report_page.h"
#include "harness/reading/run_page.h"
#include "metrics/values.h"
#include "tests/unit/cli/sample_run.h"
#include "tools/cli/json/json.h"
#include "tools/cli/text/page_text.h"
#include "tools/report/report.h"

namespace lab::cli {
namespace {

// The catalogue names cupti for the first, sass for the second; raw names speak for themselves.
const std::vector<std::string> kKeys = {"global_load_sectors", "global_load_requests",
                                        "lts__t_requests.sum", "smsp__sass_inst_executed.sum"};
constexpr bool kSassFirst[] = {false, true, false, true};

using BySource = std::map<SourceOf, double>;

struct Sample {
  RunRecord run;
  std::vector<BySource> values;  // by key
};

// Each value is another number, so that a page shows whose it is.
Sample sample(unsigned seed) {
  std::mt19937 engine(seed);
  Sample made;
  made.run = sample_run();
  made.run.id = 0;
  made.run.lab = 1;
  made.run.cases.resize(1);
  CaseRecord& record = made.run.cases[0];
  record.observations.clear();
  record.verdicts.clear();
  double next = 777001;
  for (const std::string& key : kKeys) {
    BySource& values = made.values.emplace_back();
    for (const SourceOf source :
         {SourceOf::kModel, SourceOf::kCupti, SourceOf::kSass, SourceOf::kNcu}) {
      const auto kind = engine() % 3;
      if (kind == 0) continue;
      record.observations.push_back(observed(key, source, next));
      if (kind == 1) record.observations.back().value = Missing{NoValue::kNoPermission, ""};
      if (kind == 2) values[source] = next;
      ++next;
    }
  }
  metrics::note_measured(record);
  return made;
}

// The rule once more, in its own words.
std::optional<double> expected(const BySource& values, bool sass_first) {
  std::vector<SourceOf> order = {SourceOf::kCupti, SourceOf::kSass, SourceOf::kNcu};
  if (sass_first) std::swap(order[0], order[1]);
  for (const SourceOf source : order) {
    if (values.count(source) > 0) return values.at(source);
  }
  return {};
}

db::Value sql_value(std::optional<double> value) {
  return value ? db::Value(*value) : db::Value(std::monostate{});
}

std::string without_commas(std::string page) {
  page.erase(std::remove(page.begin(), page.end(), ','), page.end());
  return page;
}

// Shows the expected measurement, and no other value of hardware.
void expect_shown(const std::string& page, const BySource& values, std::optional<double> measured) {
  for (const auto& [source, value] : values) {
    if (source == SourceOf::kModel) continue;
    const bool shown = page.find(number_text(value)) != std::string::npos;
    EXPECT_EQ(shown, measured == value) << name_of(source) << " " << value << " in\n" << page;
  }
}

class OneNumber : public testing::TestWithParam<unsigned> {};

TEST_P(OneNumber, IsShownByTableJsonViewsAndReport) {
  Sample made = sample(GetParam());
  const std::string path = (std::filesystem::temp_directory_path() /
                            ("lab_measured_" + std::to_string(::getpid()) + ".db"))
                               .string();
  std::filesystem::remove(path);
  {
    db::Store store = db::Store::open(path, db::Mode::kCreate);
    store.begin_run(made.run);
    store.add_case(made.run.id, made.run.cases[0]);
  }
  const auto json = nlohmann::json::parse(runs_json({made.run}))["runs"][0]["cases"][0]["metrics"];
  const reading::Report made_page = reading::report_page(made.run, nullptr);
  const std::string page = report::report_html(made_page.title, made_page.page);
  for (std::size_t i = 0; i < kKeys.size(); ++i) {
    const std::string& key = kKeys[i];
    const BySource& values = made.values[i];
    const auto want = expected(values, kSassFirst[i]);
    expect_shown(
        without_commas(page_text(reading::run_page(made.run, nullptr, {{key}}), Terminal{})),
        values, want);
    expect_shown(without_commas(page), values, want);
    if (json.contains(key)) {
      EXPECT_EQ(json[key]["measured"], want ? nlohmann::json(*want) : nlohmann::json());
      const auto rows =
          db::query(path, "SELECT measured FROM compare WHERE metric = '" + key + "'").table.rows;
      ASSERT_EQ(rows.size(), 1U);
      EXPECT_EQ(rows[0][0], sql_value(want));
    }
    if (i >= 2) continue;  // labN has the catalogue's columns
    const auto model = values.find(SourceOf::kModel);
    const auto best = want || model == values.end() ? want : std::optional(model->second);
    EXPECT_EQ(db::query(path, "SELECT " + key + " FROM lab1").table.rows.at(0).at(0),
              sql_value(best));
  }
  std::filesystem::remove(path);
}

INSTANTIATE_TEST_SUITE_P(Seeds, OneNumber, testing::Range(1U, 41U));

}  // namespace
}  // namespace lab::cli
