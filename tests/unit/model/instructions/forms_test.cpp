// Forms of memory instructions: widths, vectors, cache operators, spaces, addresses. Lane t of a
// kernel works on the t-th element.
#include <gtest/gtest.h>

#include <numeric>

#include "tests/unit/model/run_ptx.h"

namespace lab::model {
namespace {

using ptx::Space;
using ptx_run::entry;
using ptx_run::Ran;
using ptx_run::run_ptx;
using ptx_run::Scene;

/// in[i] = 0x01010101 * i: every byte of element i tells it.
Scene bytes_of(std::size_t words, std::size_t out) {
  Scene scene;
  for (std::size_t i = 0; i < words; ++i) {
    scene.in.push_back(0x01010101U * static_cast<std::uint32_t>(i));
  }
  scene.out_size = out;
  return scene;
}

struct Form {
  const char* type;  ///< of ld and st
  int vector;        ///< elements
  unsigned bytes;    ///< of a lane's access
  const char* registers;
};
const Form kForms[] = {
    {"b8", 1, 1, "%h1"},
    {"b16", 1, 2, "%h1"},
    {"b32", 1, 4, "%r1"},
    {"b64", 1, 8, "%rd1"},
    {"b8", 2, 2, "{%h1, %h2}"},
    {"b8", 4, 4, "{%h1, %h2, %h3, %h4}"},
    {"b16", 2, 4, "{%h1, %h2}"},
    {"b16", 4, 8, "{%h1, %h2, %h3, %h4}"},
    {"b32", 2, 8, "{%r1, %r2}"},
    {"b32", 4, 16, "{%r1, %r2, %r3, %r4}"},
    {"b64", 2, 16, "{%rd1, %rd2}"},
    {"f32", 4, 16, "{%f1, %f2, %f3, %f4}"},
    {"f64", 1, 8, "%fd1"},
    {"f64", 2, 16, "{%fd1, %fd2}"},
};

std::string form_text(const Form& form) {
  const std::string vector = form.vector == 1 ? "" : ".v" + std::to_string(form.vector);
  return vector + "." + form.type;
}
std::string copy_body(const Form& form, const std::string& load, const std::string& store) {
  const std::string bytes = std::to_string(form.bytes);
  return "mul.wide.u32 %rd20, %t, " + bytes +
         ";\nadd.s64 %rd21, %in, %rd20;\nadd.s64 %rd22, %out, %rd20;\nld.global" + load +
         form_text(form) + " " + form.registers + ", [%rd21];\nst.global" + store +
         form_text(form) + " [%rd22], " + form.registers + ";\nret;";
}

TEST(Forms, EveryWidthAndVectorMovesItsBytes) {
  for (const Form& form : kForms) {
    const std::size_t words = std::size_t{form.bytes} * 32 / 4;
    const Ran ran = run_ptx(entry(copy_body(form, "", "")), bytes_of(words, words));
    ASSERT_TRUE(ran.result.faults.empty()) << form_text(form);
    for (std::size_t i = 0; i < words; ++i) ASSERT_EQ(ran.out[i], ran.in[i]) << form_text(form);
    // 32 lanes side by side: bytes / 32 sectors per lane, one request however wide.
    for (const AccessOp op : {AccessOp::kLoad, AccessOp::kStore}) {
      const SiteCounts counts = ran.counts(Space::kGlobal, op);
      EXPECT_EQ(counts.requests, 1U) << form_text(form);
      EXPECT_EQ(counts.sectors, form.bytes) << form_text(form);
      EXPECT_EQ(counts.distinct_bytes, 32U * form.bytes) << form_text(form);
    }
  }
}

TEST(Forms, CacheOperatorsAndScopesChangeNothingThatIsCounted) {
  const char* const loads[] = {"",
                               ".ca",
                               ".cg",
                               ".cs",
                               ".lu",
                               ".cv",
                               ".nc",
                               ".volatile",
                               ".relaxed.cta",
                               ".relaxed.gpu",
                               ".relaxed.sys",
                               ".acquire.gpu",
                               ".L1::no_allocate",
                               ".L1::evict_last",
                               ".L2::128B"};
  const Form& word = kForms[2];
  const auto globally = [](std::string body, const std::string& from, const std::string& to) {
    // .nc and the orderings stand around the space: ld.volatile.global, ld.global.nc.
    const auto at = body.find(from);
    return body.replace(at, from.size(), to);
  };
  for (const std::string modifier : loads) {
    std::string body = copy_body(word, "", "");
    const bool before =
        modifier == ".volatile" || modifier.find(".relaxed") == 0 || modifier.find(".acquire") == 0;
    body =
        globally(body, "ld.global", before ? "ld" + modifier + ".global" : "ld.global" + modifier);
    const Ran ran = run_ptx(entry(body), bytes_of(32, 32));
    for (std::size_t i = 0; i < 32; ++i) ASSERT_EQ(ran.out[i], ran.in[i]) << modifier;
    EXPECT_EQ(ran.counts(Space::kGlobal, AccessOp::kLoad).sectors, 4U) << modifier;
  }
  const char* const stores[] = {
      ".wb",          ".cg",          ".cs",          ".wt",          ".volatile",
      ".relaxed.gpu", ".release.cta", ".release.gpu", ".release.sys", ".L1::evict_first"};
  for (const std::string modifier : stores) {
    std::string body = copy_body(word, "", "");
    const bool before = modifier == ".volatile" || modifier.find(".rel") == 0;
    body =
        globally(body, "st.global", before ? "st" + modifier + ".global" : "st.global" + modifier);
    const Ran ran = run_ptx(entry(body), bytes_of(32, 32));
    for (std::size_t i = 0; i < 32; ++i) ASSERT_EQ(ran.out[i], ran.in[i]) << modifier;
    EXPECT_EQ(ran.counts(Space::kGlobal, AccessOp::kStore).sectors, 4U) << modifier;
  }
}

TEST(Forms, EveryWidthGoesThroughSharedMemory) {
  // Stored at t * bytes, loaded from ((t + 1) mod 32) * bytes.
  for (const Form& form : kForms) {
    const std::string bytes = std::to_string(form.bytes);
    const std::string text = form_text(form) + " ";
    const Ran ran = run_ptx(
        entry("mul.wide.u32 %rd20, %t, " + bytes +
                  ";\nadd.s64 %rd21, %in, %rd20;\nadd.s64 %rd22, %out, %rd20;\n"
                  "mov.u64 %rd30, tile;\nadd.s64 %rd31, %rd30, %rd20;\n"
                  "add.u32 %r20, %t, 1;\nand.b32 %r20, %r20, 31;\nmul.wide.u32 %rd23, %r20, " +
                  bytes + ";\nadd.s64 %rd32, %rd30, %rd23;\nld.global" + text + form.registers +
                  ", [%rd21];\nst.shared" + text + "[%rd31], " + form.registers +
                  ";\nbar.warp.sync -1;\nld.shared" + text + form.registers +
                  ", [%rd32];\nst.global" + text + "[%rd22], " + form.registers + ";\nret;",
              ".shared .align 16 .b8 tile[512];\n"),
        bytes_of(std::size_t{form.bytes} * 8, std::size_t{form.bytes} * 8));
    const auto* from = reinterpret_cast<const std::uint8_t*>(ran.in.data());
    const auto* to = reinterpret_cast<const std::uint8_t*>(ran.out.data());
    for (std::size_t i = 0; i < std::size_t{form.bytes} * 32; ++i) {
      const std::size_t lane = i / form.bytes;
      ASSERT_EQ(to[i], from[(lane + 1) % 32 * form.bytes + i % form.bytes]) << form_text(form);
    }
    // Neighbouring lanes do not conflict: a wavefront takes 128 bytes.
    const SiteCounts stores = ran.counts(Space::kShared, AccessOp::kStore);
    EXPECT_EQ(stores.wavefronts, form.bytes <= 4 ? 1U : form.bytes / 4) << form_text(form);
  }
}

TEST(Forms, ThirtyTwoBitSharedAddressesAreTakenToo) {
  // nvcc writes shared addresses into 32-bit registers.
  const Ran ran = run_ptx(entry(R"(
    mov.u32 %r1, tile;
    shl.b32 %r2, %t, 2;
    add.u32 %r3, %r1, %r2;
    st.shared.u32 [%r3], %t;
    ld.shared.u32 %r4, [%r3];
    st.global.u32 [%mine], %r4;
    ret;)",
                                ".shared .align 4 .b8 pad[64];\n.shared .align 4 .b8 tile[128];\n"),
                          Scene());
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(ran.out[t], t);
}

TEST(Forms, NegativeAndLargeOffsetsAreAdded) {
  Scene scene = bytes_of(64, 32);
  const Ran ran = run_ptx(entry(R"(
    add.s64 %rd1, %from, 128;
    ld.global.u32 %r1, [%rd1+-128];
    ld.global.u32 %r2, [%rd1+-4];
    sub.u32 %r3, %r2, %r1;
    st.global.u32 [%mine], %r3;
    ret;)"),
                          scene);
  // Element t and element t + 31: 31 apart, in every byte (31 + t stays below 256).
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(ran.out[t], 31U * 0x01010101U);
}

TEST(Forms, EachThreadHasLocalMemoryOfItsOwn) {
  // own[i] = 100 t + i for i = 0 .. 7, read back at t mod 8.
  const Ran ran = run_ptx(entry(R"(
    .local .align 4 .b8 own[32];
    mov.u64 %rd1, own;
    mul.lo.u32 %r1, %t, 100;
    mov.u32 %r2, 0;
    L: mul.wide.u32 %rd2, %r2, 4;
    add.s64 %rd3, %rd1, %rd2;
    add.u32 %r3, %r1, %r2;
    st.local.u32 [%rd3], %r3;
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p1, %r2, 8;
    @%p1 bra L;
    and.b32 %r4, %t, 7;
    mul.wide.u32 %rd4, %r4, 4;
    add.s64 %rd5, %rd1, %rd4;
    ld.local.u32 %r5, [%rd5];
    st.global.u32 [%mine], %r5;
    ret;)"),
                          Scene());
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(ran.out[t], 100 * t + t % 8);
  EXPECT_EQ(ran.counts(Space::kLocal, AccessOp::kStore).requests, 8U);
  EXPECT_EQ(ran.counts(Space::kLocal, AccessOp::kLoad).requests, 1U);
}

TEST(Forms, LocalMemoryEndsWhereItEnds) {
  Scene scene;
  scene.n = 20;  // bytes 20 .. 23 of 16
  const Ran ran = run_ptx(entry(R"(
    .local .align 4 .b8 own[16];
    mov.u64 %rd1, own;
    cvt.u64.u32 %rd2, %n;
    add.s64 %rd3, %rd1, %rd2;
    st.local.u32 [%rd3], %t;
    ret;)"),
                          scene);
  ASSERT_EQ(ran.result.faults.size(), 1U);
  EXPECT_EQ(ran.result.faults[0].kind, FindingKind::kOutOfBounds);
  EXPECT_EQ(ran.result.faults[0].space, Space::kLocal);
  EXPECT_EQ(ran.result.faults[0].address, 20U);
  EXPECT_EQ(ran.result.faults[0].count, 32U);
}

TEST(Forms, AddressSpacesAreToldApart) {
  // One bit for each isspacep of an address of each space: global 1, shared 2, local 4, const 8.
  const auto spaces = [](const std::string& address) {
    return "mov.u32 %r10, 0;\n"
           "isspacep.global %p1, " +
           address +
           ";\nselp.u32 %r11, 1, 0, %p1;\nor.b32 %r10, %r10, %r11;\nisspacep.shared %p1, " +
           address +
           ";\nselp.u32 %r11, 2, 0, %p1;\nor.b32 %r10, %r10, %r11;\nisspacep.local %p1, " +
           address + ";\nselp.u32 %r11, 4, 0, %p1;\nor.b32 %r10, %r10, %r11;\n";
  };
  Scene scene;
  scene.out_size = 3;
  const Ran ran = run_ptx(entry(".local .align 4 .b8 own[16];\nmov.u64 %rd1, tile;\n"
                                "cvta.shared.u64 %rd2, %rd1;\nmov.u64 %rd3, own;\n"
                                "cvta.local.u64 %rd4, %rd3;\ncvta.global.u64 %rd5, %in;\n" +
                                    spaces("%rd5") + "st.global.u32 [%out], %r10;\n" +
                                    spaces("%rd2") + "st.global.u32 [%out+4], %r10;\n" +
                                    spaces("%rd4") + "st.global.u32 [%out+8], %r10;\nret;",
                                ".shared .align 4 .b8 tile[128];\n"),
                          scene);
  EXPECT_EQ(ran.out, (std::vector<std::uint32_t>{1, 2, 4}));
}

TEST(Forms, ConstantsHaveAddressesOfTheirOwn) {
  // isspacep.const of a constant's generic address 1, of a buffer's 2; the constant read through
  // its generic address.
  Scene scene;
  scene.out_size = 3;
  const Ran ran = run_ptx(entry(R"(
    mov.u64 %rd1, table;
    cvta.const.u64 %rd2, %rd1;
    isspacep.const %p1, %rd2;
    selp.u32 %r1, 1, 0, %p1;
    st.global.u32 [%out], %r1;
    cvta.global.u64 %rd3, %in;
    isspacep.const %p1, %rd3;
    selp.u32 %r1, 2, 0, %p1;
    st.global.u32 [%out+4], %r1;
    ld.u32 %r1, [%rd2+4];
    st.global.u32 [%out+8], %r1;
    ret;)",
                                ".const .align 4 .u32 table[2] = {5, 77};\n"),
                          scene);
  EXPECT_EQ(ran.out, (std::vector<std::uint32_t>{1, 0, 77}));
}

