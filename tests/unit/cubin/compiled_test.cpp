// The decoder against the compiler that is there: kernels of one known access each, for every
// architecture that NVRTC makes code for.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "harness/kernel/compile/nvrtc.h"
#include "harness/kernel/compile/nvrtc_library.h"
#include "harness/kernel/cubin/cubin.h"
#include "tests/unit/cubin/support.h"

namespace lab::cubin {
namespace {

struct Case {
  const char* code;  ///< of a kernel with p (global), sa (a shared address), q (an output), v
  const char* name;
  int bytes;
  int first_sm = 75;
  const char* by_older = nullptr;  ///< null: the same name
};

// Every access is written in PTX, so that its space and width are what stands here.
constexpr Case kCases[] = {
    {"asm volatile(\"ld.global.u8 %0,[%1+4];\" : \"=r\"(v) : \"l\"(p));", "LDG", 1},
    {"asm volatile(\"ld.global.s16 %0,[%1+4];\" : \"=r\"(v) : \"l\"(p));", "LDG", 2},
    {"asm volatile(\"ld.global.u32 %0,[%1+4];\" : \"=r\"(v) : \"l\"(p));", "LDG", 4},
    {"asm volatile(\"ld.global.nc.u32 %0,[%1+4];\" : \"=r\"(v) : \"l\"(p));", "LDG", 4},
    {"asm volatile(\"ld.global.u64 %0,[%1+8];\" : \"=l\"(w) : \"l\"(p));", "LDG", 8},
    {"asm volatile(\"ld.global.v2.u32 {%0,%1},[%2];\" : \"=r\"(v), \"=r\"(u) : \"l\"(p));", "LDG",
     8},
    {"asm volatile(\"ld.global.v4.u8 {%0,%1,%0,%1},[%2];\" : \"=r\"(v), \"=r\"(u) : \"l\"(p));",
     "LDG", 4},
    {"asm volatile(\"ld.global.v2.u64 {%0,%1},[%2];\" : \"=l\"(w), \"=l\"(x) : \"l\"(p));", "LDG",
     16},
    {"asm volatile(\"st.global.u8 [%0],%1;\" ::\"l\"(p), \"r\"(u));", "STG", 1},
    {"asm volatile(\"st.global.u16 [%0],%1;\" ::\"l\"(p), \"h\"((short)u));", "STG", 2},
    {"asm volatile(\"st.global.u32 [%0],%1;\" ::\"l\"(p), \"r\"(u));", "STG", 4},
    {"asm volatile(\"st.global.v2.u64 [%0],{%1,%1};\" ::\"l\"(p), \"l\"(x));", "STG", 16},
    {"asm volatile(\"ld.shared.u8 %0,[%1+4];\" : \"=r\"(v) : \"r\"(sa));", "LDS", 1},
    {"asm volatile(\"ld.shared.u16 %0,[%1+4];\" : \"=r\"(v) : \"r\"(sa));", "LDS", 2},
    {"asm volatile(\"ld.shared.u32 %0,[%1+4];\" : \"=r\"(v) : \"r\"(sa));", "LDS", 4},
    {"asm volatile(\"ld.shared.u64 %0,[%1+8];\" : \"=l\"(w) : \"r\"(sa));", "LDS", 8},
    {"asm volatile(\"ld.shared.v2.u64 {%0,%1},[%2];\" : \"=l\"(w), \"=l\"(x) : \"r\"(sa));", "LDS",
     16},
    {"asm volatile(\"st.shared.u8 [%0],%1;\" ::\"r\"(sa), \"r\"(u));", "STS", 1},
    {"asm volatile(\"st.shared.u32 [%0],%1;\" ::\"r\"(sa), \"r\"(u));", "STS", 4},
    {"asm volatile(\"st.shared.u64 [%0],%1;\" ::\"r\"(sa), \"l\"(x));", "STS", 8},
    {"asm volatile(\"st.shared.v2.u64 [%0],{%1,%1};\" ::\"r\"(sa), \"l\"(x));", "STS", 16},
    {"asm volatile(\"ld.u32 %0,[%1+4];\" : \"=r\"(v) : \"l\"(p));", "LD", 4},
    {"asm volatile(\"st.u64 [%0],%1;\" ::\"l\"(p), \"l\"(x));", "ST", 8},
    {"asm volatile(\"atom.global.add.u32 %0,[%1],%2;\" : \"=r\"(v) : \"l\"(p), \"r\"(u));", "ATOMG",
     4},
    {"asm volatile(\"atom.global.exch.b64 %0,[%1],%2;\" : \"=l\"(w) : \"l\"(p), \"l\"(x));",
     "ATOMG", 8},
    {"asm volatile(\"atom.global.cas.b64 %0,[%1],%2,%2;\" : \"=l\"(w) : \"l\"(p), \"l\"(x));",
     "ATOMG", 8},
    {"float f; asm volatile(\"atom.global.add.f32 %0,[%1],0f3F800000;\" : \"=f\"(f) : \"l\"(p)); v "
     "= "
     "f;",
     "ATOMG", 4},
    {"double d; asm volatile(\"atom.global.add.f64 %0,[%1],1.0;\" : \"=d\"(d) : \"l\"(p)); v = d;",
     "ATOMG", 8},
    {"asm volatile(\"red.global.add.u32 [%0],%1;\" ::\"l\"(p), \"r\"(u));", "RED", 4},
    {"asm volatile(\"red.global.min.u64 [%0],%1;\" ::\"l\"(p), \"l\"(x));", "RED", 8, 75,
     "ATOMG"},  // which throws its result away
    {"asm volatile(\"red.global.add.f32 [%0],0f3F800000;\" ::\"l\"(p));", "RED", 4},
    {"asm volatile(\"red.global.add.f64 [%0],1.0;\" ::\"l\"(p));", "RED", 8},
    {"asm volatile(\"atom.shared.add.u32 %0,[%1],%2;\" : \"=r\"(v) : \"r\"(sa), \"r\"(u));",
     "ATOMS", 4},
    {"asm volatile(\"atom.shared.exch.b64 %0,[%1],%2;\" : \"=l\"(w) : \"r\"(sa), \"l\"(x));",
     "ATOMS", 8},
    {"asm volatile(\"cp.async.ca.shared.global [%0],[%1],4; cp.async.wait_all;\" ::\"r\"(sa), "
     "\"l\"(p));",
     "LDGSTS", 4, 80},
    {"asm volatile(\"cp.async.ca.shared.global [%0],[%1],8; cp.async.wait_all;\" ::\"r\"(sa), "
     "\"l\"(p));",
     "LDGSTS", 8, 80},
    {"asm volatile(\"cp.async.cg.shared.global [%0],[%1],16; cp.async.wait_all;\" ::\"r\"(sa), "
     "\"l\"(p));",
     "LDGSTS", 16, 80},
    {"asm volatile(\"{.reg .f32 a,b,c,d; ld.global.v8.f32 {a,b,c,d,a,b,c,d},[%0]; st.global.f32 "
     "[%0],a;}\" ::\"l\"(p));",
     "LDG", 32, 100},
};

std::string source_for(int sm) {
  std::string text;
  int number = 0;
  for (const Case& one : kCases) {
    const std::string name = "k" + std::to_string(number++);
    if (sm < one.first_sm) continue;
    text += "extern \"C\" __global__ void " + name +
            "(char* p, unsigned long long* q, unsigned u, unsigned long long x) {\n"
            "__shared__ alignas(16) char s[256]; unsigned v = 0; unsigned long long w = 0;\n"
            "p += 16 * threadIdx.x; u += threadIdx.x; x += u;\n"
            "unsigned sa = (unsigned)__cvta_generic_to_shared(s) + 16 * (threadIdx.x & 7);\n" +
            one.code + "\nif (u == 12345) q[threadIdx.x] = v + w + x + s[u & 255];\n}\n";
  }
  return text;
}

File compile(int sm) {
  CompileRequest request;
  request.source = {"cases.cu", source_for(sm)};
  request.arch = "sm_" + std::to_string(sm);
  request.options = {"-w"};
  const Compiled compiled = compile::nvrtc_compile(request, compile::Settings{});
  return File(compiled.cubin.begin(), compiled.cubin.end());
}

// CUDA 11 makes code for chips before Turing too, whose machine code has another format.
std::vector<int> architectures() {
  const compile::NvrtcApi& api = compile::nvrtc().api;
  int count = 0;
  api.GetNumSupportedArchs(&count);
  std::vector<int> list(static_cast<std::size_t>(count));
  api.GetSupportedArchs(list.data());
  std::erase_if(list, [](int sm) { return sm < 75; });
  return list;
}

TEST(Compiled, AccessesAreDecodedOnEveryArchitecture) {
  int seen = 0;
  for (const int sm : architectures()) {
    const Image image = read(compile(sm));
    ASSERT_EQ(image.absent, "") << sm;
    EXPECT_EQ(image.sm, sm);
    for (std::size_t i = 0; i < std::size(kCases); ++i) {
      const Case& one = kCases[i];
      if (sm < one.first_sm) continue;
      const Function* function = image.find("k" + std::to_string(i));
      ASSERT_NE(function, nullptr) << sm << " " << one.code;
      // 11.8 and 12.4 return what was there and drop it; 13.0 does not.
      const bool older = compile::nvrtc().version.major < 13 && one.by_older != nullptr;
      const auto has_name = [&](std::string_view name) {
        return name == one.name || (older && name == one.by_older);
      };
      // The line that has the PTX; the rest of the kernel has lines of its own.
      const auto found = std::count_if(
          function->instructions.begin(), function->instructions.end(),
          [&](const MemoryInstruction& each) {
            const bool on_line = each.ptx_line > 0 && each.ptx_line <= image.ptx.size();
            return on_line && has_name(name_of(each.access.kind)) && each.access.bytes == one.bytes;
          });
      EXPECT_GE(found, 1) << "sm_" << sm << ": " << one.code;
      ++seen;
    }
  }
  EXPECT_GT(seen, 100);
}

}  // namespace
}  // namespace lab::cubin
