// How tensor cores round, which no document says: random numbers of many magnitudes, on a GPU
// alone, against the model's rule for compute capability 9.0 (semantics/matrix.h). What differs is
// counted and the first is shown, so that a rule can be mended.
#include <bit>
#include <cmath>
#include <random>

#include "harness/model/semantics/matrix.h"
#include "tests/conformance/suite.h"

namespace lab::conformance {
namespace {

namespace tensor = model::semantics;
constexpr auto kRawHalf = ElementType::kU16;

class Rounding : public Suite {
 protected:
  Rounding() : Suite("matrices.cu") {}
};
INSTANTIATE_TEST_SUITE_P(Gpu, Rounding, ::testing::Values("gpu"), backend_name);

/// Which numbers: all bit patterns of finite numbers, or those of a few binades around 1.
enum class Spread { kNear, kWide, kWithZeros };
constexpr Spread kSpreads[] = {Spread::kNear, Spread::kWide, Spread::kWithZeros};

std::uint32_t bits_of(std::mt19937& random, int fraction, int bias, Spread spread) {
  const auto next = [&] { return static_cast<std::uint32_t>(random()); };
  const auto middle = static_cast<std::uint32_t>(bias);
  const std::uint32_t reach = spread == Spread::kNear ? 3U : middle / 2;
  const std::uint32_t exponent = middle - reach / 2 + next() % (reach + 1);
  if (spread == Spread::kWithZeros && next() % 3 == 0) return 0;
  const auto low = static_cast<unsigned>(fraction);
  const auto sign_at = low + static_cast<unsigned>(std::bit_width(2 * middle));
  return (next() & 1U) << sign_at | exponent << low | (next() & ((1U << low) - 1U));
}

/// A product of m x k and k x n, with what the model's rule makes of each element.
template <typename In, typename Acc, typename Element>
struct Trial {
  std::size_t k;
  std::vector<Element> a = std::vector<Element>(16 * k);
  std::vector<Element> b = std::vector<Element>(8 * k);
  std::vector<typename Acc::Bits> c = std::vector<typename Acc::Bits>(128);

  void fill(std::mt19937& random, Spread spread) {
    for (Element& x : a) x = static_cast<Element>(make<In>(random, spread));
    for (Element& x : b) x = static_cast<Element>(make<In>(random, spread));
    for (auto& x : c) x = static_cast<typename Acc::Bits>(make<Acc>(random, spread));
  }
  template <typename Format>
  static std::uint32_t make(std::mt19937& random, Spread spread) {
    // tf32 lies in the upper bits of 32.
    constexpr bool kUpper = std::is_same_v<Format, tensor::TF32>;
    const std::uint32_t bits = bits_of(random, Format::kFractionBits, Format::kBias, spread);
    return kUpper ? bits << 13U : bits;
  }
  [[nodiscard]] std::size_t differences(const std::vector<typename Acc::Bits>& d) const {
    std::vector<tensor::Factor> row(16 * k);
    std::vector<tensor::Factor> column(8 * k);
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = tensor::factor<In>(a[i]);
    for (std::size_t i = 0; i < column.size(); ++i) column[i] = tensor::factor<In>(b[i]);
    std::size_t count = 0;
    for (std::size_t i = 0; i < 128; ++i) {
      const auto want =
          tensor::round_sum<Acc>(tensor::aligned_sum<In::kFractionBits, Acc::kFractionBits>(
              &row[i / 8 * k], &column[i % 8 * k], k, tensor::factor<Acc>(c[i])));
      if (d[i] == want) continue;
      if (count++ == 0) {
        ADD_FAILURE() << "element " << i << ": the GPU has " << std::hex << d[i]
                      << ", the model's rule " << want;
      }
    }
    return count;
  }
};

constexpr int kTrials = 8;

template <typename In, typename Acc, typename Element, typename Run>
void compare(std::size_t k, Run run) {
  std::mt19937 random(19);
  for (const Spread spread : kSpreads) {
    std::size_t differ = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      Trial<In, Acc, Element> t{k};
      t.fill(random, spread);
      differ += t.differences(run(t));
    }
    EXPECT_EQ(differ, 0U) << "of " << kTrials * 128 << ", spread " << static_cast<int>(spread);
  }
}

TEST_P(Rounding, OfHalves) {
  for (const auto& [kernel, k] : {std::pair{"f16_16816", std::size_t{16}}, {"f16_1688", 8}}) {
    compare<tensor::F16, tensor::F32, std::uint16_t>(
        k, [&, name = std::string(kernel)](const auto& t) {
          return buffer<std::uint32_t>(run(name, line(1, 32),
                                           {out(kF32, 128), given(kRawHalf, t.a, "a"),
                                            given(kRawHalf, t.b, "b"), given(kF32, t.c, "c")}),
                                       0);
        });
  }
}

TEST_P(Rounding, OfHalvesInHalves) {
  compare<tensor::F16, tensor::F16, std::uint16_t>(16, [&](const auto& t) {
    return buffer<std::uint16_t>(run("f16_to_f16", line(1, 32),
                                     {out(kRawHalf, 128), given(kRawHalf, t.a, "a"),
                                      given(kRawHalf, t.b, "b"), given(kRawHalf, t.c, "c")}),
                                 0);
  });
}

TEST_P(Rounding, OfBf16) {
  for (const auto& [kernel, k] : {std::pair{"bf16_16816", std::size_t{16}}, {"bf16_1688", 8}}) {
    compare<tensor::BF16, tensor::F32, std::uint16_t>(
        k, [&, name = std::string(kernel)](const auto& t) {
          return buffer<std::uint32_t>(run(name, line(1, 32),
                                           {out(kF32, 128), given(kRawHalf, t.a, "a"),
                                            given(kRawHalf, t.b, "b"), given(kF32, t.c, "c")}),
                                       0);
        });
  }
}

TEST_P(Rounding, OfTf32) {
  for (const auto& [kernel, k] : {std::pair{"tf32_1688", std::size_t{8}}, {"tf32_1684", 4}}) {
    compare<tensor::TF32, tensor::F32, std::uint32_t>(
        k, [&, name = std::string(kernel)](const auto& t) {
          return buffer<std::uint32_t>(run(name, line(1, 32),
                                           {out(kF32, 128), given(kU32, t.a, "a"),
                                            given(kU32, t.b, "b"), given(kF32, t.c, "c")}),
                                       0);
        });
  }
}

TEST_P(Rounding, OfDoubles) {
  std::mt19937_64 random(7);
  const auto some = [&](std::size_t count) {
    std::vector<double> values(count);
    for (double& v : values) v = std::ldexp(static_cast<double>(random() >> 11U), -53) - 0.5;
    return values;
  };
  for (int trial = 0; trial < kTrials; ++trial) {
    const auto a = some(256);
    const auto b = some(128);
    const auto c = some(128);
    const auto d = buffer<double>(
        run("f64_16816", line(1, 32),
            {out(kF64, 128), given(kF64, a, "a"), given(kF64, b, "b"), given(kF64, c, "c")}),
        0);
    for (std::size_t i = 0; i < 128; ++i) {
      double sum = c[i];
      for (std::size_t k = 0; k < 16; ++k)
        sum = std::fma(a[i / 8 * 16 + k], b[i % 8 * 16 + k], sum);
      EXPECT_EQ(d[i], sum) << i;
    }
  }
}

}  // namespace
}  // namespace lab::conformance
