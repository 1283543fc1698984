#include "harness/run/merge.h"

#include <gtest/gtest.h>

namespace lab::run {
namespace {

CaseRecord record(CaseStatus status, const std::string& reason = {}) {
  CaseRecord r;
  r.status = status;
  r.reason = reason;
  return r;
}

TEST(Merge, TheWorseStatusWins) {
  EXPECT_EQ(worse(CaseStatus::kOk, CaseStatus::kWrong), CaseStatus::kWrong);
  EXPECT_EQ(worse(CaseStatus::kError, CaseStatus::kRefused), CaseStatus::kError);
  EXPECT_EQ(worse(CaseStatus::kOk, CaseStatus::kOk), CaseStatus::kOk);
  const CaseRecord both =
      merge(record(CaseStatus::kRefused, "tex is not modelled"), record(CaseStatus::kOk));
  EXPECT_EQ(both.status, CaseStatus::kRefused);
  EXPECT_EQ(both.reason, "tex is not modelled");
}

TEST(Merge, SaysWhichSideHadWhichReason) {
  EXPECT_EQ(
      merge(record(CaseStatus::kFinding, "a race"), record(CaseStatus::kWrong, "out[0]")).reason,
      "model: a race; GPU: out[0]");
  EXPECT_EQ(merge(record(CaseStatus::kOk), record(CaseStatus::kTimeout, "10 s")).reason,
            "GPU: 10 s");
}

TEST(Merge, ASkippedHalfLeavesTheOthersStatus) {
  const CaseRecord out =
      merge(record(CaseStatus::kSkipped, "needs a GPU"), record(CaseStatus::kOk));
  EXPECT_EQ(out.status, CaseStatus::kOk);
  EXPECT_EQ(out.reason, "");
}

// Ctrl-C while the GPU measures takes nothing from what the model has counted by then; a case that
// was the GPU's alone is left undone.
TEST(Merge, AnInterruptedHalfLeavesTheOthersStatus) {
  const CaseRecord interrupted = record(CaseStatus::kInterrupted, "interrupted");
  EXPECT_EQ(merge(record(CaseStatus::kWrong, "out[0]"), interrupted).status, CaseStatus::kWrong);
  EXPECT_EQ(merge(interrupted, record(CaseStatus::kOk)).status, CaseStatus::kOk);
  EXPECT_EQ(merge(record(CaseStatus::kSkipped, "needs a GPU"), interrupted).status,
            CaseStatus::kInterrupted);
}

TEST(Merge, CorrectOnlyWhereNeitherSideIsWrong) {
  CaseRecord model = record(CaseStatus::kOk);
  CaseRecord gpu = record(CaseStatus::kOk);
  EXPECT_EQ(merge(model, gpu).correct, std::nullopt);
  model.correct = true;
  EXPECT_EQ(merge(model, gpu).correct, true);
  gpu.correct = false;
  EXPECT_EQ(merge(model, gpu).correct, false);
}

TEST(Merge, KeepsBothValuesOfAFactTheyDisagreeOn) {
  CaseRecord model = record(CaseStatus::kOk);
  CaseRecord gpu = record(CaseStatus::kOk);
  model.notes.races = "in the model, 1 lost";
  model.notes.line_information = "none: no -lineinfo";
  gpu.notes = model.notes;
  gpu.notes.races = "on the GPU, 2 lost";
  gpu.notes.waves = "8";
  CaseNotes want = model.notes;
  want.gpu_races = "on the GPU, 2 lost";
  want.waves = "8";
  EXPECT_EQ(merge(model, gpu).notes, want);
}

TEST(Merge, TakesTheFactsOfBothTheGpusFirst) {
  CaseRecord model = record(CaseStatus::kOk);
  CaseRecord gpu = record(CaseStatus::kOk);
  model.facts.access_level = AccessLevel::kSass;
  model.facts.cubin_sha256 = "aa";
  gpu.facts.cubin_sha256 = "bb";
  gpu.facts.carveout = 50;
  CaseFacts want;
  want.access_level = AccessLevel::kSass;
  want.cubin_sha256 = "bb";  // what was measured
  want.carveout = 50;
  EXPECT_EQ(merge(model, gpu).facts, want);
}

TEST(Merge, KeepsEveryObservation) {
  CaseRecord model = record(CaseStatus::kOk);
  CaseRecord gpu = record(CaseStatus::kOk);
  model.observations.push_back({"global_load_sectors", SourceOf::kModel, 4.0, {}, {}, 1, 0});
  gpu.observations.push_back({"global_load_sectors", SourceOf::kCupti, 4.0, {}, {}, 1, 0});
  gpu.timing = Timing{1, 1, 1, {1}, "events"};
  const CaseRecord out = merge(model, gpu);
  ASSERT_EQ(out.observations.size(), 2U);
  EXPECT_EQ(out.observations[1].source, SourceOf::kCupti);
  EXPECT_TRUE(out.timing.has_value());
}

}  // namespace
}  // namespace lab::run
