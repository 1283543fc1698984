// What a kernel leaves is held against what the lab's reference leaves, in the model as well.
#include <gtest/gtest.h>

#include "harness/core/error.h"
#include "tests/unit/model/case/ptx_case.h"

namespace lab::model {
namespace {

using ptx_case::buffer;

// k(out, in, n) leaves in[t] + 1 in out[t].
constexpr const char* kPlusOne =
    "ld.global.u32 %r1, [%from];\nadd.u32 %r1, %r1, 1;\nst.global.u32 [%mine], %r1;\nret;";
constexpr const char* kPlusTwo =
    "ld.global.u32 %r1, [%from];\nadd.u32 %r1, %r1, 2;\nst.global.u32 [%mine], %r1;\nret;";

BufferSpec directed(const std::string& name, Fill::Kind fill, Direction direction) {
  BufferSpec spec = buffer(name, 32, fill);
  spec.direction = direction;
  return spec;
}

CaseRequest request(int index, const ReferenceCall& call) {
  CaseRequest made;
  made.index = index;
  made.job = Job{"k",
                 {{1, 1, 1}, {32, 1, 1}, 0},
                 {directed("out", Fill::Kind::kPoison, Direction::kOut),
                  directed("in", Fill::Kind::kIota, Direction::kIn), scalar_u32(0)}};
  made.job->expected.reference = call;
  return made;
}

ReferenceCall call(std::string kernel = "k") {
  return {std::move(kernel), {{1, 1, 1}, {32, 1, 1}, 0}, {"out", "in", scalar_u32(0)}};
}

BatchRequest batch_of(const std::string& reference, std::vector<CaseRequest> cases) {
  BatchRequest batch;
  batch.lab = 99;
  batch.source = {"k.ptx", ptx_run::entry(kPlusOne)};
  batch.reference = {"reference.ptx", ptx_run::entry(reference)};
  batch.cases = std::move(cases);
  batch.threads = 1;
  return batch;
}

// As ptx_case::pass, but for a kernel called `gone`.
Compiled compiled(const CompileRequest& request) {
  Compiled made = ptx_case::pass(request);
  for (std::string& name : made.lowered) {
    if (name == "gone") name.clear();
  }
  return made;
}

std::vector<CaseRecord> records_of(const BatchRequest& batch, Compiler compiler = compiled,
                                   std::function<bool()> cancelled = {}) {
  std::vector<CaseRecord> records;
  BatchSink sink;
  sink.finished = [&](CaseOutcome done) { records.push_back(std::move(done.record)); };
  sink.cancelled = std::move(cancelled);
  ModelBackend(std::move(compiler)).run(batch, sink);
  return records;
}

TEST(References, JudgeWhatAKernelLeaves) {
  const CaseRecord right = records_of(batch_of(kPlusOne, {request(0, call())})).at(0);
  EXPECT_EQ(right.status, CaseStatus::kOk) << right.reason;
  EXPECT_EQ(right.correct, true);
  // in[0] is 0: the kernel leaves 1.
  const CaseRecord wrong = records_of(batch_of(kPlusTwo, {request(0, call())})).at(0);
  EXPECT_EQ(wrong.status, CaseStatus::kWrong);
  EXPECT_EQ(wrong.reason, "out[0]: got 1, expected 2 (32 of 32 differ)");
}

TEST(References, AreNotCounted) {
  CaseRequest without = request(1, call());
  without.job->expected.reference.reset();
  const auto records = records_of(batch_of(kPlusOne, {request(0, call()), without}));
  EXPECT_EQ(records.at(1).correct, std::nullopt);
  EXPECT_EQ(records.at(0).observations, records.at(1).observations);
  EXPECT_EQ(records.at(0).lines, records.at(1).lines);
}

// A reference that takes fewer elements than there are leaves the others as they were.
TEST(References, LeaveWhatTheyDoNotWriteAsItWas) {
  ReferenceCall half = call();
  half.launch.block.x = 16;
  EXPECT_EQ(records_of(batch_of(kPlusOne, {request(0, half)})).at(0).reason,
            "out[16]: got 17, expected 2779096485 (16 of 32 differ)");  // 0xa5a5a5a5
}

struct Fails {
  const char* body;
  ReferenceCall call;
  const char* reason;
};

TEST(References, ThatFailAreErrorsOfTheirCasesAlone) {
  ReferenceCall few = call();
  few.args.pop_back();
  ReferenceCall misspelt = call();
  misspelt.args[1] = "im";
  const Fails all[] = {
      {"st.global.u32 [%mine+4], %t;\nret;", call(),
       "the lab's reference k fails: reference.ptx:21: writes out[32]: out has 32 elements"},
      {"st.global.u32 [%from], %t;\nret;", call(),
       "the lab's reference k fails: reference.ptx:21: out-of-bounds write of 4 bytes in global "
       "memory at 0x1000100100: 'in' (128 bytes) is read-only"},
      {kPlusOne, call("gone"),
       "the lab's reference gone fails: reference.ptx defines no kernel 'gone'"},
      {kPlusOne, few,
       "the lab's reference k fails: the kernel takes 3 parameters, 2 arguments are given; give "
       "one argument for each parameter, in their order"},
      {kPlusOne, misspelt,
       "the lab's reference k fails: the variant has no buffer 'im'; did you mean 'in'?"},
  };
  for (const Fails& one : all) {
    CaseRequest other = request(1, call());
    other.job->expected.reference.reset();
    const auto records = records_of(batch_of(one.body, {request(0, one.call), other}));
    EXPECT_EQ(records.at(0).status, CaseStatus::kError);
    EXPECT_EQ(records.at(0).reason, one.reason);
    EXPECT_EQ(records.at(0).correct, std::nullopt);
    EXPECT_EQ(records.at(1).status, CaseStatus::kOk);
  }
}

TEST(References, ThatAreNotThereAreErrorsOfTheirCases) {
  BatchRequest batch = batch_of(kPlusOne, {request(0, call()), request(1, call())});
  batch.reference = {};
  for (const CaseRecord& record : records_of(batch)) {
    EXPECT_EQ(record.reason, "the lab's reference k fails: there is no reference.cu");
  }
  // The compiler is asked once.
  batch.reference = {"reference.ptx", "?"};
  int asked = 0;
  const auto refusing = [&](const CompileRequest& request) {
    if (request.source.text != "?") return compiled(request);
    ++asked;
    throw input_error("expected a declaration", {}, Place{"reference.cu", 7, 1, "?"});
  };
  for (const CaseRecord& record : records_of(batch, refusing)) {
    EXPECT_EQ(record.status, CaseStatus::kError);
    EXPECT_EQ(record.reason, "the lab's reference k fails: reference.cu:7: expected a declaration");
  }
  EXPECT_EQ(asked, 1);
}

// 2^32 rounds.
constexpr const char* kForever =
    "mov.u32 %r1, 0;\nL: add.u32 %r1, %r1, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra L;\nret;";

TEST(References, HaveTheirCasesTime) {
  BatchRequest batch = batch_of(kForever, {request(0, call())});
  batch.timeout_s = 0.3;
  const CaseRecord record = records_of(batch).at(0);
  EXPECT_EQ(record.status, CaseStatus::kError);
  EXPECT_EQ(record.reason, "the lab's reference k fails: it did not end in time");
}

TEST(References, EndWhenTheUserStops) {
  bool stopped = false;
  const auto stopping = [&](const CompileRequest& request) {
    if (request.source.name == "reference.ptx") stopped = true;
    return compiled(request);
  };
  const CaseRecord record =
      records_of(batch_of(kForever, {request(0, call())}), stopping, [&] { return stopped; }).at(0);
  EXPECT_EQ(record.status, CaseStatus::kInterrupted);
}

}  // namespace
}  // namespace lab::model
