// The toolkit's classes over matrices, barriers and asynchronous copies: skipped where its headers
// are not.
#include "harness/model/semantics/format.h"
#include "tests/conformance/suite.h"

namespace lab::conformance {
namespace {

constexpr auto kI8 = ElementType::kI8;
constexpr auto kBits16 = ElementType::kU16;

class TensorLibrary : public Suite {
 protected:
  TensorLibrary() : Suite("tensor_library.cu", Needs::kToolkitHeaders) {}
};
INSTANTIATE_TEST_SUITE_P(Backends, TensorLibrary, backends(), backend_name);

/// Whole numbers from -3 to 3.
int digit(std::size_t i, unsigned salt) {
  return static_cast<int>((i * 2654435761U + salt * 40503U) >> 9U & 0xffffU) % 7 - 3;
}
// The halves from -3 to 3.
std::uint16_t half_of(int value) {
  constexpr std::uint16_t kMagnitudes[] = {0, 0x3c00, 0x4000, 0x4200};
  const auto magnitude = kMagnitudes[value < 0 ? -value : value];
  return static_cast<std::uint16_t>(magnitude | (value < 0 ? 0x8000 : 0));
}
std::vector<std::uint16_t> halves(std::size_t count, unsigned salt) {
  std::vector<std::uint16_t> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = half_of(digit(i, salt));
  return values;
}

TEST_P(TensorLibrary, FragmentsMultiplyATiledProduct) {
  std::vector<float> c(4096);
  for (std::size_t i = 0; i < c.size(); ++i) c[i] = static_cast<float>(digit(i, 3));
  const auto got = run("wmma_product", line(1, 512),
                       {changed(kF32, c, "c"), given(kBits16, halves(4096, 1), "a"),
                        given(kBits16, halves(4096, 2), "b")});
  EXPECT_EQ(got.record.findings.size(), 0U);
  // 16 warps load C by 4 instructions of 8 bytes per lane, each 8 rows of one sector, and store it
  // likewise. Each of 4 steps takes two instructions per array and warp to fill the tiles, with 2
  // sectors each, and two of four matrices (LDSM). Rows of A are 32 bytes apart, 2-way; of B 128,
  // 8-way.
  const std::pair<const char*, double> counts[] = {
      {"global_load_requests", 16 * 4 + 4 * 2 * 2 * 16},
      {"global_load_sectors", 16 * 4 * 8 + 4 * 2 * 2 * 16 * 2},
      {"global_store_requests", 16 * 4},
      {"global_store_sectors", 16 * 4 * 8},
      {"global_store_bytes", 4096 * 4},
      {"matrix_load_requests", 16 * 4 * 2},
      {"shared_load_requests", 0},
      {"shared_load_wavefronts", 16 * 4 * 4 * (2 + 8)},
      {"l2_write_sectors", 16 * 4 * 8}};
  for (const auto& [metric, count] : counts) {
    if (on_gpu()) break;  // it has other counters of matrix loads
    EXPECT_EQ(value(got, metric), count) << metric;
  }
  const auto values = buffer<float>(got, 0);
  for (std::size_t i = 0; i < 64; ++i) {
    for (std::size_t j = 0; j < 64; ++j) {
      int sum = digit(i * 64 + j, 3);
      for (std::size_t k = 0; k < 64; ++k) sum += digit(i * 64 + k, 1) * digit(k * 64 + j, 2);
      ASSERT_EQ(values[i * 64 + j], static_cast<float>(2 * sum)) << i << ' ' << j;
    }
  }
}

TEST_P(TensorLibrary, FragmentsOfOtherShapesAndLayouts) {
  const auto tall = run("wmma_tall", line(1, 32),
                        {out(kBits16, 256), given(kBits16, halves(512, 1), "a"),
                         given(kBits16, halves(128, 2), "b")});
  const auto d = buffer<std::uint16_t>(tall, 0);
  // Two halves per lane, 8 columns of 16 bytes at once: 8 sectors. A has 8 such tiles, B 2, D 4.
  EXPECT_EQ(value(tall, "global_load_requests"), 8 + 2);
  EXPECT_EQ(value(tall, "global_load_sectors"), 8 * (8 + 2));
  EXPECT_EQ(value(tall, "global_store_requests"), 4);
  EXPECT_EQ(value(tall, "global_store_sectors"), 8 * 4);
  std::vector<std::int8_t> left(128);
  std::vector<std::int8_t> right(512);
  for (std::size_t i = 0; i < left.size(); ++i)
    left[i] = static_cast<std::int8_t>(40 * digit(i, 4));
  for (std::size_t i = 0; i < right.size(); ++i)
    right[i] = static_cast<std::int8_t>(40 * digit(i, 5));
  const auto wide = run("wmma_bytes", line(1, 32),
                        {out(kI32, 256), given(kI8, left, "a"), given(kI8, right, "b")});
  const auto e = buffer<std::int32_t>(wide, 0);
  // Four bytes per lane, 8 rows of 16 bytes that follow each other: 4 sectors. A has one such tile,
  // B four. Of D a lane's neighbours lie in two rows: 8 words of each of 4 rows, 8 times.
  EXPECT_EQ(value(wide, "global_load_requests"), 1 + 4);
  EXPECT_EQ(value(wide, "global_load_sectors"), 4 * (1 + 4));
  EXPECT_EQ(value(wide, "global_store_requests"), 8);
  EXPECT_EQ(value(wide, "global_store_sectors"), 8 * 4);
  for (std::size_t i = 0; i < 32; ++i) {
    for (std::size_t j = 0; j < 8; ++j) {
      int sum = 0;  // of columns of A, B and D
      int bytes = 7;
      for (std::size_t k = 0; k < 16; ++k) {
        sum += digit(k * 32 + i, 1) * digit(j * 16 + k, 2);
        bytes += left[j * 16 + k] * right[i * 16 + k];
      }
      // |sum| is below 16 * 9 + 1: a half holds it, made here from f32 by hand.
      const float value = static_cast<float>(sum);
      EXPECT_EQ(model::semantics::widen_f16(d[j * 32 + i]), value) << i << ' ' << j;
      EXPECT_EQ(e[j * 32 + i], bytes) << i << ' ' << j;
    }
  }
}

TEST_P(TensorLibrary, ABarrierOfTheBlock) {
  const auto got = run("block_barrier", line(1, 128), {out(kI32, 128)});
  EXPECT_EQ(got.record.findings.size(), 0U);
  const auto sums = buffer<std::int32_t>(got, 0);
  for (std::int32_t t = 0; t < 128; ++t) {
    EXPECT_EQ(sums[static_cast<std::size_t>(t)], 300 + 3 * (127 - t));
  }
}

TEST_P(TensorLibrary, APipelineOfTwoStages) {
  constexpr std::int32_t kTiles = 5;
  const auto got = run("block_pipeline", line(1, 64),
                       {out(kI32, 64), in(kI32, kTiles * 64), scalar_i32(kTiles)});
  EXPECT_EQ(got.record.findings.size(), 0U);
  const auto sums = buffer<std::int32_t>(got, 0);
  for (std::int32_t t = 0; t < 64; ++t) {
    std::int32_t want = 0;
    for (std::int32_t i = 0; i < kTiles; ++i) want += (i + 1) * (i * 64 + 63 - t);
    EXPECT_EQ(sums[static_cast<std::size_t>(t)], want) << t;
  }
}

TEST_P(TensorLibrary, AGroupCopiesTogether) {
  const auto got = run("group_copy", line(1, 256), {out(kI32, 256), in(kI32, 256)});
  EXPECT_EQ(got.record.findings.size(), 0U);
  const auto values = buffer<std::int32_t>(got, 0);
  for (std::int32_t t = 0; t < 256; ++t) EXPECT_EQ(values[static_cast<std::size_t>(t)], 255 - t);
}

}  // namespace
}  // namespace lab::conformance
