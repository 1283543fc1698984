// Whole programs made fit for a compiler of device code. Expected texts are written out: what goes
// is blank, and every line is where it was.
#include "harness/kernel/compile/source/device_only.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace lab::source {
namespace {

Header only_cuda(const HeaderName& header) {
  if (header.name == "cuda_fp16.h") return Header::kKernels;
  if (header.name == "vector") return Header::kStub;
  return is_system_header(header) ? Header::kHost : Header::kNowhere;
}

std::string line(const std::string& text, int number) {
  std::size_t from = 0;
  for (int i = 1; i < number; ++i) from = text.find('\n', from) + 1;
  std::string out = text.substr(from, text.find('\n', from) - from);
  out.erase(out.find_last_not_of(' ') + 1);
  return out;
}

// The lines that are left of a program, blank ones among them.
std::vector<std::string> left(const std::string& text, const std::vector<std::string>& roots = {}) {
  const Program program({{"a.cu", text}}, {}, only_cuda);
  const std::string out = program.device_only(roots).front().text;
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), std::count(text.begin(), text.end(), '\n'));
  std::vector<std::string> lines;
  const auto count = std::count(text.begin(), text.end(), '\n');
  for (int i = 1; i <= count; ++i) lines.push_back(line(out, i));
  return lines;
}

using Lines = std::vector<std::string>;

TEST(DeviceOnly, HostFunctionsAndHeadersGo) {
  EXPECT_EQ(left("#include <iostream>\n"
                 "#include <cuda_fp16.h>\n"
                 "__global__ void k(int* a) { a[0] = 1; }\n"
                 "void launch(int* a) {\n"
                 "  k<<<1, 1>>>(a);\n"
                 "}\n"
                 "int main() { launch(0); }\n"),
            (Lines{"", "#include <cuda_fp16.h>", "__global__ void k(int* a) { a[0] = 1; }", "", "",
                   "", ""}));
}

TEST(DeviceOnly, WhatAKernelNamesStays) {
  EXPECT_EQ(left("float helper(float x) { return x; }\n"
                 "const int kTile = 32;\n"
                 "struct P { float x; };\n"
                 "typedef P Point;\n"
                 "enum { kA, kB };\n"
                 "int unused() { return 0; }\n"
                 "__global__ void k(Point* p) { p[kTile].x = helper(kB); }\n"),
            (Lines{"float helper(float x) { return x; }", "const int kTile = 32;",
                   "struct P { float x; };", "typedef P Point;", "enum { kA, kB };", "",
                   "__global__ void k(Point* p) { p[kTile].x = helper(kB); }"}));
}

TEST(DeviceOnly, NamesGoThroughMacros) {
  EXPECT_EQ(
      left("int twice(int x) { return 2 * x; }\n"
           "int thrice(int x) { return 3 * x; }\n"
           "#define TWICE(x) twice(x)\n"
           "#define THRICE(x) thrice(x)\n"
           "__global__ void k(int* a) { a[0] = TWICE(1); }\n"),
      (Lines{"int twice(int x) { return 2 * x; }", "", "#define TWICE(x) twice(x)",
             "#define THRICE(x) thrice(x)", "__global__ void k(int* a) { a[0] = TWICE(1); }"}));
}

TEST(DeviceOnly, MacrosStandForAttributes) {
  EXPECT_EQ(left("#define HD __host__ __device__\n"
                 "#define INLINE HD inline\n"
                 "INLINE float f(float x) { return x; }\n"
                 "__host__ float g(float x) { return x; }\n"),
            (Lines{"#define HD __host__ __device__", "#define INLINE HD inline",
                   "INLINE float f(float x) { return x; }", ""}));
}

TEST(DeviceOnly, BracesInTextsAndCommentsDoNotCount) {
  EXPECT_EQ(left("void h() { puts(\"}\"); /* } */ char c = '}'; // }\n"
                 "  const char* r = R\"(}\n"
                 ")\"; }\n"
                 "__device__ int d;\n"),
            (Lines{"", "", "", "__device__ int d;"}));
}

