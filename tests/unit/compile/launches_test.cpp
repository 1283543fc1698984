// Programs' own launches; each expectation is read off the text by hand.
#include "harness/kernel/compile/source/launches.h"

#include <gtest/gtest.h>

namespace lab::source {
namespace {

using Names = std::vector<std::string>;

// With `host` behind two templates and a struct.
std::vector<File> files(const std::string& host) {
  return {{"a.cu",
           "template <typename T, int N> __global__ void tile(const T* in, T* out) {}\n"
           "template <typename T> __global__ void fill(T* __restrict__ out, T value, int n) {}\n"
           "struct Particle { float x; };\n" +
               host}};
}

Instances instances(const std::string& kernel, const std::string& host) {
  const std::vector<File> all = files(host);
  const Program program(all, {}, [](const HeaderName&) { return Header::kKernels; });
  for (const Kernel& one : program.kernels()) {
    if (one.name == kernel) return instances_of(all, one);
  }
  return {{"no such kernel"}};
}

TEST(Launches, ArgumentsThatAreWrittenOut) {
  EXPECT_EQ(instances("tile", "int main() { tile<float, 32><<<1, 32>>>(a, b); }\n").names,
            Names{"tile<float, 32>"});
  EXPECT_EQ(instances("tile",
                      "int main() {\n  tile<float, 32><<<1, 32>>>(a, b);\n"
                      "  tile<Particle, (16 > 8)><<<1, 32>>>(a, b);\n"
                      "  tile<float, 32><<<2, 32>>>(a, b);\n}\n")
                .names,
            (Names{"tile<float, 32>", "tile<Particle, (16 > 8)>"}));
  EXPECT_EQ(instances("tile", "auto k = &tile<float, 8>;\n").names, Names{"tile<float, 8>"});
  EXPECT_EQ(instances("tile", "template __global__ void tile<int, 4>(const int*, int*);\n").names,
            Names{"tile<int, 4>"});
}

TEST(Launches, ConstantsOfTheFunctionArePutIn) {
  EXPECT_EQ(instances("tile",
                      "int main() {\n  constexpr int kEdge = 4 * 8;\n"
                      "  tile<float, kEdge><<<1, 32>>>(a, b);\n}\n")
                .names,
            Names{"tile<float, 32>"});
  // One of the file's own needs no number: the compiler knows it.
  EXPECT_EQ(instances("tile",
                      "const int kEdge = 16;\n"
                      "int main() { tile<float, kEdge><<<1, 32>>>(a, b); }\n")
                .names,
            Names{"tile<float, kEdge>"});
}

TEST(Launches, TemplatesAroundALaunch) {
  EXPECT_EQ(instances("tile",
                      "template <typename T, int E> void run(T* a) {\n"
                      "  tile<T, E><<<1, E>>>(a, a);\n}\n"
                      "int main() { run<double, 16>(p); run<float, 8>(q); }\n")
                .names,
            (Names{"tile<double, 16>", "tile<float, 8>"}));
  EXPECT_TRUE(
      instances("tile", "template <typename T> void run(T* a) { tile<T, 4><<<1, 4>>>(a, a); }\n")
          .names.empty())
      << "nobody says which T";
}

TEST(Launches, NamesThatNobodyDeclaresAreNoArguments) {
  EXPECT_TRUE(
      instances("tile",
                "void run(Tensor t) { DISPATCH(t, ([&] { tile<scalar_t, 4><<<1, 4>>>(a, b); "
                "})); }\n")
          .names.empty())
      << "scalar_t is a macro's of a header that is not here";
  EXPECT_EQ(instances("tile",
                      "using scalar = double;\n"
                      "void run() { tile<scalar, 4><<<1, 4>>>(a, b); "
                      "tile<std::uint8_t, 4><<<1, 4>>>(a, b); }\n")
                .names,
            (Names{"tile<scalar, 4>", "tile<std::uint8_t, 4>"}));
}

TEST(Launches, TypesFollowFromWhatIsPassed) {
  EXPECT_EQ(instances("fill",
                      "int main() {\n  float *a, *b;\n  const double* c;\n"
                      "  fill<<<1, 32>>>(b, 1.f, 32);\n}\n")
                .names,
            Names{"fill<float>"});
  EXPECT_EQ(instances("fill",
                      "void run(Particle* p, unsigned int n) {\n  Particle zero;\n"
                      "  fill<<<1, 32>>>(p, zero, n);\n}\n")
                .names,
            Names{"fill<Particle>"});
  EXPECT_EQ(instances("fill", "int main() { fill<<<1, 32>>>((int*)p, 0, 1); }\n").names,
            Names{"fill<int>"});
  EXPECT_TRUE(
      instances("fill", "int main() { fill<<<1, 32>>>(v.data(), v[0], 1); }\n").names.empty());
}

TEST(Launches, LambdasAreKnown) {
  const std::string head = "template <typename F> __global__ void apply(float* a, F f) {}\n";
  EXPECT_TRUE(instances("apply", head + "int main() { apply<<<1, 1>>>(a, [=] __device__ (float x) "
                                        "{ return x; }); }\n")
                  .lambda);
  EXPECT_TRUE(instances("apply", head + "int main() { auto f = [] __device__ (float x) { return x; "
                                        "};\n  apply<<<1, 1>>>(a, f); }\n")
                  .lambda);
  EXPECT_FALSE(
      instances("apply", head + "int main() { Particle p; apply<<<1, 1>>>(a, p); }\n").lambda);
}

TEST(Launches, BytesOfSharedMemory) {
  const auto given = [](const std::string& host) { return shared_given(files(host), "fill"); };
  const auto found = given(
      "#define WARPS 4\nint main() {\n  const int threads = 32 * WARPS;\n"
      "  fill<<<1, threads, threads * sizeof(double) + 8>>>(a, 1, 2);\n}\n");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->place.file, "a.cu");
  EXPECT_EQ(found->place.line, 7);
  EXPECT_EQ(found->place.text, "threads * sizeof(double) + 8");
  EXPECT_EQ(found->bytes, 32 * 4 * 8 + 8);
  const auto unknown = given("void run(int n) { fill<<<1, n, n * sizeof(float)>>>(a, 1, 2); }\n");
  ASSERT_TRUE(unknown);
  EXPECT_EQ(unknown->bytes, std::nullopt);
  EXPECT_FALSE(given("int main() { fill<<<1, 32>>>(a, 1, 2); }\n"));
  EXPECT_FALSE(given("int main() { fill<<<1, 32, 0, stream>>>(a, 1, 2); }\n"));
}

TEST(Launches, NumbersAndTemplatesWithinEachOtherEnd) {
  const std::string deep(100'000, '(');
  const auto found = shared_given(files("int main() { fill<<<1, 1, " + deep + "1" +
                                        std::string(deep.size(), ')') + ">>>(a); }\n"),
                                  "fill");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->bytes, std::nullopt);
  // Each launches the next in 40 places: 40^5 ways to the kernel.
  std::string host;
  for (int i = 5; i > 0; --i) {
    host += "template <int N> void run" + std::to_string(i) + "() {\n";
    for (int j = 0; j < 40; ++j) {
      host += i == 5 ? "  tile<float, N><<<1, 1>>>(a, b);\n"
                     : "  run" + std::to_string(i + 1) + "<N + " + std::to_string(j) + ">();\n";
    }
    host += "}\n";
  }
  EXPECT_TRUE(instances("tile", host).names.empty());
}

TEST(Launches, ANumberThatVariesIsNoConstant) {
  const auto found = shared_given(files("int main() {\n  int n = 32;\n  fill<<<1, 1, n>>>(a);\n"
                                        "  n = 64;\n  fill<<<1, 1, n>>>(a);\n}\n"),
                                  "fill");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->bytes, std::nullopt);
}

}  // namespace
}  // namespace lab::source
