// What an H200 measured of every lab (tests/fixtures/h200, made by tools/gpu-check): theory, model
// and comparison of today are held against it.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "db/store.h"
#include "labs/registry.h"
#include "metrics/catalogue.h"
#include "metrics/compare.h"

namespace lab {
namespace {

class Measured : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    db::Store store = db::Store::open(LAB_BINARY_DIR "/fixtures/h200.db", db::Mode::kReadOnly);
    for (const db::RunSummary& summary : store.list_runs()) {
      runs_.push_back(store.load_run(std::to_string(summary.run.id)));
    }
  }
  static void TearDownTestSuite() { runs_.clear(); }

  /// Calls `visit` for each measured case of a lab's own kernel.
  template <typename Visit>
  static void each_case(Visit visit) {
    for (const RunRecord& run : runs_) {
      const Lab* lab = lab_with_number(run.lab);
      if (lab == nullptr) continue;
      for (const CaseRecord& record : run.cases) {
        SCOPED_TRACE(lab->id + " " + record.variant + " " + record.params.text());
        visit(*lab, find_variant(*lab, record.variant), record);
      }
    }
  }

  static std::vector<RunRecord> runs_;
};
std::vector<RunRecord> Measured::runs_;

std::optional<double> value_of(const CaseRecord& record, const std::string& metric,
                               SourceOf source) {
  for (const Observation& one : record.observations) {
    if (one.metric == metric && one.source == source && one.has_value()) return one.number();
  }
  return {};
}

// Formulas ask for what a variant reads today.
TEST_F(Measured, CasesHaveTheParametersOfToday) {
  each_case([](const Lab&, const Variant& variant, const CaseRecord& record) {
    const std::set<std::string> today(variant.reads.begin(), variant.reads.end());
    std::set<std::string> then;
    for (const auto& [name, value] : record.params.all()) then.insert(name);
    EXPECT_EQ(today, then);
  });
}

TEST_F(Measured, RunsSayWhatMadeThem) {
  std::set<int> labs;
  for (const RunRecord& run : runs_) {
    if (run.lab != 0) labs.insert(run.lab);
    EXPECT_EQ(run.status, "ok") << run.lab;
    EXPECT_EQ(run.gpu, "NVIDIA H200");
    EXPECT_FALSE(run.program_version.empty());
    EXPECT_EQ(run.environment.at("commit").size(), 40U);  // of a clean checkout
    EXPECT_EQ(run.environment.at("gpu_uuid").rfind("GPU-", 0), 0U);
    EXPECT_FALSE(run.environment.at("driver").empty());
    EXPECT_EQ(run.environment.at("counters"), "read");
  }
  EXPECT_EQ(labs.size(), all_labs().size());
}

// To the last digit: no verdict is asked. Where hardware's own counter takes in more than was
// asked for (requests with all lanes off), instruction patching has the number.
TEST_F(Measured, ExactMetricsAreEqualInTheoryModelAndMeasurement) {
  std::map<int, int> equal;
  each_case([&](const Lab& lab, const Variant& variant, const CaseRecord& record) {
    for (const Observation& theory : metrics::theory_of(variant, record)) {
      const metrics::Metric* row = metrics::find(theory.metric);
      const bool exact = row != nullptr && row->metric_class == metrics::Class::kExact;
      if (!exact || !theory.has_value()) continue;
      const auto model = value_of(record, theory.metric, SourceOf::kModel);
      auto measured = value_of(record, theory.metric, SourceOf::kSass);
      if (!measured) measured = value_of(record, theory.metric, SourceOf::kCupti);
      if (!model || !measured) continue;
      EXPECT_DOUBLE_EQ(theory.number(), *model) << theory.metric;
      if (theory.metric.find("atomic") != std::string::npos ||
          theory.metric.find("reduction") != std::string::npos) {
        continue;  // scattered atomics now and then cost a sector more
      }
      EXPECT_DOUBLE_EQ(theory.number(), *measured) << theory.metric;
      ++equal[lab.number];
    }
  });
  // Labs 1 and 3 have 270 and 154 cases with at least two such metrics each.
  EXPECT_GT(equal[1], 540);
  EXPECT_GT(equal[3], 308);
}

TEST_F(Measured, NothingDisagrees) {
  int agrees = 0;
  each_case([&](const Lab&, const Variant& variant, const CaseRecord& record) {
    CaseRecord again = record;
    metrics::judge({&variant, true, {}}, again);
    for (const Verdict& verdict : again.verdicts) {
      EXPECT_NE(name_of(verdict.kind), "disagrees") << verdict.metric << ": " << verdict.reason;
      if (verdict.kind == VerdictKind::kAgrees) ++agrees;
      // Every difference that is let pass names what caused it.
      if (verdict.kind == VerdictKind::kExplained) {
        EXPECT_FALSE(verdict.reason.empty()) << verdict.metric;
      }
    }
  });
  EXPECT_GT(agrees, 10'000);
}

// A sector more than was measured is noticed, in every case.
TEST_F(Measured, ASectorMoreDisagrees) {
  int noticed = 0;
  each_case([&](const Lab& lab, const Variant& variant, const CaseRecord& record) {
    if (lab.number != 1) return;
    CaseRecord wrong = record;
    for (Observation& one : wrong.observations) {
      if (one.metric == "global_load_sectors" && one.source == SourceOf::kCupti) {
        one.value = one.number() + 1;
      }
    }
    metrics::judge({&variant, true, {}}, wrong);
    for (const Verdict& verdict : wrong.verdicts) {
      if (verdict.metric != "global_load_sectors") continue;
      EXPECT_EQ(verdict.kind, VerdictKind::kDisagrees) << verdict.reason;
      ++noticed;
    }
  });
  EXPECT_EQ(noticed, 270);
}

}  // namespace
}  // namespace lab
