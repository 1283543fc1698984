// Theory against the model, which knows no formula: every exact metric of every lab must agree at
// the default points and at random ones. LAB_THEORY_POINTS says how many random points a variant
// gets; LAB_THEORY_LAB picks one lab by number.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "harness/compile/nvrtc.h"
#include "harness/model/backend.h"
#include "labs/registry.h"
#include "metrics/catalogue.h"
#include "metrics/compare.h"

namespace lab {
namespace {

KernelText own_source(const Lab& lab) {
  const auto path = "labs/" + lab.folder + "/kernels.cu";
  const std::ifstream stream(path);
  std::stringstream text;
  text << stream.rdbuf();
  return {path, text.str()};
}

std::vector<CaseRecord> run(const Lab& lab, const Variant& variant,
                            const std::vector<Params>& points) {
  BatchRequest batch;
  batch.lab = lab.number;
  batch.source = own_source(lab);
  for (const auto& point : points) {
    batch.cases.push_back({static_cast<int>(batch.cases.size()), variant.name, point, {}});
  }
  std::vector<CaseRecord> records;
  BatchSink sink;
  sink.environment = [](const std::string&, const std::string&) {};
  sink.finished = [&](CaseOutcome outcome) { records.push_back(std::move(outcome.record)); };
  sink.progress = [](int, double) {};
  sink.cancelled = [] { return false; };
  model::Backend backend(
      [](const CompileRequest& request) { return compile::nvrtc_compile(request); }, all_labs());
  backend.run(batch, sink);
  return records;
}

// What a variant exists to show is found, and nothing else.
void expect_findings(const Variant& variant, const CaseRecord& record) {
  EXPECT_EQ(record.status, CaseStatus::kOk) << record.reason;
  const auto& wanted = variant.expected_findings.front();
  const bool found = std::any_of(record.findings.begin(), record.findings.end(),
                                 [&](const Finding& f) { return name_of(f.kind) == wanted.kind; });
  const bool shared_is_checked = record.facts.count("checkers") > 0;
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
  EXPECT_EQ(record.facts["access_level"], "sass")
      << "the machine code could not be mapped to the PTX";
  metrics::judge({&variant, true, {}}, record);
  for (const auto& verdict : record.verdicts) {
    const auto* row = metrics::find(verdict.metric);
    const bool exact = row != nullptr && row->metric_class == metrics::Class::kExact;
    const bool banded = row != nullptr && row->metric_class == metrics::Class::kBanded;
    // A ratio of nothing has no value on either side.
    if (verdict.kind == VerdictKind::kMissing && !verdict.theory) continue;
    if (!exact && !banded) continue;
    EXPECT_EQ(verdict.kind, VerdictKind::kAgrees) << verdict.metric << ": " << verdict.reason;
  }
}

// Points from a parameter's whole range would take hours: sizes are drawn from its lower end,
// where rests of tiles and warps weigh most.
std::int64_t largest(const Lab& lab, const ParamSpec& spec) {
  static const std::map<std::string, std::int64_t> kCaps = {
      {"n", 700},    {"m", 70},       {"p", 70},         {"rows", 150},
      {"cols", 150}, {"blocks", 5},   {"loads", 4},      {"passes", 4},
      {"hops", 200}, {"lines", 1024}, {"records", 8192}, {"elements", 32768}};
  constexpr std::int64_t kRowsOfProduct = 150;  // each is a whole product's work
  if (lab.id == "matmul" && spec.name == "n") return kRowsOfProduct;
  const auto cap = kCaps.find(spec.name);
  return cap == kCaps.end() ? spec.max : std::min(spec.max, cap->second);
}

ParamValue draw(const Lab& lab, const ParamSpec& spec, std::uint64_t& state) {
  const auto random = split_mix64(state);
  if (!spec.choices.empty()) return spec.choices[random % spec.choices.size()];
  if (!spec.only.empty()) {
    auto allowed = spec.only;
    allowed.erase(std::remove_if(allowed.begin(), allowed.end(),
                                 [&](std::int64_t value) { return value > largest(lab, spec); }),
                  allowed.end());
    return allowed[random % allowed.size()];
  }
  const auto high = largest(lab, spec);
  // Every other draw is from the lowest values: one row, one column, a warp and a bit.
  const auto top = random % 2 == 0 ? high : std::min(high, spec.min + 40);
  return spec.min + static_cast<std::int64_t>(split_mix64(state) %
                                              static_cast<std::uint64_t>(top - spec.min + 1));
}

// 32 addresses for lab 9: whole, half and no permutations of a stride, some lanes off.
std::string draw_addresses(std::int64_t width, std::uint64_t& state) {
  const auto places = std::min<std::uint64_t>(8192 / static_cast<std::uint64_t>(width),
                                              std::uint64_t{8} << split_mix64(state) % 8);
  const auto off = split_mix64(state) % 3;  // 0: no lane is off
  std::string text = "0";
  for (int lane = 1; lane < 32; ++lane) {
    const auto place = split_mix64(state) % places;
    const bool is_off = off != 0 && split_mix64(state) % (4 * off) == 0;
    // Some lanes agree with their neighbours: what wide loads from shared memory may merge by.
    const auto before = text.substr(text.rfind(' ') + 1);
    const bool same = split_mix64(state) % 4 == 0 && before != "-";
    text += ' ' + (is_off ? "-"
                   : same ? before
                          : std::to_string(place * static_cast<std::uint64_t>(width)));
  }
  return text;
}

Params draw_point(const Lab& lab, const Variant& variant, std::uint64_t& state) {
  Params point;
  for (const auto& name : variant.reads) {
    const auto& spec = find_param(lab, name);
    if (!spec.accepts) point.set(name, draw(lab, spec, state));
  }
  // The one text there is.
  if (std::count(variant.reads.begin(), variant.reads.end(), "addresses") > 0) {
    point.set("addresses", draw_addresses(point.number("bytes"), state));
  }
  return point;
}

// `count` different ones, or as many as some more draws find where there are fewer.
std::vector<Params> random_points(const Lab& lab, const Variant& variant, int count) {
  std::uint64_t state = 20260101 + static_cast<std::uint64_t>(lab.number);
  std::set<Params> seen;
  std::vector<Params> points;
  for (int i = 0; i < 4 * count && static_cast<int>(points.size()) < count; ++i) {
    const auto point = draw_point(lab, variant, state);
    if (seen.insert(point).second) points.push_back(point);
  }
  return points;
}

// A sanitizer looks at the same code at each point, slowly.
#ifdef LAB_SANITIZED
constexpr int kPoints = 3;
constexpr std::size_t kStep = 8;
#else
constexpr int kPoints = 200;
constexpr std::size_t kStep = 1;
#endif

std::vector<Params> default_points(const Variant& variant) {
  std::vector<Params> points;
  for (std::size_t i = 0; i < variant.points.size(); i += kStep) {
    points.push_back(variant.points[i]);
  }
  return points;
}

int points_asked() {
  const char* asked = std::getenv("LAB_THEORY_POINTS");
  return asked == nullptr ? kPoints : std::atoi(asked);
}

bool is_asked(const Lab& lab) {
  const char* asked = std::getenv("LAB_THEORY_LAB");
  return asked == nullptr || std::atoi(asked) == lab.number;
}

class LabConformance : public testing::TestWithParam<int> {
 protected:
  template <typename Points>
  static void check(Points points_of) {
    const auto& lab = all_labs()[static_cast<std::size_t>(GetParam())];
    if (!is_asked(lab)) GTEST_SKIP() << "LAB_THEORY_LAB asks for another lab";
    for (const auto& variant : lab.variants) {
      if (variant.needs_gpu) continue;
      const auto points = points_of(lab, variant);
      auto records = run(lab, variant, points);
      EXPECT_EQ(records.size(), points.size());
      for (auto& record : records) expect_agreement(variant, record);
    }
  }
};

TEST_P(LabConformance, DefaultPointsAgree) {
  check([](const Lab&, const Variant& variant) { return default_points(variant); });
}

TEST_P(LabConformance, RandomPointsAgree) {
  check([](const Lab& lab, const Variant& variant) {
    return random_points(lab, variant, points_asked());
  });
}

INSTANTIATE_TEST_SUITE_P(Labs, LabConformance,
                         testing::Range(0, static_cast<int>(all_labs().size())),
                         [](const auto& parameter) {
                           return all_labs()[static_cast<std::size_t>(parameter.param)].id;
                         });

}  // namespace
}  // namespace lab
