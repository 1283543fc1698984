// A small run, made by hand: two strides, a theory row each, a model that agrees once.
#pragma once

#include "harness/core/record.h"

namespace lab::cli {

inline Observation observed(const std::string& metric, SourceOf source, double value) {
  Observation observation;
  observation.metric = metric;
  observation.source = source;
  observation.value = value;
  return observation;
}

/// A load at line 2: lane l reads `bytes` bytes at first + l * step.
inline Access access_at(Space space, int bytes, std::int64_t first, std::int64_t step) {
  Access access;
  access.space = space;
  access.op = AccessOp::kLoad;
  access.line = 2;
  access.bytes_per_lane = bytes;
  for (std::size_t lane = 0; lane < 32; ++lane) {
    access.address[lane] = first + step * static_cast<std::int64_t>(lane);
  }
  return access;
}

inline CaseRecord sample_case(std::int64_t stride, double theory, double model) {
  CaseRecord record;
  record.variant = "stride";
  record.params = Params{{"loads", std::int64_t{4}}, {"stride", stride}};
  record.kernel = "stride";
  record.launch = {{2, 1, 1}, {256, 1, 1}, 0};
  record.correct = true;
  record.arch = "sm_90";
  record.observations = {observed("shared_load_ways", SourceOf::kTheory, theory),
                         observed("shared_load_ways", SourceOf::kModel, model)};
  Verdict verdict;
  verdict.metric = "shared_load_ways";
  verdict.kind = theory == model ? VerdictKind::kAgrees : VerdictKind::kDisagrees;
  verdict.reason = theory == model ? "not measured: no GPU" : "theory and model differ";
  verdict.theory = theory;
  verdict.formula = "gcd(stride, 32)";
  verdict.level = Level::kAsCompiled;
  record.verdicts = {verdict};
  return record;
}

inline RunRecord sample_run() {
  RunRecord run;
  run.id = 7;
  run.uuid = "0b0e7c62-0000-4000-8000-000000000000";
  run.lab = 3;
  run.lab_id = "bank_conflicts";
  run.backend = "model";
  run.arch = "sm_90";
  run.started_at = "2026-11-21T03:54:15Z";
  run.status = RunStatus::kOk;
  run.cases = {sample_case(2, 2, 2), sample_case(4, 4, 3)};
  return run;
}

}  // namespace lab::cli
