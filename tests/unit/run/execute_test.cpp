#include "harness/run/execute.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

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

// The model's cases come out while the GPU's failure is known, not when all is over.
TEST(Execute, AFailedBackendHoldsNothingUp) {
  class Waiting : public Backend {
   public:
    void run(const BatchRequest& batch, const BatchSink& sink) override {
      CaseOutcome outcome;
      outcome.record.index = batch.cases[0].index;
      sink.finished(outcome);
      for (int i = 0; i < 1000 && out_ == 0; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        sink.progress(1, 0.1 * i);
      }
      outcome.record.index = batch.cases[1].index;
      sink.finished(outcome);
    }
    std::atomic<int> out_ = 0;
  };
  std::vector<CaseRecord> seen;
  Waiting model;
  Unavailable gpu;
  const Lab lab = three_variants();
  RunSink sink;
  sink.finished = [&](const CaseOutcome& outcome) {
    seen.push_back(outcome.record);
    model.out_ = 1;
  };
  const auto start = std::chrono::steady_clock::now();
  (void)execute(&lab, true, batch_of({"plain", "plain"}), {&model, &gpu}, sink);
  EXPECT_EQ(seen.size(), 2U);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(4));
}

TEST(Execute, ACaseThatTookItsWorkerDownStillNamesItsKernel) {
  Reversed model(SourceOf::kModel);
  Lab lab = three_variants();
  lab.variants[0].kernel = [](const Params&) { return std::string("k<32>"); };
  lab.variants[0].launch = [](const Params&) { return Launch{{4, 1, 1}, {32, 1, 1}, 0}; };
  std::vector<CaseRecord> seen;
  RunSink sink;
  sink.finished = [&](const CaseOutcome& outcome) { seen.push_back(outcome.record); };
  (void)execute(&lab, true, batch_of({"plain"}), {&model, nullptr}, sink);
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].kernel, "k<32>");
  EXPECT_EQ(seen[0].launch, (Launch{{4, 1, 1}, {32, 1, 1}, 0}));
}

TEST(Execute, WithNoOtherBackendTheFailureIsThrown) {
  Unavailable gpu;
  EXPECT_THROW((void)run(batch_of({"plain"}), {nullptr, &gpu}), Error);
  // The model has no part in a library's variant.
  Reversed model(SourceOf::kModel);
  EXPECT_THROW((void)run(batch_of({"library"}), {&model, &gpu}), Error);
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
