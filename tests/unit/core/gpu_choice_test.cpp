// --device: an index, a UUID or a PCI id, in the ways that NVIDIA's tools write them.
#include "harness/core/gpu_choice.h"

#include <gtest/gtest.h>

#include "harness/core/error.h"

namespace lab {
namespace {

const std::vector<GpuNames> kGpus = {
    {0, "NVIDIA H200", "GPU-1f0e5a2b-0000-4000-8000-000000000000", "0000:3b:00.0"},
    {1, "NVIDIA H200", "GPU-1f0e77aa-0000-4000-8000-000000000000", "0000:d8:00.0"},
    {2, "NVIDIA A100", "MIG-aa00bb11-0000-4000-8000-000000000000", "0001:3b:00.0"}};

TEST(GpuChoice, TheFirstUnlessNamed) { EXPECT_EQ(choose_gpu(kGpus, ""), 0); }

TEST(GpuChoice, ByEachOfItsNames) {
  EXPECT_EQ(choose_gpu(kGpus, "1"), 1);
  EXPECT_EQ(choose_gpu(kGpus, "GPU-1f0e77aa-0000-4000-8000-000000000000"), 1);
  EXPECT_EQ(choose_gpu(kGpus, "gpu-1F0E5"), 0);
  EXPECT_EQ(choose_gpu(kGpus, "MIG-aa00"), 2);
  // The driver's form, nvidia-smi's (a domain of eight digits) and lspci's (none, or no function).
  EXPECT_EQ(choose_gpu(kGpus, "0000:d8:00.0"), 1);
  EXPECT_EQ(choose_gpu(kGpus, "00000000:D8:00.0"), 1);
  EXPECT_EQ(choose_gpu(kGpus, "d8:00.0"), 1);
  EXPECT_EQ(choose_gpu(kGpus, "3b:00"), 0);
  EXPECT_EQ(choose_gpu(kGpus, "1:3b:0.0"), 2);
}

std::string error_of(const std::string& asked, Fault fault) {
  try {
    (void)choose_gpu(kGpus, asked);
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), fault) << asked;
    return std::string(error.what()) + "; " + error.hint();
  }
  return "none";
}

TEST(GpuChoice, WhatIsNotThereIsAnErrorThatListsWhatIs) {
  EXPECT_EQ(error_of("3", Fault::kMachine),
            "no GPU is '3'; there are: 0 (NVIDIA H200, GPU-1f0e5a2b-0000-4000-8000-000000000000, "
            "PCI 0000:3b:00.0); 1 (NVIDIA H200, GPU-1f0e77aa-0000-4000-8000-000000000000, PCI "
            "0000:d8:00.0); 2 (NVIDIA A100, MIG-aa00bb11-0000-4000-8000-000000000000, PCI "
            "0001:3b:00.0)");
  EXPECT_EQ(error_of("GPU-1f0e", Fault::kMachine).substr(0, 38),
            "2 GPUs are 'GPU-1f0e'; there are: 0 (N");
  EXPECT_EQ(error_of("e8:00.0", Fault::kMachine).substr(0, 19), "no GPU is 'e8:00.0'");
}

TEST(GpuChoice, WhatNamesNoGpuIsBadUsage) {
  for (const char* asked : {"x", "-1", "1.0", "GPU-", "GPU-1f", "GPU-xyzw", "3b:00.8", "3b:20.0",
                            "1:2:3:4", ":", "99999999999", "0x1"}) {
    EXPECT_NE(error_of(asked, Fault::kInput), "none") << asked;
    EXPECT_THROW(require_gpu_name(asked), Error) << asked;
  }
}

}  // namespace
}  // namespace lab
