#include "harness/kernel/compile/nvrtc.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <utility>

#include "harness/core/error.h"
#include "harness/kernel/compile/nvrtc_library.h"
#include "harness/kernel/ptx/outline.h"

namespace lab::compile {
namespace {

namespace fs = std::filesystem;

Settings uncached() {
  Settings settings = default_settings();
  settings.cache.clear();
  return settings;
}

CompileRequest request(const std::string& text, std::vector<std::string> kernels) {
  CompileRequest made;
  made.source = {"dir/mine.cu", text};
  made.kernels = std::move(kernels);
  return made;
}

// The rendered error, empty where nothing was thrown.
std::string error_of(const CompileRequest& wanted) {
  try {
    (void)nvrtc_compile(wanted, uncached());
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kInput);
    return render(error);
  }
  return {};
}

// NVRTC 11 words some errors in another way, and quotes no line of the source.
bool is_eleven() { return nvrtc().version.major == 11; }

// Of the toolkit's own headers an NVRTC by itself has none.
bool has_toolkit_headers() { return !default_settings().include_folders.empty(); }

constexpr const char* kThree =
    "template <int N> __global__ void k(float* a) { a[threadIdx.x] = N; }\n"
    "extern \"C\" __global__ void plain(float* a) { a[0] = 1; }\n"
    "__global__ void mangled(float* a) { a[0] = 2; }\n"
    "__device__ float helper(float x) { return x; }\n";

TEST(Nvrtc, OneCompilationGivesAllKernelsAndMachineCode) {
  const Compiled compiled =
      nvrtc_compile(request(kThree, {"k<32>", "plain", "mangled", "k<8>"}), uncached());
  EXPECT_EQ(compiled.lowered,
            (std::vector<std::string>{"_Z1kILi32EEvPf", "plain", "_Z7mangledPf", "_Z1kILi8EEvPf"}));
  EXPECT_EQ(ptx::entry_names(compiled.ptx).size(), 4U);
  EXPECT_NE(compiled.ptx.find(".target sm_90"), std::string::npos);
  EXPECT_NE(compiled.ptx.find(".loc"), std::string::npos);
  ASSERT_GT(compiled.cubin.size(), 4U);
  EXPECT_EQ(std::string(compiled.cubin.begin(), compiled.cubin.begin() + 4),
            "\x7f"
            "ELF");
  EXPECT_FALSE(compiled.from_cache);
}

TEST(Nvrtc, ArchitectureIsTheOneAskedFor) {
  CompileRequest wanted = request(kThree, {"plain"});
  wanted.arch = "sm_75";
  EXPECT_NE(nvrtc_compile(wanted, uncached()).ptx.find(".target sm_75"), std::string::npos);
  wanted.arch = "sm_12345";
  const std::string said = error_of(wanted);
  EXPECT_EQ(said.substr(0, said.find('\n')),
            "error: NVRTC " + nvrtc_version() + " does not know the architecture 'sm_12345'");
  // Every compiler that we take knows these.
  EXPECT_NE(said.find("hint: it knows sm_"), std::string::npos) << said;
  EXPECT_NE(said.find(", sm_80, "), std::string::npos) << said;
}

TEST(Nvrtc, CompilerErrorsAreTheCompilersOwnWithThePathGiven) {
  EXPECT_EQ(error_of(request("extern \"C\" __global__ void k(float* a) {\n  a[0] = 1\n}\n", {"k"})),
            std::string("error: dir/mine.cu does not compile\n"
                        "dir/mine.cu(3): error: expected a \";\"\n") +
                (is_eleven() ? "" : "  }\n  ^\n"));
}

TEST(Nvrtc, TextThatIsNotCuda) {
  EXPECT_TRUE(error_of(request("Dear Sir or Madam,\n", {"k"}))
                  .starts_with("error: dir/mine.cu does not compile\ndir/mine.cu(1): error: "
                               "identifier \"Dear\" is undefined\n"));
  EXPECT_EQ(error_of(request(" \n\t", {"k"})), "error: dir/mine.cu is empty\n");
}

TEST(Nvrtc, MissingKernelIsNamedWithTheNearest) {
  EXPECT_EQ(error_of(request(kThree, {"plane"})),
            "error: dir/mine.cu defines no kernel 'plane'\nhint: did you mean 'plain'?\n");
  // A device function has a lowered name, but is not a kernel.
  EXPECT_TRUE(error_of(request(kThree, {"helper"}))
                  .starts_with("error: dir/mine.cu defines no kernel 'helper'\n"));
  // float is not a value for int N.
  EXPECT_TRUE(error_of(request(kThree, {"k<float>"}))
                  .starts_with("error: dir/mine.cu defines no kernel 'k<float>'\n"));
}

TEST(Nvrtc, PartialLeavesMissingNamesEmpty) {
  CompileRequest wanted = request(kThree, {"gone", "k<float, 3>", "plain", "nope<3>", "helper"});
  wanted.partial = true;
  EXPECT_EQ(nvrtc_compile(wanted, uncached()).lowered,
            (std::vector<std::string>{"", "", "plain", "", ""}));
}

TEST(Nvrtc, HeadersThatStudentsInclude) {
  if (!has_toolkit_headers()) GTEST_SKIP() << "no headers of a CUDA toolkit";
  const char* text = R"(
#include <cstdio>
#include <cmath>
#include <cstdint>
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cooperative_groups.h>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <climits>
#include <cfloat>
#include <cassert>
#include <algorithm>
#include <math.h>
#include <stdio.h>
#include <stdint.h>
namespace cg = cooperative_groups;
const int kTile = 32;
static float twice(float x) { return 2 * x; }
extern "C" __global__ void k(float* a, __half* h, std::uint32_t n, int64_t m) {
  auto block = cg::this_thread_block();
  h[0] = __float2half(std::sqrt(a[0]) + std::fabs(a[1]) + fabsf(a[2]) + std::pow(a[3], 2.f));
  block.sync();
  if (n > kTile && !std::isnan(a[0])) std::printf("%d\n", std::min(INT_MAX, CHAR_BIT));
  assert(a[0] < FLT_MAX);
  float4 v = make_float4(NAN, INFINITY, M_PI, twice(m));
  std::memcpy(a, &v, sizeof(float4));
  a[std::size_t{5}] = std::max(a[6], 1.f);
  cudaError_t e = cudaSuccess;
  if (e == cudaSuccess) a[7] = UINT32_MAX;
}
)";
  const Compiled compiled = nvrtc_compile(request(text, {"k"}), uncached());
  EXPECT_EQ(compiled.lowered, std::vector<std::string>{"k"});
  EXPECT_EQ(compiled.log, "");
}

