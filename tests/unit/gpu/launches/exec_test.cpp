// A whole program whose launches go to a driver without a GPU, fake_driver.cpp, which knows the
// kernel by its name: there it adds 1, and as it is written 2.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "harness/gpu/measure/tool_kernels.h"
#include "harness/programs/build/build.h"
#include "harness/programs/exec/exec.h"
#include "harness/run/engines.h"
#include "harness/run/temporary_folder.h"

namespace lab::run {
namespace {

constexpr const char* kProgram = R"(#include <cstdio>
extern "C" __global__ void add_one(int* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += 2;
}
int main(int count, char**) {
  int host[3] = {7, 8, 9}, *d;
  cudaMalloc(&d, sizeof host);
  cudaMemcpy(d, host, sizeof host, cudaMemcpyHostToDevice);
  for (int i = 0; i < 3; ++i) add_one<<<1, 32>>>(d, 3);
  if (count > 1) add_one<<<1, 32>>>(d + (1 << 24), 3);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  printf("%s\n", cudaGetErrorName(cudaMemcpy(host, d, sizeof host, cudaMemcpyDeviceToHost)));
  printf("%d %d %d\n", host[0], host[1], host[2]);
  cudaFree(d);
}
)";

struct Ran {
  std::string output;
  std::vector<CaseRecord> cases;
  ProgramReport report;
};

Ran run(LaunchesRunOn where, std::vector<std::string> arguments = {}) {
  const TemporaryFolder folder("lab-test");
  std::filesystem::create_directories(folder.path() / "files");
  const std::string printed = (folder.path() / "printed").string();
  const int file = ::open(printed.c_str(), O_RDWR | O_CREAT, 0600);
  constexpr int kFrom = 100;
  const int stream = ::fcntl(file, F_DUPFD, kFrom);
  ::close(file);
  exec::ExecPlan plan;
  plan.sources = {{"app.cu", kProgram}};
  plan.folder = folder.path();
  plan.streams = {stream, stream, stream};
  plan.compiler = exec::HostCompiler::kClang;
  plan.arguments = std::move(arguments);
  plan.runs_on = where;
  plan.gpu.counters = false;
  worker::Client worker(worker_settings(BackendKind::kModel));
  worker.start();
  ::close(stream);
  worker::Client compiler(worker_settings(BackendKind::kModel));
  // Into the cache of kernels: NVRTC asks a driver that is loaded, and believes this one.
  static_cast<void>(compiler.compile(
      {{"lab_tools.cu", std::string(gpu::kToolKernels)}, {"lab_flush", "lab_delay"}, "sm_90"}));
  worker::Client reader(worker_settings(BackendKind::kModel));
  const exec::ExecProgram program = exec::build_program(plan, worker, compiler, reader);
  Ran ran;
  BatchSink sink;
  sink.finished = [&](CaseOutcome outcome) { ran.cases.push_back(std::move(outcome.record)); };
  ran.report = worker.program(program.request, sink);
  std::ifstream text(printed);
  ran.output.assign(std::istreambuf_iterator<char>(text), {});
  return ran;
}

class ExecOnGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (program::find_clang().empty()) GTEST_SKIP() << "no clang to compile the host part";
  }
};

TEST_F(ExecOnGpu, TheProgramGoesOnWithWhatTheGpuLeaves) {
  const Ran ran = run(LaunchesRunOn::kGpu);
  EXPECT_EQ(ran.output, "cudaSuccess\ncudaSuccess\n10 11 12\n");
  ASSERT_EQ(ran.cases.size(), 1U);
  EXPECT_EQ(ran.cases[0].kernel, "add_one");
  EXPECT_EQ(ran.cases[0].status, CaseStatus::kOk) << ran.cases[0].reason;
  EXPECT_TRUE(ran.cases[0].timing.has_value());
  EXPECT_EQ(ran.report.launches, (std::vector<std::uint64_t>{3}));
  EXPECT_TRUE(ran.report.findings.empty());
  EXPECT_TRUE(ran.report.measured.empty());
}

TEST_F(ExecOnGpu, BesideTheModelTheGpuMeasuresTheFirstLaunchOfEachShape) {
  const Ran ran = run(LaunchesRunOn::kBoth);
  EXPECT_EQ(ran.output, "cudaSuccess\ncudaSuccess\n13 14 15\n");
  ASSERT_EQ(ran.cases.size(), 1U);
  EXPECT_FALSE(ran.cases[0].timing.has_value());
  ASSERT_EQ(ran.report.measured.size(), 1U);
  EXPECT_EQ(ran.report.measured[0].kernel, "add_one");
  EXPECT_EQ(ran.report.measured[0].index, 0);
  EXPECT_TRUE(ran.report.measured[0].timing.has_value());
}

TEST_F(ExecOnGpu, AFaultIsTheErrorOfEachCallThatComesAfterIt) {
  const Ran ran = run(LaunchesRunOn::kGpu, {"wild"});
  EXPECT_EQ(ran.output.substr(0, ran.output.find('\n')), "cudaErrorIllegalAddress");
  ASSERT_EQ(ran.cases.size(), 1U);
  EXPECT_EQ(ran.cases[0].status, CaseStatus::kError);
  EXPECT_NE(ran.cases[0].reason.find("CUDA_ERROR_ILLEGAL_ADDRESS"), std::string::npos);
}

}  // namespace
}  // namespace lab::run
