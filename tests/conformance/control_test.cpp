// Lanes that go different ways, from CUDA source. Expected values come from the same C++ on the
// host, thread by thread, or from a closed formula in a comment.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "tests/conformance/suite.h"

namespace lab::conformance {
namespace {

class Control : public Suite {
 protected:
  Control() : Suite("control.cu") {}
};
INSTANTIATE_TEST_SUITE_P(Backends, Control, backends(), backend_name);

TEST_P(Control, ATableOfBranchesTakesEachLaneToItsOwn) {
  const auto got = run("dense_switch", line(1, 64), {out(kI32, 64), in(kI32, 64)});
  const auto values = buffer<std::int32_t>(got, 0);
  for (std::int32_t t = 0; t < 64; ++t) {
    const std::int32_t cases[] = {t + 7,       3 * t, -t,    t ^ 0x55, t - 11,   t * t,
                                  (4 * t) | 1, t | 1, t / 3, t % 5,    1000 + t, 1000 + t};
    EXPECT_EQ(values[static_cast<std::size_t>(t)], cases[t % 12]) << t;
  }
}

TEST_P(Control, BreakAndContinueLeaveTheRightLoop) {
  const auto values = buffer<std::int32_t>(run("loops", line(1, 64), {out(kI32, 64)}), 0);
  for (std::int32_t t = 0; t < 64; ++t) {
    // Each i up to min(t, 20) that 3 does not divide adds the odd numbers up to i, the square of
    // how many they are.
    std::int32_t sum = 0;
    for (std::int32_t i = 0; i <= std::min(t, 20); ++i) {
      if (i % 3 != 0) sum += ((i + 1) / 2) * ((i + 1) / 2);
    }
    EXPECT_EQ(values[static_cast<std::size_t>(t)], sum) << t;
  }
}

TEST_P(Control, JumpsBackAndOut) {
  const auto values = buffer<std::int32_t>(run("jumps", line(1, 64), {out(kI32, 64)}), 0);
  for (std::int32_t t = 0; t < 64; ++t) {
    // Fives are taken off until 5 or less is left: (t - 1) / 5 of them; a rest of 3 leaves early.
    const std::int32_t fives = t == 0 ? 0 : (t - 1) / 5;
    EXPECT_EQ(values[static_cast<std::size_t>(t)], fives + (t - 5 * fives == 3 ? 0 : 100)) << t;
  }
}

TEST_P(Control, FunctionsTakeAndGiveStructures) {
  const auto values = buffer<double>(run("structures", line(1, 32), {out(kF64, 32)}), 0);
  for (std::int32_t t = 0; t < 32; ++t) {
    // make(t, -t, t / 4, odd) = {t / 2, 1 - t or t - 1, t + 1}; make(1, 2, 3, false).x = 6.
    const std::int32_t y = t % 2 == 1 ? t - 1 : 1 - t;
    EXPECT_EQ(values[static_cast<std::size_t>(t)], 0.5 * t + y + (t + 1) + 6) << t;
  }
}

TEST_P(Control, LanesLeaveAFunctionAtDifferentPlaces) {
  const auto values =
      buffer<std::int32_t>(run("early", line(2, 40), {out(kI32, 75), scalar_i32(75)}), 0);
  for (std::int32_t i = 0; i < 75; ++i) {
    // The smallest divisor from 2 on is that of a prime itself.
    std::int32_t divisor = 2;
    while (i >= 8 && i % divisor != 0) ++divisor;
    const std::int32_t expected = i < 8 ? -1 : divisor == i ? 2 : 10 + divisor;
    EXPECT_EQ(values[static_cast<std::size_t>(i)], expected) << i;
  }
}

TEST_P(Control, ThreadsThatLeftAreNotAwaited) {
  const auto got = run("left_early", line(1, 64), {zeros(kI32, 64)});
  const auto values = buffer<std::int32_t>(got, 0);
  for (std::int32_t t = 0; t < 64; ++t) {
    EXPECT_EQ(values[static_cast<std::size_t>(t)], t < 48 ? 47 - t : 0);
  }
  EXPECT_EQ(got.record.findings.size(), 0U);
}

TEST_P(Control, TheSecondSideOfAnAndIsNotReadInVain) {
  // 20 elements for 32 threads: a read past them would be a finding.
  const auto got = run("short_circuit", line(1, 32), {out(kI32, 32), in(kI32, 20), scalar_i32(20)});
  const auto values = buffer<std::int32_t>(got, 0);
  for (std::int32_t t = 0; t < 32; ++t) {
    const std::int32_t inside = t < 20 && t % 2 == 0 ? 1 : 0;
    EXPECT_EQ(values[static_cast<std::size_t>(t)], inside + (t > 10 ? 2 : 0)) << t;
  }
}

TEST_P(Control, ABarrierInALoopOrdersEachRound) {
  const auto values =
      buffer<std::int32_t>(run("waves", line(1, 96), {out(kI32, 96), scalar_i32(5)}), 0);
  for (std::int32_t t = 0; t < 96; ++t) {
    EXPECT_EQ(values[static_cast<std::size_t>(t)], (t + 5) % 96);  // five steps round the ring
  }
}

TEST_P(Control, AnyInstructionMayBePredicated) {
  // Lanes 16 and up load nothing: their addresses are out of bounds.
  const auto values =
      buffer<std::int32_t>(run("predicated", line(1, 32), {out(kI32, 32), in(kI32, 32)}), 0);
  for (std::int32_t t = 0; t < 32; ++t) {
    const std::int32_t expected = t < 16 ? t : t == 20 ? 5 : t + 1000;
    EXPECT_EQ(values[static_cast<std::size_t>(t)], expected) << t;
  }
}

// The PTX that the compiler writes for each architecture differs; what it computes does not.
TEST_P(Control, EveryTargetComputesTheSame) {
  if (on_gpu()) GTEST_SKIP() << "a GPU runs its own architecture alone";
  for (const std::string& arch :
       runnable({"sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120", "sm_121"})) {
    SCOPED_TRACE(arch);
    compile_for(arch);
    const auto waves = run("waves", line(1, 96), {out(kI32, 96), scalar_i32(5)});
    EXPECT_EQ(waves.record.arch, arch);
    EXPECT_EQ(buffer<std::int32_t>(waves, 0)[95], 4);  // five steps round a ring of 96
    const auto structures = buffer<double>(run("structures", line(1, 32), {out(kF64, 32)}), 0);
    EXPECT_EQ(structures[31], 15.5 + 30 + 32 + 6);  // as above
    const auto early =
        buffer<std::int32_t>(run("early", line(2, 40), {out(kI32, 75), scalar_i32(75)}), 0);
    EXPECT_EQ(early[49], 17);  // seven sevens
    EXPECT_EQ(early[73], 2);   // a prime
    const auto cases = run("dense_switch", line(1, 64), {out(kI32, 64), in(kI32, 64)});
    EXPECT_EQ(buffer<std::int32_t>(cases, 0)[63], 63 ^ 0x55);  // 63 % 12 is 3
    const auto some =
        run("predicated", line(1, 32), {out(kI32, 32), in(kI32, 32)}, AccessLevel::kPtx);
    EXPECT_EQ(buffer<std::int32_t>(some, 0)[20], 5);
  }
}

// tests/fixtures/ptx/ordinary.cu as nvcc compiles it for three architectures, and NVRTC for one.
TEST_P(Control, PtxOfNvccAndOfNvrtcComputesTheSame) {
  if (on_gpu()) GTEST_SKIP() << "a GPU runs PTX of its own architecture and older ones alone";
  Launch launch = line(2, 32);  // the second block leaves at once
  launch.dynamic_shared_bytes = 32 * 4;
  for (const char* each : {"nvcc75", "nvcc90", "nvcc121", "nvrtc90"}) {
    const std::string name = std::string("ordinary.") + each + ".ptx";
    SCOPED_TRACE(name);
    std::ifstream stream(std::string(LAB_SOURCE_DIR) + "/tests/fixtures/ptx/" + name);
    const std::string text(std::istreambuf_iterator<char>(stream), {});
    const auto got =
        run_text({name, text}, "ordinary", launch, {out(kF32, 32), in(kF32, 32), scalar_i32(32)},
                 AccessLevel::kSass, CaseStatus::kFinding);
    const auto values = buffer<float>(got, 0);
    for (std::uint32_t t = 0; t < 32; ++t) {
      // A lane's own sum, of a neighbour's element, a weight and a number from dynamic shared
      // memory, and the same of lane t ^ 1.
      const std::uint32_t own = (t ^ 1U) + (t & 3U) + 1 + (t ^ 3U);
      const std::uint32_t other = t + ((t ^ 1U) & 3U) + 1 + (t ^ 2U);
      const double v = own + other;
      double sum = 0;
      for (int i = 0; i < 32; ++i) sum += std::sin(v * i);
      // 32 sines of 2 units each and as many sums of single precision: below 1e-5 by far.
      EXPECT_NEAR(values[t], sum / v, 1e-5) << t;
    }
    // Lane 0: (1 + 1 + 3) + (0 + 2 + 2).
    EXPECT_EQ(got.record.notes.printed, "hi 9.000000 32\n");
    // Lanes add to `counter` and store to it.
    ASSERT_EQ(got.record.findings.size(), 1U);
    // What NVRTC compiled has no #include, and so two lines less.
    const int line = std::string_view(each) == "nvrtc90" ? 22 : 24;
    EXPECT_EQ(got.record.findings[0].message,
              fmt::format("race at counter[0]: line {} updates, line {} writes in another "
                          "lane of the warp, with neither __syncwarp() nor __syncthreads() between",
                          line, line + 1));
  }
}

Observation named(const CaseOutcome& got, const std::string& metric) {
  const auto& all = got.record.observations;
  return *std::find_if(all.begin(), all.end(),
                       [&](const Observation& o) { return o.metric == metric; });
}

TEST_P(Control, PrintfsOwnStoresHaveRoom) {
  if (on_gpu()) GTEST_SKIP() << "the model says how much it may be";
  const auto got = run("speaks", line(1, 64), {out(kF32, 64)});
  // One store of 4 sectors for each of two warps, and as much as a printf was seen to store.
  const Observation stores = named(got, "global_store_sectors");
  EXPECT_EQ(stores.number(), 2 * 4);
  EXPECT_EQ(stores.min, 2 * 4);
  EXPECT_GE(stores.max, 2 * 4 + 2 * 10320);
  EXPECT_EQ(named(got, "l2_write_sectors").number(), 2 * 4);  // what the kernel itself stores
  std::string note;
  for (const AccessNote& one : got.record.notes.machine_code) {
    if (one.access == "global_store") note = one.says;
  }
  EXPECT_EQ(note.rfind("control.cu:", 0), 0U) << note;
  EXPECT_NE(note.find("printf, which warps call 2 times"), std::string::npos) << note;
}

// As the PTX has it, all 32 warps load their block's sum. 1,024 elements are done by blocks 0 and
// 1, 512 each, so that the warps of blocks 2 and 3 leave at the branch: 16 loads in the machine
// code, as an H200 counts them.
TEST_P(Control, ALoadThatSinksBehindABranchHasRoom) {
  const auto got = run("sunk", line(4, 256),
                       {zeros(kU32, 2048, "out"), in(kU32, 2048),
                        given<std::uint32_t>(kU32, {1, 2, 3, 4}, "sums"), ScalarSpec{kU64, 1024}});
  const auto values = buffer<std::uint32_t>(got, 0);
  for (std::uint32_t i = 0; i < 2048; ++i) {
    EXPECT_EQ(values[i], i < 1024 ? i + i / 512 + 1 : 0) << i;
  }
  if (on_gpu()) {
    EXPECT_EQ(value(got, "global_load_requests"), 32 + 16);
    return;
  }
  const Observation loads = named(got, "global_load_requests");
  EXPECT_EQ(loads.number(), 32 + 32);
  EXPECT_EQ(loads.min, 32);
  EXPECT_EQ(loads.max, 64);
  ASSERT_FALSE(got.record.notes.machine_code.empty());
  const auto& [access, note] = got.record.notes.machine_code.front();
  EXPECT_EQ(access, "global_load");
  EXPECT_EQ(note.rfind("control.cu:", 0), 0U) << note;
  EXPECT_NE(note.find("after the branch that follows"), std::string::npos) << note;
}

// Of each of two warps 4 local stores of 32 words, and 32 words of output: 4 sectors each.
TEST_P(Control, LocalStoresReachL2) {
  const auto got = run("local_table", line(1, 64), {out(kF32, 64), scalar_i32(1)});
  const auto values = buffer<float>(got, 0);
  for (std::uint32_t t = 0; t < 64; ++t) {
    // table[j] holds i + t for the i with (i + 1) % 4 == j.
    EXPECT_EQ(values[t], static_cast<float>((t + 3) % 4 + t)) << t;
  }
  EXPECT_EQ(value(got, "local_store_requests"), 2 * 4);
  EXPECT_NEAR(value(got, "l2_write_sectors"), 2 * (4 + 1) * 4, on_gpu() ? 4 : 0);
}

// 8 warps store 16 words each, 512 bytes together: 16 sectors at least, and a sector for each of
// 128 lanes at most.
TEST_P(Control, PlacesFromACounterDependOnTheOrderOfWarps) {
  const auto got = run("places", line(1, 256), {zeros(kU32, 256, "out"), zeros(kU32, 1, "next")});
  EXPECT_EQ(buffer<std::uint32_t>(got, 1)[0], 4U * 16 + 4 * 17);
  EXPECT_EQ(value(got, "global_store_requests"), 8);
  EXPECT_GE(value(got, "global_store_sectors"), 16);
  EXPECT_LE(value(got, "global_store_sectors"), 128);
  if (on_gpu()) return;
  const Observation stores = named(got, "global_store_sectors");
  EXPECT_EQ(stores.min, 16);
  EXPECT_EQ(stores.max, 128);
  EXPECT_FALSE(named(got, "global_store_requests").max);  // these do not depend on it
  ASSERT_FALSE(got.record.notes.machine_code.empty());
  EXPECT_NE(got.record.notes.machine_code.front().says.find("the order in which warps"),
            std::string::npos);
}

}  // namespace
}  // namespace lab::conformance
