// Tests that need a GPU. Without one each is skipped with what was looked for.
#include <gtest/gtest.h>
#include <spdlog/cfg/env.h>

#include <csignal>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <string>

#include "harness/box/worker/client.h"
#include "harness/core/error.h"
#include "harness/core/resolve.h"
#include "harness/gpu/batch/backend.h"
#include "harness/gpu/driver/library.h"
#include "harness/gpu/launches/launches.h"
#include "harness/gpu/measure/calibrate.h"
#include "harness/gpu/measure/kernels.h"
#include "harness/gpu/measure/machine.h"
#include "harness/gpu/measure/timing.h"
#include "harness/kernel/compile/nvrtc.h"
#include "harness/labs/registry.h"
#include "harness/programs/wire/wire.h"
#include "harness/run/plan.h"
#include "metrics/compare.h"
#include "metrics/stalls.h"
#include "metrics/values.h"
#include "tests/support/lab_batch.h"

namespace lab::gpu {
namespace {

// The variants geam of lab 4 and gemm of lab 7 name these.
TEST(Library, KnowsItsRoutinesByName) {
  EXPECT_TRUE(Library::knows("cublas_sgeam"));
  EXPECT_TRUE(Library::knows("cublas_sgemm"));
  EXPECT_FALSE(Library::knows("cublas_dgemm"));
}

Compiler compiler() {
  return [](const CompileRequest& request) { return compile::nvrtc_compile(request); };
}

class Gpu : public ::testing::Test {
 protected:
  // SPDLOG_LEVEL=trace shows every call.
  static void SetUpTestSuite() { spdlog::cfg::load_env_levels(); }
  void SetUp() override {
    try {
      (void)Driver::load();
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
  }
};

struct Results {
  std::map<std::string, std::string> environment;
  std::map<int, CaseOutcome> cases;
};

Results run(const BatchRequest& batch, Backend& backend) {
  Results results;
  BatchSink sink;
  sink.environment = [&](const std::string& key, const std::string& value) {
    results.environment[key] = value;
  };
  sink.finished = [&](CaseOutcome outcome) {
    const int index = outcome.record.index;
    EXPECT_EQ(results.cases.count(index), 0U) << "case " << index << " finished twice";
    results.cases[index] = std::move(outcome);
  };
  sink.progress = [](int, double) {};
  sink.cancelled = [] { return false; };
  backend.run(batch, sink);
  return results;
}

Results run(const BatchRequest& batch) {
  GpuBackend backend(compiler());
  return run(batch, backend);
}

// In a process of its own, which a fault takes down.
Results run_in_worker(const BatchRequest& batch) {
  worker::ClientSettings settings;
  settings.backend = BackendKind::kGpu;
  worker::Client client(settings);
  return run(batch, client);
}

BatchRequest gpu_batch_of_lab(const Lab& lab) {
  BatchRequest batch = batch_of_lab(lab);
  run::Selection selection;
  selection.for_gpu = true;
  batch.cases = run::plan_cases(lab, selection);
  EXPECT_TRUE(resolve(&lab, batch).empty());
  return batch;
}

BufferSpec floats(const std::string& name, std::uint64_t count, Direction direction) {
  BufferSpec spec;
  spec.name = name;
  spec.count = count;
  spec.direction = direction;
  spec.fill.kind = direction == Direction::kOut ? Fill::Kind::kPoison : Fill::Kind::kIota;
  return spec;
}

CaseRequest probe(int index, const std::string& kernel, Launch launch, std::vector<ArgSpec> args) {
  CaseRequest request;
  request.index = index;
  request.job = Job{kernel, launch, std::move(args), {}};
  return request;
}

double value_of(const CaseRecord& record, const char* key, SourceOf source = SourceOf::kCupti) {
  const auto value = metrics::value_of(record, key, source);
  EXPECT_TRUE(value) << key << " has no value";
  return value.value_or(-1);
}

// Copies n floats: each warp asks for 32 x 4 = 128 bytes, 4 sectors, once in and once out.
constexpr const char* kCopy = R"(
extern "C" __global__ void copy(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}
extern "C" __global__ void wild(const float* in, float* out, int n) {
  out[1ll << 40] = in[0];
}
extern "C" __global__ void endless(const float* in, volatile float* out, int n) {
  out[0] = 0;
  while (out[0] != 12345) {
  }
}
extern "C" __global__ void scribble(float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { out[i] = in[i]; in[i] = -1; }
}
extern "C" __global__ void erase(float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { out[i] = 0; in[i] = 0; }
}
extern "C" __global__ void erase_output(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 0;
}
)";

constexpr std::uint64_t kCount = 1 << 24;  // 64 MiB a buffer: more than L2 holds

CaseRequest copy_case(int index, const char* kernel = "copy", std::uint64_t count = kCount) {
  const Launch launch{{static_cast<std::uint32_t>(count / 256)}, {256}};
  return probe(index, kernel, launch,
               {floats("in", count, Direction::kIn), floats("out", count, Direction::kOut),
                scalar_i32(static_cast<std::int64_t>(count))});
}

BatchRequest copy_batch(std::vector<CaseRequest> cases) {
  BatchRequest batch;
  batch.source = {"copy.cu", kCopy};
  batch.cases = std::move(cases);
  return batch;
}

TEST_F(Gpu, TheDelaySeesThePlausibleClockOfAnSm) {
  const Machine machine = open_machine(compiler());
  Rig rig(machine.driver, machine.device, machine.facts, machine.tools);
  rig.flush();
  rig.delay(100000);
  const double clock = rig.clock_mhz();
  EXPECT_GT(clock, 100);
  EXPECT_LT(clock, 4000);
}

TEST_F(Gpu, CountsOfACopyAreWhatItsAddressesSay) {
  const Results results = run(copy_batch({copy_case(0), copy_case(1)}));
  for (const auto& [index, outcome] : results.cases) {
    const CaseRecord& record = outcome.record;
    EXPECT_EQ(record.status, CaseStatus::kOk) << record.reason;
    // 2^24 / 32 = 524288 warps; 4 sectors each.
    EXPECT_EQ(value_of(record, "global_load_requests"), 524288);
    EXPECT_EQ(value_of(record, "global_load_requests", SourceOf::kSass), 524288);
    EXPECT_EQ(value_of(record, "global_store_requests"), 524288);
    EXPECT_EQ(value_of(record, "global_load_sectors"), 2097152);
    EXPECT_EQ(value_of(record, "global_store_sectors"), 2097152);
    // A cold L2: the input once, within a hundredth.
    EXPECT_NEAR(value_of(record, "dram_read_bytes"), 67108864, 671088);
    ASSERT_TRUE(record.timing);
    EXPECT_GT(record.timing->median_ns, 1000);
    EXPECT_NEAR(value_of(record, "duration_ns"), record.timing->median_ns,
                0.5 * record.timing->median_ns);
  }
}

TEST_F(Gpu, AProgramsLaunchIsCountedOnItsOwnMemory) {
  constexpr const char* kKernel = R"(
__device__ int launches = 40;
extern "C" __global__ void next(int** table, int* data, int* counter) {
  table[1][threadIdx.x + blockIdx.x * 32] += data[threadIdx.x + blockIdx.x * 32];
  if (threadIdx.x + blockIdx.x == 0) { launches += 1; *counter += 1; }
}
)";
  ProgramRequest request;
  ProgramUnit& unit = request.units.emplace_back();
  const Machine machine = open_machine(compiler());
  unit.compiled = compiler()({{"program.cu", kKernel}, {"next"}, machine.facts.arch()});
  std::vector<std::byte> arena(std::size_t{4} << 20U);
  const std::uint64_t base = program::kArenaBase;
  // A table of pointers, which lead into the memory that the program knows; numbers; sums.
  const std::uint64_t pointers[] = {0, base + 3145728};
  std::memcpy(arena.data() + 256, pointers, sizeof pointers);
  auto* const data = reinterpret_cast<int*>(arena.data() + 1048576);
  auto* const sums = reinterpret_cast<int*>(arena.data() + 3145728);
  for (int i = 0; i < 1024; ++i) data[i] = i, sums[i] = 1000;
  GpuLaunch launch;
  launch.name = launch.compiled = "next";
  launch.launch = {{32}, {32}};
  launch.memory = {{base + 256, 16}, {base + 1048576, 4096}, {base + 3145728, 4096}};
  launch.variables = {{"launches", std::vector<std::byte>(4), 0x1000000100, false}};
  launch.variables[0].bytes[0] = std::byte{40};
  const std::uint64_t arguments[] = {base + 256, base + 1048576, 0x1000000100};
  launch.arguments.resize(sizeof arguments);
  std::memcpy(launch.arguments.data(), arguments, sizeof arguments);
  launch.offsets = {0, 8, 16};
  ProgramLaunches launches(machine, request, {arena.data(), -1});
  const GpuLaunched done = launches.run(launch);
  ASSERT_EQ(done.error, 0) << done.record.reason;
  // 32 warps load a pointer of one sector, and 128 bytes twice; each stores 128 bytes. One more
  // lane adds to two words, which are one.
  EXPECT_EQ(value_of(done.record, "global_load_requests", SourceOf::kSass), 32 * 3 + 2);
  EXPECT_EQ(value_of(done.record, "global_store_sectors"), 32 * 4 + 2);
  ASSERT_TRUE(done.record.timing.has_value());
  for (int i = 0; i < 1024; ++i) ASSERT_EQ(sums[i], 1000 + i);
  // Both ways lead to one variable: 40 and 1 twice.
  ASSERT_EQ(done.variables.size(), 1U);
  EXPECT_EQ(done.variables[0].bytes[0], std::byte{42});
  // What comes next goes on from there, once.
  launch.variables = done.variables;
  launch.measured = false;
  EXPECT_EQ(launches.run(launch).variables.at(0).bytes[0], std::byte{44});
  EXPECT_EQ(sums[1023], 1000 + 2 * 1023);
}

TEST_F(Gpu, AFaultIsRecordedAndTheOtherCasesAreMeasured) {
  const Results results =
      run_in_worker(copy_batch({copy_case(0), copy_case(1, "wild"), copy_case(2)}));
  ASSERT_EQ(results.cases.size(), 3U);
  const CaseRecord& wild = results.cases.at(1).record;
  EXPECT_EQ(wild.status, CaseStatus::kError);
  EXPECT_NE(wild.reason.find("CUDA_ERROR_ILLEGAL_ADDRESS"), std::string::npos) << wild.reason;
  for (const int index : {0, 2}) {
    const CaseRecord& record = results.cases.at(index).record;
    EXPECT_EQ(record.status, CaseStatus::kOk) << record.reason;
    EXPECT_EQ(value_of(record, "global_load_sectors"), 2097152);
  }
}

TEST_F(Gpu, AnEndlessKernelIsEndedAtItsTimeLimit) {
  BatchRequest batch = copy_batch({copy_case(0), copy_case(1, "endless"), copy_case(2)});
  batch.timeout_s = 5;
  const Results results = run_in_worker(batch);
  EXPECT_EQ(results.cases.at(1).record.status, CaseStatus::kTimeout);
  EXPECT_EQ(results.cases.at(1).record.reason, "not finished after 5 s");
  EXPECT_EQ(results.cases.at(0).record.status, CaseStatus::kOk);
  EXPECT_EQ(results.cases.at(2).record.status, CaseStatus::kOk);
}

TEST_F(Gpu, AKilledWorkerCostsTheCaseThatItRan) {
  worker::ClientSettings settings;
  settings.backend = BackendKind::kGpu;
  worker::Client client(settings);
  std::map<int, CaseRecord> records;
  BatchSink sink;
  sink.environment = [](const std::string&, const std::string&) {};
  sink.finished = [&](CaseOutcome outcome) {
    records[outcome.record.index] = std::move(outcome.record);
  };
  bool killed = false;
  sink.progress = [&](int index, double) {
    if (index != 1 || killed) return;
    killed = true;
    ::kill(client.pid(), SIGKILL);
  };
  sink.cancelled = [] { return false; };
  client.run(copy_batch({copy_case(0), copy_case(1), copy_case(2)}), sink);
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records.at(1).status, CaseStatus::kError);
  EXPECT_EQ(records.at(1).reason.rfind("the worker that ran this case was killed by signal 9", 0),
            0U)
      << records.at(1).reason;
  for (const int index : {0, 2}) {
    EXPECT_EQ(records.at(index).status, CaseStatus::kOk) << records.at(index).reason;
    EXPECT_EQ(value_of(records.at(index), "global_load_sectors"), 2097152);
  }
}

