// How much memory a case takes: its buffers, those of the reference, and at most 100 MB more.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tests/unit/model/case/ptx_case.h"

namespace lab::model {
namespace {

/// A figure of /proc/self/status in bytes: VmRSS, or VmHWM, its highest value so far.
std::uint64_t memory_figure(const std::string& name) {
  std::ifstream status("/proc/self/status");
  std::string key;
  for (std::string line; std::getline(status, line);) {
    if (line.rfind(name + ":", 0) == 0) return std::stoull(line.substr(name.size() + 1)) * 1024;
  }
  return 0;
}
/// Makes the highest value the present one.
bool forget_peak() {
  std::ofstream clear("/proc/self/clear_refs");
  clear << "5";
  clear.close();
  return !clear.fail();
}

TEST(MemoryBound, ACopyOfSixtyFourMebibytesTakesItsBuffersAndAHundredMegabytes) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer's own memory counts too";
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
  GTEST_SKIP() << "the sanitizer's own memory counts too";
#endif
#endif
  if (!forget_peak()) GTEST_SKIP() << "the kernel does not reset peaks";
  constexpr std::uint64_t kWords = std::uint64_t{1} << 24U;
  const std::uint64_t before = memory_figure("VmRSS");
  BatchRequest batch;
  batch.source = {"k.ptx",
                  ptx_run::entry("mov.u32 %r1, %ctaid.x;\nmul.wide.u32 %rd1, %r1, 1024;\n"
                                 "add.s64 %rd2, %from, %rd1;\nadd.s64 %rd3, %mine, %rd1;\n"
                                 "ld.global.u32 %r2, [%rd2];\nst.global.u32 [%rd3], %r2;\nret;")};
  batch.threads = 2;
  CaseRequest request;
  request.job = Job{"k",
                    {{kWords / 256, 1, 1}, {256, 1, 1}, 0},
                    {ptx_case::buffer("out", kWords, Fill::Kind::kPoison),
                     ptx_case::buffer("in", kWords, Fill::Kind::kIota), scalar_u32(0)}};
  batch.cases = {request};
  CaseOutcome outcome;
  BatchSink sink;
  sink.finished = [&](CaseOutcome done) { outcome = std::move(done); };
  ModelBackend(ptx_case::pass).run(batch, sink);
  ASSERT_EQ(outcome.record.status, CaseStatus::kOk) << outcome.record.reason;
  EXPECT_EQ(outcome.record.notes.checkers, Looked::kFull);
  // Every sector of both buffers once: 4 bytes x 2^24 / 32.
  EXPECT_EQ(ptx_case::value(outcome.record, "global_load_sectors"), kWords / 8);
  EXPECT_EQ(ptx_case::value(outcome.record, "dram_write_bytes"), kWords * 4);
  const std::uint64_t peak = memory_figure("VmHWM");
  EXPECT_GT(peak - before, 2 * kWords * 4);  // the buffers at least: the figure is a real one
  EXPECT_LT(peak - before, 2 * kWords * 4 + 100'000'000);
}

}  // namespace
}  // namespace lab::model