TEST(DeviceOnly, BlocksStayAndTheirHostPartsGo) {
  EXPECT_EQ(left("extern \"C\" {\n"
                 "void h() {}\n"
                 "__global__ void k() {}\n"
                 "}\n"
                 "namespace a::b {\n"
                 "static void g() {}\n"
                 "__constant__ float c[2] = {1, 2};\n"
                 "}\n"),
            (Lines{"extern \"C\" {", "", "__global__ void k() {}", "}", "namespace a::b {", "",
                   "__constant__ float c[2] = {1, 2};", "}"}));
}

TEST(DeviceOnly, TemplatesWithDefaultsAndSpecialisations) {
  EXPECT_EQ(left("template <typename T, size_t N = (3 > 2)>\n"
                 "__global__ void k(T* a) { a[0] = zero<T>(); }\n"
                 "template <typename T> T zero() { return 0; }\n"
                 "template <> float zero<float>() { return 0; }\n"
                 "template <typename T> void launch(T* a) { k<T><<<1, 1>>>(a); }\n"
                 "template void launch<float>(float*);\n"),
            (Lines{"template <typename T, size_t N = (3 > 2)>",
                   "__global__ void k(T* a) { a[0] = zero<T>(); }",
                   "template <typename T> T zero() { return 0; }",
                   "template <> float zero<float>() { return 0; }", "", ""}));
}

TEST(DeviceOnly, HostMembersOfAClassGo) {
  EXPECT_EQ(left("struct M {\n"
                 "  float* data;\n"
                 "  explicit M(int n) : data(nullptr), n_{n} { cudaMalloc(&data, n); }\n"
                 "public:\n"
                 "  ~M() { cudaFree(data); }\n"
                 "  int at(int i) const { return data[i]; }\n"
                 "  int n_;\n"
                 "};\n"
                 "__global__ void k(M m) {}\n"),
            (Lines{"struct M {", "  float* data;", "", "public:", "",
                   "  int at(int i) const { return data[i]; }", "  int n_;", "};",
                   "__global__ void k(M m) {}"}));
}

TEST(DeviceOnly, ConditionsStayBalanced) {
  EXPECT_EQ(left("void h() {\n"
                 "#ifdef A\n"
                 "  if (a) {\n"
                 "#else\n"
                 "  if (b) {\n"
                 "#endif\n"
                 "  }\n"
                 "}\n"
                 "__global__ void k() {}\n"),
            (Lines{"", "#ifdef A", "", "#else", "", "#endif", "", "", "__global__ void k() {}"}));
}

TEST(DeviceOnly, NamesGivenAreKept) {
  const std::string text =
      "struct Op { float f; };\n"
      "template <class T> __global__ void k(float* a) { a[0] = T().f; }\n";
  EXPECT_EQ(left(text).front(), "");
  EXPECT_EQ(left(text, {"k<Op>"}).front(), "struct Op { float f; };");
}

TEST(DeviceOnly, LeftOutOneByOne) {
  Program program({{"a.cu", "using X = nope::Y;\n__device__ X d;\nint h() { return 1; }\n"}}, {},
                  only_cuda);
  EXPECT_FALSE(program.leave_out("a.cu", 2)) << "it is for the device";
  EXPECT_FALSE(program.leave_out("b.cu", 1));
  EXPECT_FALSE(program.leave_out("a.cu", 99));
  EXPECT_TRUE(program.leave_out("a.cu", 1));
  EXPECT_FALSE(program.leave_out("a.cu", 1)) << "it is gone already";
  EXPECT_EQ(program.left_out(), std::set<std::string>{"X"});
  EXPECT_EQ(line(program.device_only({}).front().text, 1), "");
}

// A kernel that nobody asked for may be as broken as it likes; what the asked one names may not.
TEST(DeviceOnly, OtherKernelsMayGo) {
  Program program({{"a.cu",
                    "__device__ int one() { return 1; }\n"
                    "__global__ void k(int* a) { a[0] = one(); }\n"
                    "__device__ nope::Y two() { return 2; }\n"
                    "__global__ void other(int* a) { a[0] = two(); }\n"}},
                  {}, only_cuda);
  EXPECT_FALSE(program.leave_out("a.cu", 3)) << "nobody said which kernel is wanted";
  EXPECT_FALSE(program.leave_out("a.cu", 1, {"k"})) << "k calls it";
  EXPECT_FALSE(program.leave_out("a.cu", 2, {"k"}));
  EXPECT_TRUE(program.leave_out("a.cu", 3, {"k"}));
  EXPECT_TRUE(program.leave_out("a.cu", 4, {"k"}));
  const std::string text = program.device_only({"k"}).front().text;
  EXPECT_EQ(line(text, 2), "__global__ void k(int* a) { a[0] = one(); }");
  EXPECT_EQ(line(text, 4), "");
}