// One header at a time: none leans on another that happened to come first, and each may come twice
// or in the other order.
TEST(Nvrtc, EachHeaderStandsAlone) {
  const std::pair<const char*, const char*> uses[] = {
      {"cstdint", "std::uint64_t{1} + INT16_MAX"},
      {"stdint.h", "static_cast<int8_t>(UINT8_MAX)"},
      {"cstddef", "sizeof(std::size_t) + sizeof(std::ptrdiff_t)"},
      {"stddef.h", "sizeof(size_t) + (NULL == nullptr)"},
      {"cstdio", "std::printf(\"%d\", 1)"},
      {"stdio.h", "printf(\"%d\", 1)"},
      {"cstdlib", "std::abs(-3)"},
      {"stdlib.h", "abs(-3) + EXIT_SUCCESS"},
      {"climits", "CHAR_BIT + (INT_MAX > SHRT_MAX)"},
      {"limits.h", "UINT_MAX"},
      {"cfloat", "FLT_MAX * FLT_EPSILON"},
      {"float.h", "DBL_MAX"},
      {"cmath", "std::sqrt(2.0f) + std::floor(M_PI)"},
      {"math.h", "sqrtf(2.0f) + INFINITY"},
      {"algorithm", "std::min(1, 2) + std::max(3, 4)"},
      {"cuda_runtime.h", "make_float4(1, 2, 3, 4).w + cudaSuccess"},
      {"device_launch_parameters.h", "threadIdx.x + warpSize"},
  };
  const std::string large =
      has_toolkit_headers()
          ? "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n#include <cooperative_groups.h>\n"
          : "";
  std::string forwards;
  std::string backwards = large;
  for (const auto& use : uses) {
    const std::string include = std::string("#include <") + use.first + ">\n";
    forwards += include;
    backwards.insert(0, include);
    const std::string text =
        include + include + "extern \"C\" __global__ void k(double* out) { out[0] = " + use.second +
        "; }\n";
    EXPECT_EQ(nvrtc_compile(request(text, {"k"}), uncached()).log, "") << use.first;
  }
  const std::string kernel = "extern \"C\" __global__ void k(int* out) { assert(out[0] > 0); }\n";
  for (const std::string& all : {forwards + large, backwards}) {
    EXPECT_EQ(nvrtc_compile(request(all + "#include <cassert>\n" + kernel, {"k"}), uncached()).log,
              "");
  }
}

TEST(Nvrtc, HostHeadersAloneDefineNoKernel) {
  EXPECT_EQ(error_of(request("#include <vector>\n", {"k"})),
            "error: dir/mine.cu defines no kernel 'k'\n");
}

TEST(Nvrtc, PtxPassesThrough) {
  CompileRequest wanted =
      request(".version 8.0\n.target sm_90\n.visible .entry _Z1kILi32EEvPf()\n", {"k<32>"});
  wanted.source.name = "file.ptx";
  const Compiled compiled = nvrtc_compile(wanted, uncached());
  EXPECT_EQ(compiled.ptx, wanted.source.text);
  EXPECT_EQ(compiled.lowered, std::vector<std::string>{"_Z1kILi32EEvPf"});
  EXPECT_TRUE(compiled.cubin.empty());
  wanted.kernels = {"k<31>"};
  EXPECT_EQ(error_of(wanted),
            "error: file.ptx defines no kernel 'k<31>'\nhint: did you mean 'k<32>'?\n");
}

