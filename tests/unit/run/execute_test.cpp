#include "harness/run/execute.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "harness/core/error.h"

namespace lab::run {
namespace {

// A backend of a test: finishes its cases in the order it is told, last first.
class Reversed : public Backend {
 public:
  explicit Reversed(SourceOf source) : source_(source) {}
  void run(const BatchRequest& batch, const BatchSink& sink) override {
    sink.environment("cpu", "test");
    for (auto at = batch.cases.rbegin(); at != batch.cases.rend(); ++at) {
      if (sink.cancelled()) return;
      CaseOutcome outcome;
      outcome.record.index = at->index;
      outcome.record.variant = at->variant;
      outcome.record.params = at->params;
      outcome.record.observations.push_back(
          {"instructions", source_, 1.0 + at->index, {}, {}, 1, 0});
      sink.finished(std::move(outcome));
    }
  }

 private:
  SourceOf source_;
};

class Unavailable : public Backend {
 public:
  void run(const BatchRequest&, const BatchSink&) override { throw machine_error("no GPU here"); }
};

Lab three_variants() {
  Lab lab;
  lab.number = 1;
  Variant plain;
  plain.name = "plain";
  Variant library;
  library.name = "library";
  library.needs_gpu = true;
  Variant broken;
  broken.name = "broken";
  broken.model_only = true;
  lab.variants = {plain, library, broken};
  return lab;
}

BatchRequest batch_of(const std::vector<std::string>& variants) {
  BatchRequest batch;
  for (const std::string& variant : variants) {
    CaseRequest c;
    c.index = static_cast<int>(batch.cases.size());
    c.variant = variant;
    batch.cases.push_back(c);
  }
  return batch;
}

struct Seen {
  std::vector<CaseRecord> records;
  Outcome outcome;
};

Seen run(const BatchRequest& batch, const Engines& engines) {
  const Lab lab = three_variants();
  Seen seen;
  RunSink sink;
  sink.finished = [&](const CaseOutcome& outcome) { seen.records.push_back(outcome.record); };
  seen.outcome = execute(&lab, true, batch, engines, sink);
  return seen;
}

TEST(Execute, HandsOnCasesInThePlansOrder) {
  Reversed model(SourceOf::kModel);
  const Seen seen = run(batch_of({"plain", "plain", "plain"}), {&model, nullptr});
  ASSERT_EQ(seen.records.size(), 3U);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(seen.records[static_cast<std::size_t>(i)].index, i);
  EXPECT_EQ(seen.outcome.environment.at("cpu"), "test");
  EXPECT_FALSE(seen.outcome.interrupted);
}

TEST(Execute, JoinsBothBackendsCaseByCase) {
  Reversed model(SourceOf::kModel);
  Reversed gpu(SourceOf::kCupti);
  const Seen seen = run(batch_of({"plain", "library", "broken"}), {&model, &gpu});
  ASSERT_EQ(seen.records.size(), 3U);
  const auto sources = [&](std::size_t i) {
    std::vector<SourceOf> out;
    for (const Observation& o : seen.records[i].observations) {
      if (o.metric == "instructions" && o.has_value()) out.push_back(o.source);
    }
    return out;
  };
  EXPECT_EQ(sources(0), (std::vector<SourceOf>{SourceOf::kModel, SourceOf::kCupti}));
  EXPECT_EQ(sources(1), (std::vector<SourceOf>{SourceOf::kCupti}));
  EXPECT_EQ(sources(2), (std::vector<SourceOf>{SourceOf::kModel}));
}

TEST(Execute, WhatNoEngineCanRunIsSkippedWithItsReason) {
  Reversed model(SourceOf::kModel);
  const Seen seen = run(batch_of({"library", "plain"}), {&model, nullptr});
  ASSERT_EQ(seen.records.size(), 2U);
  EXPECT_EQ(seen.records[0].status, CaseStatus::kSkipped);
  EXPECT_EQ(seen.records[0].reason, "a library's kernel: it runs on a GPU only");
  EXPECT_EQ(seen.records[1].status, CaseStatus::kOk);
}

TEST(Execute, OneBackendsFailureLeavesTheOthersResults) {
  Reversed model(SourceOf::kModel);
  Unavailable gpu;
  const Seen seen = run(batch_of({"plain", "plain"}), {&model, &gpu});
  EXPECT_EQ(seen.records.size(), 2U);
  EXPECT_EQ(seen.outcome.unavailable.at("gpu"), "no GPU here");
}

TEST(Execute, WithNoOtherBackendTheFailureIsThrown) {
  Unavailable gpu;
  EXPECT_THROW((void)run(batch_of({"plain"}), {nullptr, &gpu}), Error);
}

TEST(Execute, StoppingKeepsWhatIsDone) {
  Reversed model(SourceOf::kModel);
  const Lab lab = three_variants();
  const BatchRequest batch = batch_of({"plain", "plain"});
  RunSink sink;
  sink.finished = [](const CaseOutcome&) { FAIL(); };
  sink.cancelled = [] { return true; };
  EXPECT_TRUE(execute(&lab, true, batch, {&model, nullptr}, sink).interrupted);
}

TEST(Execute, ExitStatusIsOneForWhatIsNotFine) {
  CaseRecord record;
  EXPECT_EQ(exit_status(record), 0);
  record.status = CaseStatus::kSkipped;
  EXPECT_EQ(exit_status(record), 0);
  record.status = CaseStatus::kWrong;
  EXPECT_EQ(exit_status(record), 1);
  record.status = CaseStatus::kOk;
  Verdict verdict;
  verdict.kind = VerdictKind::kMissing;
  record.verdicts.push_back(verdict);
  EXPECT_EQ(exit_status(record), 0);
  record.verdicts[0].kind = VerdictKind::kDisagrees;
  EXPECT_EQ(exit_status(record), 1);
}

}  // namespace
}  // namespace lab::run