TEST(DeviceOnly, IncludedFilesAreReadTogether) {
  const Program program(
      {{"dir/a.cu",
        "#include \"b.h\"\n#include \"gone.h\"\n"
        "__global__ void k(int* a) { a[0] = f(); }\n"},
       {"dir/b.h", "#include <vector>\nint f() { return 1; }\nint g() { return 2; }\n"}},
      {}, only_cuda);
  EXPECT_TRUE(program.has_host_code());
  const std::vector<File> files = program.device_only({});
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(line(files[0].text, 1), "#include \"dir/b.h\"");
  EXPECT_EQ(line(files[0].text, 2), "");
  EXPECT_EQ(line(files[1].text, 1), "#include <vector>") << "kernels' texts may name its types";
  EXPECT_EQ(line(files[1].text, 2), "int f() { return 1; }");
  EXPECT_EQ(line(files[1].text, 3), "");
}

TEST(DeviceOnly, ProgramsWithoutHostCodeAreKnown) {
  const auto host = [](const std::string& text) {
    return Program({{"a.cu", text}}, {}, only_cuda).has_host_code();
  };
  EXPECT_FALSE(host("#include <cuda_fp16.h>\nfloat f() { return 1; }\n__global__ void k() {}\n"));
  EXPECT_FALSE(host("#ifndef __CUDACC_RTC__\nint main() {}\n#endif\n"));
  EXPECT_FALSE(host("__device__ void f(cudaTextureObject_t t) {}\n"));
  EXPECT_FALSE(host("float dot(float* vector, int map) { return vector[map]; }\n"));
  EXPECT_TRUE(host("int main() {}\n"));
  EXPECT_TRUE(host("#include <map>\n"));
  EXPECT_TRUE(host("void f() { k<<<1, 1>>>(); }\n"));
  EXPECT_TRUE(host("void f(float* p) { cudaFree(p); }\n"));
  EXPECT_TRUE(host("std::vector<int> v;\n"));
}

TEST(Kernels, AreListedWithWhatTheyNeed) {
  const Program program(
      {{"a.cu",
        "template <typename T,\n   int N = 3>\n__global__ void k(T* a, int n) {}\n"
        "extern \"C\" __global__ void __launch_bounds__(256) plain(float* a)\n{\n}\n"
        "__global__ void declared(int);\n"}},
      {}, only_cuda);
  const std::vector<Kernel> kernels = program.kernels();
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0].name, "k");
  EXPECT_EQ(kernels[0].signature,
            "template <typename T, int N = 3> __global__ void k(T* a, int n)");
  EXPECT_EQ(kernels[0].template_parameters, (std::vector<std::string>{"typename T", "int N = 3"}));
  EXPECT_EQ(kernels[1].name, "plain");
  EXPECT_TRUE(kernels[1].template_parameters.empty());
}

std::vector<std::string> signatures(const std::string& text) {
  std::vector<std::string> found;
  for (const Kernel& kernel : Program({{"a.cu", text}}, {}, only_cuda).kernels()) {
    found.push_back(kernel.name + ": " + kernel.signature);
  }
  return found;
}

TEST(Kernels, AreMadeByMacros) {
  EXPECT_EQ(signatures("#define BINARY(name, op) \\\n"
                       "  __global__ void name##_kernel(float* a, int n) { \\\n"
                       "    if (n > 0) { a[0] = a[0] op 1; } \\\n"
                       "  }\n"
                       "BINARY(add, +)\n"
                       "BINARY(mul, *);\n"
                       "int main() { add_kernel<<<1, 1>>>(0, 0); }\n"),
            (Lines{"add_kernel: __global__ void add_kernel(float* a, int n)",
                   "mul_kernel: __global__ void mul_kernel(float* a, int n)"}));
  EXPECT_EQ(signatures("#define KERNEL(name) extern \"C\" __global__ void name\n"
                       "KERNEL(scale)(float* a) { a[0] = 1; }\n"),
            Lines{"scale: extern \"C\" __global__ void scale(float* a)"});
  EXPECT_EQ(signatures("#define OPS(X) X(inc) X(dec)\n"
                       "#define K(name) __global__ void name(int* a) { a[0] = 1; }\n"
                       "OPS(K)\n"),
            (Lines{"inc: __global__ void inc(int* a)", "dec: __global__ void dec(int* a)"}));
  EXPECT_EQ(signatures("#define BODY(name) __global__ void name(T* a) { a[0] = 1; }\n"
                       "template <typename T> BODY(one)\n"
                       "__global__ void two(int* a) {}\n"),
            (Lines{"one: template <typename T> __global__ void one(T* a)",
                   "two: __global__ void two(int* a)"}));
}