TEST(Nvrtc, SecondTimeComesFromTheCacheUnlessAnythingDiffers) {
  std::string folder = (fs::temp_directory_path() / "lab-nvrtc-XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  Settings settings = default_settings();
  settings.cache = fs::path(folder) / "c";
  CompileRequest wanted = request(kThree, {"plain"});
  const Compiled first = nvrtc_compile(wanted, settings);
  const Compiled second = nvrtc_compile(wanted, settings);
  EXPECT_FALSE(first.from_cache);
  EXPECT_TRUE(second.from_cache);
  EXPECT_EQ(first.ptx, second.ptx);
  EXPECT_EQ(first.cubin, second.cubin);
  EXPECT_EQ(first.lowered, second.lowered);
  wanted.options = {"--ptxas-options=-O0"};
  EXPECT_FALSE(nvrtc_compile(wanted, settings).from_cache);
  wanted.options = {};
  wanted.source.name = "other.cu";  // stands in the line table
  EXPECT_FALSE(nvrtc_compile(wanted, settings).from_cache);
  wanted.source.text += "\n";
  EXPECT_FALSE(nvrtc_compile(wanted, settings).from_cache);
  wanted.arch = "sm_80";
  EXPECT_FALSE(nvrtc_compile(wanted, settings).from_cache);
  wanted.kernels = {"mangled"};
  EXPECT_TRUE(nvrtc_compile(wanted, settings).from_cache) << "it was made with the other";
  // A relative name means another file in another folder, an absolute one does not.
  const fs::path before = fs::current_path();
  const CompileRequest relative = wanted;
  wanted.source.name = "/x/other.cu";
  EXPECT_FALSE(nvrtc_compile(wanted, settings).from_cache);
  fs::current_path(folder);
  EXPECT_FALSE(nvrtc_compile(relative, settings).from_cache);
  EXPECT_TRUE(nvrtc_compile(wanted, settings).from_cache);
  fs::current_path(before);
  EXPECT_TRUE(nvrtc_compile(relative, settings).from_cache);
  fs::remove_all(folder);
}

TEST(Nvrtc, VersionIsNotTooOld) { EXPECT_GE(nvrtc().version, toolkit::kOldestNvrtc); }

// The only source known to make NVRTC 11.8 crash, and that with line information alone.
TEST(Nvrtc, ACrashingCompilerIsAskedWithoutLines) {
  std::ifstream file(LAB_SOURCE_DIR "/tests/conformance/pointers.cu");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const Compiled compiled = nvrtc_compile(request(text, {"by_lane"}), uncached());
  EXPECT_FALSE(compiled.cubin.empty());
  const bool crashes = nvrtc().version == toolkit::Version{11, 8};
  EXPECT_EQ(compiled.no_lines,
            crashes ? "NVRTC 11.8 crashes on this source with line information" : "");
  EXPECT_EQ(compiled.ptx.find("\t.loc\t") == std::string::npos, !compiled.no_lines.empty());
}

// The system ends what takes its last memory, and a person what takes too long: by signals that no
// compiler ends itself with. The source is not at fault then.
TEST(Nvrtc, ACompilerThatSomebodyKillsIsTheMachinesFault) {
  for (const int signal : {SIGKILL, SIGTERM}) {
    Settings settings = uncached();
    settings.box = [signal] { ::raise(signal); };
    try {
      (void)nvrtc_compile(request(kThree, {"plain"}), settings);
      FAIL() << "nothing thrown";
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::kMachine) << error.what();
    }
  }
}

// Whose file it is stands in the error, also where a machine is so fast that memory ends before
// time.
TEST(Nvrtc, ASourceThatTakesTooMuchMemoryIsNamed) {
  Settings settings = uncached();
  settings.box = [] { throw std::bad_alloc(); };  // as NVRTC's own failure is told
  try {
    (void)nvrtc_compile(request(kThree, {"plain"}), settings);
    FAIL() << "nothing thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kInput);
    EXPECT_STREQ(error.what(), "dir/mine.cu does not compile: it takes too much memory");
  }
}

// 2^40 templates, no two alike. A compilation may compute for a hundred seconds, or for as long as
// its process may: here for two, which a copy of this process is given.
TEST(Nvrtc, ASourceThatGrowsWithoutEndIsEndedByWhatItComputes) {
  const CompileRequest wanted = request(
      "template <int N, unsigned long long M> struct F {\n"
      "  enum { v = F<N - 1, 2 * M>::v | F<N - 1, 2 * M + 1>::v };\n};\n"
      "template <unsigned long long M> struct F<0, M> { enum { v = 1 }; };\n"
      "extern \"C\" __global__ void k(int* a) { a[0] = F<40, 0>::v; }\n",
      {"k"});
  (void)nvrtc();
  const pid_t copy = ::fork();
  if (copy == 0) {
    const rlimit seconds{2, 20};
    ::setrlimit(RLIMIT_CPU, &seconds);
    const std::string error = error_of(wanted);
    const bool said = error.find("does not compile: it takes too long") != std::string::npos;
    if (!said) std::fputs(error.c_str(), stderr);
    ::_exit(said ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(copy, &status, 0), copy);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace lab::compile
