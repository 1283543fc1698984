#include "harness/run/execute.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <random>
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
  seen.outcome = execute(&lab, {batch}, engines, sink);
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
  EXPECT_EQ(seen.outcome.unavailable.at(BackendKind::kGpu), "no GPU here");
}

// The model's cases come out while the GPU's failure is known, not when all is over.
TEST(Execute, AFailedBackendHoldsNothingUp) {
  class Waiting : public Backend {
   public:
    void run(const BatchRequest& batch, const BatchSink& sink) override {
      CaseOutcome outcome;
      outcome.record.index = batch.cases[0].index;
      sink.finished(outcome);
      // Ends what waits in vain: the first case is out long before.
      for (int i = 0; i < 100'000 && out_ == 0; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        sink.progress(1, 1e-6 * i);
      }
      first_was_out_ = out_ == 1;
      outcome.record.index = batch.cases[1].index;
      sink.finished(outcome);
    }
    std::atomic<int> out_ = 0;
    bool first_was_out_ = false;
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
  (void)execute(&lab, {batch_of({"plain", "plain"})}, {&model, &gpu}, sink);
  EXPECT_EQ(seen.size(), 2U);
  EXPECT_TRUE(model.first_was_out_);
}

TEST(Execute, ACaseThatTookItsWorkerDownStillNamesItsKernel) {
  Reversed model(SourceOf::kModel);
  Lab lab = three_variants();
  lab.variants[0].kernel = [](const Params&) { return std::string("k<32>"); };
  lab.variants[0].launch = [](const Params&) { return Launch{{4, 1, 1}, {32, 1, 1}, 0}; };
  std::vector<CaseRecord> seen;
  RunSink sink;
  sink.finished = [&](const CaseOutcome& outcome) { seen.push_back(outcome.record); };
  (void)execute(&lab, {batch_of({"plain"})}, {&model, nullptr}, sink);
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

// Its parameters do not go together: no backend is asked, its neighbours run.
TEST(Execute, ACaseThatCanHaveNoJobIsItsOwnError) {
  Lab lab = three_variants();
  lab.variants[0].kernel = [](const Params&) { return "k"; };
  lab.variants[0].args = [](const Params& p) -> std::vector<ArgSpec> {
    if (!p.all().empty()) throw input_error("an array of 5 elements is too large", "take fewer");
    return {};
  };
  Reversed model(SourceOf::kModel);
  Reversed gpu(SourceOf::kCupti);
  BatchRequest batch = batch_of({"plain", "plain", "plain"});
  batch.cases[1].params = {{"n", 5}};
  std::vector<CaseRecord> records;
  RunSink sink;
  sink.finished = [&](const CaseOutcome& outcome) { records.push_back(outcome.record); };
  (void)execute(&lab, {batch}, {&model, &gpu}, sink);
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[0].status, CaseStatus::kOk);
  EXPECT_EQ(records[1].status, CaseStatus::kError);
  EXPECT_EQ(records[1].reason, "an array of 5 elements is too large; take fewer");
  EXPECT_EQ(records[1].kernel, "k");
  EXPECT_EQ(records[1].index, 1);
  EXPECT_TRUE(records[1].observations.empty());
  EXPECT_EQ(records[2].status, CaseStatus::kOk);
}

// What a worker is sent has all that it needs.
TEST(Execute, BackendsGetJobs) {
  class Looking : public Backend {
   public:
    void run(const BatchRequest& batch, const BatchSink& sink) override {
      for (const CaseRequest& one : batch.cases) {
        EXPECT_TRUE(one.job && one.job->kernel == "k");
        CaseOutcome outcome;
        outcome.record.index = one.index;
        sink.finished(std::move(outcome));
      }
    }
  };
  Lab lab = three_variants();
  lab.variants[0].kernel = [](const Params&) { return "k"; };
  Looking model;
  RunSink sink;
  sink.finished = [](const CaseOutcome&) {};
  (void)execute(&lab, {batch_of({"plain"})}, {&model, nullptr}, sink);
}

TEST(Execute, StoppingKeepsWhatIsDone) {
  Reversed model(SourceOf::kModel);
  const Lab lab = three_variants();
  const BatchRequest batch = batch_of({"plain", "plain"});
  RunSink sink;
  sink.finished = [](const CaseOutcome&) { FAIL(); };
  sink.cancelled = [] { return true; };
  EXPECT_TRUE(execute(&lab, {batch}, {&model, nullptr}, sink).interrupted);
}

// Tells of its cases in an order of its own: begun, half done, begun again as after a crash, done.
class Shuffled : public Backend {
 public:
  Shuffled(SourceOf source, unsigned seed) : reversed_(source), random_(seed) {}
  void run(const BatchRequest& batch, const BatchSink& sink) override {
    BatchRequest shuffled = batch;
    std::shuffle(shuffled.cases.begin(), shuffled.cases.end(), random_);
    for (const CaseRequest& one : shuffled.cases) {
      for (int told = 0; told < 4; ++told) {
        sink.progress(one.index, std::uniform_real_distribution<double>(0, 1)(random_));
        if (random_() % 2 == 0) std::this_thread::yield();
      }
      if (fails_after && (*fails_after)-- == 0) throw machine_error("lost");
      BatchRequest single;
      single.cases = {one};
      reversed_.run(single, sink);
    }
  }
  std::optional<int> fails_after = {};

 private:
  Reversed reversed_;
  std::mt19937 random_;
};

std::vector<double> progress_of(Shuffled& model, Shuffled& gpu) {
  const Lab lab = three_variants();
  const BatchRequest batch = batch_of({"plain", "library", "plain", "broken", "plain", "plain"});
  std::vector<double> told;
  RunSink sink;
  sink.finished = [](const CaseOutcome&) {};
  sink.progress = [&](double fraction) { told.push_back(fraction); };
  static_cast<void>(execute(&lab, {batch}, {&model, &gpu}, sink));
  return told;
}

TEST(Execute, ProgressNeverGoesBackAndEndsAtOne) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    Shuffled model(SourceOf::kModel, seed);
    Shuffled gpu(SourceOf::kCupti, seed + 1000);
    if (seed % 5 == 0) gpu.fails_after = static_cast<int>(seed % 4);
    const std::vector<double> told = progress_of(model, gpu);
    ASSERT_FALSE(told.empty());
    EXPECT_TRUE(std::is_sorted(told.begin(), told.end())) << "seed " << seed;
    EXPECT_GE(told.front(), 0) << "seed " << seed;
    EXPECT_EQ(told.back(), 1) << "seed " << seed;
  }
}

