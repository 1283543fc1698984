// Forms of PTX that ptxas 13 takes for sm_90 and compilers other than nvcc write: what they do.
#include <gtest/gtest.h>

#include "harness/core/error.h"
#include "tests/unit/model/run_ptx.h"

namespace lab::model {
namespace {

using ptx_run::entry;
using ptx_run::Ran;
using ptx_run::run_ptx;
using ptx_run::Scene;

/// A body that leaves a number in %r9, and what that is. in[0] is 0x44332211, %t the thread.
struct Form {
  const char* body;
  std::uint32_t (*want)(std::uint32_t thread);
  const char* before = "";
};
Ran run(const Form& form) {
  Scene scene;
  scene.in.assign(32, 0x44332211);
  return run_ptx(entry(std::string(form.body) + "\nst.global.u32 [%mine], %r9;\nret;", form.before),
                 scene);
}
void expect(const std::vector<Form>& forms) {
  for (const Form& form : forms) {
    try {
      const Ran ran = run(form);
      EXPECT_TRUE(ran.result.faults.empty()) << form.body;
      for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(ran.out[t], form.want(t)) << form.body;
    } catch (const Error& error) {
      ADD_FAILURE() << form.body << "\n" << error.what();
    }
  }
}
std::string error_of(const Form& form) {
  try {
    (void)run(form);
  } catch (const Error& error) {
    return render(error);
  }
  return "";
}
std::uint32_t input(std::uint32_t) { return 0x44332211; }

TEST(PtxasForms, VectorsOfOne) {
  expect({
      {"ld.global.b32 { %r9 }, [%in];", input},
      {"ld.global.u8 {%h1}, [%in+1];\ncvt.u32.u16 %r9, %h1;", [](std::uint32_t) { return 0x22U; }},
      {"st.global.b32 [%mine], { %t };\nld.global.b32 %r9, [%mine];",
       [](std::uint32_t t) { return t; }},
      {"st.global.b32 [%mine], { 7 };\nld.global.b32 {%r9}, [%mine];",
       [](std::uint32_t) { return 7U; }},
      {"mov.b32 {%r9}, %t;", [](std::uint32_t t) { return t; }},
      {"mov.b32 %r9, {%t};", [](std::uint32_t t) { return t; }},
  });
}

TEST(PtxasForms, RegistersThatAreVectors) {
  expect({
      {".reg .v2 .b32 %v;\nld.global.v2.b32 %v, [%in];\nadd.u32 %r9, %v.x, %v.y;",
       [](std::uint32_t) { return 0x88664422U; }},
      {".reg .v4 .u32 v;\nmov.u32 v.x, 1;\nmov.u32 v.g, %t;\nmov.u32 v.z, 3;\nmov.u32 v.a, 4;\n"
       ".shared .align 16 .b32 s[4];\nmov.u64 %rd1, s;\nst.shared.v4.b32 [%rd1], v;\n"
       "ld.shared.b32 %r9, [%rd1+4];",
       [](std::uint32_t) { return 31U; }},  // all lanes store there: the last one's stays
      {".reg .v2 .b32 v<3>;\nmov.v2.b32 v2, {%t, 5};\nmov.v2.b32 v1, v2;\nmov.b64 %rd1, v1;\n"
       "shr.u64 %rd1, %rd1, 32;\ncvt.u32.u64 %r1, %rd1;\nadd.u32 %r9, %r1, v1.x;",
       [](std::uint32_t t) { return t + 5; }},
      {".reg .v2 .b32 v;\nmov.b64 v, 0x300000004;\nshl.b32 %r1, v.y, 4;\nor.b32 %r9, %r1, v.x;",
       [](std::uint32_t) { return 0x34U; }},
      // The two change places.
      {"mov.u32 %r1, 1;\nmov.u32 %r2, %t;\nmov.v2.b32 {%r1, %r2}, {%r2, %r1};\n"
       "shl.b32 %r1, %r1, 8;\nor.b32 %r9, %r1, %r2;",
       [](std::uint32_t t) { return t << 8U | 1; }},
  });
  EXPECT_NE(error_of({".reg .v2 .b32 v;\nmov.u32 %r9, v.z;", input}).find("'v' has 2 components"),
            std::string::npos);
}

TEST(PtxasForms, RegistersOfEightBits) {
  expect({
      {".reg .u8 x;\nld.global.u8 x, [%in+3];\ncvt.u32.u8 %r9, x;",
       [](std::uint32_t) { return 0x44U; }},
      {".reg .s8 x;\nmov.u32 %r1, 200;\ncvt.s8.s32 x, %r1;\ncvt.s32.s8 %r9, x;",
       [](std::uint32_t) { return static_cast<std::uint32_t>(-56); }},
      {".reg .b8 x;\ncvt.u8.u32 x, %t;\nst.global.b8 [%mine], x;\nst.global.b8 [%mine+1], 9;\n"
       "ld.global.u16 %h1, [%mine];\ncvt.u32.u16 %r9, %h1;",
       [](std::uint32_t t) { return t | 0x900; }},
      {".reg .b8 a, b, c, d;\nld.global.b32 %r1, [%in];\nmov.b32 {a, b, c, d}, %r1;\n"
       "mov.b32 %r9, {d, c, b, a};",
       [](std::uint32_t) { return 0x11223344U; }},
      {".reg .b8 a, b;\nmov.b16 %h1, 0x1234;\nmov.b16 {a, b}, %h1;\nmov.b16 %h2, {b, a};\n"
       "cvt.u32.u16 %r9, %h2;",
       [](std::uint32_t) { return 0x3412U; }},
      {"ld.global.v8.b8 {%h0, %h1, %h2, %h3, %h4, %h5, %h6, %h7}, [%in];\n"
       "st.global.v4.u8 [%mine], {%h3, %h6, 1, %h0};\nld.global.u32 %r9, [%mine];",
       [](std::uint32_t) { return 0x11013344U; }},
  });
}

const char* const kFunctions = R"(
.func (.reg .b32 r) twice(.reg .b32 x) { add.u32 r, x, x; ret; }
.func (.reg .u64 big, .reg .b32 small) split(.reg .b32 a, .reg .f32 f)
{ .reg .pred %p; setp.gt.f32 %p, f, 1.0; mov.u32 small, a; mov.u64 big, 100;
  @%p ret; add.u32 small, a, 1; mov.u64 big, 200; }
.func (.reg .b32 r) nested(.reg .b32 x)
{ .reg .b32 y; call (y), twice, (x); { .reg .b32 r; mov.u32 r, 99; } add.u32 r, y, 1; ret.uni; }
.func (.param .b32 r) plain(.param .b32 x)
{ .reg .b32 y; ld.param.b32 y, [x]; mul.lo.u32 y, y, 3; st.param.b32 [r], y; ret; }
.func (.reg .b32 r) seven { mov.u32 r, 7; ret; }
)";
TEST(PtxasForms, FunctionsOfRegisters) {
  expect({
      {"call (%r9), twice, (%t);", [](std::uint32_t t) { return 2 * t; }, kFunctions},
      {"call.uni (%r9), twice, (20+1);", [](std::uint32_t) { return 42U; }, kFunctions},
      {"call (%r9), nested, (%t);", [](std::uint32_t t) { return 2 * t + 1; }, kFunctions},
      {"call (%r9), seven;", [](std::uint32_t) { return 7U; }, kFunctions},
      {"mov.u32 %r9, %t;\ncall (_), twice, (5);", [](std::uint32_t t) { return t; }, kFunctions},
      // Registers for .param variables, and the other way.
      {"call (%r9), plain, (%t);", [](std::uint32_t t) { return 3 * t; }, kFunctions},
      {"{ .param .b32 a; .param .b32 b;\nst.param.b32 [a], %t;\ncall (b), twice, (a);\n"
       "ld.param.b32 %r9, [b]; }",
       [](std::uint32_t t) { return 2 * t; }, kFunctions},
      // Lanes leave at one ret or the other; each gets its own results.
      {"cvt.rn.f32.u32 %f1, %t;\ncall (%rd1, %r1), split, (%t, %f1);\ncvt.u32.u64 %r2, %rd1;\n"
       "add.u32 %r9, %r1, %r2;",
       [](std::uint32_t t) { return t > 1 ? t + 100 : t + 201; }, kFunctions},
      {"call (%rd1, %r9), split, (3, 0.5);", [](std::uint32_t) { return 4U; }, kFunctions},
      // Under a guard, neither arguments nor results move in the other lanes.
      {"setp.lt.u32 %p1, %t, 8;\nmov.u32 %r9, 77;\n@%p1 call (%r9), twice, (%t);",
       [](std::uint32_t t) { return t < 8 ? 2 * t : 77; }, kFunctions},
      {"mov.u64 %rd1, twice;\nP: .callprototype (.reg .b32 _) _ (.reg .b32 _);\n"
       "call (%r9), %rd1, (%t), P;",
       [](std::uint32_t t) { return 2 * t; }, kFunctions},
  });
}

// Policies and hints change no result, and nothing that is counted.
TEST(PtxasForms, PoliciesOfL2) {
  const char* const policies[] = {
      "createpolicy.fractional.L2::evict_last.b64 %rd9, 1.0;",
      "createpolicy.fractional.L2::evict_first.L2::evict_unchanged.b64 %rd9;",
      "createpolicy.range.global.L2::evict_last.b64 %rd9, [%in], 128, 256;",
      "createpolicy.cvt.L2.b64 %rd9, 0x12F0000000000000;",
  };
  for (const char* policy : policies) {
    const std::string body = std::string(policy) +
                             "\nld.global.L2::cache_hint.u32 %r1, [%from], %rd9;\n"
                             "st.global.L2::cache_hint.u32 [%mine], %r1, %rd9;\n"
                             "red.global.add.L2::cache_hint.u32 [%mine], 5, %rd9;\n"
                             "atom.global.add.L2::cache_hint.u32 %r2, [%mine], 0, %rd9;\n"
                             "add.u32 %r9, %r2, 1;";
    const Form form{body.c_str(), [](std::uint32_t) { return 0x44332211U + 6; }};
    expect({form});
    const Ran ran = run(form);
    EXPECT_EQ(ran.counts(ptx::Space::kGlobal, AccessOp::kLoad).sectors, 4U);
    EXPECT_EQ(ran.counts(ptx::Space::kGlobal, AccessOp::kReduction).requests, 1U);
  }
}

TEST(PtxasForms, WaitsOfGridsThatDependOnOthers) {
  expect({{"griddepcontrol.launch_dependents;\ngriddepcontrol.wait;\nmov.u32 %r9, %t;",
           [](std::uint32_t t) { return t; }}});
}

// Each block is a cluster.
TEST(PtxasForms, ClustersOfOneBlock) {
  expect({
      {"mov.u32 %r1, %clusterid.x;\nmov.u32 %r2, %nclusterid.x;\nmov.u32 %r3, %cluster_ctaid.y;\n"
       "mov.u32 %r4, %cluster_nctaid.z;\nmov.u32 %r5, %cluster_ctarank;\n"
       "mov.u32 %r6, %cluster_nctarank;\nmad.lo.u32 %r9, %r1, 10, %r2;\n"
       "mad.lo.u32 %r9, %r9, 10, %r3;\nmad.lo.u32 %r9, %r9, 10, %r4;\n"
       "mad.lo.u32 %r9, %r9, 10, %r5;\nmad.lo.u32 %r9, %r9, 10, %r6;",
       [](std::uint32_t) { return 10101U; }},  // 0, 1; 0; 1; 0; 1
      {"mov.pred %p1, %is_explicit_cluster;\nselp.u32 %r9, 1, 0, %p1;",
       [](std::uint32_t) { return 0U; }},
      // A neighbour's word through its address in the cluster.
      {".shared .b32 s[32];\nmov.u64 %rd1, s;\nmul.wide.u32 %rd2, %t, 4;\nadd.u64 %rd3, %rd1, "
       "%rd2;\n"
       "st.shared.u32 [%rd3], %t;\nbarrier.cluster.arrive.release.aligned;\n"
       "barrier.cluster.wait.acquire.aligned;\nxor.b64 %rd2, %rd2, 4;\nadd.u64 %rd3, %rd1, %rd2;\n"
       "mapa.shared::cluster.u64 %rd4, %rd3, 0;\nld.shared::cluster.u32 %r9, [%rd4];",
       [](std::uint32_t t) { return t ^ 1U; }},
      {".shared .b32 s;\nmov.u32 %r6, %cluster_ctarank;\nmapa.shared::cluster.u32 %r1, s, %r6;\n"
       "st.shared::cluster.u32 [%r1], 5;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n"
       "mov.u64 %rd1, s;\ncvta.shared.u64 %rd1, %rd1;\nmov.u32 %r2, 0;\nmapa.u64 %rd2, %rd1, %r2;\n"
       "ld.u32 %r3, [%rd2];\ngetctarank.u64 %r4, %rd2;\ngetctarank.shared::cluster.u32 %r5, %r1;\n"
       "mad.lo.u32 %r9, %r3, 10, %r4;\nmad.lo.u32 %r9, %r9, 10, %r5;",
       [](std::uint32_t) { return 500U; }},
  });
}

// Another block's memory is not there where a cluster is one: the access is out of bounds.
TEST(PtxasForms, ClustersOfOneBlockHaveNoOther) {
  for (const char* body : {".shared .b32 s;\nmapa.shared::cluster.u32 %r1, s, 1;\n"
                           "ld.shared::cluster.u32 %r9, [%r1];",
                           ".shared .b32 s;\nmov.u64 %rd1, s;\ncvta.shared.u64 %rd1, %rd1;\n"
                           "mapa.u64 %rd1, %rd1, 1;\nld.u32 %r9, [%rd1];"}) {
    const Ran ran = run({body, input});
    ASSERT_FALSE(ran.result.faults.empty()) << body;
    EXPECT_EQ(ran.result.faults.front().kind, FindingKind::kOutOfBounds) << body;
  }
}

const char* const kSync = "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n";

/// Two clusters of two blocks of 32 threads; thread t of block b stores %r9 at 32 b + t. Before the
/// body, %r8 is 32 b + t, and %r1 the block's rank.
Ran run_clusters(const std::string& body, const std::string& cluster = "2, 1, 1",
                 std::uint32_t blocks = 4) {
  std::string text = entry(
      ".reg .b64 %at;\n.shared .align 4 .b32 s[32];\nmov.u32 %r1, %cluster_ctarank;\n"
      "mov.u32 %r8, %ctaid.x;\nshl.b32 %r8, %r8, 5;\nadd.u32 %r8, %r8, %t;\n"
      "mov.u32 %r9, 0;\n" +
      body +
      "\nmul.wide.u32 %at, %r8, 4;\nadd.u64 %at, %at, %out;\nst.global.u32 [%at], %r9;\nret;");
  const std::string end = ".param .u32 k_n)\n";
  text.insert(text.find(end) + end.size(), ".explicitcluster .reqnctapercluster " + cluster + "\n");
  Scene scene;
  scene.launch.grid = {blocks, 1, 1};
  scene.out_size = std::size_t{32} * blocks;
  return run_ptx(text, scene);
}

/// Each thread stores its number 32 b + t in s[t], and reads that of the other block's thread by
/// `read`, to which %r3 is that block's rank, %r4 the offset.
std::string exchange(const std::string& read, bool waits_before = true, bool waits_after = true) {
  return "xor.b32 %r3, %r1, 1;\nshl.b32 %r4, %t, 2;\nmov.u32 %r5, s;\nadd.u32 %r5, %r5, %r4;\n"
         "st.shared.u32 [%r5], %r8;\n" +
         std::string(waits_before ? kSync : "") + read + (waits_after ? kSync : "");
}
const char* const kRead =
    "mapa.shared::cluster.u32 %r6, %r5, %r3;\nld.shared::cluster.u32 %r9, [%r6];\n";

TEST(PtxasForms, BlocksOfAClusterReachEachOther) {
  const std::string generic =
      "cvt.u64.u32 %rd1, %r5;\ncvta.shared.u64 %rd1, %rd1;\nmapa.u64 %rd2, %rd1, %r3;\n";
  const std::string wide = "cvt.u64.u32 %rd1, %r5;\nmapa.shared::cluster.u64 %rd2, %rd1, %r3;\n";
  for (const std::string& read :
       {std::string(kRead), generic + "ld.u32 %r9, [%rd2];\n",
        wide + "ld.shared::cluster.u32 %r9, [%rd2];\n", generic + "atom.or.b32 %r9, [%rd2], 0;\n",
        wide + "atom.shared::cluster.or.b32 %r9, [%rd2], 0;\n"}) {
    const Ran ran = run_clusters(exchange(read));
    EXPECT_TRUE(ran.result.faults.empty()) << read;
    for (std::uint32_t i = 0; i < 128; ++i) EXPECT_EQ(ran.out[i], i ^ 32U) << read;
    // They are none of the block's own accesses.
    const AccessOp op =
        read.find("atom") == std::string::npos ? AccessOp::kLoad : AccessOp::kAtomic;
    EXPECT_EQ(ran.counts(ptx::Space::kShared, op).requests, 0U) << read;
    EXPECT_EQ(ran.counts(ptx::Space::kShared, op).mapped, 4U) << read;
  }
  // An address that is mapped to its own block, and getctarank of both kinds of address.
  const Ran own = run_clusters(exchange(
      "mapa.shared::cluster.u32 %r6, %r5, %r1;\nld.shared::cluster.u32 %r9, [%r6];\n"
      "getctarank.shared::cluster.u32 %r7, %r6;\nshl.b32 %r7, %r7, 8;\nadd.u32 %r9, %r9, %r7;\n"
      "getctarank.shared::cluster.u32 %r7, %r5;\nshl.b32 %r7, %r7, 16;\nadd.u32 %r9, %r9, %r7;\n"));
  for (std::uint32_t i = 0; i < 128; ++i) EXPECT_EQ(own.out[i], i + i / 32 % 2 * 0x10100U);
  // It is the same address: on an H200, map_shared_rank(&x, block_rank()) == &x.
  const Ran same =
      run_clusters(exchange("mapa.shared::cluster.u32 %r6, %r5, %r1;\nsetp.eq.u32 %p1, %r6, %r5;\n"
                            "selp.u32 %r9, 1, 0, %p1;\n"));
  for (std::uint32_t i = 0; i < 128; ++i) EXPECT_EQ(same.out[i], 1U);
}

// Without the first wait, rank 0 of the first cluster, which runs first, reads what the other block
// has not written. Without the last, it reads from a block that is gone.
TEST(PtxasForms, BlocksOfAClusterThatDoNotWait) {
  const Ran early = run_clusters(exchange(kRead, false, true));
  EXPECT_NE(early.out[0], 32U);
  const Ran late = run_clusters(exchange(kRead, true, false));
  ASSERT_FALSE(late.result.faults.empty());
  EXPECT_EQ(late.result.faults.front().kind, FindingKind::kOutOfBounds);
  EXPECT_NE(late.result.faults.front().detail.find("the block of rank 0 has come to its end"),
            std::string::npos);
}

TEST(PtxasForms, BoundsInAClusterAreTheOtherBlocks) {
  const auto detail = [](const std::string& read) {
    const Ran ran = run_clusters(exchange(read));
    EXPECT_FALSE(ran.result.faults.empty()) << read;
    if (ran.result.faults.empty()) return std::string();
    EXPECT_EQ(ran.result.faults.front().kind, FindingKind::kOutOfBounds);
    return ran.result.faults.front().detail;
  };
  EXPECT_NE(
      detail("mapa.shared::cluster.u32 %r6, %r5, %r3;\nld.shared::cluster.u32 %r9, [%r6+4];\n")
          .find("byte 128 of the 128 that the block of rank 1 has"),
      std::string::npos);
  EXPECT_NE(detail("mapa.shared::cluster.u32 %r6, %r5, 2;\nld.shared::cluster.u32 %r9, [%r6];\n")
                .find("the cluster has ranks 0 to 1"),
            std::string::npos);
}

// Threads that have exited are not waited for; threads that wait elsewhere are.
TEST(PtxasForms, ABarrierOfAClusterWaitsForItsThreads) {
  const Ran left = run_clusters(
      "setp.eq.u32 %p1, %r1, 1;\n@%p1 ret;\nbarrier.cluster.arrive;\n"
      "barrier.cluster.wait;\nmov.u32 %r9, 7;");
  EXPECT_TRUE(left.result.faults.empty());
  EXPECT_EQ(left.out[0], 7U);
  const Ran stuck = run_clusters("setp.eq.u32 %p1, %r1, 1;\n@%p1 bra other;\n" +
                                 std::string(kSync) + "bra done;\nother: bar.sync 1, 64;\ndone:");
  ASSERT_EQ(stuck.result.faults.size(), 1U);
  EXPECT_EQ(stuck.result.faults.front().kind, FindingKind::kBarrierDeadlock);
  EXPECT_EQ(stuck.result.faults.front().block, 1U);
}

TEST(PtxasForms, ClustersOfSeveralBlocks) {
  const Ran one =
      run_clusters("mov.pred %p1, %is_explicit_cluster;\nselp.u32 %r9, 1, 0, %p1;", "1, 1, 1", 1);
  EXPECT_EQ(one.out[0], 1U);
  // Barriers and copies between blocks are not modelled.
  try {
    (void)run_clusters(exchange(".shared .align 8 .b64 bar;\nmbarrier.init.shared.b64 [bar], 1;\n" +
                                std::string(kRead)));
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("maps addresses of other blocks"), std::string::npos)
        << error.what();
  }
}

