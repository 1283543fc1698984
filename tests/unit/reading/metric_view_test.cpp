#include "harness/reading/metric_view.h"

#include <gtest/gtest.h>

#include "tests/unit/cli/sample_run.h"

namespace lab::reading {
namespace {

TEST(MetricView, MeasuredFallsBackToTheOtherSource) {
  CaseRecord record = cli::sample_case(2, 2, 2);
  record.observations.push_back(cli::observed("shared_load_wavefronts", SourceOf::kNcu, 5));
  record.observations.push_back(cli::observed("shared_load_requests", SourceOf::kCupti, 6));
  metrics::note_measured(record);
  EXPECT_EQ(metric_views(record).size(), 3U);
  EXPECT_EQ(view_of(record, "shared_load_wavefronts").measured()->source, SourceOf::kNcu);
  EXPECT_EQ(view_of(record, "shared_load_requests").measured()->value, 6);
  EXPECT_FALSE(view_of(record, "shared_load_ways").measured());
  EXPECT_EQ(view_of(record, "shared_load_ways").theory()->low, 2);
  EXPECT_FALSE(view_of(record, "instructions").theory());
}

// Theory is no value of a kernel.
TEST(MetricView, TheBestValueIsTheMeasuredOneElseTheModels) {
  CaseRecord record = cli::sample_case(2, 2, 3);
  record.observations.push_back(cli::observed("shared_load_requests", SourceOf::kModel, 7));
  record.observations.push_back(cli::observed("shared_load_requests", SourceOf::kCupti, 6));
  record.observations.push_back(cli::observed("instructions", SourceOf::kTheory, 9));
  metrics::note_measured(record);
  const auto ways = view_of(record, "shared_load_ways").best();
  EXPECT_EQ(ways->value, 3);
  EXPECT_EQ(ways->source, SourceOf::kModel);
  const auto requests = view_of(record, "shared_load_requests").best();
  EXPECT_EQ(requests->value, 6);
  EXPECT_EQ(requests->source, SourceOf::kCupti);
  EXPECT_FALSE(view_of(record, "instructions").best());
}

}  // namespace
}  // namespace lab::reading
