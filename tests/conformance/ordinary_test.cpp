// Ordinary kernels, from CUDA source. Expected values come from the same arithmetic on the host,
// thread by thread, or from a number in a comment.
#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "tests/conformance/suite.h"

namespace lab::conformance {
namespace {

constexpr auto kI64 = ElementType::kI64;
constexpr auto kU8 = ElementType::kU8;
constexpr auto kU16 = ElementType::kU16;

/// For a backend, and for the model with the architecture that it compiles for.
class Ordinary : public Suite {
 protected:
  Ordinary() : Suite("ordinary.cu", Needs::kToolkitHeaders) {}
  void SetUp() override {
    Suite::SetUp();
    const std::string name = GetParam();
    if (IsSkipped() || name.size() <= 6) return;
    const std::string arch = name.substr(6);
    if (const std::string why = lacking(arch); !why.empty()) GTEST_SKIP() << why;
    compile_for(arch);
  }
};
INSTANTIATE_TEST_SUITE_P(Backends, Ordinary,
                         ::testing::Values("model_sm_75", "model", "model_sm_120", "gpu"),
                         backend_name);

/// 32 numbers with no pattern: 0, 37, 10, 47, ... below 64.
std::vector<std::int32_t> mixed() {
  std::vector<std::int32_t> list;
  for (std::int32_t t = 0; t < 32; ++t) list.push_back(t * 37 % 64);
  return list;
}
using Index = std::size_t;

TEST_P(Ordinary, TilesReduceAndScan) {
  const auto in = mixed();
  const auto values =
      buffer<std::int32_t>(run("tiles", line(1, 32), {out(kI32, 128), given(kI32, in)}), 0);
  for (Index t = 0; t < 32; ++t) {
    const auto eight = in.begin() + static_cast<std::ptrdiff_t>(t / 8 * 8);
    const auto sixteen = in.begin() + static_cast<std::ptrdiff_t>(t / 16 * 16);
    const auto own = in.begin() + static_cast<std::ptrdiff_t>(t);
    EXPECT_EQ(values[4 * t], std::accumulate(eight, eight + 8, 0));
    std::int32_t most = 0;
    for (auto at = sixteen; at != sixteen + 16; ++at) most = std::max(most, *at ^ 5);
    EXPECT_EQ(values[4 * t + 1], most);
    EXPECT_EQ(values[4 * t + 2], std::accumulate(sixteen, own + 1, 0));
    EXPECT_EQ(values[4 * t + 3],
              std::accumulate(eight, own, 0) * 100 + static_cast<std::int32_t>(t / 8));
  }
}

TEST_P(Ordinary, CoalescedThreadsTakePlacesBehindEachOther) {
  const auto in = mixed();
  const auto got =
      run("compacted", line(1, 32), {zeros(kI32, 32, "out"), zeros(kI32, 1), given(kI32, in)});
  std::vector<std::int32_t> want;
  std::copy_if(in.begin(), in.end(), std::back_inserter(want), [](int v) { return v % 3 == 0; });
  EXPECT_EQ(buffer<std::int32_t>(got, 1)[0], static_cast<std::int32_t>(want.size()));
  want.resize(32);
  EXPECT_EQ(buffer<std::int32_t>(got, 0), want);
}

TEST_P(Ordinary, PartitionsGatherLanesWithOneLabel) {
  const auto in = mixed();
  const auto values =
      buffer<std::int32_t>(run("partitions", line(1, 32), {out(kI32, 64), given(kI32, in)}), 0);
  for (Index t = 0; t < 32; ++t) {
    for (const int divisor : {2, 4}) {
      int size = 0;
      int rank = 0;
      for (Index other = 0; other < 32; ++other) {
        if (in[other] % divisor != in[t] % divisor) continue;
        ++size;
        rank += other < t ? 1 : 0;
      }
      EXPECT_EQ(values[2 * t + (divisor == 2 ? 0 : 1)], size * 100 + rank) << t;
    }
  }
}

TEST_P(Ordinary, GroupsCopyToSharedMemory) {
  const auto values =
      buffer<float>(run("group_copy", line(2, 64), {out(kF32, 128), in(kF32, 128)}), 0);
  for (Index i = 0; i < 128; ++i) {
    EXPECT_EQ(values[i], static_cast<float>(i / 64 * 64 + 63 - i % 64));
  }
}

TEST_P(Ordinary, PipelinesFillWithZeros) {
  const auto values =
      buffer<float>(run("pipeline", line(1, 32), {out(kF32, 256), in(kF32, 256)}), 0);
  for (Index i = 0; i < 256; ++i) {
    const Index from = i / 128 * 128 + (31 - i % 128 / 4) * 4 + i % 4;
    EXPECT_EQ(values[i], i >= 128 && i % 4 == 3 ? 0.0F : static_cast<float>(from)) << i;
  }
}

TEST_P(Ordinary, ShufflesOfDoubles) {
  const auto values =
      buffer<double>(run("wide_shuffles", line(1, 32), {out(kF64, 32), in(kF64, 32)}), 0);
  // 0 + ... + 31 = 496; of 8 lanes the last three keep their own.
  for (Index t = 0; t < 32; ++t) {
    EXPECT_EQ(values[t], 496 + static_cast<double>(t % 8 < 5 ? t + 3 : t) / 1024) << t;
  }
}

TEST_P(Ordinary, AtomicsOfHalves) {
  const auto got =
      run("half_atomics", line(1, 32),
          {zeros(kU16, 1, "a"), zeros(kU32, 1, "b"), zeros(kU32, 1, "c"), zeros(kF32, 32, "old")});
  // f16: 32 is 0x5000, 16 is 0x4c00; bf16: 8 is 0x4100, 64 is 0x4280.
  EXPECT_EQ(buffer<std::uint16_t>(got, 0)[0], 0x5000);
  EXPECT_EQ(buffer<std::uint32_t>(got, 1)[0], 0x4c005000U);
  EXPECT_EQ(buffer<std::uint32_t>(got, 2)[0], 0x42804100U);
  auto old = buffer<float>(got, 3);
  std::sort(old.begin(), old.end());
  for (Index t = 0; t < 32; ++t) EXPECT_EQ(old[t], static_cast<float>(t));
}

TEST_P(Ordinary, ASwitchOfFortyCases) {
  const auto values =
      buffer<std::int32_t>(run("forty", line(1, 64), {out(kI32, 64), in(kI32, 64)}), 0);
  for (std::int32_t t = 0; t < 64; ++t) {
    EXPECT_EQ(values[static_cast<Index>(t)], t < 40 ? t * t + 3 : -1);
  }
}

TEST_P(Ordinary, StructsOfSixteenBytes) {
  struct Packet {
    float x, y;
    std::int32_t z;
    std::uint16_t a, b;
  };
  std::vector<Packet> in;
  for (int t = 0; t < 32; ++t) {
    const auto small = static_cast<std::uint16_t>(3 * t);
    in.push_back({0.5F * static_cast<float>(t), 1, 1000 + t, small, small});
  }
  std::vector<std::uint32_t> words(128);
  std::memcpy(words.data(), in.data(), 512);
  const auto got = run("packets", line(1, 32), {out(kU32, 128), given(kU32, words)});
  const auto values = buffer<Packet>(got, 0);
  for (Index t = 0; t < 32; ++t) {
    EXPECT_EQ(values[t].x, in[t].x + 1);
    EXPECT_EQ(values[t].z, in[t].z ^ in[t].a);
    EXPECT_EQ(values[t].a, in[t].a);
    EXPECT_EQ(values[t].b, 7);
  }
}

TEST_P(Ordinary, DivisionOf64And128Bits) {
  const std::vector<std::int64_t> in = {
      100, 7, -100, 7, INT64_MAX, -1, INT64_MIN, 3, 0x123456789ab, 977, -0x123456789ab, 1LL << 40};
  const auto got = run("long_division", line(1, 6), {out(kI64, 48), given(kI64, in)});
  const auto values = buffer<std::int64_t>(got, 0);
  __extension__ typedef __int128 Wide;
  __extension__ typedef unsigned __int128 UWide;
  for (Index t = 0; t < 6; ++t) {
    const std::int64_t a = in[2 * t];
    const std::int64_t b = in[2 * t + 1];
    const auto ua = static_cast<std::uint64_t>(a);
    const Wide product = Wide{a} * b;
    const std::int64_t want[] = {a / b,
                                 a % b,
                                 static_cast<std::int64_t>(ua / static_cast<std::uint64_t>(b)),
                                 static_cast<std::int64_t>(ua % 10),
                                 static_cast<std::int64_t>(product >> 64),
                                 static_cast<std::int64_t>(product),
                                 static_cast<std::int64_t>(product / 1000000007),
                                 static_cast<std::int64_t>(static_cast<UWide>(product) % 97)};
    for (Index k = 0; k < 8; ++k)
      EXPECT_EQ(values[8 * t + k], want[k]) << a << ", " << b << ' ' << k;
  }
}

TEST_P(Ordinary, PrintfOfAllFormats) {
  if (on_gpu()) GTEST_SKIP() << "a GPU prints to the terminal";
  EXPECT_EQ(run("prints", line(1, 32), {}).record.notes.printed,
            "-5 7 9 ff FF 10 c str|1.500000 1.000000e+10 0.0001  3.14|42    |0002.500|+3|0xff|%|"
            "-1 1152921504606846976 -3 9    ab|ab   |ab\n");
}

TEST_P(Ordinary, UnionsAndBitFields) {
  const auto got = run("unions_and_fields", line(1, 32),
                       {out(kU32, 32), zeros(kU32, 32, "fields"), in(kI32, 32)});
  const auto words = buffer<std::uint32_t>(got, 0);
  const auto fields = buffer<std::uint32_t>(got, 1);
  for (std::uint32_t t = 0; t < 32; ++t) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(t));
    EXPECT_EQ(words[t], (bits & ~0xffU) | 7U);
    // 5 bits, then 7 of 3 - t, then 20.
    EXPECT_EQ(fields[t], t | ((3U - t) & 0x7fU) << 5U | t * 1000 << 12U) << t;
  }
}