// Two cases on two backends are four parts of the work.
TEST(Execute, ProgressCountsTheWorkOfBothBackends) {
  class Once : public Backend {
   public:
    void run(const BatchRequest& batch, const BatchSink& sink) override {
      for (const CaseRequest& one : batch.cases) {
        sink.progress(one.index, 0.5);
        CaseOutcome outcome;
        outcome.record.index = one.index;
        sink.finished(std::move(outcome));
      }
    }
  };
  class Idle : public Backend {
   public:
    void run(const BatchRequest&, const BatchSink&) override {}
  };
  const Lab lab = three_variants();
  Once model;
  Idle gpu;
  std::vector<double> told;
  RunSink sink;
  sink.finished = [](const CaseOutcome&) {};
  sink.progress = [&](double fraction) { told.push_back(fraction); };
  static_cast<void>(execute(&lab, {batch_of({"plain", "plain"})}, {&model, &gpu}, sink));
  // Before the start; half of a part, a part; half of the next, both.
  EXPECT_EQ(told, (std::vector<double>{0, 0.125, 0.25, 0.375, 0.5}));
}

TEST(PartOf, IsTheWholesProgress) {
  std::vector<double> told;
  const auto whole = [&](double fraction) { told.push_back(fraction); };
  // One case, then three: a quarter, then the rest.
  const auto first = part_of(whole, 0, 1, 4);
  const auto second = part_of(whole, 1, 3, 4);
  first(0);
  first(1);
  second(0);
  second(0.5);
  second(1);
  EXPECT_EQ(told, (std::vector<double>{0, 0.25, 0.25, 0.625, 1}));
  EXPECT_FALSE(part_of({}, 0, 1, 4));
}

TEST(Execute, SomethingIsWrongWhereACaseIsNotFine) {
  RunRecord run;
  run.cases.emplace_back();
  CaseRecord& record = run.cases.front();
  EXPECT_FALSE(something_wrong(run));
  record.status = CaseStatus::kSkipped;
  EXPECT_FALSE(something_wrong(run));
  record.status = CaseStatus::kWrong;
  EXPECT_TRUE(something_wrong(run));
  record.status = CaseStatus::kOk;
  Verdict verdict;
  verdict.kind = VerdictKind::kMissing;
  record.verdicts.push_back(verdict);
  EXPECT_FALSE(something_wrong(run));
  record.verdicts[0].kind = VerdictKind::kDisagrees;
  EXPECT_TRUE(something_wrong(run));
}

}  // namespace
}  // namespace lab::run