TEST(Forms, GenericAddressesComeBackToTheirSpace) {
  // cvta and cvta.to are inverse: the shared offset of tile survives.
  Scene scene;
  scene.out_size = 2;
  const Ran ran =
      run_ptx(entry(R"(
    mov.u64 %rd1, tile;
    cvta.shared.u64 %rd2, %rd1;
    cvta.to.shared.u64 %rd3, %rd2;
    setp.eq.u64 %p1, %rd1, %rd3;
    selp.u32 %r1, 1, 0, %p1;
    st.global.u32 [%out], %r1;
    cvta.to.global.u64 %rd4, %in;
    setp.eq.u64 %p1, %rd4, %in;
    selp.u32 %r1, 1, 0, %p1;
    st.global.u32 [%out+4], %r1;
    ret;)",
                    ".shared .align 4 .b8 first[32];\n.shared .align 4 .b8 tile[128];\n"),
              scene);
  EXPECT_EQ(ran.out, (std::vector<std::uint32_t>{1, 1}));
}

TEST(Forms, ConstantsAreReadFromTheirTable) {
  // Eight 16-bit numbers and a double.
  const Ran ran =
      run_ptx(entry(R"(
    mov.u64 %rd1, table;
    and.b32 %r1, %t, 7;
    mul.wide.u32 %rd2, %r1, 2;
    add.s64 %rd3, %rd1, %rd2;
    ld.const.s16 %r2, [%rd3];
    ld.const.f64 %fd1, [half];
    cvt.rn.f64.s32 %fd2, %r2;
    mul.f64 %fd2, %fd2, %fd1;
    cvt.rzi.s32.f64 %r3, %fd2;
    st.global.u32 [%mine], %r3;
    ret;)",
                    ".const .align 2 .b16 table[8] = {-2, -4, -6, -8, 10, 12, 14, 16};\n"
                    ".const .align 8 .f64 half = 0d3FE0000000000000;\n"),
              Scene());
  const int halves[] = {-1, -2, -3, -4, 5, 6, 7, 8};
  for (std::uint32_t t = 0; t < 32; ++t) {
    EXPECT_EQ(static_cast<std::int32_t>(ran.out[t]), halves[t % 8]);
  }
}

