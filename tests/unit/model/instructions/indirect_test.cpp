// Calls through pointers: each lane's own target, one target at a time.
#include <gtest/gtest.h>

#include "harness/core/error.h"
#include "tests/unit/model/run_ptx.h"

namespace lab::model {
namespace {

using ptx_run::entry;
using ptx_run::Ran;
using ptx_run::run_ptx;
using ptx_run::Scene;

// double_it(x), ten_more(x) and no_argument(); a table of the first two.
const char* const kFunctions = R"(
.func (.param .b32 result) double_it(.param .b32 x)
{ .reg .b32 %r<3>; ld.param.u32 %r1, [x]; shl.b32 %r1, %r1, 1; st.param.b32 [result], %r1; ret; }
.func (.param .b32 result) ten_more(.param .b32 x)
{ .reg .b32 %r<3>; ld.param.u32 %r1, [x]; add.u32 %r1, %r1, 10; st.param.b32 [result], %r1; ret; }
.func (.param .b32 result) no_argument()
{ st.param.b32 [result], 77; ret; }
.global .align 8 .u64 table[3] = {double_it, ten_more, no_argument};
)";

/// %r5 = the function at %rd1 of %r1, with `guard` in front of the call.
std::string call_of_r1(const std::string& guard = "") {
  return "{ .param .b32 in0; .param .b32 out0; st.param.b32 [in0], %r1;\n"
         "P: .callprototype (.param .b32 _) _ (.param .b32 _);\n" +
         guard + " call (out0), %rd1, (in0), P;\n ld.param.b32 %r5, [out0]; }\n";
}
/// %rd1 = table[%r2].
const std::string kLoad =
    "mov.u64 %rd2, table;\nmul.wide.u32 %rd3, %r2, 8;\nadd.s64 %rd2, %rd2, %rd3;\n"
    "ld.global.u64 %rd1, [%rd2];\n";
const std::string kStore = "st.global.u32 [%mine], %r5;\nret;";

std::string error_of(const std::string& text) {
  try {
    (void)run_ptx(text, Scene());
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(IndirectCalls, TakeEachLaneToItsOwnFunction) {
  const Ran ran =
      run_ptx(entry("add.u32 %r1, %t, 100;\nand.b32 %r2, %t, 1;\n" + kLoad + call_of_r1() + kStore,
                    kFunctions),
              Scene());
  for (std::uint32_t t = 0; t < 32; ++t) {
    EXPECT_EQ(ran.out[t], t % 2 == 0 ? 2 * (100 + t) : 110 + t) << t;
  }
  EXPECT_TRUE(ran.result.faults.empty());
  // Afterwards the lanes are together again.
  EXPECT_EQ(ran.counts(ptx::Space::kGlobal, AccessOp::kStore).requests, 1U);
}

TEST(IndirectCalls, TakeAnAddressFromCodeToo) {
  const Ran ran = run_ptx(entry("mov.u32 %r1, %t;\nsetp.lt.u32 %p1, %t, 12;\n"
                                "mov.u64 %rd2, ten_more;\nmov.u64 %rd3, double_it;\n"
                                "selp.b64 %rd1, %rd2, %rd3, %p1;\n" +
                                    call_of_r1() + kStore,
                                kFunctions),
                          Scene());
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(ran.out[t], t < 12 ? t + 10 : 2 * t) << t;
}

TEST(IndirectCalls, AreMadeByTheLanesOfTheirGuard) {
  for (const bool negated : {false, true}) {
    const Ran ran =
        run_ptx(entry("mov.u32 %r1, %t;\nmov.u32 %r2, 1;\nmov.u32 %r5, 5;\n"
                      "setp.lt.u32 %p1, %t, 3;\n" +
                          kLoad +
                          "{ .param .b32 in0; .param .b32 out0; st.param.b32 [out0], 5;\n"
                          "st.param.b32 [in0], %r1;\n"
                          "P: .callprototype (.param .b32 _) _ (.param .b32 _);\n" +
                          (negated ? "@!%p1" : "@%p1") +
                          " call (out0), %rd1, (in0), P;\n ld.param.b32 %r5, [out0]; }\n" + kStore,
                      kFunctions),
                Scene());
    for (std::uint32_t t = 0; t < 32; ++t) {
      EXPECT_EQ(ran.out[t], (t < 3) != negated ? t + 10 : 5) << t;
    }
  }
}

TEST(IndirectCalls, ThroughNoFunctionAreFound) {
  // Lane 3 points to 0, lane 4 to the table itself, and 5 to a function that takes nothing.
  const Ran ran = run_ptx(entry("mov.u32 %r1, %t;\nmov.u32 %r2, 0;\n" + kLoad +
                                    "setp.eq.u32 %p1, %t, 3;\n@%p1 mov.u64 %rd1, 0;\n"
                                    "setp.eq.u32 %p1, %t, 4;\n@%p1 mov.u64 %rd1, table;\n"
                                    "setp.eq.u32 %p1, %t, 5;\n@%p1 mov.u64 %rd1, no_argument;\n" +
                                    call_of_r1() + kStore,
                                kFunctions),
                          Scene());
  ASSERT_EQ(ran.result.faults.size(), 1U);
  EXPECT_EQ(ran.result.faults[0].kind, FindingKind::kInvalidCall);
  EXPECT_EQ(ran.result.faults[0].lane, 3U);
  EXPECT_EQ(
      ran.result.faults[0].detail,
      "a call through the pointer 0x0, which is not a function with this call's parameters and "
      "results");
  for (std::uint32_t t = 0; t < 32; ++t) {
    if (t < 3 || t > 5) {
      EXPECT_EQ(ran.out[t], 2 * t) << t;
    }
  }
}

TEST(IndirectCalls, NestAndMeetAtBarriers) {
  // relay(p, x) calls p(x) + 1 after a barrier that both halves of the block pass.
  const std::string relay = std::string(kFunctions) + R"(
.func (.param .b32 result) relay(.param .b64 p, .param .b32 x)
{ .reg .b32 %r<6>; .reg .b64 %rd<3>; ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [x];
bar.sync 0;
)" + call_of_r1() + "add.u32 %r5, %r5, 1; st.param.b32 [result], %r5; ret; }\n";
  Scene scene;
  scene.launch.block.x = 64;
  scene.out_size = 64;
  const Ran ran = run_ptx(
      entry("mov.u32 %r1, %t;\nshr.u32 %r2, %t, 5;\n" + kLoad +
                "{ .param .b64 p0; .param .b32 in0; .param .b32 out0; st.param.b64 [p0], %rd1;\n"
                "st.param.b32 [in0], %r1;\nmov.u64 %rd4, relay;\n"
                "P: .callprototype (.param .b32 _) _ (.param .b64 _, .param .b32 _);\n"
                "call (out0), %rd4, (p0, in0), P;\nld.param.b32 %r5, [out0]; }\n" +
                kStore,
            relay),
      scene);
  for (std::uint32_t t = 0; t < 64; ++t) EXPECT_EQ(ran.out[t], t < 32 ? 2 * t + 1 : t + 11) << t;
  EXPECT_TRUE(ran.result.faults.empty());
}

TEST(IndirectCalls, ThatMayComeBackAreRefused) {
  // again(x) calls what table[0] names, which may be again() itself.
  const std::string again = R"(
.visible .func (.param .b32 result) again(.param .b32 x);
.global .align 8 .u64 table[1] = {again};
.visible .func (.param .b32 result) again(.param .b32 x)
{
.reg .b32 %r<6>; .reg .b64 %rd<3>; ld.param.u32 %r1, [x]; ld.global.u64 %rd1, [table];
)" + call_of_r1() + "st.param.b32 [result], %r5; ret;\n}\n";
  // Three lines of header, an empty one, six to the call's first line, and two more.
  EXPECT_EQ(error_of(entry(
                "mov.u32 %r1, %t;\nld.global.u64 %rd1, [table];\n" + call_of_r1() + kStore, again)),
            "'again' may call itself through a pointer: recursion is not modelled (in 'again', "
            "line 12 of the PTX)");
  // A kernel that calls nothing is not concerned.
  EXPECT_EQ(error_of(entry("ret;", again)), "");
}

TEST(IndirectCalls, PointersHaveValuesOfTheirOwn) {
  EXPECT_NE(function_address(0), 0U);
  EXPECT_LT(function_address(0), function_address(1));
  GlobalMemory memory;
  std::vector<std::byte> data(8);
  // A million functions lie below all data.
  EXPECT_LT(function_address(1000000), memory.add(data, "data"));
}

}  // namespace
}  // namespace lab::model
