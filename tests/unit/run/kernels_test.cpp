#include "harness/run/kernels.h"

#include <gtest/gtest.h>

namespace lab::run {
namespace {

TEST(Signatures, OneLineEachWithoutBodies) {
  EXPECT_EQ(kernel_signatures("// comment\nextern \"C\" __global__ void a(float* p,\n"
                              "                               int n) {\n}\n"
                              "template <typename T>\n__global__ void b(T* p) { p[0] = 1; }\n"),
            (std::vector<std::string>{"extern \"C\" __global__ void a(float* p, int n)",
                                      "__global__ void b(T* p)"}));
}

}  // namespace
}  // namespace lab::run