TEST(Forms, DiscardedElementsAreNotKept) {
  // A vector load may drop elements with _.
  const Ran ran = run_ptx(entry(R"(
    mul.wide.u32 %rd1, %t, 16;
    add.s64 %rd2, %in, %rd1;
    ld.global.v4.u32 {_, %r2, _, %r4}, [%rd2];
    sub.u32 %r1, %r4, %r2;
    st.global.u32 [%mine], %r1;
    ret;)"),
                          bytes_of(128, 32));
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(ran.out[t], 2U * 0x01010101U);
  EXPECT_EQ(ran.counts(Space::kGlobal, AccessOp::kLoad).sectors, 16U);  // the whole access counts
}

TEST(Forms, SpecialRegistersDescribeTheThread) {
  Scene scene;
  scene.launch.block.x = 70;
  scene.launch.grid.x = 3;
  scene.out_size = 70;
  const Ran ran = run_ptx(entry(R"(
    mov.u32 %r1, %laneid;
    mov.u32 %r2, %warpid;
    mad.lo.u32 %r3, %r2, 100, %r1;
    mov.u32 %r4, %lanemask_lt;
    popc.b32 %r5, %r4;
    mov.u32 %r6, %lanemask_ge;
    popc.b32 %r7, %r6;
    add.u32 %r8, %r5, %r7;
    mov.u32 %r9, %lanemask_eq;
    popc.b32 %r10, %r9;
    mad.lo.u32 %r3, %r8, 1000, %r3;
    mad.lo.u32 %r3, %r10, 100000, %r3;
    mov.u32 %r11, WARP_SZ;
    mad.lo.u32 %r3, %r11, 1000000, %r3;
    mov.u32 %r12, %nctaid.x;
    mad.lo.u32 %r3, %r12, 100000000, %r3;
    st.global.u32 [%mine], %r3;
    ret;)"),
                          scene);
  for (std::uint32_t t = 0; t < 70; ++t) {
    // below + at or above = 32 lanes; one equal; a warp of 32; 3 blocks.
    EXPECT_EQ(ran.out[t], t / 32 * 100 + t % 32 + 32000 + 100000 + 32000000 + 300000000);
  }
}