double sum_of_line(const CaseRecord& record, const char* metric, int number) {
  double sum = 0;
  for (const LineObservation& line : record.lines) {
    if (line.metric == metric && line.line == number) sum += line.value;
  }
  return sum;
}

TEST_F(Gpu, LinesOfTheSourceHaveTheCountsOfTheirInstructions) {
  // The same kernel three times: each case has the counts of its own launch.
  BatchRequest batch = copy_batch({copy_case(0), copy_case(1, "copy", kCount / 2), copy_case(2)});
  batch.gpu.lines = true;
  const Results results = run_in_worker(batch);
  ASSERT_EQ(results.cases.size(), 3U);
  // Line 4 of kCopy is `if (i < n) out[i] = in[i];`: 2^24 floats are 2097152 sectors in and as
  // many out, half of them for half the floats. All lanes are there, so no sector is touched in
  // vain.
  const std::map<int, double> sectors = {{0, 4194304}, {1, 2097152}, {2, 4194304}};
  for (const auto& [index, expected] : sectors) {
    const CaseRecord& record = results.cases.at(index).record;
    EXPECT_EQ(sum_of_line(record, "global_sectors", 4), expected) << "case " << index;
    EXPECT_EQ(sum_of_line(record, "global_sectors_ideal", 4), expected) << "case " << index;
    // Each warp runs line 4 at least twice, for the load and for the store.
    EXPECT_GE(sum_of_line(record, "instructions", 4), expected / 4) << "case " << index;
  }
}

