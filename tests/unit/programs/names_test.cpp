#include "harness/programs/wire/names.h"

#include <gtest/gtest.h>

#include "harness/programs/build/symbols.h"

namespace lab::program {
namespace {

TEST(KernelNames, AreWhatTheDevicesCompilerIsAskedFor) {
  EXPECT_EQ(kernel_expression("_Z5saxpyIfLi256EEvT_PKS0_PS0_i"), "saxpy<float, 256>");
  EXPECT_EQ(kernel_expression("_Z20__device_stub__saxpyIfLi256EEvT_PKS0_PS0_i"),
            "saxpy<float, 256>");
  EXPECT_EQ(kernel_expression("_ZL17__device_stub__stPf"), "st");
  EXPECT_EQ(kernel_expression("_ZN12_GLOBAL__N_11kEv"), "k");
  EXPECT_EQ(kernel_expression("plain"), "plain");
}

TEST(KernelNames, TellKernelsOfOneNameApartByTheirParameters) {
  EXPECT_EQ(kernel_signature("_Z20__device_stub__twicePf"), "twice(float*)");
  EXPECT_EQ(kernel_signature("_Z5twicePi"), "twice(int*)");
}

TEST(KernelNames, NoObjectFileHasNone) {
  EXPECT_TRUE(kernels_in("").empty());
  EXPECT_TRUE(kernels_in("no object file, but longer than the head of one would be, which has 64 "
                         "bytes")
                  .empty());
}

}  // namespace
}  // namespace lab::program
