// Calls that cannot be made, and what is refused before anything runs.
#include <string>

#include "tests/unit/model/check/planted.h"

namespace lab::model::planted {
namespace {

TEST(PlantedRefused, ACallThroughAPointerThatIsNoFunction) {
  const std::string source = R"(
typedef float (*Function)(float);
__device__ float twice(float x) { return 2 * x; }
__device__ Function table[1] = {twice};
extern "C" __global__ void k(float* out, Function given) {
  Function f = threadIdx.x == 5 ? given : table[0];
  out[threadIdx.x] = f(1.0f);
}
)";
  // The host's address of a function is not one of the kernel's.
  const CaseRecord record =
      run(source, {.args = {out_f32(64), ScalarSpec{ElementType::kU64, 0x1234}}});
  EXPECT_EQ(summary(record), (Lines{"invalid_call: out[threadIdx.x] = f(1.0f);"}));
  ASSERT_EQ(record.findings.size(), 1U);
  EXPECT_EQ(record.findings[0].line, 7);
  EXPECT_EQ(record.findings[0].thread, (Dim3{5, 0, 0}));
  EXPECT_EQ(
      record.findings[0].message,
      "a call through the pointer 0x1234, which is not a function with this call's parameters "
      "and results");
}

// Another kernel of the file does what cannot run: that is not this one's matter.
TEST(PlantedRefused, WhatOtherKernelsDoIsNotRefused) {
  const std::string source = R"(
__device__ __noinline__ int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }
extern "C" __global__ void recursive(float* out) { out[threadIdx.x] = f(threadIdx.x); }
extern "C" __global__ void k(float* out) { out[threadIdx.x] = 1; }
)";
  expect_clean(source, {.args = {out_f32(64)}});
}

// A kernel that cannot run is refused before anything runs, with the reason's name and source line.
TEST(PlantedRefused, WhatIsNotModelledIsRefusedAtItsLine) {
  const auto reason = [](const std::string& source) {
    const CaseRecord record = run(source, {.args = {out_f32(64)}});
    EXPECT_EQ(record.status, CaseStatus::kRefused);
    EXPECT_EQ(summary(record), Lines{});
    // The folder is the test's; the line in the PTX is the compiler's choice, the source's is not.
    const std::size_t from = record.reason.find("planted.cu");
    EXPECT_NE(from, std::string::npos) << record.reason;
    return record.reason.substr(from, record.reason.find(" (in '") - from);
  };
  EXPECT_EQ(reason(R"(
__device__ int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }
extern "C" __global__ void k(float* out) { out[threadIdx.x] = f(threadIdx.x); }
)"),
            "planted.cu:2: '_Z1fi' calls itself: recursion is not modelled");
  EXPECT_EQ(reason(R"(
extern "C" __global__ void k(float* out) {
  float* own = static_cast<float*>(malloc(16));
  own[1] = 1;
  out[threadIdx.x] = own[1];
  free(own);
}
)"),
            "planted.cu:3: 'malloc' is not defined: a call of it is not modelled");
  EXPECT_EQ(reason(R"(
extern "C" __global__ void k(unsigned* out) {
  unsigned count;
  asm volatile("mov.u32 %0, %%pm0;" : "=r"(count));
  out[threadIdx.x] = count;
}
)"),
            "planted.cu:4: registers of performance monitors and of graphs are not modelled");
  EXPECT_EQ(reason(R"(
extern "C" __global__ void k(unsigned* out) {
  unsigned d0, d1, z = 0;
#define MMA "mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16"
  asm volatile(MMA " {%0,%1,%0,%1}, {%2,%2}, {%2,%2}, {%2,%2,%2,%2};" : "=r"(d0), "=r"(d1) : "r"(z));
  out[threadIdx.x] = d0 + d1;
}
)"),
            "planted.cu:5: the instruction 'mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 "
            "{%r1,%r2,%r1,%r2}, {%r3,%r3}, {%r3,%r3}, {%r3,%r3,%r3,%r3};' is not modelled: not in "
            "this shape with these types");
}

}  // namespace
}  // namespace lab::model::planted