TEST(PtxasForms, VariablesOfABodyHaveTheirInitialValues) {
  expect({
      {".global .u32 g = 7;\nld.global.u32 %r9, [g];", [](std::uint32_t) { return 7U; }},
      {".const .u32 g[2] = {7, 8};\nld.const.u32 %r9, [g+4];", [](std::uint32_t) { return 8U; }},
      {".global .align 4 .b8 g[4] = {1, 2, 3, 4};\nmov.u64 %rd1, g;\nld.global.u32 %r9, [%rd1];",
       [](std::uint32_t) { return 0x04030201U; }},
      // Names are those of their block.
      {"{ .global .u32 g = 7; ld.global.u32 %r1, [g]; }\n{ .global .u32 g = 80;\n"
       "ld.global.u32 %r2, [g]; }\nld.global.u32 %r3, [g];\nadd.u32 %r9, %r1, %r2;\n"
       "add.u32 %r9, %r9, %r3;",
       [](std::uint32_t) { return 987U; }, ".global .u32 g = 900;\n"},
      {".global .u32 a[2] = {5, 6};\n.global .u64 g = a+4;\nld.global.u64 %rd1, [g];\n"
       "ld.global.u32 %r9, [%rd1];",
       [](std::uint32_t) { return 6U; }, ".global .u32 a[2] = {50, 60};\n"},
      {"call (%r9), f, ();", [](std::uint32_t) { return 12U; },
       ".func (.reg .b32 r) f() { .const .u32 g = 12; ld.const.u32 r, [g]; }\n"},
  });
  // They outlive a launch's blocks: what one stores, all see.
  expect(
      {{".global .u32 g = 7;\nsetp.eq.u32 %p1, %t, 0;\n@%p1 st.global.u32 [g], 9;\n"
        "bar.sync 0;\nld.global.u32 %r9, [g];",
        [](std::uint32_t) { return 9U; }}});
}

}  // namespace
}  // namespace lab::model