TEST_P(Ordinary, ComplexNumbers) {
  const auto values = buffer<float>(run("complex", line(1, 16), {out(kF32, 64), in(kF32, 32)}), 0);
  for (Index t = 0; t < 16; ++t) {
    const auto re = static_cast<float>(2 * t);
    const float im = re + 1;
    // (re + im i) times its conjugate; over 2i it is (im - re i) / 2.
    EXPECT_EQ(values[4 * t], re * re + im * im);
    EXPECT_EQ(values[4 * t + 1], 0);
    EXPECT_FLOAT_EQ(values[4 * t + 2], im / 2);
    EXPECT_FLOAT_EQ(values[4 * t + 3], -re / 2);
  }
}

TEST_P(Ordinary, TablesAndStrings) {
  const auto got = run("tables", line(1, 32), {out(kF32, 32), zeros(kI32, 32, "lengths")});
  const auto sums = buffer<float>(got, 0);
  const auto lengths = buffer<std::int32_t>(got, 1);
  const std::int32_t want[] = {'o' * 10 + 3, 't' * 10 + 3, 't' * 10 + 5};
  for (Index t = 0; t < 32; ++t) {
    EXPECT_EQ(sums[t], (t % 2 == 0 ? 3.0F : 6.0F) + 0.5F + static_cast<float>(t % 4));
    EXPECT_EQ(lengths[t], want[t % 3]);
  }
}

