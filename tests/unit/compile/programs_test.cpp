// Whole CUDA programs: with nvcc as they are, without it with their host code left out.
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/compile/nvrtc.h"
#include "harness/core/error.h"
#include "harness/core/text.h"

namespace lab::compile {
namespace {

Settings settings_without_nvcc() {
  Settings settings = default_settings();
  settings.cache.clear();
  settings.nvcc.clear();
  return settings;
}

CompileRequest program(const std::string& text, std::vector<std::string> kernels) {
  CompileRequest made;
  made.source = {"dir/program.cu", text, {}, {}};
  made.kernels = std::move(kernels);
  return made;
}

std::string told(const CompileRequest& wanted, const Settings& settings) {
  try {
    (void)nvrtc_compile(wanted, settings);
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kInput);
    return render(error);
  }
  return {};
}

// The line of the kernel's only store is 12, whichever way it is compiled.
constexpr const char* kProgram = R"(#include <functional>
#include <iostream>
#include <vector>
#define CHECK(call) \
  if (call != cudaSuccess) { std::cerr << "failed { \n"; std::exit(1); }

template <typename T, size_t BLOCK_SIZE = 32>
__global__ void scale(T const* in, T* out, uint n) {
  size_t const i{blockIdx.x * BLOCK_SIZE + threadIdx.x};
  T const value = i < n ? in[i] : T(INFINITY);
  if (i >= n) return;
  out[i] = value * static_cast<T>(M_PI) + INT_MAX;
}

template <typename T>
void launch(std::function<void(T*)> const& use, T* a, T* b, cudaStream_t stream) {
  scale<T><<<1, 32, 0, stream>>>(a, b, 32);
  CHECK(cudaGetLastError());
  use(b);
}

int main() {
  std::vector<float> host(32, 1.f);
  float *a, *b;
  CHECK(cudaMalloc(&a, 128));
  CHECK(cudaMalloc(&b, 128));
  launch<float>([](float*) {}, a, b, nullptr);
  std::cout << "done" << std::endl;
}
)";

bool has_line(const std::string& ptx, int line) {
  return ptx.find(".loc\t1 " + std::to_string(line) + " ") != std::string::npos;
}

TEST(Programs, HostCodeIsLeftOutAndLinesStay) {
  const Compiled compiled = nvrtc_compile(program(kProgram, {"scale<float>", "scale<double, 64>"}),
                                          settings_without_nvcc());
  EXPECT_EQ(compiled.lowered,
            (std::vector<std::string>{"_Z5scaleIfLm32EEvPKT_PS0_j", "_Z5scaleIdLm64EEvPKT_PS0_j"}));
  EXPECT_TRUE(compiled.way.starts_with("left out, NVRTC ")) << compiled.way;
  EXPECT_TRUE(has_line(compiled.ptx, 12));
  EXPECT_FALSE(compiled.cubin.empty());
}

TEST(Programs, NvccTakesThemAsTheyAre) {
  Settings settings = default_settings();
  if (settings.nvcc.empty()) GTEST_SKIP() << "no nvcc with a host compiler";
  settings.cache.clear();
  const Compiled compiled = nvrtc_compile(program(kProgram, {"scale<float>"}), settings);
  EXPECT_EQ(compiled.lowered, std::vector<std::string>{"_Z5scaleIfLm32EEvPKT_PS0_j"});
  EXPECT_TRUE(compiled.way.starts_with("compiled by nvcc ")) << compiled.way;
  EXPECT_TRUE(has_line(compiled.ptx, 12)) << compiled.ptx;
  EXPECT_NE(compiled.ptx.find("dir/program.cu"), std::string::npos);
  EXPECT_FALSE(compiled.cubin.empty());
  // nvcc makes no scale<double>: the program itself asks for none.
  const Compiled other = nvrtc_compile(program(kProgram, {"scale<double>"}), settings);
  EXPECT_TRUE(other.way.starts_with("left out")) << other.way;
}

TEST(Programs, WithoutHostCodeNothingIsDone) {
  const Compiled compiled =
      nvrtc_compile(program("extern \"C\" __global__ void k(int* a) { a[0] = 1; }\n", {"k"}),
                    settings_without_nvcc());
  EXPECT_EQ(compiled.way, "");
}

TEST(Programs, IncludedTextsArePartOfThem) {
  CompileRequest wanted = program(
      "#include \"util.h\"\n#include \"gone.h\"\n"
      "extern \"C\" __global__ void k(int* a) { a[0] = three(); }\n"
      "int main() { check(cudaFree(0)); }\n",
      {"k"});
  wanted.source.included = {
      {"dir/util.h",
       "#include <iostream>\n#include \"deep/more.h\"\n"
       "inline void check(cudaError_t e) { std::cerr << e; }\n"},
      {"dir/deep/more.h", "#pragma once\n__device__ inline int three() { return 1 + TWO; }\n"}};
  wanted.source.options = {"-DTWO=2"};
  const Compiled compiled = nvrtc_compile(wanted, settings_without_nvcc());
  EXPECT_NE(compiled.ptx.find("st.global.u32 \t[%rd2], %r1"), std::string::npos) << compiled.ptx;
  EXPECT_NE(compiled.ptx.find("mov.u32 \t%r1, 3;"), std::string::npos) << compiled.ptx;
}

