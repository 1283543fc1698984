// Every kind of memory, from CUDA source. Expected values come from what C++ says of the source.
#include <algorithm>

#include "tests/conformance/suite.h"

namespace lab::conformance {
namespace {

class Memory : public Suite {
 protected:
  Memory() : Suite("memory.cu") {}
};
INSTANTIATE_TEST_SUITE_P(Backends, Memory, backends(), backend_name);

TEST_P(Memory, EveryWidthReadsItsBytes) {
  std::vector<std::uint8_t> bytes(512);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 37 + 150);
  // `count` bytes from `at` on, the lowest first.
  const auto little = [&](std::size_t at, std::size_t count) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i) value += std::uint64_t{bytes[at + i]} << (8 * i);
    return value;
  };
  const auto with_sign = [](std::uint64_t value, std::uint64_t half) {
    return value < half ? value : value - 2 * half;
  };
  const auto got = run("widths", line(1, 32), {out(kU64, 320), given(ElementType::kU8, bytes)});
  const auto values = buffer<std::uint64_t>(got, 0);
  for (std::size_t t = 0; t < 32; ++t) {
    const std::uint64_t* mine = &values[t * 10];
    EXPECT_EQ(mine[0], bytes[t]);
    EXPECT_EQ(mine[1], with_sign(bytes[t], 0x80));
    EXPECT_EQ(mine[2], little(2 * t, 2));
    EXPECT_EQ(mine[3], with_sign(little(2 * t, 2), 0x8000));
    EXPECT_EQ(mine[4], little(4 * t, 4));
    EXPECT_EQ(mine[5], little(8 * t, 8));
    EXPECT_EQ(mine[6], bytes[4 * t] + 1000U * bytes[4 * t + 3]);
    EXPECT_EQ(mine[7], little(4 * t + 2, 2));
    EXPECT_EQ(mine[8], little(16 * t + 8, 8));
    // An int added to 64 bits keeps its sign.
    EXPECT_EQ(mine[9], with_sign(little(8 * t + 4, 4), 0x80000000));
  }
}

TEST_P(Memory, HintsChangeNoValue) {
  const auto values = buffer<float>(run("hints", line(1, 32), {out(kF32, 160), in(kF32, 192)}), 0);
  for (std::size_t t = 0; t < 32; ++t) {
    // t + (t + 32) + ... + (t + 160) = 6 t + 480.
    const auto sum = static_cast<float>(6 * t + 480);
    for (std::size_t k = 0; k < 5; ++k) {
      EXPECT_EQ(values[32 * k + t], sum + static_cast<float>(k)) << k;
    }
  }
}

TEST_P(Memory, APointerMayNameAnotherSpaceInEachLane) {
  const auto values =
      buffer<std::int32_t>(run("spaces", line(1, 32), {out(kI32, 64), in(kI32, 32)}), 0);
  for (std::int32_t t = 0; t < 32; ++t) {
    const std::int32_t expected[] = {t, 200 + t, 100 + t % 4, (t / 8 + 1) * 10};
    const std::int32_t space[] = {1, 2, 4, 8};  // global, shared, local, constant
    const auto at = static_cast<std::size_t>(2 * t);
    EXPECT_EQ(values[at], expected[t % 4]) << t;
    // A constant's generic address lies in memory that may count as global, too.
    EXPECT_EQ(t % 4 == 3 ? values[at + 1] & ~1 : values[at + 1], space[t % 4]) << t;
  }
}

TEST_P(Memory, GenericStoresAndAtomicsFindTheirMemory) {
  const auto values = buffer<std::int32_t>(run("generic_stores", line(1, 32), {out(kI32, 32)}), 0);
  for (std::int32_t t = 0; t < 32; ++t) EXPECT_EQ(values[static_cast<std::size_t>(t)], 10 * t + 1);
}

TEST_P(Memory, VariablesHoldStructuresAndAddresses) {
  const auto values = buffer<double>(run("variables", line(1, 32), {out(kF64, 36)}), 0);
  for (std::size_t t = 0; t < 32; ++t) {
    // 'a' - 1 + 0.5 + 1e10, 'b' - 2 + 1.5 + 2e10, 'c' - 3 + 2.5 + 3e10: 'b' is 98, all exact.
    const double expected[] = {1e10 + 96.5, 2e10 + 97.5, 3e10 + 98.5};
    EXPECT_EQ(values[t], expected[t % 3]);
  }
  EXPECT_EQ(values[32], 2);     // counters[1]
  EXPECT_EQ(values[33], 'n');   // "lane"[2]
  EXPECT_EQ(values[34], 4);     // counters[3], once the pointer was moved
  EXPECT_EQ(values[35], 7.25);  // what was never set is zero
}

