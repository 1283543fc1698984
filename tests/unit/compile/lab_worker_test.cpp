// The program lab-worker itself, on a machine with a CUDA toolkit and perhaps no driver.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "harness/box/worker/client.h"
#include "harness/core/error.h"
#include "harness/core/resolve.h"
#include "harness/labs/registry.h"
#include "tests/support/lab_batch.h"

namespace lab::worker {
namespace {

ClientSettings real() {
  ClientSettings settings;
  settings.program = std::filesystem::path(LAB_BINARY_DIR) / "bin" / "lab-worker";
  return settings;
}

std::string output_of(const std::string& command, int& status) {
  std::string text;
  FILE* pipe = ::popen(command.c_str(), "r");
  std::array<char, 4096> chunk{};
  for (std::size_t got = 0; (got = std::fread(chunk.data(), 1, chunk.size(), pipe)) > 0;) {
    text.append(chunk.data(), got);
  }
  status = WEXITSTATUS(::pclose(pipe));
  return text;
}

TEST(LabWorker, CompilesInItsOwnProcess) {
  Client client(real());
  CompileRequest request;
  request.source = {"k.cu", "template <int N> __global__ void k(int* a) { a[0] = N; }"};
  request.kernels = {"k<3>"};
  const Compiled compiled = client.compile(request);
  EXPECT_EQ(compiled.lowered, std::vector<std::string>{"_Z1kILi3EEvPi"});
  EXPECT_NE(compiled.ptx.find(".entry _Z1kILi3EEvPi"), std::string::npos);
  EXPECT_FALSE(compiled.cubin.empty());
  request.source.text = "nonsense";
  try {
    (void)client.compile(request);
    FAIL() << "nothing thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kInput);
    EXPECT_TRUE(std::string(error.what()).starts_with("k.cu does not compile\nk.cu(1): error: "));
  }
}

// Whatever it is, it is read where there is no file, no other process and 2 GiB of memory.
TEST(LabWorker, ReadsBinariesInABox) {
  Client client(real());
  BinaryQuestion question{"a.out", BinaryKind::kProgram};
  for (const std::string& text : {std::string(),
                                  std::string("\x7f"
                                              "ELF"),
                                  std::string(4096, 'x')}) {
    const auto* const begin = reinterpret_cast<const std::byte*>(text.data());
    question.bytes.assign(begin, begin + text.size());
    try {
      (void)client.binary(question);
      FAIL() << "nothing thrown";
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::kInput);
      EXPECT_STREQ(error.what(), "a.out is not a program for this machine");
    }
  }
  std::ifstream status("/proc/" + std::to_string(client.pid()) + "/status");
  const std::string all{std::istreambuf_iterator<char>(status), {}};
  EXPECT_NE(all.find("Seccomp:\t2"), std::string::npos) << all;
}

TEST(LabWorker, KnowsChipsWithoutOne) {
  Client client(real());
  AskChipMetrics ask;
  ask.chip = "GH100";
  ask.metrics = {"dram__bytes_read.sum", "dram__bytes_op_read.sum"};
  if (!LAB_HAS_GPU_BACKEND) {
    EXPECT_THROW((void)client.chip_metrics(ask), Error);
    return;
  }
  const ChipMetrics metrics = client.chip_metrics(ask);
  // The second is the first one's name on GB20x.
  EXPECT_EQ(metrics.lacking, std::vector<std::string>{"dram__bytes_op_read.sum"});
  EXPECT_EQ(metrics.passes, 1);
  EXPECT_TRUE(metrics.list.empty());
  ask.list = true;
  EXPECT_GT(client.chip_metrics(ask).list.size(), 1000U);
  ask.chip = "GH101";
  EXPECT_THROW((void)client.chip_metrics(ask), Error);
}

TEST(LabWorker, TellsWhatTheMachineHas) {
  const auto values = Client(real()).environment({true, true}).values;
  // The GPU backend is built where the toolkit's headers are. Without it they may be missing.
  std::vector<std::string> keys = {"cpu", "cpu_cores", "memory", "nvrtc"};
  if (LAB_HAS_GPU_BACKEND) keys.insert(keys.end(), {"cupti", "cuda_headers"});
  for (const std::string& key : keys) {
    ASSERT_TRUE(values.contains(key)) << key;
    EXPECT_FALSE(values.at(key).empty()) << key;
  }
  // Either there is a GPU, or it is said why not; without the backend nobody looks.
  EXPECT_EQ(values.contains("gpu") != values.contains("gpu_missing"), LAB_HAS_GPU_BACKEND != 0);
  const auto less = Client(real()).environment({}).values;
  EXPECT_FALSE(less.contains("gpu") || less.contains("gpu_missing"));
}

std::vector<CaseRecord> run(const BatchRequest& batch) {
  std::vector<CaseRecord> records;
  BatchSink sink;
  sink.finished = [&](CaseOutcome outcome) { records.push_back(std::move(outcome.record)); };
  Client(real()).run(batch, sink);
  return records;
}

TEST(LabWorker, RunsALabsCaseInTheModel) {
  BatchRequest batch = batch_of_lab(find_lab("3"));
  CaseRequest request;
  request.index = 5;
  request.variant = "broadcast";
  request.params = {
      {"blocks", std::int64_t{16}}, {"distinct", std::int64_t{2}}, {"loads", std::int64_t{32}}};
  batch.cases = {request};
  ASSERT_TRUE(resolve(&find_lab("3"), batch).empty());
  const auto records = run(batch);
  ASSERT_EQ(records.size(), 1U);
  const CaseRecord& record = records[0];
  EXPECT_EQ(record.index, 5);
  EXPECT_EQ(record.status, CaseStatus::kOk) << record.reason;
  EXPECT_EQ(record.correct, true);
  EXPECT_EQ(record.kernel, "broadcast");
  // Each of 16 blocks of 8 warps loads 32 times: 16 * 8 * 32 = 4096 requests, and two words of one
  // bank take two wavefronts each.
  std::map<std::string, double> values;
  for (const Observation& o : record.observations) {
    if (o.has_value()) values[o.metric] = o.number();
  }
  EXPECT_EQ(values["shared_load_requests"], 4096);
  EXPECT_EQ(values["shared_load_wavefronts"], 8192);
}

TEST(LabWorker, FilesAreNamedAsTheyWereGiven) {
  for (const std::string name : {"dir/../k.cu", "/abs/k.cu"}) {
    BatchRequest batch;
    batch.source = {name, "extern \"C\" __global__ void k(char* a) {\n  a[99] = 1;\n}"};
    CaseRequest request;
    request.job = Job{"k", {{1, 1, 1}, {1, 1, 1}, 0}, {BufferSpec{"arg0"}}};
    std::get<BufferSpec>(request.job->args[0]).count = 1;
    batch.cases = {request};
    const auto records = run(batch);
    ASSERT_EQ(records.size(), 1U);
    ASSERT_EQ(records[0].findings.size(), 1U) << records[0].reason;
    EXPECT_EQ(records[0].findings[0].file, name);
    EXPECT_EQ(records[0].findings[0].line, 2);
    ASSERT_FALSE(records[0].lines.empty());
    EXPECT_EQ(records[0].lines[0].file, name);
  }
}

TEST(LabWorker, MemoryThatIsNotThereIsACasesError) {
#ifdef LAB_SANITIZED
  GTEST_SKIP() << "AddressSanitizer ends the process where operator new would throw";
#endif
  BatchRequest batch;
  batch.source = {"k.cu", "extern \"C\" __global__ void k(char* a) { a[0] = 1; }"};
  CaseRequest request;
  BufferSpec buffer;
  buffer.name = "arg0";
  buffer.type = ElementType::kU8;
  buffer.count = 1ULL << 44;  // 16 TiB
  request.job = Job{"k", {{1, 1, 1}, {1, 1, 1}, 0}, {buffer}};
  batch.cases = {request};
  const auto records = run(batch);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].status, CaseStatus::kError);
  EXPECT_EQ(records[0].reason, "not enough memory for the case's buffers");
}

