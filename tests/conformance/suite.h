// One suite over every backend: what a kernel computes and what it costs are the same whether the
// model or a GPU runs it. A test that asks for a GPU where there is none is skipped and says so.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/error.h"
#include "harness/kernel/compile/nvrtc.h"
#include "harness/model/case/backend.h"
#include "tests/conformance/compiler.h"
#include "tests/conformance/gpu_side.h"

namespace lab::conformance {

/// Compiles a source once, with all its kernels, which are extern "C": a name is its own mangled
/// form.
inline Compiled compile_once(const CompileRequest& request) {
  static std::map<std::vector<std::string>, Compiled> done;
  const std::vector<std::string> key = {request.source.name, request.source.text, request.arch};
  if (done.count(key) == 0) {
    CompileRequest all = request;
    all.kernels.clear();
    done[key] = compile::nvrtc_compile(all);
  }
  Compiled compiled = done.at(key);
  compiled.lowered = request.kernels;
  return compiled;
}

class Suite : public ::testing::TestWithParam<const char*> {
 protected:
  /// Kernels of tests/conformance/`file`.
  explicit Suite(std::string file, Needs needs = Needs::kNothing)
      : file_(std::move(file)), needs_(needs) {}

  /// Compiles for this architecture from now on.
  void compile_for(std::string arch) { arch_ = std::move(arch); }

  void SetUp() override {
    if (on_gpu() && !has_gpu()) GTEST_SKIP() << "no GPU";
    if (const std::string why = lacking(needs_); !why.empty()) GTEST_SKIP() << why;
  }
  /// Those of a list that this backend can run: a GPU runs code of its own architecture alone.
  [[nodiscard]] std::vector<std::string> runnable(std::vector<std::string> archs) const {
    if (on_gpu())
      std::erase_if(archs, [](const std::string& a) { return a != BatchRequest().arch; });
    return known_of(std::move(archs));
  }
  [[nodiscard]] bool on_gpu() const { return std::string(GetParam()) == "gpu"; }

  /// Runs a kernel; all buffers come back.
  CaseOutcome run(const std::string& kernel, const Launch& launch, std::vector<ArgSpec> args,
                  AccessLevel level = AccessLevel::kSass) {
    std::ifstream stream("tests/conformance/" + file_);  // tests run in the root
    return run_text({file_, std::string(std::istreambuf_iterator<char>(stream), {})}, kernel,
                    launch, std::move(args), level);
  }

  CaseOutcome run_text(const KernelText& source, const std::string& kernel, const Launch& launch,
                       std::vector<ArgSpec> args, AccessLevel level = AccessLevel::kSass,
                       CaseStatus wanted = CaseStatus::kOk) {
    BatchRequest batch;
    batch.source = source;
    batch.access_level = level;
    batch.metrics = {"global_atomic_sectors",
                     "global_reduction_sectors"};  // beside the default set
    batch.arch = arch_;
    batch.timeout_s = 600;  // ends a test that hangs, and none on a machine that is busy
    CaseRequest request;
    request.job = Job{kernel, launch, std::move(args)};
    for (const auto& [name, buffer] : buffers_of(*request.job)) request.job->dump.push_back(name);
    batch.cases = {request};
    CaseOutcome outcome;
    BatchSink sink;
    sink.environment = [](const std::string&, const std::string&) {};
    sink.progress = [](int, double) {};
    sink.cancelled = [] { return false; };
    sink.finished = [&](CaseOutcome done) { outcome = std::move(done); };
    backend().run(batch, sink);
    EXPECT_EQ(name_of(outcome.record.status), name_of(wanted)) << outcome.record.reason;
    // Tests say which argument they mean.
    std::map<std::string, std::vector<std::byte>> dumped;
    for (std::size_t i = 0; i < request.job->args.size(); ++i) {
      const auto* buffer = std::get_if<BufferSpec>(&request.job->args[i]);
      if (buffer != nullptr && outcome.dumped.contains(buffer->name)) {
        dumped[std::to_string(i)] = std::move(outcome.dumped[buffer->name]);
      }
    }
    outcome.dumped = std::move(dumped);
    return outcome;
  }

  /// The value that this backend has for a metric: the model's count, or a measurement.
  static double value(const CaseOutcome& outcome, const std::string& metric) {
    for (const SourceOf source : {SourceOf::kModel, SourceOf::kSass, SourceOf::kCupti}) {
      for (const Observation& o : outcome.record.observations) {
        if (o.metric == metric && o.source == source && o.has_value()) return o.number();
      }
    }
    ADD_FAILURE() << "no value of " << metric;
    return -1;
  }

  template <typename T>
  static std::vector<T> buffer(const CaseOutcome& outcome, int argument) {
    const auto at = outcome.dumped.find(std::to_string(argument));
    if (at == outcome.dumped.end()) {
      ADD_FAILURE() << "argument " << argument << " did not come back";
      return std::vector<T>(std::size_t{1} << 16U);
    }
    std::vector<T> values(at->second.size() / sizeof(T));
    std::memcpy(values.data(), at->second.data(), values.size() * sizeof(T));
    return values;
  }

 private:
  Backend& backend() {
    if (backend_ == nullptr) {
      if (on_gpu()) {
        backend_ = make_gpu_backend(compile_once);
      } else {
        backend_ = std::make_unique<model::ModelBackend>(compile_once);
      }
    }
    return *backend_;
  }
  std::string file_;
  Needs needs_;
  std::string arch_ = BatchRequest().arch;
  std::unique_ptr<Backend> backend_;
};

inline std::string backend_name(const ::testing::TestParamInfo<const char*>& each) {
  return each.param;
}
inline auto backends() { return ::testing::Values("model", "gpu"); }

inline BufferSpec in(ElementType type, std::uint64_t count) {
  return {"in", type, count, Direction::kIn, {Fill::Kind::kIota}};
}
/// A buffer with these elements, read by the kernel.
template <typename T>
BufferSpec given(ElementType type, const std::vector<T>& values, const std::string& name = "in") {
  BufferSpec spec{name, type, values.size(), Direction::kIn, {Fill::Kind::kBytes}};
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  spec.fill.bytes = std::move(bytes);
  return spec;
}
/// The same of a buffer that the kernel changes.
template <typename T>
BufferSpec changed(ElementType type, const std::vector<T>& values, const std::string& name) {
  BufferSpec spec = given(type, values, name);
  spec.direction = Direction::kInOut;
  return spec;
}
inline BufferSpec out(ElementType type, std::uint64_t count) {
  return {"out", type, count, Direction::kOut};
}
inline BufferSpec zeros(ElementType type, std::uint64_t count, const std::string& name = "sum") {
  return {name, type, count, Direction::kInOut, {Fill::Kind::kZero}};
}
inline Launch line(std::uint32_t blocks, std::uint32_t threads) {
  return {{blocks, 1, 1}, {threads, 1, 1}, 0};
}

inline constexpr auto kF32 = ElementType::kF32;
inline constexpr auto kF64 = ElementType::kF64;
inline constexpr auto kI32 = ElementType::kI32;
inline constexpr auto kU32 = ElementType::kU32;
inline constexpr auto kU64 = ElementType::kU64;

}  // namespace lab::conformance