TEST_F(Gpu, StallsStandAtTheLineAtWhichWarpsWait) {
  // Two cases in one process, each with its own samples; counters are left alone.
  BatchRequest batch = copy_batch({copy_case(0), copy_case(1)});
  batch.gpu.stalls = true;
  const Results results = run_in_worker(batch);
  ASSERT_EQ(results.cases.size(), 2U);
  for (const auto& [index, outcome] : results.cases) {
    const CaseRecord& record = outcome.record;
    const std::string& fact = record.notes.stalls;
    if (fact.rfind("not sampled: ", 0) == 0) GTEST_SKIP() << fact;
    const auto lines = metrics::stalls_by_line(record.lines);
    ASSERT_FALSE(lines.empty()) << "case " << index << ": " << fact;
    // Line 4 of kCopy loads and stores: warps wait for DRAM.
    EXPECT_EQ(lines.front().file, "copy.cu");
    EXPECT_EQ(lines.front().line, 4);
    EXPECT_GT(lines.front().waiting, 100);
    EXPECT_EQ(lines.front().reasons.front().first, "long_scoreboard") << fact;
    EXPECT_EQ(std::get<Missing>(
                  metrics::find_observation(record, "global_load_sectors", SourceOf::kCupti)->value)
                  .reason,
              NoValue::kTurnedOff);
  }
}

