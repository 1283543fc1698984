// CUB, atomic references and the standard library for devices, from CUDA source.
#include <algorithm>
#include <complex>
#include <numeric>

#include "tests/conformance/suite.h"

namespace lab::conformance {
namespace {

class Libraries : public Suite {
 protected:
  Libraries() : Suite("libraries.cu", Needs::kToolkitHeaders) {}
};
INSTANTIATE_TEST_SUITE_P(Backends, Libraries, backends(), backend_name);

TEST_P(Libraries, ABlockSorts) {
  std::vector<std::uint32_t> keys;
  for (std::uint32_t i = 0; i < 512; ++i) keys.push_back((i + 1) * 2654435761U);  // all differ
  const auto got = run("sorted", line(1, 128), {out(kU32, 512), given(kU32, keys)});
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(buffer<std::uint32_t>(got, 0), keys);
}

TEST_P(Libraries, ABlockScansAndAWarpReduces) {
  std::vector<std::int32_t> in;
  for (std::int32_t i = 0; i < 128; ++i) in.push_back(i * 53 % 128 - 40);
  const auto got =
      run("scanned", line(1, 128), {out(kI32, 128), zeros(kI32, 4, "most"), given(kI32, in)});
  std::vector<std::int32_t> sums(128);
  std::exclusive_scan(in.begin(), in.end(), sums.begin(), 0);
  EXPECT_EQ(buffer<std::int32_t>(got, 0), sums);
  const auto most = buffer<std::int32_t>(got, 1);
  for (std::size_t warp = 0; warp < 4; ++warp) {
    const auto first = in.begin() + static_cast<std::ptrdiff_t>(32 * warp);
    EXPECT_EQ(most[warp], *std::max_element(first, first + 32)) << warp;
  }
}

TEST_P(Libraries, ABlockCounts) {
  const auto got = run("counted", line(1, 128), {out(kU32, 16), in(kI32, 128)});
  EXPECT_EQ(buffer<std::uint32_t>(got, 0), std::vector<std::uint32_t>(16, 8));  // 128 over 16
}

TEST_P(Libraries, AtomicReferences) {
  const auto got = run("atomics", line(2, 64),
                       {zeros(kI32, 4), zeros(kF32, 1, "total"),
                        zeros(ElementType::kU8, 4, "narrow"), zeros(kI32, 128, "out")});
  // 128 threads: twice each; the greatest of 0..63; one that found 0.
  EXPECT_EQ(buffer<std::int32_t>(got, 0), (std::vector<std::int32_t>{256, 63, 7, 1}));
  EXPECT_EQ(buffer<float>(got, 1)[0], 64.0F);
  // 3 * 128 is 384, less 256; the neighbours stay.
  EXPECT_EQ(buffer<std::uint8_t>(got, 2), (std::vector<std::uint8_t>{0, 128, 0, 0}));
  // Everyone had a ticket of his own.
  EXPECT_EQ(buffer<std::int32_t>(got, 3), std::vector<std::int32_t>(128, 1));
}

TEST_P(Libraries, ValuesOfTheStandardLibrary) {
  const auto got = run("values", line(1, 32), {out(kF32, 96), in(kF32, 32)});
  const auto values = buffer<float>(got, 0);
  for (std::size_t t = 0; t < 32; ++t) {
    const std::complex<double> z(static_cast<double>(t), 1);
    const auto want = z * z / std::conj(z);
    EXPECT_NEAR(static_cast<double>(values[3 * t]), want.real(), 1e-5);
    EXPECT_NEAR(static_cast<double>(values[3 * t + 1]), want.imag(), 1e-5);
    EXPECT_EQ(values[3 * t + 2], 2.5F * (t % 2 == 1 ? static_cast<float>(t) : -1.0F));
  }
}

TEST_P(Libraries, ClustersOfOneBlock) {
  const auto got = run("clustered", line(2, 32), {out(kI32, 64)});
  const auto values = buffer<std::int32_t>(got, 0);
  for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(values[i], 100 + static_cast<int>((i % 32) ^ 1U));
}

// After three steps block b has the numbers that its cluster's block of rank r - 3, which is r + 1
// of 4, began with, and 3 more.
TEST_P(Libraries, BlocksOfAClusterPassNumbersAround) {
  const auto got = run("around", line(8, 32), {out(kI32, 256)});
  const auto values = buffer<std::int32_t>(got, 0);
  for (int i = 0; i < 256; ++i) {
    const int block = i / 32;
    const int from = block / 4 * 4 + (block + 1) % 4;
    EXPECT_EQ(values[static_cast<std::size_t>(i)], 1000 * from + i % 32 + 3) << i;
  }
}

TEST_P(Libraries, AHistogramIsSpreadOverACluster) {
  std::vector<std::uint32_t> in;
  for (std::uint32_t i = 0; i < 1000; ++i) in.push_back(i * i / 7);
  const auto got =
      run("spread", line(4, 64), {zeros(kU32, 32, "bins"), given(kU32, in), scalar_i32(1000)});
  std::vector<std::uint32_t> want(32);
  for (const std::uint32_t number : in) ++want[number % 32];
  EXPECT_EQ(buffer<std::uint32_t>(got, 0), want);
}

// A grid of 4 x 6 blocks is 2 x 2 clusters; ranks count x fastest.
TEST_P(Libraries, PlacesInClusters) {
  const auto got = run("places", Launch{{4, 6, 1}, {1, 1, 1}, 0}, {out(kU32, 192)});
  const auto values = buffer<std::uint32_t>(got, 0);
  for (std::uint32_t b = 0; b < 24; ++b) {
    const std::uint32_t x = b % 4;
    const std::uint32_t y = b / 4;
    const std::uint32_t rank = x % 2 + 2 * (y % 3);
    const std::vector<std::uint32_t> want = {x / 2, y / 3, 22, x % 2, y % 3, 231, rank, 5 - rank};
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(8 * b);
    EXPECT_EQ(std::vector<std::uint32_t>(first, first + 8), want) << b;
  }
}

// The cluster's barrier orders global memory, too: no race is found.
TEST_P(Libraries, BlocksOfAClusterPassGlobalMemoryOn) {
  const auto got = run("handed", line(4, 32), {out(kI32, 128), zeros(kI32, 128, "between")});
  const auto values = buffer<std::int32_t>(got, 0);
  for (int i = 0; i < 128; ++i) {
    EXPECT_EQ(values[static_cast<std::size_t>(i)], 100 * ((i / 32) ^ 1) + ((i % 32) ^ 1)) << i;
  }
}

TEST_P(Libraries, GridsThatDependOnOthers) {
  const auto got = run("dependent", line(1, 32), {out(kI32, 32)});
  const auto values = buffer<std::int32_t>(got, 0);
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(values[i], static_cast<int>(i));
}

// in[t] is t; 16 t has up to 5 significant bits, of which 4 and 3 are kept, to even; e4m3 ends at
// 448 = 16 * 28.
TEST_P(Libraries, NumbersOfEightBits) {
  const auto got = run("tiny", line(1, 32), {out(kF32, 96), in(kF32, 32)});
  const auto values = buffer<float>(got, 0);
  const auto kept = [](int t, int bits) {
    int unit = 1;
    while (t >= unit << bits) unit *= 2;
    const int low = t / unit * unit;
    const int rest = t - low;
    const bool up = 2 * rest > unit || (2 * rest == unit && low / unit % 2 == 1);
    return static_cast<float>(16 * (low + (up ? unit : 0)));
  };
  for (int t = 0; t < 32; ++t) {
    const auto at = static_cast<std::size_t>(t);
    const float e4m3 = std::min(kept(t, 4), 448.0F);
    EXPECT_EQ(values[at], e4m3) << t;
    EXPECT_EQ(values[32 + at], kept(t, 3)) << t;
    EXPECT_EQ(values[64 + at], 2 * e4m3) << t;
  }
}

}  // namespace
}  // namespace lab::conformance
