// Every comparison against its definition by three-way order.
#include "harness/model/semantics/compare.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <utility>

#include "harness/model/semantics/floating.h"
#include "tests/unit/model/semantics/samples.h"

namespace lab::model::semantics {
namespace {

using ptx::Compare;
using test::integers;
using test::numbers;

/// What a comparison says for each outcome: bit 0 less, 1 equal, 2 greater, 3 unordered.
constexpr std::pair<Compare, unsigned> kTruth[] = {
    {Compare::kEq, 0b0010},  {Compare::kNe, 0b0101},  {Compare::kLt, 0b0001},
    {Compare::kLe, 0b0011},  {Compare::kGt, 0b0100},  {Compare::kGe, 0b0110},
    {Compare::kLo, 0b0001},  {Compare::kLs, 0b0011},  {Compare::kHi, 0b0100},
    {Compare::kHs, 0b0110},  {Compare::kEqu, 0b1010}, {Compare::kNeu, 0b1101},
    {Compare::kLtu, 0b1001}, {Compare::kLeu, 0b1011}, {Compare::kGtu, 0b1100},
    {Compare::kGeu, 0b1110}, {Compare::kNum, 0b0111}, {Compare::kNan, 0b1000},
};

template <typename T>
unsigned outcome(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return 0b1000;
  }
  if (a == b) return 0b0010;
  return a < b ? 0b0001 : 0b0100;
}

template <typename T, std::size_t... I>
void check_pair(T a, T b, std::index_sequence<I...>) {
  const auto one = [&](bool got, Compare which, unsigned truth) {
    EXPECT_EQ(got, (truth & outcome(a, b)) != 0)
        << a << ' ' << b << " comparison " << static_cast<int>(which);
  };
  (one(compare<kTruth[I].first>(a, b), kTruth[I].first, kTruth[I].second), ...);
  (one(compare(truth_of(kTruth[I].first), a, b), kTruth[I].first, kTruth[I].second), ...);
}
template <typename T>
void check_all(const std::vector<T>& values) {
  for (const T a : values) {
    for (const T b : values) check_pair(a, b, std::make_index_sequence<std::size(kTruth)>{});
  }
}

TEST(Compare, IntegersOfEveryWidthAndSign) {
  check_all(integers<std::int16_t>(10));
  check_all(integers<std::uint16_t>(10));
  check_all(integers<std::int32_t>(10));
  check_all(integers<std::uint32_t>(10));
  check_all(integers<std::int64_t>(10));
  check_all(integers<std::uint64_t>(10));
}

TEST(Compare, FloatsOrderedAndUnordered) {
  check_all(numbers<float>(10));
  check_all(numbers<double>(10));
}

TEST(Compare, NotEqualIsFalseForNanUnlessUnordered) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(compare<Compare::kNe>(nan, 1.0F));
  EXPECT_TRUE(compare<Compare::kNeu>(nan, 1.0F));
  EXPECT_TRUE(compare<Compare::kEq>(0.0F, -0.0F));
}

TEST(Compare, PredicatesCombineLaneByLane) {
  using ptx::Combine;
  EXPECT_EQ(combine(Combine::kAnd, 0b1100, 0b1010), 0b1000U);
  EXPECT_EQ(combine(Combine::kOr, 0b1100, 0b1010), 0b1110U);
  EXPECT_EQ(combine(Combine::kXor, 0b1100, 0b1010), 0b0110U);
  EXPECT_EQ(combine(Combine::kNone, 0b1100, 0b1010), 0b1100U);
}

TEST(Compare, SelectBySign) {
  EXPECT_EQ(slct(1, 2, 0), 1);
  EXPECT_EQ(slct(1, 2, -1), 2);
  EXPECT_EQ(slct(1, 2, -0.0F), 1);
  EXPECT_EQ(slct(1, 2, std::numeric_limits<float>::quiet_NaN()), 2);
  // A negative subnormal selects b, unless .ftz makes it -0.0 first.
  EXPECT_EQ(slct(1, 2, -0x1p-140F), 2);
  EXPECT_EQ(slct(1, 2, flush<true>(-0x1p-140F)), 1);
}

}  // namespace
}  // namespace lab::model::semantics