TEST(Forms, TimeGoesOn) {
  Scene scene;
  const Ran ran = run_ptx(entry(R"(
    mov.u64 %rd1, %clock64;
    nanosleep.u32 100;
    mov.u64 %rd2, %clock64;
    setp.gt.u64 %p1, %rd2, %rd1;
    mov.u32 %r1, %clock;
    mov.u32 %r2, %clock;
    setp.ne.u32 %p2, %r1, %r2;
    and.pred %p1, %p1, %p2;
    selp.u32 %r3, 1, 0, %p1;
    st.global.u32 [%mine], %r3;
    ret;)"),
                          scene);
  for (const std::uint32_t later : ran.out) EXPECT_EQ(later, 1U);
}

TEST(Forms, FencesPrefetchesAndHintsDoNothingThatShows) {
  const char* const texts[] = {"membar.cta;",
                               "membar.gl;",
                               "membar.sys;",
                               "fence.sc.gpu;",
                               "fence.acq_rel.cta;",
                               "prefetch.global.L1 [%from];",
                               "prefetch.global.L2 [%from];",
                               "nanosleep.u32 %t;",
                               "cp.async.commit_group;",
                               "cp.async.wait_all;",
                               "cp.async.wait_group 1;"};
  for (const char* text : texts) {
    const Ran ran = run_ptx(entry("ld.global.u32 %r1, [%from];\n" + std::string(text) +
                                  "\nst.global.u32 [%mine], %r1;\nret;"),
                            bytes_of(32, 32));
    for (std::size_t i = 0; i < 32; ++i) ASSERT_EQ(ran.out[i], ran.in[i]) << text;
    EXPECT_EQ(ran.counts(Space::kGlobal, AccessOp::kLoad).requests, 1U) << text;
  }
}