TEST_F(Gpu, WhatTheGpuCannotLaunchIsRefusedWithTheLimit) {
  CaseRequest threads = copy_case(0);
  threads.job->launch.block.x = 2048;
  CaseRequest memory = copy_case(1, "copy", std::uint64_t{1} << 44);
  memory.job->launch.grid.x = 1;
  const Results results = run(copy_batch({threads, memory, copy_case(2)}));
  EXPECT_EQ(results.cases.at(0).record.reason, "2048 threads per block; this GPU allows 1024");
  EXPECT_EQ(results.cases.at(1).record.status, CaseStatus::kError);
  EXPECT_NE(results.cases.at(1).record.reason.find("CUDA_ERROR_OUT_OF_MEMORY"), std::string::npos)
      << results.cases.at(1).record.reason;
  EXPECT_EQ(results.cases.at(2).record.status, CaseStatus::kOk);
}

TEST_F(Gpu, AKernelThatWritesItsInputDoesNotSpoilOthers) {
  CaseRequest scribble = copy_case(0, "scribble");
  CaseRequest copy = copy_case(1);
  const std::string output = std::get<BufferSpec>(copy.job->args.at(1)).name;
  copy.job->dump = {output};
  const Results results = run(copy_batch({scribble, copy}));
  const auto& bytes = results.cases.at(1).dumped.at(output);
  ASSERT_EQ(bytes.size(), kCount * sizeof(float));
  float last = 0;
  std::memcpy(&last, bytes.data() + bytes.size() - sizeof last, sizeof last);
  EXPECT_EQ(last, static_cast<float>(kCount - 1));
}

