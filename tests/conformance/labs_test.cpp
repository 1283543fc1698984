// Theory against the model, which knows no formula: every exact metric of every lab must agree at
// the default points and at random ones. LAB_THEORY_POINTS says how many random points a variant
// gets.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "harness/classes/labtest/points.h"
#include "harness/core/resolve.h"
#include "harness/kernel/compile/nvrtc.h"
#include "harness/labs/registry.h"
#include "harness/model/case/backend.h"
#include "metrics/catalogue.h"
#include "metrics/compare.h"
#include "metrics/write_back.h"
#include "tests/support/lab_batch.h"

namespace lab {
namespace {

using namespace labtest;

std::vector<CaseRecord> run(const Lab& lab, const Variant& variant,
                            const std::vector<Params>& points) {
  BatchRequest batch = batch_of_lab(lab);
  for (const auto& point : points) {
    batch.cases.push_back({static_cast<int>(batch.cases.size()), variant.name, point, {}});
  }
  std::vector<CaseRecord> records;
  BatchSink sink;
  sink.environment = [](const std::string&, const std::string&) {};
  sink.finished = [&](CaseOutcome outcome) { records.push_back(std::move(outcome.record)); };
  sink.progress = [](int, double) {};
  sink.cancelled = [] { return false; };
  model::ModelBackend backend(
      [](const CompileRequest& request) { return compile::nvrtc_compile(request); });
  const std::vector<CaseRecord> without = resolve(&lab, batch);
  EXPECT_TRUE(without.empty());
  backend.run(batch, sink);
  return records;
}

// The mistakes that a variant exists to show are found, and no others.
void expect_findings(const Variant& variant, const CaseRecord& record) {
  EXPECT_EQ(record.status, CaseStatus::kOk) << record.reason;
  const auto& wanted = variant.expected_findings.front();
  const bool found = std::any_of(record.findings.begin(), record.findings.end(),
                                 [&](const Finding& f) { return name_of(f.kind) == wanted.kind; });
  const bool shared_is_checked = record.notes.checkers.has_value();
  EXPECT_TRUE(found || !shared_is_checked) << variant.name << " lacks its " << wanted.kind;
}

void expect_agreement(const Variant& variant, CaseRecord& record) {
  SCOPED_TRACE(variant.name + " " + record.params.text());
  if (!variant.expected_findings.empty()) return expect_findings(variant, record);
  EXPECT_EQ(record.status, CaseStatus::kOk) << record.reason;
  for (const auto& finding : record.findings) ADD_FAILURE() << finding.message;
  if (variant.reference) {
    EXPECT_EQ(record.correct, true) << record.reason;
  }
  EXPECT_EQ(record.facts.access_level, AccessLevel::kSass)
      << "the machine code could not be mapped to the PTX";
  metrics::judge({&variant, true, {}}, record);
  for (const auto& verdict : record.verdicts) {
    const auto* row = metrics::find(verdict.metric);
    const bool exact = row != nullptr && row->metric_class == metrics::Class::kExact;
    const bool banded = row != nullptr && row->metric_class == metrics::Class::kBanded;
    if (verdict.kind == VerdictKind::kNone) continue;  // one source alone
    // A ratio of nothing has no value on either side.
    if (verdict.kind == VerdictKind::kMissing && !verdict.theory) continue;
    if (!exact && !banded) continue;
    if (verdict.kind == VerdictKind::kContext && metrics::is_not_predicted(verdict)) continue;
    EXPECT_EQ(verdict.kind, VerdictKind::kAgrees) << verdict.metric << ": " << verdict.reason;
  }
}

// A sanitizer looks at the same code at each point, slowly.
constexpr int kEnoughPoints = 200;
#ifdef LAB_SANITIZED
constexpr int kPoints = 2;

std::vector<Params> default_points(const Variant& variant) {
  constexpr std::size_t kStep = 16;
  std::vector<Params> points;
  for (std::size_t i = 0; i < variant.points.size(); i += kStep) {
    points.push_back(variant.points[i]);
  }
  return points;
}
#else
constexpr int kPoints = kEnoughPoints;
#endif

int points_asked() {
  const char* asked = std::getenv("LAB_THEORY_POINTS");
  return asked == nullptr ? kPoints : std::atoi(asked);
}

// Large sizes come with every 200.
std::vector<Params> random_points(const Lab& lab, const Variant& variant) {
  const int count = points_asked();
  auto points = drawn_points(lab, variant, count);
  const auto far = far_points(lab, variant, points, {count / kEnoughPoints});
  points.insert(points.end(), far.begin(), far.end());
  return points;
}

struct Subject {
  const Lab* lab = nullptr;
  const Variant* variant = nullptr;
};

std::vector<Subject> subjects() {
  std::vector<Subject> all;
  for (const Lab& lab : all_labs()) {
    for (const Variant& variant : lab.variants) {
      if (!variant.needs_gpu) all.push_back({&lab, &variant});
    }
  }
  return all;
}

// A test for each variant, so that many points can be shared out to processes (GTEST_TOTAL_SHARDS).
class LabConformance : public testing::TestWithParam<Subject> {
 protected:
  static const Lab& lab() { return *GetParam().lab; }
  static const Variant& variant() { return *GetParam().variant; }

  static void check(const std::vector<Params>& points) {
    auto records = run(lab(), variant(), points);
    EXPECT_EQ(records.size(), points.size());
    for (auto& record : records) expect_agreement(variant(), record);
  }
};

#ifdef LAB_SANITIZED
// Elsewhere they are those of `lab test all`, which tests/cli/test_labs.py runs.
TEST_P(LabConformance, DefaultPointsAgree) { check(default_points(variant())); }
#endif

TEST_P(LabConformance, RandomPointsAgree) { check(random_points(lab(), variant())); }

// Or nobody would know whether a large size is right, of one parameter at least.
TEST_P(LabConformance, RandomPointsReachBothEndsOfEachParameter) {
  if (points_asked() < kEnoughPoints) GTEST_SKIP() << "a few points do not reach all ends";
  const auto points = random_points(lab(), variant());
  for (const auto& spec : drawn_specs(lab(), variant())) {
    if (spec.accepts || !spec.choices.empty()) continue;
    const auto is_reached = [&](bool (*is_end)(const ParamSpec&, std::int64_t)) {
      return std::any_of(points.begin(), points.end(), [&](const Params& point) {
        return is_end(spec, point.number(spec.name));
      });
    };
    EXPECT_TRUE(is_reached(is_lower_end)) << spec.name;
    EXPECT_TRUE(is_reached(is_upper_end)) << spec.name;
  }
}

std::string test_name(const testing::TestParamInfo<Subject>& info) {
  return "lab" + std::to_string(info.param.lab->number) + "_" + info.param.variant->name;
}

INSTANTIATE_TEST_SUITE_P(Labs, LabConformance, testing::ValuesIn(subjects()), test_name);

}  // namespace
}  // namespace lab