TEST(Forms, AsynchronousCopiesOfLessFillWithZeros) {
  // Lane t copies its first t % (bytes + 1) bytes; shared memory held ones before.
  for (const unsigned bytes : {4U, 8U, 16U}) {
    const std::string size = std::to_string(bytes);
    std::string body = "mov.u64 %rd1, tile;\nmul.wide.u32 %rd2, %t, " + size +
                       ";\nadd.s64 %rd3, %rd1, %rd2;\nadd.s64 %rd4, %in, %rd2;\n"
                       "add.s64 %rd5, %out, %rd2;\nrem.u32 %r2, %t, " +
                       std::to_string(bytes + 1) + ";\nmov.u32 %r3, -1;\n";
    std::string after = "cp.async.ca.shared.global [%rd3], [%rd4], " + size + ", %r2;\n";
    for (unsigned at = 0; at < bytes; at += 4) {
      const std::string offset = std::to_string(at);
      body += "st.shared.u32 [%rd3+" + offset + "], %r3;\n";
      after +=
          "ld.shared.u32 %r1, [%rd3+" + offset + "];\nst.global.u32 [%rd5+" + offset + "], %r1;\n";
    }
    const Ran ran = run_ptx(entry(body + after + "ret;", ".shared .align 16 .b8 tile[512];\n"),
                            bytes_of(bytes * 8, bytes * 8));
    for (std::size_t i = 0; i < std::size_t{bytes} * 32; ++i) {
      const bool copied = i % bytes < (i / bytes) % (bytes + 1);
      const auto byte_at = [i](const std::vector<std::uint32_t>& words) {
        return words[i / 4] >> (8 * (i % 4)) & 0xffU;
      };
      ASSERT_EQ(byte_at(ran.out), copied ? byte_at(ran.in) : 0U) << bytes << " at " << i;
    }
    EXPECT_TRUE(ran.result.faults.empty());
  }
}

