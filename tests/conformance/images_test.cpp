// Textures and surfaces: which texel a coordinate means, what is outside, what writes leave. What
// they cost is not modelled.
#include "tests/conformance/suite.h"

namespace lab::conformance {
namespace {

class Images : public Suite {
 protected:
  Images() : Suite("images.cu") {}
};
INSTANTIATE_TEST_SUITE_P(Backends, Images, backends(), backend_name);

using Kind = ImageSpec::Kind;
using Outside = ImageSpec::Outside;

BufferSpec image_of(BufferSpec spec, ImageSpec image, const std::string& name) {
  spec.name = name;
  spec.image = image;
  if (image.kind == Kind::kSurface) spec.direction = Direction::kInOut;
  return spec;
}

TEST_P(Images, FetchesReadLinearMemoryAndZerosOutside) {
  const auto got =
      run("fetches", line(1, 32),
          {out(kF32, 32), image_of(in(kF32, 20), {Kind::kLinear, Outside::kBorder, 20}, "linear")});
  const auto values = buffer<float>(got, 0);
  for (std::size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(values[i], i < 2 || i >= 22 ? 0.0F : static_cast<float>(i - 2)) << i;
  }
}

TEST_P(Images, ACoordinateMeansTheTexelThatItLiesIn) {
  const auto got =
      run("along", line(1, 48),
          {out(kF32, 96), image_of(in(kF32, 16), {Kind::kTexture, Outside::kClamp, 16}, "clamped"),
           image_of(in(kF32, 16), {Kind::kTexture, Outside::kBorder, 16}, "bordered")});
  const auto values = buffer<float>(got, 0);
  for (std::int32_t i = 0; i < 48; ++i) {
    const std::int32_t texel = (i - 8) / 2 - (i < 8 && i % 2 != 0 ? 1 : 0);  // floor(i / 2 - 4)
    const bool inside = texel >= 0 && texel < 16;
    const auto at = static_cast<std::size_t>(i);
    EXPECT_EQ(values[at], static_cast<float>(std::clamp(texel, 0, 15))) << i;
    EXPECT_EQ(values[48 + at], inside ? static_cast<float>(texel) : 0.0F) << i;
  }
  // Neither loads nor zeros: nobody knows what they cost.
  if (on_gpu()) return;
  EXPECT_EQ(value(got, "global_load_requests"), 0);
  const std::pair<const char*, NoValue> missing[] = {{"l2_read_sectors", NoValue::kNotCounted},
                                                     {"texture_requests", NoValue::kNotModelled},
                                                     {"texture_sectors", NoValue::kNotModelled}};
  for (const auto& [metric, why] : missing) {
    const auto& all = got.record.observations;
    const auto found = std::find_if(
        all.begin(), all.end(),
        [name = std::string(metric)](const Observation& o) { return o.metric == name; });
    ASSERT_NE(found, all.end()) << metric;
    ASSERT_FALSE(found->has_value()) << metric;
    EXPECT_EQ(std::get<Missing>(found->value).reason, why);
  }
}

TEST_P(Images, APlaneHasRows) {
  constexpr std::int32_t kWidth = 14;
  constexpr std::int32_t kHeight = 6;
  const auto got = run("across", {{1, 1, 1}, {kWidth + 2, kHeight + 2, 1}, 0},
                       {out(kF32, (kWidth + 2) * (kHeight + 2)),
                        image_of(in(kF32, kWidth * kHeight),
                                 {Kind::kTexture, Outside::kClamp, kWidth, kHeight}, "picture"),
                        scalar_i32(kHeight + 2)});
  const auto values = buffer<float>(got, 0);
  for (std::int32_t x = 0; x < kWidth + 2; ++x) {
    for (std::int32_t y = 0; y < kHeight + 2; ++y) {
      const std::int32_t column = std::clamp(x - 1, 0, kWidth - 1);
      const std::int32_t row = std::clamp(y - 1, 0, kHeight - 1);
      EXPECT_EQ(values[static_cast<std::size_t>(x * (kHeight + 2) + y)],
                static_cast<float>(row * kWidth + column))
          << x << ' ' << y;
    }
  }
}

TEST_P(Images, TexelsHaveChannelsOfTheirType) {
  const auto got = run(
      "channels", line(1, 32),
      {out(kI32, 96),
       image_of(in(ElementType::kU8, 128), {Kind::kTexture, Outside::kClamp, 8, 4, 4}, "colours"),
       image_of(given<std::int8_t>(ElementType::kI8,
                                   [] {
                                     std::vector<std::int8_t> pairs(64);
                                     for (std::size_t i = 0; i < 64; ++i) {
                                       pairs[i] = static_cast<std::int8_t>(3 * i - 100);
                                     }
                                     return pairs;
                                   }()),
                {Kind::kLinear, Outside::kBorder, 32, 0, 2}, "pairs"),
       image_of(in(ElementType::kF16, 32), {Kind::kTexture, Outside::kClamp, 32}, "halves")});
  const auto values = buffer<std::int32_t>(got, 0);
  for (std::int32_t i = 0; i < 32; ++i) {
    const auto at = static_cast<std::size_t>(i);
    // Byte 4 i + c of the picture is 4 i + c, at most 127.
    EXPECT_EQ(values[at], 4 * i + 256 * (4 * i + 1) + 65536 * (4 * i + 2) + 16777216 * (4 * i + 3));
    EXPECT_EQ(values[32 + at], 1000 * (6 * i - 100) + 6 * i - 97);
    EXPECT_EQ(values[64 + at], 2 * i);
  }
}

TEST_P(Images, SurfacesAreReadAndWritten) {
  constexpr std::int32_t kWidth = 48;
  constexpr std::int32_t kHeight = 8;
  const ImageSpec plane{Kind::kSurface, Outside::kBorder, kWidth, kHeight};
  const auto got = run("turned", {{3, 2, 1}, {16, 4, 1}, 0},
                       {image_of(zeros(kF32, kWidth * kHeight), plane, "to"),
                        image_of(in(kF32, kWidth * kHeight), plane, "from"), scalar_i32(kWidth),
                        scalar_i32(kHeight)});
  const auto values = buffer<float>(got, 0);
  for (std::size_t i = 0; i < kWidth * kHeight; ++i) {
    EXPECT_EQ(values[i], static_cast<float>(kWidth * kHeight - 1 - i) + 0.5F) << i;
  }
}

TEST_P(Images, OutsideOfASurfaceIsWhatTheKernelAsksFor) {
  const auto got = run(
      "outside", line(1, 16),
      {out(kI32, 32),
       image_of(in(ElementType::kI16, 16), {Kind::kSurface, Outside::kBorder, 8, 0, 2}, "line")});
  const auto values = buffer<std::int32_t>(got, 0);
  for (std::int32_t i = 0; i < 16; ++i) {
    const std::int32_t near = std::clamp(i - 4, 0, 7);
    const auto at = static_cast<std::size_t>(i);
    EXPECT_EQ(values[at], 200 * near + 2 * near + 1) << i;
    EXPECT_EQ(values[16 + at], near == i - 4 ? 200 * near + 2 * near + 1 : 0) << i;
  }
  // Thread i wrote element 2 i - 4: threads 2 to 5 elements 0, 2, 4 and 6.
  const auto left = buffer<std::int16_t>(got, 1);
  for (std::int32_t e = 0; e < 8; ++e) {
    const auto at = static_cast<std::size_t>(2 * e);
    EXPECT_EQ(left[at], e % 2 == 0 ? -1 : 2 * e) << e;
    EXPECT_EQ(left[at + 1], e % 2 == 0 ? e / 2 + 2 : 2 * e + 1) << e;
  }
}

}  // namespace
}  // namespace lab::conformance
