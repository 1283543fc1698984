// Values that the decoder makes constant, and code that it refuses.
#include "harness/model/decode/decode.h"

#include <gtest/gtest.h>

#include "harness/core/error.h"
#include "tests/unit/model/run_ptx.h"

namespace lab::model {
namespace {

using ptx_run::entry;
using ptx_run::Ran;
using ptx_run::run_ptx;
using ptx_run::Scene;

std::string message_of(const std::string& text) {
  try {
    run_ptx(text, Scene());
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Decode, WhatFollowsFromTheIndexRunsAhead) {
  // The frame's own 7 instructions: three parameters, %tid.x, two additions and a multiplication,
  // all constant for a warp's place in its block. mul and add of %ctaid alone: once a block.
  const Ran ran = run_ptx(entry(R"(
    mov.u32 %r1, %ctaid.x;
    mul.lo.u32 %r2, %r1, 32;
    add.u32 %r3, %r2, %t;
    st.global.u32 [%mine], %r3;
    ret;)"),
                          Scene());
  EXPECT_EQ(ran.program.launch_prologue.size(), 3U + 1U);  // the parameters, and the stop
  EXPECT_EQ(ran.program.slot_prologue.size(), 4U + 1U);
  EXPECT_EQ(ran.program.block_prologue.size(), 2U + 1U);
  EXPECT_EQ(ran.program.code.size(), 3U);            // add (of both), st, ret
  EXPECT_EQ(ran.result.warp_instructions, 7U + 5U);  // all are counted all the same
  EXPECT_EQ(ran.out[31], 31U);
}

TEST(Decode, RegistersThatChangeAreNotConstant) {
  // %r1 has two writers: it must not run ahead although both are of constants.
  const Ran ran = run_ptx(entry(R"(
    mov.u32 %r1, 5;
    setp.lt.u32 %p1, %t, 16;
    @%p1 bra J;
    mov.u32 %r1, 6;
    J: st.global.u32 [%mine], %r1;
    ret;)"),
                          Scene());
  EXPECT_EQ(ran.out[0], 5U);
  EXPECT_EQ(ran.out[31], 6U);
}

TEST(Decode, PartsOfRegistersAreTakenAndPut) {
  const Ran ran = run_ptx(entry(R"(
    mov.b64 %rd1, {%t, 7};
    mov.b64 {%r1, %r2}, %rd1;
    mov.b32 {%h1, %h2}, 0x00030002;
    mov.b32 %r3, {%h2, %h1};
    add.u32 %r4, %r1, %r2;
    add.u32 %r4, %r4, %r3;
    st.global.u32 [%mine], %r4;
    ret;)"),
                          Scene());
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(ran.out[t], t + 7 + 0x00020003U);
}

TEST(Decode, DynamicSharedMemoryFollowsTheStatic) {
  Scene scene;
  scene.launch.dynamic_shared_bytes = 128;
  scene.out_size = 32;
  const Ran ran = run_ptx(entry(R"(
    mov.u64 %rd1, dynamic;
    mul.wide.u32 %rd2, %t, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.shared.u32 [%rd3], %t;
    ld.shared.u32 %r1, [%rd3];
    st.shared.u32 [fixed], %r1;
    cvt.u32.u64 %r2, %rd1;
    st.global.u32 [%mine], %r2;
    ret;)",
                                ".extern .shared .align 16 .b8 dynamic[];\n"
                                ".shared .align 4 .b8 fixed[20];\n"),
                          scene);
  EXPECT_EQ(ran.out[0], 32U);  // 20 bytes, rounded up to 16
  EXPECT_EQ(ran.program.shared_bytes, 32U);
  EXPECT_TRUE(ran.result.faults.empty());
}

TEST(Decode, RefusesWhatIsNotModelledByName) {
  const std::string recursive = ".func f()\n{\n  call.uni f;\n  ret;\n}\n";
  // Its first line is the fourth of the text, its call two below.
  EXPECT_EQ(message_of(entry("call.uni f;\nret;", recursive)),
            "'f' calls itself: recursion is not modelled (in 'f', line 6 of the PTX)");
  // Four lines to the declaration, 17 to the end of the frame's own instructions.
  EXPECT_EQ(message_of(entry("call.uni g;\nret;", ".extern .func g();\n")),
            "'g' is not defined: a call of it is not modelled (in 'k', line 22 of the PTX)");
}

TEST(Decode, AdvisesWhatToWriteInsteadOfTheRuntimesFunctions) {
  const auto hint_of = [](const std::string& function) {
    try {
      (void)run_ptx(
          entry("call.uni " + function + ";\nret;", ".extern .func " + function + "();\n"),
          Scene());
    } catch (const Error& error) {
      return error.hint();
    }
    return std::string("runs");
  };
  EXPECT_EQ(hint_of("malloc"),
            "give the kernel a buffer with room for all threads, or use a local array of fixed "
            "size");
  EXPECT_EQ(hint_of("cudaLaunchDeviceV2"), "launch kernels from the host alone");
  EXPECT_EQ(hint_of("g"), "");
}

TEST(Decode, EveryModuleVariableHasAnAddress) {
  const Ran ran = run_ptx(entry(R"(
    ld.global.u64 %rd1, [pointer];
    ld.global.u32 %r1, [%rd1];
    st.global.u32 [%mine], %r1;
    ret;)",
                                ".global .align 4 .u32 values[2] = {3, 4};\n"
                                ".global .align 8 .u64 pointer = generic(values)+4;\n"),
                          Scene());
  EXPECT_EQ(ran.out[0], 4U);
}

// k_n is 4 bytes 16 bytes into 20 of parameters: 16 - 2^63, 16 + 2^64 - 17 = -1 and 16 + 8 are all
// outside of them, and the first two wrap around when the width is added.
TEST(Decode, ParametersAreReadWithinTheirBounds) {
  for (const char* offset : {"-9223372036854775808", "-17", "+8", "+1", "+9223372036854775807"}) {
    const std::string text = entry(std::string("ld.param.u32 %r1, [k_n") + offset +
                                   "];\nst.global.u32 [%mine], %r1;\nret;");
    EXPECT_NE(message_of(text).find("reads past the kernel's parameters"), std::string::npos)
        << offset << ": " << message_of(text);
  }
  EXPECT_EQ(message_of(entry("ld.param.u32 %r1, [k_n-16];\nret;")), "no error");  // k_out's
}

TEST(Decode, AKernelsOwnParametersAreNotPassedOn) {
  const std::string callee =
      ".func take(.param .u64 a) {\n.reg .b64 %x;\nld.param.u64 %x, [a];\nret;\n}\n";
  const std::string message = message_of(entry("call.uni take, (k_in);\nret;", callee));
  EXPECT_NE(message.find("passes a parameter of the kernel itself"), std::string::npos) << message;
}

// printf's two pointers are 16 bytes: of a declaration with fewer it would read what is beside.
TEST(Decode, BuiltinsAreDeclaredAsTheyAre) {
  const std::string callee = ".extern .func (.param .b32 r) vprintf(.param .b64 format);\n";
  const std::string message = message_of(entry(
      ".param .b64 p;\n.param .b32 q;\nst.param.b64 [p], %in;\ncall.uni (q), vprintf, (p);\nret;",
      callee));
  EXPECT_NE(message.find("'vprintf' is not defined"), std::string::npos) << message;
}

// Two loads whose offsets are 2^64 - 8 apart: the second would take for checked what lies a whole
// address space away.
TEST(Decode, OffsetsFarApartAreNoGroup) {
  const Ran ran = run_ptx(entry(R"(
    .shared .align 4 .b8 s[256];
    mov.u64 %rd1, 9223372036854775804;
    ld.shared.u32 %r1, [%rd1+-9223372036854775804];
    ld.shared.u32 %r2, [%rd1+9223372036854775804];
    ld.shared.u32 %r3, [%rd1+4611686018427387904];
    st.global.u32 [%mine], %r3;
    ret;)"),
                          Scene());
  EXPECT_EQ(ran.out[0], 0U);  // nothing could be read
  EXPECT_FALSE(ran.result.faults.empty());
}

}  // namespace
}  // namespace lab::model