TEST(DeviceOnly, WhatMacrosMakeForTheHostGoes) {
  EXPECT_EQ(left("#define BOTH(name) \\\n"
                 "  __global__ void name(int* a) { a[0] = 1; } \\\n"
                 "  void run_##name(int* a) { name<<<1, 1>>>(a); }\n"
                 "BOTH(\n  fill)\n"
                 "#define RUN(name) void again_##name(int* a) { name<<<1, 1>>>(a); }\n"
                 "RUN(fill)\n"
                 "__global__ void other(int* a) {}\n"),
            (Lines{"#define BOTH(name) \\", "  __global__ void name(int* a) { a[0] = 1; } \\",
                   "  void run_##name(int* a) { name<<<1, 1>>>(a); }",
                   "__global__ void fill(int* a) { a[0] = 1; }", "",
                   "#define RUN(name) void again_##name(int* a) { name<<<1, 1>>>(a); }", "",
                   "__global__ void other(int* a) {}"}));
}

TEST(DeviceOnly, NamesOfTheHostsTypesStayWhereKernelsUseThem) {
  EXPECT_EQ(left("using E = std::vector<float>::value_type;\n"
                 "using Unused = std::vector<int>;\n"
                 "struct P { std::vector<int> sizes; static constexpr int kTile = 8; };\n"
                 "std::vector<int> v;\n"
                 "__global__ void k(E* a) { a[P::kTile] = 1; }\n"),
            (Lines{"using E = std::vector<float>::value_type;", "",
                   "struct P { std::vector<int> sizes; static constexpr int kTile = 8; };", "",
                   "__global__ void k(E* a) { a[P::kTile] = 1; }"}));
}

TEST(Includes, ThatAreNowhereAreMissing) {
  const auto missing = [](const std::string& text) {
    std::string all;
    const Program program({{"a.cu", text},
                           {"b.h",
                            "#ifndef B_H\n#define B_H\n#include \"c.h\"\n"
                            "#endif\n"}},
                          {}, only_cuda);
    for (const MissingHeader& one : program.missing()) {
      all += one.place.file + ":" + std::to_string(one.place.line) + " " + one.header.name + "\n";
    }
    return all;
  };
  EXPECT_EQ(missing("#include <vector>\n#include <stdio.h>\n#include <sys/time.h>\n"
                    "\n#include \"tools/x.h\"\n#include <helper_math.h>\n"),
            "a.cu:5 tools/x.h\na.cu:6 helper_math.h\nb.h:3 c.h\n")
      << "a condition around a whole header leaves nothing out";
  EXPECT_EQ(missing("#ifdef WITH_X\n#include \"x.h\"\n#endif\n#include \"b.h\"\n"), "b.h:3 c.h\n");
}

TEST(Includes, AreFoundAndReadOnce) {
  const std::vector<File> disk = {{"d/b.h", "#include \"c.h\"\n#include \"b.h\"\n"},
                                  {"d/c.h", "#include <x.h>\n"},
                                  {"inc/x.h", ""}};
  const auto read = [&](const std::string& name) -> std::optional<std::string> {
    for (const File& file : disk) {
      if (file.name == name) return file.text;
    }
    return {};
  };
  std::vector<std::string> names;
  for (const File& file : included_files(
           "d/a.cu", "#include \"b.h\"\n#if 0\n#include \"no.h\"\n#endif\n", {"inc"}, read)) {
    names.push_back(file.name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"d/b.h", "d/c.h", "inc/x.h"}));
}

}  // namespace
}  // namespace lab::source