CaseRequest judged_case(int index, const char* kernel, const char* reference,
                        std::uint64_t count = 1 << 16) {
  CaseRequest request = copy_case(index, kernel, count);
  request.job->expected.reference = ReferenceCall{
      reference, request.job->launch, {"in", "out", scalar_i32(static_cast<std::int64_t>(count))}};
  return request;
}

BatchRequest judged_batch(std::vector<CaseRequest> cases) {
  BatchRequest batch = copy_batch(std::move(cases));
  batch.reference = {"reference.cu", kCopy};
  batch.gpu.counters = false;
  return batch;
}

TEST_F(Gpu, AReferenceJudgesWhatAKernelLeaves) {
  const Results results =
      run(judged_batch({judged_case(0, "copy", "copy"), judged_case(1, "copy", "erase_output"),
                        judged_case(2, "copy", "copy")}));
  EXPECT_EQ(results.cases.at(0).record.correct, true);
  // in[0] is 0, and so is what the reference leaves there.
  EXPECT_EQ(results.cases.at(1).record.status, CaseStatus::kWrong);
  EXPECT_EQ(results.cases.at(1).record.reason, "out[1]: got 1, expected 0 (65535 of 65536 differ)");
  EXPECT_EQ(results.cases.at(2).record.correct, true);
  EXPECT_TRUE(results.cases.at(2).record.timing);
}

// 2^25 floats are 128 MiB, more than is read back to be compared: the reference has run before.
TEST_F(Gpu, AKernelThatSpoilsItsInputSpoilsNotItsReference) {
  const CaseRecord record =
      run(judged_batch({judged_case(0, "erase", "copy", 1 << 25)})).cases.at(0).record;
  EXPECT_EQ(record.status, CaseStatus::kWrong);
  EXPECT_EQ(record.reason.rfind("out[1]: got 0, expected 1", 0), 0U) << record.reason;
}

