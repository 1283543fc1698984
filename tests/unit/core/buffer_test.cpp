#include "harness/core/buffer.h"

#include <gtest/gtest.h>

#include <set>

#include "harness/core/error.h"

namespace lab {
namespace {

Buffers filled(ElementType type, std::uint64_t count, Fill fill) {
  Buffers buffers;
  buffers.add("b", initial_bytes({"b", type, count, Direction::kIn, std::move(fill)}));
  return buffers;
}

TEST(Buffer, SplitMix64IsThePublishedSequence) {
  // First outputs for seed 1234567, as printed by the authors' reference program.
  std::uint64_t state = 1234567;
  EXPECT_EQ(split_mix64(state), 6457827717110365317ULL);
  EXPECT_EQ(split_mix64(state), 3203168211198807973ULL);
  EXPECT_EQ(split_mix64(state), 9817491932198370423ULL);
}

TEST(Buffer, IotaWrapsInTheElementsType) {
  auto bytes = filled(ElementType::kU8, 300, {Fill::Kind::kIota, 1, {}});
  EXPECT_EQ(bytes.as<std::uint8_t>("b")[255], 255);
  EXPECT_EQ(bytes.as<std::uint8_t>("b")[256], 0);
  auto floats = filled(ElementType::kF32, 4, {Fill::Kind::kIota, 1, {}});
  EXPECT_EQ(floats.f32("b")[3], 3.0F);
}

TEST(Buffer, OnesZerosAndPoison) {
  EXPECT_EQ(filled(ElementType::kF64, 2, {Fill::Kind::kOnes, 1, {}}).f64("b")[1], 1.0);
  EXPECT_EQ(filled(ElementType::kI32, 2, {Fill::Kind::kZero, 1, {}}).i32("b")[1], 0);
  EXPECT_EQ(filled(ElementType::kU32, 2, {}).u32("b")[0], 0xa5a5a5a5U);
}

TEST(Buffer, RandomFloatsLieInZeroToOneAndRepeat) {
  auto a = filled(ElementType::kF32, 10000, {Fill::Kind::kRandom, 7, {}});
  auto b = filled(ElementType::kF32, 10000, {Fill::Kind::kRandom, 7, {}});
  double sum = 0;
  for (std::size_t i = 0; i < 10000; ++i) {
    ASSERT_GE(a.f32("b")[i], 0.0F);
    ASSERT_LT(a.f32("b")[i], 1.0F);
    ASSERT_EQ(a.f32("b")[i], b.f32("b")[i]);
    sum += static_cast<double>(a.f32("b")[i]);
  }
  // The mean of 10,000 uniform numbers lies within 5 standard deviations (0.2887 / 100) of 1/2.
  EXPECT_NEAR(sum / 10000, 0.5, 5 * 0.002887);
}

// Several threads fill a buffer of this size, each a part.
TEST(Buffer, ALargeOneIsTheSameSequence) {
  constexpr std::uint64_t kCount = (std::uint64_t{1} << 23) + 5;
  auto numbers = filled(ElementType::kU8, kCount, {Fill::Kind::kRandom, 9, {}});
  const auto bytes = numbers.as<std::uint8_t>("b");
  std::uint64_t state = 9;
  std::uint64_t differ = 0;
  for (const std::uint8_t byte : bytes) {
    differ += byte == static_cast<std::uint8_t>(split_mix64(state)) ? 0U : 1U;
  }
  EXPECT_EQ(bytes.size(), kCount);
  EXPECT_EQ(differ, 0U);
}

// Element i leads to (i + 3) mod 8: from 0 over 3, 6, 1, 4, 7, 2 and 5 back to 0.
TEST(Buffer, ARingIsWalkedInEqualSteps) {
  auto ring = filled(ElementType::kU32, 8, {Fill::Kind::kRing, 3, {}});
  const std::vector<std::uint32_t> want = {3, 4, 5, 6, 7, 0, 1, 2};
  const auto got = ring.as<std::uint32_t>("b");
  EXPECT_EQ(std::vector<std::uint32_t>(got.begin(), got.end()), want);
}

// Each place is met once before the walk is back at the first; elements of a place stay beside each
// other, and another seed has another order.
TEST(Buffer, AWalkMeetsAllPlacesInAnOrderOfItsSeed) {
  const auto walked = [](std::uint64_t count, std::uint64_t step, std::uint64_t seed) {
    auto walk = filled(ElementType::kU32, count, {Fill::Kind::kWalk, seed, {}, step});
    const auto got = walk.as<std::uint32_t>("b");
    std::vector<std::uint32_t> order;
    for (std::uint32_t at = 0; order.size() < count / step; at = got[at]) {
      order.push_back(at);
      EXPECT_EQ(at % step, 0U);
      EXPECT_EQ(got[at + step - 1], got[at] + step - 1);
      EXPECT_EQ(at == 0, order.size() == 1);
    }
    EXPECT_EQ(got[order.back()], 0U);
    EXPECT_EQ(std::set<std::uint32_t>(order.begin(), order.end()).size(), count / step);
    return order;
  };
  for (const std::uint64_t places : {1U, 2U, 4U, 64U, 128U, 8192U}) {
    for (const std::uint64_t seed : {1U, 7U, 123456U})
      static_cast<void>(walked(places * 32, 32, seed));
  }
  EXPECT_NE(walked(64 * 32, 32, 1), walked(64 * 32, 32, 2));
}

TEST(Buffer, BytesMustFit) {
  Fill fill{Fill::Kind::kBytes, 1, std::vector<std::byte>(3)};
  EXPECT_THROW((void)filled(ElementType::kF32, 1, fill), Error);
}

TEST(Buffer, NamesTypesBothWays) {
  for (const char* name : {"i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64",
                           "f16", "bf16", "bool"}) {
    EXPECT_EQ(name_of(element_type(name)), name);
  }
  try {
    (void)element_type("f17");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(render(error), "error: unknown element type 'f17'\nhint: did you mean 'f16'?\n");
  }
}

// IEEE 754: f16 has 10 bits of fraction and exponents from -14 to 15, bf16 is a float's upper half.
TEST(Buffer, HalvesAreRoundedToTheNearestEven) {
  EXPECT_EQ(f16_bits(1.0F), 0x3c00);
  EXPECT_EQ(f16_bits(-2.5F), 0xc100);
  EXPECT_EQ(f16_bits(2049.0F), 0x6800);   // between 2048 and 2050: to the even 2048 = 2^11
  EXPECT_EQ(f16_bits(2051.0F), 0x6802);   // between 2050 and 2052: to 2052
  EXPECT_EQ(f16_bits(65519.0F), 0x7bff);  // 65504 is the largest
  EXPECT_EQ(f16_bits(65520.0F), 0x7c00);
  EXPECT_EQ(f16_bits(0x1p-24F), 0x0001);
  EXPECT_EQ(f16_bits(0x1p-14F), 0x0400);
  EXPECT_EQ(bf16_bits(1.0F), 0x3f80);
  EXPECT_EQ(bf16_bits(257.0F), 0x4380);  // between 256 and 258: to the even 256 = 2^8
}

TEST(Buffer, ScalarsKeepTheirBits) {
  EXPECT_EQ(scalar_i32(-1).bits, 0xffffffffULL);
  EXPECT_EQ(scalar_f32(1.5F).bits, 0x3fc00000ULL);  // sign 0, exponent 127, mantissa .1
  EXPECT_EQ(scalar_f64(-2.0).bits, 0xc000000000000000ULL);
}

TEST(SharedBytes, AreOneUntilACopyIsWrittenTo) {
  BufferSpec first{"b", ElementType::kU8, 3, Direction::kIn, {Fill::Kind::kBytes}};
  first.fill.bytes = {std::byte{1}, std::byte{2}, std::byte{3}};
  BufferSpec second = first;
  EXPECT_EQ(std::as_const(second).fill.bytes.data(), std::as_const(first).fill.bytes.data());
  second.fill.bytes[1] = std::byte{9};
  EXPECT_EQ(first.fill.bytes, (SharedBytes{std::byte{1}, std::byte{2}, std::byte{3}}));
  EXPECT_EQ(second.fill.bytes, (SharedBytes{std::byte{1}, std::byte{9}, std::byte{3}}));
  SharedBytes none;
  EXPECT_EQ(none.size(), 0U);
  none.resize(2);
  EXPECT_EQ(none, (SharedBytes{std::byte{0}, std::byte{0}}));
}

}  // namespace
}  // namespace lab