TEST(Programs, IncludedTextsAreInTheCachesKey) {
  CompileRequest wanted =
      program("#include \"n.h\"\nextern \"C\" __global__ void k(int* a) { a[0] = N; }\n", {"k"});
  Settings settings = settings_without_nvcc();
  settings.cache = std::filesystem::path(LAB_BINARY_DIR) / "test-cache-programs";
  wanted.source.included = {{"dir/n.h", "#define N 77\n"}};
  const Compiled first = nvrtc_compile(wanted, settings);
  wanted.source.included = {{"dir/n.h", "#define N 78\n"}};
  const Compiled second = nvrtc_compile(wanted, settings);
  EXPECT_NE(first.ptx.find("77"), std::string::npos);
  EXPECT_NE(second.ptx.find("78"), std::string::npos);
  EXPECT_TRUE(nvrtc_compile(wanted, settings).from_cache);
  std::filesystem::remove_all(settings.cache);
}

TEST(Programs, KernelsWithNamesOfCudasOwnFunctions) {
  const Compiled compiled =
      nvrtc_compile(program("__global__ void max(int* a) { a[0] = 1; }\n"
                            "__global__ void log(float* a) { a[0] = 1; }\n"
                            "namespace mine { __global__ void any(float* a) { a[0] = 1; } }\n",
                            {"max", "log", "any", "mine::any"}),
                    settings_without_nvcc());
  EXPECT_EQ(compiled.lowered, (std::vector<std::string>{"_Z3maxPi", "_Z3logPf", "_ZN4mine3anyEPf",
                                                        "_ZN4mine3anyEPf"}));
}

TEST(Programs, OverloadsAndTemplatesSayWhatToWrite) {
  const std::string text =
      "__global__ void k(int* a) {}\n"
      "__global__ void k(float* a) {}\n"
      "template <typename T, int R> __global__ void blur(T* a) {}\n";
  EXPECT_EQ(told(program(text, {"k"}), settings_without_nvcc()),
            "error: dir/program.cu defines no kernel 'k' alone\n"
            "hint: k is overloaded: write its parameters too\n"
            "  __global__ void k(int* a)\n  __global__ void k(float* a)\n");
  EXPECT_EQ(told(program(text, {"blur"}), settings_without_nvcc()),
            "error: dir/program.cu defines no kernel 'blur' alone\n"
            "hint: blur is a template: write its arguments, such as blur<float, 32>\n"
            "  template <typename T, int R> __global__ void blur(T* a)\n");
  EXPECT_EQ(nvrtc_compile(program(text, {"k(float*)"}), settings_without_nvcc()).lowered,
            std::vector<std::string>{"_Z1kPf"});
}

// NVRTC dies of this one: a template asked for by name, with an unknown type before a `*`.
TEST(Programs, WhatNvrtcCrashesOnIsTheSourcesFault) {
  const std::string text =
      told(program("template <int N> __global__ void k(unknown_t* a) { a[0] = N; }\n", {"k<3>"}),
           settings_without_nvcc());
  EXPECT_NE(text.find("identifier \"unknown_t\" is undefined"), std::string::npos) << text;
}

TEST(Programs, ErrorsOfKernelsAreToldOnTheirLines) {
  const std::string text = told(program("#include <vector>\nstd::vector<int> v;\n"
                                        "__global__ void k(int* a) {\n  a[0] = nonsense;\n}\n",
                                        {"k"}),
                                settings_without_nvcc());
  EXPECT_TRUE(
      text.starts_with("error: dir/program.cu does not compile\n"
                       "dir/program.cu(4): error: identifier \"nonsense\" is undefined\n"))
      << text;
}

TEST(Programs, AHelperThatIsNeededIsNotLeftOutInSilence) {
  const std::string text = told(program("int helper(int x) { return x + typo; }\n"
                                        "__global__ void k(int* a) { a[0] = helper(1); }\n"
                                        "int main() {}\n",
                                        {"k"}),
                                settings_without_nvcc());
  EXPECT_NE(text.find("dir/program.cu(1): error: identifier \"typo\" is undefined"),
            std::string::npos)
      << text;
}

TEST(Programs, HeadersOfHabitAndOfLibrariesDoNotEndIt) {
  std::string text;
  for (const char* header : {"iostream",
                             "vector",
                             "string",
                             "map",
                             "random",
                             "chrono",
                             "fstream",
                             "sstream",
                             "memory",
                             "sys/time.h",
                             "unistd.h",
                             "omp.h",
                             "cublas_v2.h",
                             "cufft.h",
                             "curand.h",
                             "helper_cuda.h",
                             "helper_functions.h",
                             "limits",
                             "type_traits",
                             "utility",
                             "cstdint",
                             "cassert",
                             "time.h"}) {
    text += std::string("#include <") + header + ">\n";
  }
  text +=
      "__global__ void k(float* a) {\n"
      "  a[0] = std::numeric_limits<float>::max() + std::is_same<int, int>::value +\n"
      "         std::bool_constant<true>::value;\n}\n";
  EXPECT_EQ(told(program(text, {"k"}), settings_without_nvcc()), "");
}

}  // namespace
}  // namespace lab::compile
