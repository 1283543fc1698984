// Whole CUDA programs: with nvcc as they are, without it with their host code left out.
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/core/text.h"
#include "harness/kernel/compile/nvrtc.h"

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

// Errors that follow from a missing header are not the source's: the header is told first.
TEST(Programs, AHeaderThatIsNotFoundComesFirst) {
  const std::string text =
      "#include <cstdio>\n#include \"cuda_helper.h\"\n"
      "__global__ void k(float* a) { a[CEIL(3, 2)] = 1; }\n"
      "int main() { CHECK(cudaFree(0)); }\n";
  const std::string said = told(program(text, {"k"}), settings_without_nvcc());
  EXPECT_TRUE(
      said.starts_with("error: dir/program.cu(2): cuda_helper.h was not found\n"
                       "without it dir/program.cu does not compile:\n"
                       "dir/program.cu(3): error: identifier \"CEIL\" is undefined\n"))
      << said;
  EXPECT_TRUE(said.ends_with("hint: -I FOLDER says where cuda_helper.h is\n")) << said;
  // Where nothing of it is used for the device, it is not missed.
  EXPECT_EQ(told(program("#include \"cuda_helper.h\"\n__global__ void k(float* a) { a[0] = 1; }\n"
                         "int main() { CHECK(cudaFree(0)); }\n",
                         {"k"}),
                 settings_without_nvcc()),
            "");
  const std::string elsewhere =
      told(program("#include \"kernels.cuh\"\nint main() {}\n", {"k"}), settings_without_nvcc());
  EXPECT_EQ(elsewhere,
            "error: dir/program.cu defines no kernel 'k'\n"
            "hint: dir/program.cu(1): kernels.cuh was not found: -I FOLDER says where kernels.cuh "
            "is\n");
}

// Sizes are those of libstdc++ on 64-bit machines: three pointers, and four words of a string.
TEST(Programs, HostsTypesBesideWhatAKernelUses) {
  const Compiled compiled =
      nvrtc_compile(program("#include <string>\n#include <vector>\n#include <unistd.h>\n"
                            "using E = std::vector<float>::value_type;\n"
                            "struct P {\n  std::vector<float> data;\n  std::string name;\n"
                            "  int n;\n  static constexpr int kTile = 8;\n"
                            "  P(int size) : n(size) { data.resize(size); }\n};\n"
                            "__global__ void k(E* a, ssize_t n, off_t at, P p) {\n"
                            "  __shared__ E s[P::kTile];\n  unsigned lane;\n"
                            "  __asm__ __volatile__(\"mov.u32 %0, %%laneid;\" : \"=r\"(lane));\n"
                            "  s[lane % P::kTile] = a[at];\n"
                            "  a[n] = s[0] + sizeof(P) + p.n;\n}\n"
                            "int main() { P p(3); k<<<1, P::kTile>>>(nullptr, 1, 0, p); }\n",
                            {"k"}),
                    settings_without_nvcc());
  // 24 + 32 bytes, an int, and 4 to the next multiple of 8.
  EXPECT_NE(compiled.ptx.find("_param_3[64]"), std::string::npos) << compiled.ptx;
  EXPECT_NE(compiled.ptx.find("_param_3+56]"), std::string::npos) << compiled.ptx;
}

TEST(Programs, HeadersOfTheToolkitThatAHostAloneCanUse) {
  std::string text;
  for (const char* header : {"driver_functions.h", "channel_descriptor.h", "cuda_runtime.h"}) {
    text += std::string("#include <") + header + ">\n";
  }
  EXPECT_EQ(
      told(program(text + "__global__ void k(float* a) { a[0] = 1; }\nint main() {}\n", {"k"}),
           settings_without_nvcc()),
      "");
}

TEST(Programs, WhatCannotBeDoneIsSaid) {
  const auto says = [](const std::string& text, const std::string& what) {
    const std::string said = told(program(text, {"k"}), settings_without_nvcc());
    EXPECT_NE(said.find(what), std::string::npos) << said;
  };
  says(
      "__global__ void child(int* a) { a[0] = 1; }\n"
      "__global__ void k(int* a) { child<<<1, 1>>>(a); }\nint main() {}\n",
      "hint: kernels that launch kernels (dynamic parallelism) cannot be run here");
  says(
      "#include <thrust/sort.h>\n"
      "__global__ void k(int* a) { thrust::sort(thrust::seq, a, a + 9); }\n",
      "hint: kernels cannot use Thrust here: write the loop");
  says(
      "template <typename F> __global__ void k(int* a, F f) { a[0] = f(1); }\n"
      "int main() { k<<<1, 1>>>(p, [] __device__ (int x) { return x; }); }\n",
      "hint: k is a template that the file gives a lambda, whose type has no name: write a struct");
  says(
      "template <typename T, int N> __global__ void k(T* a) { a[0] = N; }\n"
      "int main() { k<double, 7><<<1, 1>>>(p); k<int, 7><<<1, 1>>>(q); }\n",
      "hint: k is a template: write its arguments, such as k<double, 7>\n");
}