TEST_P(Ordinary, RandomNumbersAreThoseOfTheHost) {
  const auto values =
      buffer<std::uint32_t>(run("random_numbers", line(1, 32), {out(kU32, 32), scalar_u32(7)}), 0);
  for (std::uint32_t t = 0; t < 32; ++t) {
    std::uint64_t state = 7 + t;
    for (int k = 0; k < 10; ++k) state = state * 6364136223846793005U + 1442695040888963407U;
    const auto word = static_cast<std::uint32_t>(((state >> 18U) ^ state) >> 27U);
    EXPECT_EQ(values[t], std::rotr(word, static_cast<int>(state >> 59U)));
  }
}

TEST_P(Ordinary, AnImageWhoseEdgesAreNoMultiples) {
  std::vector<std::uint8_t> in(19 * 7 * 4);
  for (Index i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint8_t>(i * 31);
  const auto got = run("grey", {{3, 2, 1}, {8, 4, 1}, 0},
                       {out(kU8, in.size()), given(kU8, in), scalar_i32(19), scalar_i32(7)});
  const auto values = buffer<std::uint8_t>(got, 0);
  for (Index i = 0; i < in.size(); i += 4) {
    const int r = in[i];
    const int g = in[i + 1];
    const int b = in[i + 2];
    EXPECT_EQ(values[i], (r * 77 + g * 150 + b * 29) >> 8);
    EXPECT_EQ(values[i + 1], std::min(255, g + 20));
    EXPECT_EQ(values[i + 2], std::max(0, b - 20));
    EXPECT_EQ(values[i + 3], 255);
  }
}

TEST_P(Ordinary, TemplatesAndLambdas) {
  const auto values = buffer<std::int32_t>(run("templates", line(1, 32), {out(kI32, 32)}), 0);
  for (std::int32_t t = 0; t < 32; ++t) {
    std::int32_t sum = 0;
    for (std::int32_t k = 0; k < 8; ++k) sum += ((k * t) & 7) * t;
    EXPECT_EQ(values[static_cast<Index>(t)], sum + 1 + t);
  }
}

TEST_P(Ordinary, ASortingNetwork) {
  std::vector<std::int32_t> data;
  for (std::int32_t t = 0; t < 64; ++t) data.push_back(t * 29 % 64 - 20);
  const auto got = run("bitonic", line(1, 64), {changed(kI32, data, "data")});
  std::sort(data.begin(), data.end());
  EXPECT_EQ(buffer<std::int32_t>(got, 0), data);
}

TEST_P(Ordinary, ReferencesToRegistersAndToMemory) {
  const auto values =
      buffer<std::int32_t>(run("references", line(1, 32), {zeros(kI32, 64, "out")}), 0);
  for (std::int32_t t = 0; t < 32; ++t) {
    EXPECT_EQ(values[static_cast<Index>(t)], 0);
    EXPECT_EQ(values[static_cast<Index>(t) + 32], 201 * t);  // 100 * 2t + t
  }
}

TEST_P(Ordinary, CopiesOfOddSizes) {
  const auto values =
      buffer<std::uint8_t>(run("odd_copies", line(1, 16), {out(kU8, 208), in(kU8, 208)}), 0);
  for (Index i = 0; i < 208; ++i) {
    const bool set = i % 13 >= 3 && i % 13 < 8;
    EXPECT_EQ(values[i], set ? 7 : i) << i;
  }
}

}  // namespace
}  // namespace lab::conformance
