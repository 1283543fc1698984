#include "harness/kernel/compile/log.h"

#include <gtest/gtest.h>

#include <string>

namespace lab::compile {
namespace {

// As NVRTC 13.0 prints them.
constexpr const char* kNames = R"(__nv_name_map(2): error: identifier "gone" is undefined
  #pragma nv_mangled_name gone
                          ^

__nv_name_map(2): error: Error in parsing name expression for lowered name lookup. Input name expression was: " gone"
  #pragma nv_mangled_name gone
                          ^

__nv_name_map(4): error: cannot determine which instance of function template "k" is intended
  #pragma nv_mangled_name k<float, 3>
                          ^

3 errors detected in the compilation of "a.cu".
)";

constexpr const char* kSource = R"(b.cu(2): error: expected a ";"
  __global__ void k(float* a) { a[0] = 1 }
                                         ^

1 error detected in the compilation of "b.cu".
)";

TEST(Log, UnknownNamesOnceEach) {
  const NameErrors errors = name_errors(kNames);
  EXPECT_EQ(errors.unknown, (std::vector<std::string>{"gone", "k<float,3>"}));
  EXPECT_FALSE(errors.others);
}

// As NVRTC 11.8 prints them, which quotes no lines.
TEST(Log, UnknownNamesOfElevenPointEight) {
  const NameErrors errors = name_errors(
      "__nv_name_map(2): error: identifier \"gone\" is undefined\n\n"
      "__nv_name_map(2): error: Error in parsing name expression for lowered name lookup. Input "
      "name expression was: \" gone\"\n\n"
      "__nv_name_map(3): error: Error in parsing name expression for lowered name lookup. Input "
      "name expression was: \" k < float, 3 >\"\n\n"
      "3 errors detected in the compilation of \"a.cu\".\n");
  EXPECT_EQ(errors.unknown, (std::vector<std::string>{"gone", "k<float,3>"}));
  EXPECT_FALSE(errors.others);
}

TEST(Log, ErrorsOfTheSourceAreTheOthers) {
  const NameErrors errors = name_errors(std::string(kSource) + kNames);
  EXPECT_TRUE(errors.others);
  EXPECT_EQ(errors.unknown.size(), 2U);
  EXPECT_TRUE(name_errors("x.cu(1): catastrophic error: cannot open source file \"y\"\n").others);
  EXPECT_FALSE(name_errors("x.cu(1): warning #177-D: variable \"e\" was declared\n").others);
}

TEST(Log, ReadableKeepsTheSourcesOwn) {
  const std::string log = std::string(kNames) + kSource + '\0';
  EXPECT_EQ(readable_log(log),
            "b.cu(2): error: expected a \";\"\n"
            "  __global__ void k(float* a) { a[0] = 1 }\n"
            "                                         ^");
  EXPECT_EQ(readable_log(std::string("\0", 1)), "");
}

std::string advice(std::string_view log) { return compile::advice(log, {"k.cu", ""}); }

TEST(Log, Advice) {
  EXPECT_EQ(advice(kSource), "");
  EXPECT_EQ(advice("h.cu(1): error: identifier \"cudaMalloc\" is undefined"),
            "kernels are compiled for the GPU alone: put host code such as main between #ifndef "
            "__CUDACC_RTC__ and #endif");
  EXPECT_NE(advice("a.cu(1): catastrophic error: cannot open source file \"vector\"")
                .find("cstdio, cmath, cstdint"),
            std::string::npos);
}

TEST(Log, AdviceForTooMuchStaticSharedMemoryNamesTheLimit) {
  EXPECT_TRUE(advice("ptxas error   : Entry function 'big' uses too much shared data (0x4b000 "
                     "bytes, 0xc000 max)")
                  .starts_with("a block has 48 KiB (0xc000 bytes) of static shared memory at "
                               "most: declare the array extern __shared__"));
}

// NVRTC 11 says nothing of Thrust and shows no line; of kernels' launches, ptxas complains.
TEST(Log, AdviceOfWhatNvrtc11DoesNotSay) {
  const KernelText source{"k.cu",
                          "#include <thrust/sort.h>\nthrust::sort(a, b);\nother::sort(a, b);\n"};
  const std::string error = ": error: name followed by \"::\" must be a class or namespace name";
  EXPECT_TRUE(compile::advice("k.cu(2)" + error, source).starts_with("kernels cannot use Thrust"));
  EXPECT_EQ(compile::advice("k.cu(3)" + error, source), "");
  EXPECT_EQ(compile::advice("k.cu(9)" + error, source), "");
  EXPECT_EQ(compile::advice("h.cuh(2)" + error, source), "");
  EXPECT_TRUE(advice("ptxas fatal   : Unresolved extern function 'cudaGetParameterBufferV2'")
                  .starts_with("kernels that launch kernels"));
}

// The words are NVRTC 13's and NVRTC 11's.
TEST(Log, AdviceForAToolkitsHeaderSaysWhatToInstall) {
  for (const char* text : {"k.cu(2): catastrophic error: cannot open source file \"cuda_fp16.h\"",
                           "k.cu(2): catastrophic error: could not open source file "
                           "\"cuda_fp16.h\" (no directories in search list)"}) {
    EXPECT_TRUE(
        advice(text).starts_with("cuda_fp16.h is a header of the CUDA toolkit, which is "
                                 "not beside this NVRTC: install the toolkit"))
        << advice(text);
  }
}

}  // namespace
}  // namespace lab::compile
