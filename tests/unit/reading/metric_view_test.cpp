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

}  // namespace
}  // namespace lab::reading