TEST(Forms, AsynchronousCopiesOfNothingReadNothing) {
  // Lanes from 8 on copy 0 bytes of what is not memory; the first 8 take one sector.
  const Ran ran =
      run_ptx(entry("mov.u64 %rd1, tile;\nmul.wide.u32 %rd2, %t, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
                    "setp.lt.u32 %p1, %t, 8;\nselp.u32 %r2, 4, 0, %p1;\n"
                    "cp.async.ca.shared.global [%rd3], [%from], 4, %r2;\ncp.async.wait_all;\n"
                    "ld.shared.u32 %r1, [%rd3];\nst.global.u32 [%mine], %r1;\nret;",
                    ".shared .align 16 .b8 tile[128];\n"),
              bytes_of(8, 32));
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(ran.out[i], i < 8 ? ran.in[i] : 0U);
  EXPECT_TRUE(ran.result.faults.empty());
  EXPECT_EQ(ran.counts(Space::kGlobal, AccessOp::kLoad).requests, 1U);
  EXPECT_EQ(ran.counts(Space::kGlobal, AccessOp::kLoad).sectors, 1U);
}

TEST(Forms, AsynchronousCopiesOfLessMayBeGuarded) {
  // Lanes from 16 on copy nothing at all: their shared memory keeps its ones. Of the others the
  // even ones copy 4 bytes, the odd ones none, and zeros are written. 8 words of each second: 2
  // sectors.
  const Ran ran =
      run_ptx(entry("mov.u64 %rd1, tile;\nmul.wide.u32 %rd2, %t, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
                    "mov.u32 %r3, -1;\nst.shared.u32 [%rd3], %r3;\nsetp.lt.u32 %p1, %t, 16;\n"
                    "and.b32 %r2, %t, 1;\nsetp.eq.u32 %p2, %r2, 0;\nselp.u32 %r2, 4, 0, %p2;\n"
                    "@%p1 cp.async.ca.shared.global [%rd3], [%from], 4, %r2;\ncp.async.wait_all;\n"
                    "ld.shared.u32 %r1, [%rd3];\nst.global.u32 [%mine], %r1;\nret;",
                    ".shared .align 16 .b8 tile[128];\n"),
              bytes_of(32, 32));
  for (std::size_t i = 0; i < 32; ++i) {
    const std::uint32_t copied = i % 2 == 0 ? ran.in[i] : 0U;
    EXPECT_EQ(ran.out[i], i < 16 ? copied : 0xffffffffU) << i;
  }
  EXPECT_TRUE(ran.result.faults.empty());
  EXPECT_EQ(ran.counts(Space::kGlobal, AccessOp::kLoad).requests, 1U);
  EXPECT_EQ(ran.counts(Space::kGlobal, AccessOp::kLoad).sectors, 2U);
}

TEST(Forms, AsynchronousCopiesOfEverySize) {
  // Global to shared, then back: 32 lanes of 4, 8 and 16 bytes.
  for (const unsigned bytes : {4U, 8U, 16U}) {
    for (const std::string how : {".ca", ".cg"}) {
      if (how == ".cg" && bytes != 16) continue;  // PTX ISA: .cg copies 16 bytes
      const std::string size = std::to_string(bytes);
      std::string body = "mov.u64 %rd1, tile;\nmul.wide.u32 %rd2, %t, " + size +
                         ";\nadd.s64 %rd3, %rd1, %rd2;\nadd.s64 %rd4, %in, %rd2;\n"
                         "add.s64 %rd5, %out, %rd2;\ncp.async" +
                         how + ".shared.global [%rd3], [%rd4], " + size + ";\ncp.async.wait_all;\n";
      for (unsigned at = 0; at < bytes; at += 4) {
        const std::string offset = std::to_string(at);
        body += "ld.shared.u32 %r1, [%rd3+" + offset + "];\nst.global.u32 [%rd5+" + offset +
                "], %r1;\n";
      }
      const Ran ran = run_ptx(entry(body + "ret;", ".shared .align 16 .b8 tile[512];\n"),
                              bytes_of(bytes * 8, bytes * 8));
      for (std::size_t i = 0; i < bytes * 8; ++i) ASSERT_EQ(ran.out[i], ran.in[i]) << bytes;
      EXPECT_EQ(ran.counts(Space::kGlobal, AccessOp::kLoad).sectors, bytes);
      EXPECT_EQ(ran.counts(Space::kShared, AccessOp::kStore).requests, 1U);
    }
  }
}

}  // namespace
}  // namespace lab::model
