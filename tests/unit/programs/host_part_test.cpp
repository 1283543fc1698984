#include "harness/kernel/compile/source/host_part.h"

#include <gtest/gtest.h>

#include <string>

namespace lab::source {
namespace {

std::string host_part(const std::string& text) {
  Macros macros;
  add_macros(tokens_of(text), macros);
  return without_device_bodies(text, macros);
}

TEST(HostPart, KernelsLoseTheirBodiesAndKeepTheirLines) {
  EXPECT_EQ(host_part("__global__ void k(int* x) {\n  wmma(x);\n}\nint main() { return 1; }\n"),
            "__global__ void k(int* x) {\n          \n}\nint main() { return 1; }\n");
}

TEST(HostPart, FunctionsOfBothSidesStay) {
  const std::string both = "__host__ __device__ int twice(int x) { return 2 * x; }\n";
  EXPECT_EQ(host_part(both), both);
  const std::string constant = "__device__ constexpr int three() { return 3; }\n";
  EXPECT_EQ(host_part(constant), constant);
  const std::string macro = "#define BOTH __host__ __device__\nBOTH int one() { return 1; }\n";
  EXPECT_EQ(host_part(macro), macro);
}

TEST(HostPart, ConditionsInABodyStayAndPragmasGo) {
  const std::string made =
      host_part("__global__ void k() {\n#ifdef A\n#pragma unroll\n  f();\n#endif\n}\n");
  EXPECT_NE(made.find("#ifdef A"), std::string::npos);
  EXPECT_NE(made.find("#endif"), std::string::npos);
  EXPECT_EQ(made.find("unroll"), std::string::npos);
}

TEST(HostPart, BracketsOfALaunchAreJoined) {
  EXPECT_EQ(host_part("int main() { k << <1, 2 >> > (a); }\n"),
            "int main() { k <<< 1, 2 >>>  (a); }\n");
  const std::string shift = "int f(int a) { return a << 1 >> 2; }\n";
  EXPECT_EQ(host_part(shift), shift);
}

}  // namespace
}  // namespace lab::source
