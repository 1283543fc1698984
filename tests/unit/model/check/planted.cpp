#include "tests/unit/model/check/planted.h"

#include "harness/core/text.h"
#include "harness/kernel/compile/nvrtc.h"
#include "harness/model/case/backend.h"

namespace lab::model::planted {

const std::string kReverse = R"(
extern "C" __global__ void k(float* out, const float* in) {
  __shared__ float tile[64];
  int i = threadIdx.x;
  tile[i] = in[i];
  __syncthreads();
  out[i] = tile[63 - i];
}
)";

BufferSpec out_f32(std::uint64_t count) {
  return {"out", ElementType::kF32, count, Direction::kOut};
}

BufferSpec in_f32(std::uint64_t count) {
  return {"in", ElementType::kF32, count, Direction::kIn, {Fill::Kind::kIota}};
}

BufferSpec out_i32(std::uint64_t count) {
  return {"out", ElementType::kI32, count, Direction::kOut};
}

BufferSpec zeroed_i32(const std::string& name, std::uint64_t count) {
  return {name, ElementType::kI32, count, Direction::kInOut, {Fill::Kind::kZero}};
}

CaseRecord run(const std::string& source, const Given& given) {
  BatchRequest batch;
  batch.source = {"planted.cu", source};
  batch.checks = given.checks;
  batch.threads = given.threads;
  batch.timeout_s = 600;  // ends a test that hangs, and none on a machine that is busy
  CaseRequest request;
  request.job = Job{given.kernel, given.launch, given.args};
  batch.cases.push_back(request);
  CaseRecord record;
  BatchSink sink;
  sink.environment = [](const std::string&, const std::string&) {};
  sink.finished = [&](CaseOutcome outcome) { record = std::move(outcome.record); };
  sink.progress = [](int, double) {};
  sink.cancelled = [] { return false; };
  ModelBackend backend([](const CompileRequest& r) { return compile::nvrtc_compile(r); });
  backend.run(batch, sink);
  return record;
}

namespace {

Lines lines_of(const std::vector<Finding>& findings) {
  Lines lines;
  for (const Finding& f : findings) {
    lines.push_back(std::string(name_of(f.kind)) + ": " + f.source);
  }
  return lines;
}

}  // namespace

Lines summary(const CaseRecord& record) { return lines_of(record.findings); }

Lines remarks(const CaseRecord& record) { return lines_of(record.remarks); }

void expect_clean(const std::string& source, const Given& given) {
  const CaseRecord record = run(source, given);
  EXPECT_EQ(record.status, CaseStatus::kOk) << record.reason;
  EXPECT_EQ(summary(record), Lines{});
  EXPECT_EQ(record.notes.checkers, Looked::kFull);
}

std::string with(std::string text, const std::string& what, const std::string& by) {
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

}  // namespace lab::model::planted
