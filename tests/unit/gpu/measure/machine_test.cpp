// A machine's facts, and why it cannot measure.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "harness/core/error.h"
#include "harness/core/range_name.h"
#include "harness/gpu/driver/driver.h"
#include "harness/gpu/driver/nvtx.h"
#include "harness/gpu/machine/facts.h"
#include "harness/gpu/machine/fallback.h"

namespace lab::gpu {
namespace {

TEST(Facts, AreTheEnvironmentOfARun) {
  DeviceFacts facts;
  facts.name = "NVIDIA H200";
  facts.uuid = "GPU-1";
  facts.pci = "0000:3b:00.0";
  facts.chip = "GH100";
  facts.sm.major = 9;
  facts.sm.sms = 132;
  facts.memory_bytes = 150754820096;
  facts.l2_bytes = 62914560;
  facts.sm_clock_khz = 1980000;
  facts.memory_clock_khz = 3201000;
  facts.memory_bus_bits = 6144;
  facts.ecc = true;
  facts.cuda_driver = 13000;
  facts.cupti = 130001;
  facts.management.driver_version = "580.159.03";
  facts.management.mig = false;
  const std::map<std::string, std::string> want = {
      {"gpu", "NVIDIA H200"},
      {"gpu_uuid", "GPU-1"},
      {"gpu_pci", "0000:3b:00.0"},
      {"gpu_chip", "GH100"},
      {"gpu_compute_capability", "9.0"},
      {"gpu_sms", "132"},
      {"gpu_memory_bytes", "150754820096"},
      {"gpu_l2_bytes", "62914560"},
      {"gpu_sm_clock_mhz", "1980"},
      {"gpu_memory_clock_mhz", "3201"},
      {"gpu_memory_bus_bits", "6144"},
      {"gpu_ecc", "on"},
      {"cuda_driver", "13.0"},
      {"cupti", "130001"},
      {"driver", "580.159.03"},
      {"gpu_mig", "off"},
  };
  EXPECT_EQ(environment(facts), want);
  EXPECT_EQ(facts.arch(), "sm_90");
}

TEST(Facts, UuidIsWrittenAsTheDriversToolsWriteIt) {
  CUuuid uuid{};
  for (int i = 0; i < 16; ++i) uuid.bytes[i] = static_cast<char>(i * 17);
  EXPECT_EQ(uuid_text(uuid), "GPU-00112233-4455-6677-8899-aabbccddeeff");
}

TEST(Driver, WithoutOneSaysWhatWasLookedFor) {
  const DriverTraces traces = driver_traces();
  if (traces.device_node || traces.kernel_module || traces.wsl) GTEST_SKIP() << "a driver is here";
  try {
    (void)Driver::load();
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kMachine);
    EXPECT_STREQ(error.what(),
                 "no GPU: looked for libcuda.so.1: libcuda.so.1: cannot open shared object file: "
                 "No such file or directory");
    EXPECT_EQ(error.hint(),
              "this machine has no NVIDIA driver; the model needs none: --backend model");
  }
}

TEST(Driver, AdviceFollowsWhatADriverLeftBehind) {
  EXPECT_EQ(no_driver_advice({true, true, false}),
            "the kernel module is loaded and the driver's library is not found: in a container, "
            "start it with --gpus all; else install the package with libcuda");
  EXPECT_EQ(no_driver_advice({false, false, true}),
            "Windows Subsystem for Linux: /usr/lib/wsl/lib must be on the library path, and the "
            "Windows driver be 525 or newer");
}

TEST(Driver, KnowsWhichErrorsTakeTheContextDown) {
  EXPECT_TRUE(loses_context(CUDA_ERROR_ILLEGAL_ADDRESS));
  EXPECT_TRUE(loses_context(CUDA_ERROR_MISALIGNED_ADDRESS));
  EXPECT_FALSE(loses_context(CUDA_ERROR_OUT_OF_MEMORY));
  EXPECT_FALSE(loses_context(CUDA_ERROR_INVALID_VALUE));
  EXPECT_EQ(advice(CUDA_ERROR_OUT_OF_MEMORY),
            "the case needs more memory than the GPU has free: take a smaller size");
}

struct ReasonCase {
  CUptiResult code;
  NoValue reason;
};

TEST(Fallback, EachObstacleHasAReasonOfItsOwn) {
  const ReasonCase cases[] = {
      {CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, NoValue::kNoPermission},
      {CUPTI_ERROR_HARDWARE_BUSY, NoValue::kCountersHeld},
      {CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED, NoValue::kMig},
      {CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, NoValue::kVirtualGpu},
      {CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED, NoValue::kWsl},
      {CUPTI_ERROR_INVALID_CHIP_NAME, NoValue::kUnknownChip},
      {CUPTI_ERROR_NOT_INITIALIZED, NoValue::kNoNvperf},
      {CUPTI_ERROR_UNKNOWN, NoValue::kCounterError},
  };
  for (const ReasonCase& c : cases) EXPECT_EQ(missing_counters(c.code, "x").reason, c.reason);
  EXPECT_EQ(missing_counters(CUPTI_ERROR_HARDWARE_BUSY, "start gave BUSY").detail,
            "start gave BUSY; another profiler holds the counters: stop ncu or Nsight, or `dcgmi "
            "profile --pause`");
}

TEST(Fallback, SupportFieldsNameTheObstacle) {
  ProfilerSupport support;
  EXPECT_EQ(unsupported(support), std::nullopt);  // unknown is not a no
  support.overall = CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED;
  EXPECT_EQ(unsupported(support)->reason, NoValue::kUnsupportedGpu);
  support.virtual_gpu = CUPTI_PROFILER_CONFIGURATION_DISABLED;
  EXPECT_EQ(unsupported(support)->reason, NoValue::kVirtualGpu);
  support.architecture = CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED;
  EXPECT_EQ(unsupported(support)->detail, "CUPTI 13 profiles compute capability 7.5 and newer");
}

TEST(Fallback, AnInjectedProfilerIsSeenInTheEnvironment) {
  ASSERT_EQ(attached_profiler(), std::nullopt);
  ::setenv("CUDA_INJECTION64_PATH", "/opt/nsight/libinjection.so", 1);
  const auto found = attached_profiler();
  ::unsetenv("CUDA_INJECTION64_PATH");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->reason, NoValue::kProfilerAttached);
  EXPECT_EQ(found->detail,
            "CUDA_INJECTION64_PATH is set; a profiler is attached to this process: leave it out, "
            "or run with --no-counters");
}

TEST(Nvtx, NamesKeepToWhatFiltersTake) {
  EXPECT_EQ(range_name(3, "stride", {{"stride", std::int64_t{2}}}), "lab.03.stride.stride=2");
  EXPECT_EQ(range_name(12, "a/b", {{"n", std::int64_t{8}}, {"type", std::string("f@t,")}}),
            "lab.12.a_b.n=8.type=f_t_");
}

}  // namespace
}  // namespace lab::gpu
