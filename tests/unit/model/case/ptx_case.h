// Cases of the model's backend, written in PTX so that no compiler is needed.
#pragma once

#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/model/case/backend.h"
#include "tests/unit/model/run_ptx.h"

namespace lab::model::ptx_case {

/// Hands PTX through, each kernel under its own name.
inline Compiled pass(const CompileRequest& request) {
  Compiled compiled;
  compiled.ptx = request.source.text;
  compiled.lowered = request.kernels;
  return compiled;
}

inline BufferSpec buffer(const std::string& name, std::uint64_t count, Fill::Kind fill,
                         ElementType type = ElementType::kU32) {
  BufferSpec spec{name, type, count, Direction::kInOut};
  spec.fill.kind = fill;
  return spec;
}

/// k(out, in, n) of ptx_run::entry.
struct PtxCase {
  std::string body = {};
  std::string before = {};
  Launch launch = {{1, 1, 1}, {32, 1, 1}, 0};
  std::vector<ArgSpec> args = {buffer("out", 32, Fill::Kind::kPoison),
                               buffer("in", 32, Fill::Kind::kIota), scalar_u32(0)};
  Checks checks = Checks::kAuto;
  std::optional<std::pair<std::uint32_t, std::uint32_t>> warp = {};
  Trace trace = Trace::kNone;
  bool exchange_threads = false;
  double timeout_s = 600;  // ends a test that hangs, and none on a machine that is busy
  bool sample = true;
  int threads = 1;
  std::string kernel = "k";
  std::string name = "k.ptx";
  std::function<bool()> cancelled = [] { return false; };
  std::vector<double>* progress = nullptr;
};

inline CaseOutcome run(const PtxCase& given) {
  BatchRequest batch;
  batch.source = {given.name, ptx_run::entry(given.body, given.before)};
  batch.checks = given.checks;
  batch.warp = given.warp;
  batch.trace = given.trace;
  batch.exchange_threads = given.exchange_threads;
  batch.timeout_s = given.timeout_s;
  batch.sample_above = given.sample ? kSampleAbove : 0;
  batch.threads = given.threads;
  CaseRequest request;
  request.job = Job{given.kernel, given.launch, given.args};
  if (const auto* first = std::get_if<BufferSpec>(&given.args.front())) {
    request.job->dump = {first->name};
  }
  batch.cases.push_back(request);
  CaseOutcome outcome;
  BatchSink sink;
  sink.environment = [](const std::string&, const std::string&) {};
  sink.finished = [&](CaseOutcome done) { outcome = std::move(done); };
  sink.progress = [&](int, double fraction) {
    if (given.progress != nullptr) given.progress->push_back(fraction);
  };
  sink.cancelled = given.cancelled;
  ModelBackend backend(pass);
  backend.run(batch, sink);
  return outcome;
}

inline std::vector<std::uint32_t> dumped(const CaseOutcome& outcome) {
  const auto& bytes = outcome.dumped.begin()->second;
  std::vector<std::uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

inline const Observation& observation(const CaseRecord& record, const std::string& metric) {
  for (const Observation& o : record.observations) {
    if (o.metric == metric) return o;
  }
  throw std::out_of_range(metric);
}
inline double value(const CaseRecord& record, const std::string& metric) {
  return observation(record, metric).number();
}

}  // namespace lab::model::ptx_case