TEST_F(Gpu, AReferenceThatFailsIsTheLabsFault) {
  const Results results = run_in_worker(
      judged_batch({judged_case(0, "copy", "gone"), judged_case(1, "copy", "scribble"),
                    judged_case(2, "copy", "wild"), judged_case(3, "copy", "copy")}));
  const auto reason = [&](int index) { return results.cases.at(index).record.reason; };
  for (const int index : {0, 1, 2}) {
    EXPECT_EQ(results.cases.at(index).record.status, CaseStatus::kError) << reason(index);
  }
  EXPECT_EQ(reason(0), "the lab's reference gone fails: reference.cu defines no kernel 'gone'");
  EXPECT_EQ(reason(1), "the lab's reference scribble fails: it writes to 'in', which is an input");
  EXPECT_EQ(reason(2).rfind("the lab's reference wild fails: ", 0), 0U) << reason(2);
  EXPECT_NE(reason(2).find("CUDA_ERROR_ILLEGAL_ADDRESS"), std::string::npos) << reason(2);
  EXPECT_EQ(results.cases.at(3).record.correct, true);
}

TEST_F(Gpu, AReferencesArgumentsAreItsParameters) {
  CaseRequest few = judged_case(0, "copy", "copy");
  few.job->expected.reference->args.pop_back();
  const CaseRecord record = run(judged_batch({few})).cases.at(0).record;
  EXPECT_EQ(record.reason,
            "the lab's reference copy fails: the kernel takes 3 parameters, 2 arguments are given");
}

TEST_F(Gpu, WithoutCountersTimesStandAndTheReasonIsKept) {
  BatchRequest batch = copy_batch({copy_case(0)});
  batch.gpu.counters = false;
  const Results results = run(batch);
  const CaseRecord& record = results.cases.at(0).record;
  EXPECT_TRUE(record.timing);
  const auto* found = metrics::find_observation(record, "global_load_sectors", SourceOf::kCupti);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(std::get<Missing>(found->value),
            (Missing{NoValue::kTurnedOff, "counters are turned off: --no-counters"}));
}

// Each element says how often the kernel ran, which does nothing else.
constexpr const char* kCountLaunches = R"(
extern "C" __global__ void count(int* a) { a[blockIdx.x * blockDim.x + threadIdx.x] += 1; }
)";

TEST_F(Gpu, ASampleOfManyLaunchesRunsThemAllOnTheSameArrays) {
  const Machine machine = open_machine(compiler());
  Rig rig(machine.driver, machine.device, machine.facts, machine.tools);
  Job job;
  job.kernel = "count";
  job.launch = {{4}, {64}};
  BufferSpec counts;
  counts.name = "a";
  counts.type = ElementType::kI32;
  counts.count = 256;
  counts.direction = Direction::kInOut;
  counts.fill.kind = Fill::Kind::kZero;
  job.args = {counts};
  const CompiledBatch compiled =
      compile_batch(compiler(), {"count.cu", kCountLaunches}, {job}, machine.facts.arch());
  const LoadedBatch loaded(machine.driver, compiled);
  Function function = loaded.function(compiled.places[0]);
  CUstream stream = rig.context().stream();
  const auto launch = [&](std::span<void* const> arguments) {
    function.launch(job.launch, arguments, stream);
  };
  PreparedCase prepared(rig, job, {launch, [](std::span<void* const>) { return 1; }});
  TimingPlan plan;
  plan.launches = 2000;
  const Timing timing = time_case(rig, prepared, plan);
  // From 0, as restored before each sample: the last sample's launches and no others.
  Buffers after = initial_buffers(job);
  prepared.download(after);
  EXPECT_EQ(after.i32("a")[255], 2000);
  EXPECT_GE(timing.samples_ns.size(), 3U);
  // A launch's share, not 2000 of them: launches of nothing follow each other within 0.5 to 20 us.
  EXPECT_GT(timing.median_ns, 500);
  EXPECT_LT(timing.median_ns, 20000);
}