TEST(Programs, KernelsThatMacrosMakeCompile) {
  const Compiled compiled =
      nvrtc_compile(program("#define BOTH(name, op) \\\n"
                            "  __global__ void name(int* a) { a[0] = a[0] op 3; } \\\n"
                            "  void run_##name(int* a) { name<<<1, 1>>>(a); }\n"
                            "BOTH(add, +)\nBOTH(mul, *)\n"
                            "int main() { run_add(nullptr); }\n",
                            {"mul", "add"}),
                    settings_without_nvcc());
  EXPECT_EQ(compiled.lowered, (std::vector<std::string>{"_Z3mulPi", "_Z3addPi"}));
  EXPECT_TRUE(has_line(compiled.ptx, 4)) << compiled.ptx;
}

class SharedEntries : public testing::Test {
 protected:
  SharedEntries() {
    settings_.cache = std::filesystem::path(LAB_BINARY_DIR) / "test-cache-shared";
    std::filesystem::remove_all(settings_.cache);
  }
  ~SharedEntries() override { std::filesystem::remove_all(settings_.cache); }
  Compiled compiled(const std::string& text, std::vector<std::string> kernels) {
    return nvrtc_compile(program(text, std::move(kernels)), settings_);
  }
  Settings settings_ = settings_without_nvcc();
};

TEST_F(SharedEntries, OneCompilationServesAllKernelsOfAFile) {
  const std::string text =
      "__global__ void one(int* a) { a[0] = 1; }\n"
      "__global__ void two(int* a) { a[0] = 2; }\n"
      "template <int N> __global__ void more(int* a) { a[0] = N; }\n";
  const Compiled one = compiled(text, {"one"});
  EXPECT_FALSE(one.from_cache);
  const Compiled two = compiled(text, {"two"});
  EXPECT_TRUE(two.from_cache);
  EXPECT_EQ(two.lowered, std::vector<std::string>{"_Z3twoPi"});
  EXPECT_EQ(two.ptx, one.ptx);
  EXPECT_TRUE(compiled(text, {"two", "one"}).from_cache);
  // Templates are made where they are asked for.
  EXPECT_FALSE(compiled(text, {"more<3>"}).from_cache);
  EXPECT_FALSE(compiled(text, {"more<4>"}).from_cache);
  const Compiled both = compiled(text, {"two", "more<3>"});
  EXPECT_TRUE(both.from_cache);
  EXPECT_EQ(both.lowered, (std::vector<std::string>{"_Z3twoPi", "_Z4moreILi3EEvPi"}));
}

TEST_F(SharedEntries, StaticKernelsAreThereTooOnceAskedFor) {
  const std::string text =
      "static __global__ void hidden(int* a) { a[0] = 1; }\n"
      "__global__ void seen(int* a) { a[0] = 2; }\n";
  EXPECT_FALSE(compiled(text, {"seen"}).from_cache);
  const Compiled hidden = compiled(text, {"hidden"});
  EXPECT_FALSE(hidden.lowered.front().empty());
  EXPECT_TRUE(compiled(text, {"hidden"}).from_cache);
}

// A declaration left out for one kernel may have another meaning for the next.
TEST_F(SharedEntries, WhatWasMadeForOneKernelAloneServesNoOther) {
  const std::string text =
      "__global__ void broken(nonsense* a) { a[0] = 1; }\n"
      "__global__ void one(int* a) { a[0] = 1; }\n"
      "__global__ void two(int* a) { a[0] = 2; }\n";
  EXPECT_TRUE(compiled(text, {"one"}).alone);
  EXPECT_FALSE(compiled(text, {"two"}).from_cache);
  EXPECT_TRUE(compiled(text, {"one"}).from_cache);
  EXPECT_NE(told(program(text, {"broken"}), settings_).find("nonsense"), std::string::npos);
}

}  // namespace
}  // namespace lab::compile