TEST_P(Memory, AStructureComesByValue) {
  // {int 1000, short -5, signed char 3, signed char -4}, the lowest byte first.
  const std::uint64_t pair = 1000U + (0xfffbULL << 32U) + (0x03ULL << 48U) + (0xfcULL << 56U);
  const auto values = buffer<std::int32_t>(
      run("by_value", line(1, 32),
          {out(kI32, 32), scalar_i64(static_cast<std::int64_t>(pair)), in(kU64, 32)}),
      0);
  for (std::int32_t t = 0; t < 32; ++t) {
    EXPECT_EQ(values[static_cast<std::size_t>(t)], 995 + (t % 2 == 0 ? 3 : -4) + t);
  }
}

TEST_P(Memory, StaticAndDynamicSharedMemoryDoNotMeet) {
  Launch launch = line(1, 64);
  launch.dynamic_shared_bytes = 64 * 4;
  const auto values = buffer<std::int32_t>(run("both_shared", launch, {out(kI32, 64)}), 0);
  for (std::int32_t t = 0; t < 64; ++t) {
    const std::int32_t other = 63 - t;
    EXPECT_EQ(values[static_cast<std::size_t>(t)], other + 1000 + other + other / 2);
  }
}

TEST_P(Memory, EachThreadHasAStackOfBytes) {
  std::vector<std::int32_t> numbers;
  for (std::int32_t t = 0; t < 32; ++t) numbers.push_back(t * t * t * 4099 + 1);
  const auto values =
      buffer<std::int32_t>(run("digits", line(1, 32), {out(kI32, 32), given(kI32, numbers)}), 0);
  for (std::size_t t = 0; t < 32; ++t) {
    // The decimal digits backwards; t^3 * 4099 + 1 never ends in more than nine others.
    std::string text = std::to_string(numbers[t]);
    std::reverse(text.begin(), text.end());
    EXPECT_EQ(values[t], std::stol(text));
  }
}

TEST_P(Memory, CoordinatesCountXFirst) {
  // Blocks of 7 x 3 x 2 = 42 threads (two warps), 2 x 3 x 2 = 12 blocks.
  const Launch launch{{2, 3, 2}, {7, 3, 2}, 0};
  const auto got = run("coordinates", launch, {out(kU32, 504 * 4), zeros(kU32, 1)});
  const auto values = buffer<std::uint32_t>(got, 0);
  for (std::uint32_t i = 0; i < 504; ++i) {
    const std::uint32_t thread = i % 42;
    const std::uint32_t block = i / 42;
    EXPECT_EQ(values[i * 4], thread % 7 + 100 * (thread / 7 % 3) + 10000 * (thread / 21));
    EXPECT_EQ(values[i * 4 + 1], block % 2 + 100 * (block / 2 % 3) + 10000 * (block / 6));
    EXPECT_EQ(values[i * 4 + 2], thread % 32);
    // A GPU's numbers of warps are of its own choice.
    EXPECT_EQ(on_gpu() ? thread / 32 : values[i * 4 + 3], thread / 32);
  }
  EXPECT_EQ(buffer<std::uint32_t>(got, 1)[0], 504U);
}

TEST_P(Memory, ATwoWordStructureIsOneWideAccess) {
  const std::vector<ArgSpec> args = {out(kF32, 32), in(kF32, 64)};
  const auto got = run("two_words", line(1, 32), args);
  const auto values = buffer<float>(got, 0);
  for (std::size_t t = 0; t < 32; ++t) {
    const std::size_t other = 31 - t;
    EXPECT_EQ(values[t], static_cast<float>(other * other + other + 32));
  }
  // 8 bytes per lane: two groups of 16 lanes, each over all 32 banks once.
  EXPECT_EQ(value(got, "shared_load_requests"), 1);
  EXPECT_EQ(value(got, "shared_load_wavefronts_sass"), 2);
  EXPECT_EQ(value(got, "shared_store_requests"), 1);
  EXPECT_EQ(value(got, "shared_store_wavefronts_sass"), 2);
  if (on_gpu()) return;
  // As written: two words, each at every second bank, two lanes a bank.
  const auto written = run("two_words", line(1, 32), args, AccessLevel::kPtx);
  EXPECT_EQ(value(written, "shared_load_requests"), 2);
  EXPECT_EQ(value(written, "shared_load_wavefronts_sass"), 4);
  EXPECT_EQ(value(written, "shared_store_requests"), 2);
  EXPECT_EQ(value(written, "shared_store_wavefronts_sass"), 4);
}

}  // namespace
}  // namespace lab::conformance