// 2^62 elements of 4 bytes are 2^64 bytes, which is 0 where nobody looks.
TEST(LabWorker, ABufferOfMoreBytesThanThereAreIsAnError) {
  BatchRequest batch;
  batch.source = {"k.cu", "extern \"C\" __global__ void k(float* a) { a[0] = 1; }"};
  CaseRequest request;
  BufferSpec buffer;
  buffer.name = "arg0";
  buffer.count = 1ULL << 62;
  request.job = Job{"k", {{1, 1, 1}, {1, 1, 1}, 0}, {buffer}};
  batch.cases = {request};
  const auto records = run(batch);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].status, CaseStatus::kError);
  EXPECT_EQ(records[0].reason,
            "buffer 'arg0' has 4611686018427387904 elements of f32: more than any memory holds");
}

// A program linked with one of CUDA's libraries does not start where that library is not.
TEST(Programs, LinkNothingOfCuda) {
  for (const std::string program : {"lab", "lab-worker"}) {
    int status = 0;
    const std::string needed = output_of("readelf -d " LAB_BINARY_DIR "/bin/" + program, status);
    ASSERT_EQ(status, 0) << program;
    EXPECT_NE(needed.find("libc.so"), std::string::npos) << program;
    EXPECT_EQ(needed.find("RUNPATH"), std::string::npos) << program;
    for (const char* library : {"libcu", "libnvrtc", "libnvperf", "libnvToolsExt"}) {
      EXPECT_EQ(needed.find(library), std::string::npos) << program << " " << library;
    }
  }
}

TEST(LabWorker, ByHandSaysWhoStartsIt) {
  int status = 0;
  const std::string text = output_of(real().program.string() + " 2>&1 < /dev/null", status);
  EXPECT_EQ(status, 2);
  EXPECT_EQ(text, "lab-worker is started by lab, not by hand: try `lab run 3`\n");
}

}  // namespace
}  // namespace lab::worker
