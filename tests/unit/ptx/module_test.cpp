#include "harness/kernel/ptx/module.h"

#include <gtest/gtest.h>

#include "tests/unit/ptx/support.h"

namespace lab::ptx {
namespace {

std::string refusal_of(const Module& module, const std::string& entry) {
  try {
    require_runnable(module, module.find_entry(entry));
  } catch (const Error& error) {
    return render(error);
  }
  return "";
}

TEST(Module, FindsEntriesOnly) {
  const Module module =
      parse(std::string(kHeader) + ".func f() { ret; } .entry k() { ret; }", "x.ptx");
  EXPECT_EQ(module.find_entry("k"), 1U);
  EXPECT_EQ(module.find_entry("f"), kNoIndex);
}

TEST(Module, LaysParametersOut) {
  // u8 at 0, then u64 at the next multiple of 8, 3 bytes of struct at 16, u16 at 20.
  const Module module = parse(std::string(kHeader) +
                                  ".entry k(.param .u8 a, .param .u64 b, .param .align 4 .b8 c[3], "
                                  ".param .u16 d) { ret; }",
                              "x.ptx");
  const ParamLayout at = layout(module.functions[0].params);
  EXPECT_EQ(at.offsets, (std::vector<std::uint64_t>{0, 8, 16, 20}));
  EXPECT_EQ(at.bytes, 22U);
}

constexpr const char* kTexture =
    ".func t() {\n.reg .f32 %f<9>;\n.loc 1 30 2\ntld4.r.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [a, "
    "{b}];\n"
    "ret; }\n.file 1 \"/src/k.cu\"\n";

TEST(Refusals, AreOfTheKernelThatReachesThem) {
  const Module module = parse(std::string(kHeader) + kTexture +
                                  ".func u() { call t; ret; }\n.entry bad() { call u; ret; }\n"
                                  ".entry good() { ret; }\n",
                              "x.ptx");
  EXPECT_EQ(refusal_of(module, "good"), "");
  EXPECT_EQ(refusal_of(module, "bad"),
            "/src/k.cu:30: error: the instruction 'tld4.r.2d.v4.f32.f32' is not modelled (in 't', "
            "line 7 of the PTX)\nhint: read and write through plain pointers instead\n");
}

TEST(Refusals, ReachThroughAddresses) {
  const std::string call = "{ .reg .b64 %rd<2>; P: .callprototype _ (); call %rd1, P; ret; }\n";
  const Module table =
      parse(std::string(kHeader) + kTexture + ".global .u64 fs[1] = {t};\n" + ".entry k() " + call,
            "x.ptx");
  EXPECT_NE(refusal_of(table, "k"), "");
  const Module unused = parse(std::string(kHeader) + kTexture + ".entry k() " + call, "x.ptx");
  EXPECT_EQ(refusal_of(unused, "k"), "");
  const Module moved = parse(std::string(kHeader) + kTexture + ".func m() { .reg .b64 %rd<2>; " +
                                 "mov.u64 %rd1, t; ret; }\n.entry k() " + call,
                             "x.ptx");
  EXPECT_NE(refusal_of(moved, "k"), "");
}

TEST(Refusals, AreNotOfFunctionsThatTheCallDoesNotFit) {
  // t() takes nothing; this call passes 4 bytes.
  const Module module =
      parse(std::string(kHeader) + kTexture + ".func f(.param .b32 x) { ret; }\n" +
                ".global .u64 fs[2] = {t, f};\n.entry k() { .reg .b64 %rd<2>; .param .b32 p; " +
                "P: .callprototype _ (.param .b32 _); call %rd1, (p), P; ret; }\n",
            "x.ptx");
  EXPECT_EQ(refusal_of(module, "k"), "");
  EXPECT_EQ(taken_addresses(module), (std::vector<std::uint32_t>{0, 1}));
  const Function& k = module.functions.at(2);
  EXPECT_EQ(callees_of(module, k, k.instructions.at(0), taken_addresses(module)),
            std::vector<std::uint32_t>{1});
}

TEST(Refusals, ShowThePtxWhereThereIsNoSourceLine) {
  const Module module = parse(kernel("min.s8x4 %r1, %r2, %r3;"), "x.ptx");
  EXPECT_EQ(refusal_of(module, "k"),
            "x.ptx:6: error: the modifier '.s8x4' of 'min' is not modelled (in 'k', line 6 of the "
            "PTX)\n  min.s8x4 %r1, %r2, %r3;\n"
            "hint: write that line with other instructions, or in plain C++\n");
}

struct Row {
  const char* text;
  const char* what;
  const char* hint;
};
TEST(Refusals, NameWhatToUseInstead) {
  constexpr Row kRows[] = {
      {"wgmma.fence.sync.aligned;", "the instruction 'wgmma.fence.sync.aligned' is not modelled",
       "multiply with mma.sync, wmma or ordinary fma instructions instead"},
      {"cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%rd1, {%r1}], [%r2];",
       "the instruction 'cp.async.bulk.tensor.1d.global.shared::cta.bulk_group' is not modelled",
       "copy with plain loads and stores, with cp.async, or with cp.async.bulk of bytes"},
      {"clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p1, %rd1;",
       "the instruction 'clusterlaunchcontrol.query_cancel.is_canceled.pred.b128' is not modelled",
       "use one block's __shared__ memory and __syncthreads()"},
      {"mov.u32 %r1, %pm0;", "registers of performance monitors and of graphs are not modelled",
       "write that line with other instructions, or in plain C++"},
      {"ad.s32 %r1, %r2, %r3;", "the instruction 'ad.s32' is not modelled", "did you mean 'add'?"},
      {"abs.u32 %r1, %r2;", "'abs' is not modelled for type .u32",
       "write that line with other instructions, or in plain C++"},
  };
  for (const Row& row : kRows) {
    const Module module = parse(kernel(row.text), "x.ptx");
    const Function& k = module.functions[0];
    ASSERT_TRUE(k.refusal.has_value()) << row.text;
    EXPECT_EQ(k.refusal->what, row.what);
    EXPECT_EQ(k.refusal->hint, row.hint);
    EXPECT_EQ(k.instructions[0].op, Op::kTrap);
    EXPECT_EQ(k.instructions.size(), 2U) << row.text;
  }
}

}  // namespace
}  // namespace lab::ptx
