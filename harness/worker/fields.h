// The fields of every record that travels, named once for writing and reading alike.
#pragma once

#include <concepts>
#include <type_traits>

#include "harness/worker/messages.h"

namespace lab::worker {

/// T or const T.
template <typename T, typename Record>
concept Of = std::same_as<std::remove_const_t<T>, Record>;

// fields(visit, record) calls visit(name, member) for each member; visit.bytes(name, member) for
// those that travel beside the JSON.

template <typename V, Of<Dim3> T>
void fields(V& visit, T& r) {
  visit("x", r.x);
  visit("y", r.y);
  visit("z", r.z);
}

template <typename V, Of<Launch> T>
void fields(V& visit, T& r) {
  visit("grid", r.grid);
  visit("block", r.block);
  visit("dynamic_shared_bytes", r.dynamic_shared_bytes);
}

template <typename V, Of<Fill> T>
void fields(V& visit, T& r) {
  visit("kind", r.kind);
  visit("seed", r.seed);
  visit.bytes("bytes", r.bytes);
}

template <typename V, Of<BufferSpec> T>
void fields(V& visit, T& r) {
  visit("name", r.name);
  visit("type", r.type);
  visit("count", r.count);
  visit("direction", r.direction);
  visit("fill", r.fill);
}

template <typename V, Of<ScalarSpec> T>
void fields(V& visit, T& r) {
  visit("type", r.type);
  visit("bits", r.bits);
}

template <typename V, Of<KernelText> T>
void fields(V& visit, T& r) {
  visit("name", r.name);
  visit.bytes("text", r.text);
}

template <typename V, Of<ProbeSpec> T>
void fields(V& visit, T& r) {
  visit("kernel", r.kernel);
  visit("launch", r.launch);
  visit("args", r.args);
  visit("dump", r.dump);
}

template <typename V, Of<CaseRequest> T>
void fields(V& visit, T& r) {
  visit("index", r.index);
  visit("variant", r.variant);
  visit("params", r.params);
  visit("probe", r.probe);
}

template <typename V, Of<BatchRequest> T>
void fields(V& visit, T& r) {
  visit("lab", r.lab);
  visit("source", r.source);
  visit("cases", r.cases);
  visit("arch", r.arch);
  visit("metrics", r.metrics);
  visit("seed", r.seed);
  visit("threads", r.threads);
  visit("checks", r.checks);
  visit("sample", r.sample);
  visit("timeout_s", r.timeout_s);
  visit("warp", r.warp);
  visit("options", r.options);
}

template <typename V, Of<Finding> T>
void fields(V& visit, T& r) {
  visit("kind", r.kind);
  visit("message", r.message);
  visit("kernel", r.kernel);
  visit("file", r.file);
  visit("line", r.line);
  visit("source", r.source);
  visit("block", r.block);
  visit("thread", r.thread);
  visit("address", r.address);
  visit("count", r.count);
}

template <typename V, Of<Missing> T>
void fields(V& visit, T& r) {
  visit("reason", r.reason);
  visit("detail", r.detail);
}

template <typename V, Of<Observation> T>
void fields(V& visit, T& r) {
  visit("metric", r.metric);
  visit("source", r.source);
  visit("value", r.value);
  visit("min", r.min);
  visit("max", r.max);
  visit("samples", r.samples);
  visit("pass", r.pass);
}

template <typename V, Of<Verdict> T>
void fields(V& visit, T& r) {
  visit("metric", r.metric);
  visit("kind", r.kind);
  visit("reason", r.reason);
  visit("theory", r.theory);
  visit("theory_high", r.theory_high);
  visit("formula", r.formula);
  visit("level", r.level);
  visit("target", r.target);
  visit("excess", r.excess);
}

template <typename V, Of<Timing> T>
void fields(V& visit, T& r) {
  visit("median_ns", r.median_ns);
  visit("min_ns", r.min_ns);
  visit("max_ns", r.max_ns);
  visit("samples_ns", r.samples_ns);
  visit("method", r.method);
}

template <typename V, Of<Access> T>
void fields(V& visit, T& r) {
  visit("sequence", r.sequence);
  visit("line", r.line);
  visit("text", r.text);
  visit("space", r.space);
  visit("op", r.op);
  visit("bytes_per_lane", r.bytes_per_lane);
  visit("address", r.address);
  visit("buffer", r.buffer);
  visit("sectors", r.sectors);
  visit("wavefronts", r.wavefronts);
  visit("conflicts", r.conflicts);
}

template <typename V, Of<LineObservation> T>
void fields(V& visit, T& r) {
  visit("file", r.file);
  visit("line", r.line);
  visit("metric", r.metric);
  visit("source", r.source);
  visit("value", r.value);
}

template <typename V, Of<CaseRecord> T>
void fields(V& visit, T& r) {
  visit("index", r.index);
  visit("variant", r.variant);
  visit("params", r.params);
  visit("kernel", r.kernel);
  visit("launch", r.launch);
  visit("status", r.status);
  visit("correct", r.correct);
  visit("reason", r.reason);
  visit("arch", r.arch);
  visit("facts", r.facts);
  visit("findings", r.findings);
  visit("observations", r.observations);
  visit("verdicts", r.verdicts);
  visit("timing", r.timing);
  visit("accesses", r.accesses);
  visit("lines", r.lines);
}

template <typename V, Of<CaseOutcome> T>
void fields(V& visit, T& r) {
  visit("record", r.record);
  visit("dumped", r.dumped);
}

template <typename V, Of<CompileRequest> T>
void fields(V& visit, T& r) {
  visit("source", r.source);
  visit("kernels", r.kernels);
  visit("arch", r.arch);
  visit("options", r.options);
  visit("partial", r.partial);
}

template <typename V, Of<Compiled> T>
void fields(V& visit, T& r) {
  visit.bytes("ptx", r.ptx);
  visit.bytes("cubin", r.cubin);
  visit("log", r.log);
  visit("lowered", r.lowered);
  visit("seconds", r.seconds);
  visit("from_cache", r.from_cache);
}

template <typename V, Of<Place> T>
void fields(V& visit, T& r) {
  visit("file", r.file);
  visit("line", r.line);
  visit("column", r.column);
  visit("text", r.text);
}

template <typename V, Of<AskHello> T>
void fields(V& visit, T& r) {
  visit("protocol", r.protocol);
}

template <typename V, Of<AskEnvironment> T>
void fields(V& visit, T& r) {
  visit("gpu", r.gpu);
  visit("counters", r.counters);
}

template <typename V, Of<AskChipMetrics> T>
void fields(V& visit, T& r) {
  visit("chip", r.chip);
  visit("metrics", r.metrics);
  visit("list", r.list);
}

template <typename V, Of<AskCompile> T>
void fields(V& visit, T& r) {
  visit("request", r.request);
}

template <typename V, Of<AskBatch> T>
void fields(V& visit, T& r) {
  visit("backend", r.backend);
  visit("batch", r.batch);
}

template <typename V, Of<AskCalibrate> T>
void fields(V& /*visit*/, T& /*r*/) {}

template <typename V, Of<Ceiling> T>
void fields(V& visit, T& r) {
  visit("name", r.name);
  visit("value", r.value);
  visit("unit", r.unit);
  visit("method", r.method);
}

template <typename V, Of<Calibrated> T>
void fields(V& visit, T& r) {
  visit("ceilings", r.ceilings);
}

template <typename V, Of<Hello> T>
void fields(V& visit, T& r) {
  visit("protocol", r.protocol);
  visit("pid", r.pid);
}

template <typename V, Of<Environment> T>
void fields(V& visit, T& r) {
  visit("values", r.values);
}

template <typename V, Of<ChipMetric> T>
void fields(V& visit, T& r) {
  visit("name", r.name);
  visit("description", r.description);
  visit("unit", r.unit);
  visit("counter", r.counter);
}

template <typename V, Of<ChipMetrics> T>
void fields(V& visit, T& r) {
  visit("chip", r.chip);
  visit("chips", r.chips);
  visit("lacking", r.lacking);
  visit("passes", r.passes);
  visit("list", r.list);
}

template <typename V, Of<CompileDone> T>
void fields(V& visit, T& r) {
  visit("compiled", r.compiled);
}

template <typename V, Of<EnvironmentItem> T>
void fields(V& visit, T& r) {
  visit("key", r.key);
  visit("value", r.value);
}

template <typename V, Of<Finished> T>
void fields(V& visit, T& r) {
  visit("outcome", r.outcome);
}

template <typename V, Of<Progress> T>
void fields(V& visit, T& r) {
  visit("index", r.index);
  visit("fraction", r.fraction);
}

template <typename V, Of<Done> T>
void fields(V& /*visit*/, T& /*r*/) {}

template <typename V, Of<Spent> T>
void fields(V& /*visit*/, T& /*r*/) {}

template <typename V, Of<Failed> T>
void fields(V& visit, T& r) {
  visit("fault", r.fault);
  visit("message", r.message);
  visit("hint", r.hint);
  visit("place", r.place);
}

}  // namespace lab::worker
