// atom and red: every operation on every type, globally, in shared memory and by generic address.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <functional>

#include "tests/unit/model/run_ptx.h"

namespace lab::model {
namespace {

using ptx::Space;
using ptx_run::entry;
using ptx_run::Ran;
using ptx_run::run_ptx;
using ptx_run::Scene;

struct Operation {
  const char* name;  ///< with type
  unsigned bytes;
  std::uint64_t start;
  /// The value in memory after lane t with operand t + 1 found `old` there.
  std::function<std::uint64_t(std::uint64_t old, std::uint32_t t)> next;
};

std::uint64_t low32(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
std::int64_t signed32(std::uint64_t value) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
}

/// Operand of lane t: t + 1, as a number of the type.
const std::vector<Operation>& operations() {
  using U = std::uint64_t;
  using T = std::uint32_t;
  static const std::vector<Operation> all = {
      {"add.u32", 4, 0xfffffff0, [](U o, T t) { return low32(o + t + 1); }},
      {"add.s32", 4, 5, [](U o, T t) { return low32(o + t + 1); }},
      {"add.u64", 8, 0xfffffffffffffff0, [](U o, T t) { return o + t + 1; }},
      {"min.u32", 4, 20, [](U o, T t) { return std::min<U>(o, t + 1); }},
      {"min.s32", 4, low32(~U{4}),
       [](U o, T t) { return low32(static_cast<U>(std::min<std::int64_t>(signed32(o), t + 1))); }},
      {"max.u32", 4, 20, [](U o, T t) { return std::max<U>(o, t + 1); }},
      {"max.s32", 4, low32(~U{4}),
       [](U o, T t) { return low32(static_cast<U>(std::max<std::int64_t>(signed32(o), t + 1))); }},
      {"min.u64", 8, U{1} << 40U, [](U o, T t) { return std::min<U>(o, t + 1); }},
      {"max.u64", 8, 7, [](U o, T t) { return std::max<U>(o, t + 1); }},
      {"min.s64", 8, 9, [](U o, T t) { return std::min<U>(o, t + 1); }},
      {"max.s64", 8, ~U{0}, [](U, T t) { return U{t} + 1; }},  // -1, then ever larger
      {"inc.u32", 4, 0, [](U o, T t) { return o >= t + 1 ? 0 : o + 1; }},
      {"dec.u32", 4, 3, [](U o, T t) { return o == 0 || o > t + 1 ? t + 1 : o - 1; }},
      {"and.b32", 4, 0xff, [](U o, T t) { return o & (t + 1); }},
      {"or.b32", 4, 0x100, [](U o, T t) { return o | (t + 1); }},
      {"xor.b32", 4, 0xf0f0, [](U o, T t) { return o ^ (t + 1); }},
      {"and.b64", 8, ~U{0}, [](U o, T t) { return o & (t + 1); }},
      {"or.b64", 8, U{1} << 63U, [](U o, T t) { return o | (t + 1); }},
      {"xor.b64", 8, U{1} << 50U, [](U o, T t) { return o ^ (t + 1); }},
      {"exch.b32", 4, 77, [](U, T t) { return U{t} + 1; }},
      {"exch.b64", 8, 77, [](U, T t) { return U{t} + 1; }},
  };
  return all;
}

/// Puts the operand into %r1 or %rd1 and says which.
std::string operand_of(const Operation& operation) { return operation.bytes == 8 ? "%rd1" : "%r1"; }
const char* const kOperands = "add.u32 %r1, %t, 1;\ncvt.u64.u32 %rd1, %r1;\n";

Scene start_at(const Operation& operation, std::size_t words) {
  Scene scene;
  scene.in.assign(words, 0);
  std::memcpy(scene.in.data(), &operation.start, operation.bytes);
  scene.out_size = 64;
  return scene;
}

/// Lanes one after another: what each found, and what is left.
void expect_sequence(const Operation& operation, const Ran& ran, std::uint64_t left) {
  std::uint64_t value = operation.start;
  for (std::uint32_t t = 0; t < 32; ++t) {
    std::uint64_t found = 0;
    std::memcpy(&found, ran.out.data() + std::size_t{t} * operation.bytes / 4, operation.bytes);
    ASSERT_EQ(found, value) << operation.name << " lane " << t;
    value = operation.next(value, t);
  }
  EXPECT_EQ(left, value) << operation.name;
}
std::uint64_t first_of(const std::vector<std::uint32_t>& words, unsigned bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, words.data(), bytes);
  return value;
}
/// Stores the result of each lane side by side.
std::string store_result(const Operation& operation) {
  const std::string bytes = std::to_string(operation.bytes);
  return "mul.wide.u32 %rd20, %t, " + bytes + ";\nadd.s64 %rd21, %out, %rd20;\nst.global.b" +
         std::to_string(8 * operation.bytes) + " [%rd21], " +
         (operation.bytes == 8 ? "%rd2" : "%r2") + ";\n";
}

TEST(Atomics, LanesGoOneAfterAnotherOnGlobalMemory) {
  for (const Operation& operation : operations()) {
    const std::string result = operation.bytes == 8 ? "%rd2" : "%r2";
    const Ran ran = run_ptx(
        entry(kOperands + ("atom.global." + std::string(operation.name)) + " " + result +
              ", [%in], " + operand_of(operation) + ";\n" + store_result(operation) + "ret;"),
        start_at(operation, 2));
    expect_sequence(operation, ran, first_of(ran.in, operation.bytes));
    // One address: 32 lanes in its sector.
    EXPECT_EQ(ran.counts(Space::kGlobal, AccessOp::kAtomic).sectors, 32U) << operation.name;
  }
}

TEST(Atomics, ReductionsLeaveTheSameWithoutAResult) {
  for (const Operation& operation : operations()) {
    const std::string name = operation.name;
    if (name.find("exch") == 0) continue;  // has no red
    const Ran ran = run_ptx(
        entry(kOperands + ("red.global." + name) + " [%in], " + operand_of(operation) + ";\nret;"),
        start_at(operation, 2));
    std::uint64_t value = operation.start;
    for (std::uint32_t t = 0; t < 32; ++t) value = operation.next(value, t);
    EXPECT_EQ(first_of(ran.in, operation.bytes), value) << name;
    EXPECT_EQ(ran.counts(Space::kGlobal, AccessOp::kReduction).sectors, 32U) << name;
    EXPECT_EQ(ran.counts(Space::kGlobal, AccessOp::kAtomic).requests, 0U) << name;
  }
}

TEST(Atomics, LanesGoOneAfterAnotherInSharedMemory) {
  for (const bool generic : {false, true}) {
    for (const Operation& operation : operations()) {
      const std::string wide = std::to_string(8 * operation.bytes);
      const std::string move = operation.bytes == 8 ? "%rd5" : "%r5";
      const std::string result = operation.bytes == 8 ? "%rd2" : "%r2";
      const Ran ran =
          run_ptx(entry(std::string(kOperands) + "ld.global.b" + wide + " " + move +
                            ", [%in];\nst.shared.b" + wide + " [cell], " + move +
                            ";\nmov.u64 %rd8, cell;\n" +
                            (generic ? "cvta.shared.u64 %rd8, %rd8;\natom." : "atom.shared.") +
                            operation.name + " " + result + ", [%rd8], " + operand_of(operation) +
                            ";\n" + store_result(operation) + "ld.shared.b" + wide + " " + move +
                            ", [cell];\nst.global.b" + wide + " [%in], " + move + ";\nret;",
                        ".shared .align 8 .b8 cell[8];\n"),
                  start_at(operation, 2));
      expect_sequence(operation, ran, first_of(ran.in, operation.bytes));
      EXPECT_EQ(ran.counts(Space::kShared, AccessOp::kAtomic).wavefronts, 32U) << operation.name;
    }
  }
}

TEST(Atomics, ScopesAndOrderingsComputeTheSame) {
  for (const char* how : {"", ".relaxed.gpu", ".acquire.gpu", ".release.sys", ".acq_rel.cta"}) {
    Scene scene;
    scene.in.assign(1, 0);
    const Ran ran =
        run_ptx(entry("atom" + std::string(how) + ".global.add.u32 %r1, [%in], 1;\nret;"), scene);
    EXPECT_EQ(ran.in[0], 32U) << how;
  }
}

TEST(Atomics, CompareAndSwapPutsItsValueWhereItFindsTheOther) {
  // Lane t asks for t and puts t + 1: each finds what the one before it left.
  Scene scene;
  scene.in.assign(1, 0);
  const Ran narrow = run_ptx(entry("add.u32 %r1, %t, 1;\natom.global.cas.b32 %r2, [%in], %t, %r1;\n"
                                   "st.global.u32 [%mine], %r2;\nret;"),
                             scene);
  EXPECT_EQ(narrow.in[0], 32U);
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(narrow.out[t], t);
  // Nobody finds 40.
  const Ran none = run_ptx(entry("atom.global.cas.b32 %r2, [%in], 40, 99;\nret;"), scene);
  EXPECT_EQ(none.in[0], 0U);
  // 64 bits at once: the upper half counts.
  scene.in = {5, 1};
  const Ran wide = run_ptx(entry("mov.u64 %rd1, 5;\nmov.u64 %rd2, 7;\n"
                                 "atom.global.cas.b64 %rd3, [%in], %rd1, %rd2;\n"
                                 "mov.u64 %rd1, 0x100000005;\n"
                                 "atom.global.cas.b64 %rd3, [%in], %rd1, %rd2;\nret;"),
                           scene);
  EXPECT_EQ(wide.in, (std::vector<std::uint32_t>{7, 0}));
  // 16 bits: the neighbour stays.
  scene.in = {0xabcd0005U};
  const Ran half = run_ptx(entry("mov.u16 %h1, 5;\nmov.u16 %h2, 6;\n"
                                 "atom.global.cas.b16 %h3, [%in], %h1, %h2;\nret;"),
                           scene);
  EXPECT_EQ(half.in[0], 0xabcd0006U);
}

TEST(Atomics, FloatsAndDoublesAdd) {
  // 1 + 2 + .. + 32 = 528, exact in both.
  Scene scene;
  scene.in.assign(2, 0);
  const std::string numbers =
      "add.u32 %r1, %t, 1;\ncvt.rn.f32.u32 %f1, %r1;\n"
      "cvt.rn.f64.u32 %fd1, %r1;\n";
  const Ran single = run_ptx(entry(numbers + "atom.global.add.f32 %f2, [%in], %f1;\n"
                                             "st.global.f32 [%mine], %f2;\nret;"),
                             scene);
  EXPECT_EQ(std::bit_cast<float>(single.in[0]), 528.0F);
  for (std::uint32_t t = 0; t < 32; ++t) {
    EXPECT_EQ(std::bit_cast<float>(single.out[t]), static_cast<float>(t * (t + 1) / 2));
  }
  const Ran twice = run_ptx(entry(numbers + "red.global.add.f64 [%in], %fd1;\nret;"), scene);
  EXPECT_EQ(std::bit_cast<double>(first_of(twice.in, 8)), 528.0);
}

TEST(Atomics, HalvesAdd) {
  // 32 lanes add 1 (f16 0x3c00, bf16 0x3f80), to the high half of a pair 2 (0x4000 in both).
  // 32 is 0x5000 and 0x4200, 64 is 0x5400 and 0x4280.
  struct Row {
    const char* type;
    std::uint32_t start;
    std::uint32_t add;
    std::uint32_t want;
  };
  constexpr Row kRows[] = {
      {"f16", 0xabcd0000, 0x3c00, 0xabcd5000},  // the neighbour stays
      {"bf16", 0xabcd0000, 0x3f80, 0xabcd4200},
      {"f16x2", 0, 0x40003c00, 0x54005000},
      {"bf16x2", 0, 0x40003f80, 0x42804200},
      // 2048 + 1 is a tie that stays 2048; 65504 + 65504 has no number, 2^-24 + 2^-24 one.
      {"f16", 0x6800, 0x3c00, 0x6800},
      {"f16x2", 0x7bff0000, 0x7bff0001, 0x7c000020},  // 32 * 2^-24
  };
  for (const Row& row : kRows) {
    const bool pair = std::string(row.type).back() == '2';
    const std::string value =
        "mov.b32 %r1, " + std::to_string(row.add) + ";\ncvt.u16.u32 %h1, %r1;\n";
    for (const bool returns : {false, true}) {
      Scene scene;
      scene.in = {row.start};
      const std::string operation = std::string(".global.add.noftz.") + row.type;
      const std::string operands = std::string("[%in], ") + (pair ? "%r1" : "%h1") + ";\nret;";
      const Ran ran = run_ptx(entry(value +
                                    (returns ? "atom" + operation + (pair ? " %r2, " : " %h2, ")
                                             : "red" + operation + " ") +
                                    operands),
                              scene);
      EXPECT_EQ(ran.in[0], row.want) << row.type << std::hex << " from " << row.start;
    }
  }
}

TEST(Atomics, HalvesGiveWhatWasThereBefore) {
  // Lane t finds t in shared memory: f16 of 0..31 is exact.
  const Ran ran = run_ptx(
      entry("mov.u16 %h1, 0;\nst.shared.u16 [cell], %h1;\nbar.sync 0;\nmov.b16 %h1, 0x3c00;\n"
            "atom.shared.add.noftz.f16 %h2, [cell], %h1;\ncvt.rzi.u32.f16 %r1, %h2;\n"
            "st.global.u32 [%mine], %r1;\nret;",
            ".shared .align 4 .b8 cell[4];\n"),
      Scene());
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(ran.out[t], t);
}

TEST(Atomics, HalvesOfManyBlocksOnManyThreadsLoseNothing) {
  // 64 blocks of 32 lanes: 2048 ones are 2048 (0x6800), exact on the way.
  Scene scene;
  scene.in = {0};
  scene.launch.grid.x = 64;
  scene.options.threads = 4;
  const Ran ran = run_ptx(
      entry("mov.b32 %r1, 0x3c003c00;\nred.global.add.noftz.f16x2 [%in], %r1;\nret;"), scene);
  EXPECT_EQ(ran.in[0], 0x68006800U);
}

TEST(Atomics, OnlyTheLanesThatExecuteTakePart) {
  Scene scene;
  scene.launch.block.x = 20;
  scene.in.assign(1, 0);
  const Ran ran = run_ptx(
      entry("and.b32 %r1, %t, 1;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 red.global.add.u32 [%in], 1;\n"
            "ret;"),
      scene);
  EXPECT_EQ(ran.in[0], 10U);  // the even ones of 20
  EXPECT_EQ(ran.counts(Space::kGlobal, AccessOp::kReduction).sectors, 10U);
}

TEST(Atomics, ManyBlocksOnManyThreadsLoseNothing) {
  for (const Operation& operation : operations()) {
    const std::string name = operation.name;
    if (name != "add.u32" && name != "add.u64" && name != "max.u32" && name != "or.b64" &&
        name != "xor.b32") {
      continue;
    }
    Scene scene = start_at(operation, 2);
    scene.launch.grid.x = 300;
    scene.options.threads = 4;
    const Ran ran = run_ptx(
        entry(kOperands + ("red.global." + name) + " [%in], " + operand_of(operation) + ";\nret;"),
        scene);
    // All of these commute: any order of 300 warps leaves the same.
    std::uint64_t value = operation.start;
    for (int block = 0; block < 300; ++block) {
      for (std::uint32_t t = 0; t < 32; ++t) value = operation.next(value, t);
    }
    EXPECT_EQ(first_of(ran.in, operation.bytes), value) << name;
  }
}

TEST(Atomics, OutOfBoundsAndMisalignedOnesTouchNothing) {
  Scene scene;
  scene.in.assign(1, 3);
  const Ran past = run_ptx(entry("atom.global.add.u32 %r1, [%in+4], 1;\nret;"), scene);
  ASSERT_EQ(past.result.faults.size(), 1U);
  EXPECT_EQ(past.result.faults[0].kind, FindingKind::kOutOfBounds);
  EXPECT_EQ(past.result.faults[0].op, AccessOp::kAtomic);
  EXPECT_EQ(past.in[0], 3U);
  const Ran odd = run_ptx(entry("red.global.add.u32 [%in+2], 1;\nret;"), scene);
  ASSERT_FALSE(odd.result.faults.empty());
  EXPECT_EQ(odd.in[0], 3U);
}

// One instruction, first with all lanes of the warp, then with five of them: a sector for each lane
// that adds, 32 + 5.
TEST(Atomics, FewerLanesAtTheSameAddressCostFewerSectors) {
  const Ran ran = run_ptx(
      entry("mov.u32 %r1, 32;\nmov.u32 %r2, 0;\nL:\nsetp.lt.u32 %p1, %t, %r1;\n"
            "@%p1 red.global.add.u32 [%out], 1;\nsetp.eq.u32 %p2, %r1, 32;\nmov.u32 %r1, 5;\n"
            "@%p2 bra L;\nret;"),
      {});
  EXPECT_EQ(ran.out[0], 0xA5A5A5A5U + 37);
  EXPECT_EQ(ran.counts(Space::kGlobal, AccessOp::kReduction).sectors, 37U);
}

}  // namespace
}  // namespace lab::model