TEST_F(Gpu, LaunchesInARowAreTimedAsOneAndSaidSo) {
  BatchRequest batch = copy_batch({copy_case(0, "copy", 1 << 16)});
  batch.gpu.counters = false;
  const CaseRecord once = run(batch).cases.at(0).record;
  batch.gpu.launches = 1000;
  const CaseRecord many = run(batch).cases.at(0).record;
  ASSERT_TRUE(once.timing && many.timing);
  EXPECT_EQ(once.timing->method, "CUDA events");
  EXPECT_EQ(many.timing->method, "CUDA events around 1000 launches in a row");
  EXPECT_EQ(many.correct, once.correct);
  // The same small copy: its share is of the order of one launch, not a thousand.
  EXPECT_GT(many.timing->median_ns, 0.2 * once.timing->median_ns);
  EXPECT_LT(many.timing->median_ns, 20 * once.timing->median_ns);
}

TEST_F(Gpu, CeilingsAreInTheRangeOfGpus) {
  std::map<std::string, double> values;
  for (const Ceiling& ceiling : calibrate(compiler(), open_machine(compiler()))) {
    std::cout << ceiling.name << " " << ceiling.value << " " << ceiling.unit << "\n";
    values[ceiling.name] = ceiling.value;
    EXPECT_GT(ceiling.value, 0) << ceiling.name;
    // An SM gives one wavefront of shared memory a clock, and issues at most four instructions.
    if (ceiling.name == "shared_wavefronts") {
      EXPECT_NEAR(ceiling.value, 1, 0.1);
    }
    if (ceiling.name == "instructions") {
      EXPECT_LE(ceiling.value, 4.2);
    }
  }
  // Each level is farther away than the one before; shared memory is the part of L1 without tags.
  EXPECT_LE(values.at("shared_latency"), values.at("l1_latency"));
  EXPECT_LT(2 * values.at("l1_latency"), values.at("l2_latency"));
  EXPECT_LT(1.3 * values.at("l2_latency"), values.at("dram_latency"));
}

// Every verdict of a lab's cases, theory against measurement.
void expect_agreement(const Lab& lab, Results results) {
  int exact = 0;
  for (auto& [index, outcome] : results.cases) {
    CaseRecord& record = outcome.record;
    if (record.status == CaseStatus::kSkipped) continue;
    EXPECT_EQ(record.status, CaseStatus::kOk)
        << record.variant << " " << record.params.text() << ": " << record.reason;
    metrics::Question question;
    question.variant = &find_variant(lab, record.variant);
    metrics::judge(question, record);
    for (const Verdict& verdict : record.verdicts) {
      EXPECT_NE(verdict.kind, VerdictKind::kDisagrees)
          << record.variant << " " << record.params.text() << " " << verdict.metric << ": "
          << verdict.reason;
      if (verdict.kind == VerdictKind::kAgrees) ++exact;
    }
  }
  EXPECT_GT(exact, 0);
  std::cout << lab.folder << ": " << results.cases.size() << " cases, " << exact << " agree\n";
}

TEST_F(Gpu, LabOneAgreesWithItsTheory) {
  const Lab& lab = find_lab("1");
  expect_agreement(lab, run(gpu_batch_of_lab(lab)));
}

TEST_F(Gpu, LabThreeAgreesWithItsTheory) {
  const Lab& lab = find_lab("3");
  expect_agreement(lab, run(gpu_batch_of_lab(lab)));
}

TEST_F(Gpu, ExactCountersRepeatToTheDigit) {
  const Lab& lab = find_lab("3");
  BatchRequest batch = gpu_batch_of_lab(lab);
  batch.cases.resize(std::min<std::size_t>(batch.cases.size(), 10));
  batch.gpu.repeat = 3;
  for (const auto& [index, outcome] : run(batch).cases) {
    for (const Observation& observation : outcome.record.observations) {
      const metrics::Metric* row = metrics::find(observation.metric);
      if (row == nullptr || row->metric_class != metrics::Class::kExact) continue;
      if (!observation.has_value() || !observation.min) continue;
      EXPECT_EQ(observation.min, observation.max) << observation.metric;
      EXPECT_EQ(observation.samples, 3);
    }
  }
}

}  // namespace
}  // namespace lab::gpu
