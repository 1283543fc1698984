// setp, set, selp and slct against the host's comparisons.
#include <cmath>

#include "tests/unit/model/instructions/property.h"

namespace lab::model {
namespace {

using property::expect_always;

/// Results where a < b, a == b, a > b, and where they have no order.
struct Comparison {
  const char* name;
  bool less, equal, greater, unordered;
  template <typename T>
  [[nodiscard]] bool holds(T a, T b) const {
    return a < b ? less : (a == b ? equal : (a > b ? greater : unordered));
  }
};
constexpr Comparison kOrdered[] = {
    {"eq", false, true, false, false}, {"ne", true, false, true, false},
    {"lt", true, false, false, false}, {"le", true, true, false, false},
    {"gt", false, false, true, false}, {"ge", false, true, true, false}};
constexpr Comparison kFloatOnly[] = {
    {"equ", false, true, false, true}, {"neu", true, false, true, true},
    {"ltu", true, false, false, true}, {"leu", true, true, false, true},
    {"gtu", false, false, true, true}, {"geu", false, true, true, true},
    {"num", true, true, true, false},  {"nan", false, false, false, true}};
constexpr Comparison kUnsigned[] = {{"lo", true, false, false, false},
                                    {"ls", true, true, false, false},
                                    {"hi", false, false, true, false},
                                    {"hs", false, true, true, false}};

template <typename T>
void check(const Comparison& c, const std::string& type, const std::string& file) {
  const std::string sources = file + "1, " + file + "2";
  const std::string name = c.name;
  expect_always<T, T>("setp." + name + "." + type + " %p0, " + sources,
                      [&](T a, T b) { return c.holds(a, b); });
  expect_always<T, T>("set." + name + ".u32." + type + " %r0, " + sources,
                      [&](T a, T b) { return c.holds(a, b) ? ~std::uint32_t{0} : 0U; });
  expect_always<T, T>("set." + name + ".f32." + type + " %r0, " + sources,
                      [&](T a, T b) { return c.holds(a, b) ? 1.0F : 0.0F; });
  expect_always<T, T, bool>("setp." + name + ".and." + type + " %p0, " + sources + ", %p3",
                            [&](T a, T b, bool p) { return c.holds(a, b) && p; });
  expect_always<T, T, bool>("setp." + name + ".or." + type + " %p0, " + sources + ", %p3",
                            [&](T a, T b, bool p) { return c.holds(a, b) || p; });
  expect_always<T, T, bool>("setp." + name + ".xor." + type + " %p0, " + sources + ", %p3",
                            [&](T a, T b, bool p) { return c.holds(a, b) != p; });
}

template <typename T>
void check_all(const std::string& type, const std::string& file) {
  for (const Comparison& c : kOrdered) check<T>(c, type, file);
  if constexpr (std::is_floating_point_v<T>) {
    for (const Comparison& c : kFloatOnly) check<T>(c, type, file);
  } else if constexpr (std::is_unsigned_v<T>) {
    for (const Comparison& c : kUnsigned) check<T>(c, type, file);
  }
}
TEST(CompareProperty, WholeNumbers) {
  check_all<std::uint16_t>("u16", "%h");
  check_all<std::int16_t>("s16", "%h");
  check_all<std::uint32_t>("u32", "%r");
  check_all<std::int32_t>("s32", "%r");
  check_all<std::uint64_t>("u64", "%d");
  check_all<std::int64_t>("s64", "%d");
}
TEST(CompareProperty, FloatsWithAndWithoutOrder) {
  check_all<float>("f32", "%r");
  check_all<double>("f64", "%d");
}

TEST(CompareProperty, FlushedSubnormalsAreZero) {
  const auto flush = [](float v) { return std::fpclassify(v) == FP_SUBNORMAL ? 0.0F : v; };
  for (const Comparison& c : kOrdered) {
    expect_always<float, float>("setp." + std::string(c.name) + ".ftz.f32 %p0, %r1, %r2",
                                [&](float a, float b) { return c.holds(flush(a), flush(b)); });
  }
}

template <typename T>
void check_selection(const std::string& type, const std::string& file) {
  const std::string two = "." + type + " " + file + "0, " + file + "1, " + file + "2";
  const std::string by = "." + type + ".s32 " + file + "0, " + file + "1, " + file + "2, %r3";
  expect_always<T, T, bool>("selp" + two + ", %p3", [](T a, T b, bool p) { return p ? a : b; });
  expect_always<T, T, std::int32_t>("slct" + by,
                                    [](T a, T b, std::int32_t c) { return c >= 0 ? a : b; });
  expect_always<T, T, float>(
      "slct." + type + ".f32 " + file + "0, " + file + "1, " + file + "2, %r3",
      [](T a, T b, float c) { return c >= 0 ? a : b; });
}
TEST(CompareProperty, SelectionByPredicateAndSign) {
  check_selection<std::uint16_t>("b16", "%h");
  check_selection<std::uint32_t>("u32", "%r");
  check_selection<std::int32_t>("s32", "%r");
  check_selection<std::uint64_t>("b64", "%d");
}

}  // namespace
}  // namespace lab::model
