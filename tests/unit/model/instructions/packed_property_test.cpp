// Several integers in a word, against host arithmetic on its elements one by one.
#include <algorithm>
#include <cstdlib>

#include "harness/model/semantics/integer.h"
#include "harness/model/semantics/packed.h"
#include "tests/unit/model/instructions/property.h"

namespace lab::model {
namespace {

using property::expect_always;
using Word = std::uint32_t;

/// The elements of a word, lowest first, as numbers.
template <typename T>
std::vector<int> elements(Word word) {
  std::vector<int> list(4 / sizeof(T));
  for (std::size_t i = 0; i < list.size(); ++i) {
    T element{};
    std::memcpy(&element, reinterpret_cast<const char*>(&word) + i * sizeof(T), sizeof(T));
    list[i] = element;
  }
  return list;
}
template <typename T>
Word word_of(const std::vector<int>& list) {
  Word word = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto element = static_cast<T>(list[i]);
    std::memcpy(reinterpret_cast<char*>(&word) + i * sizeof(T), &element, sizeof(T));
  }
  return word;
}
template <typename T, typename F>
auto each(F f) {
  return [f](Word a, Word b) {
    std::vector<int> list = elements<T>(a);
    const std::vector<int> other = elements<T>(b);
    for (std::size_t i = 0; i < list.size(); ++i) list[i] = f(list[i], other[i]);
    return word_of<T>(list);
  };
}

template <typename T>
void check_halves(const std::string& type) {
  const std::string operands = "." + type + " %r0, %r1, %r2";
  expect_always<Word, Word>("add" + operands, each<T>([](int a, int b) { return a + b; }));
  expect_always<Word, Word>("min" + operands, each<T>([](int a, int b) { return std::min(a, b); }));
  expect_always<Word, Word>("max" + operands, each<T>([](int a, int b) { return std::max(a, b); }));
}

TEST(PackedProperties, HalvesAreAddedAndOrderedEachByItself) {
  check_halves<std::uint16_t>("u16x2");
  check_halves<std::int16_t>("s16x2");
}

TEST(PackedProperties, ReluLeavesNothingBelowZero) {
  expect_always<Word, Word>("min.relu.s16x2 %r0, %r1, %r2", each<std::int16_t>([](int a, int b) {
                              return std::max(std::min(a, b), 0);
                            }));
  expect_always<Word, Word>("max.relu.s16x2 %r0, %r1, %r2", each<std::int16_t>([](int a, int b) {
                              return std::max({a, b, 0});
                            }));
}

template <typename T>
void check_distances(const std::string& name, const std::string& type) {
  const std::string types = ".u32." + type + "." + type;
  const auto apart = each<T>([](int a, int b) { return std::abs(a - b); });
  expect_always<Word, Word, Word>(name + types + " %r0, %r1, %r2, %r3",
                                  [apart](Word a, Word b, Word) { return apart(a, b); });
  expect_always<Word, Word, Word>(name + types + ".add %r0, %r1, %r2, %r3",
                                  [](Word a, Word b, Word c) {
                                    Word sum = c;
                                    const std::vector<int> as = elements<T>(a);
                                    const std::vector<int> bs = elements<T>(b);
                                    for (std::size_t i = 0; i < as.size(); ++i) {
                                      sum += static_cast<Word>(std::abs(as[i] - bs[i]));
                                    }
                                    return sum;
                                  });
}

TEST(PackedProperties, DistancesOfElements) {
  check_distances<std::uint16_t>("vabsdiff2", "u32");
  check_distances<std::int16_t>("vabsdiff2", "s32");
  check_distances<std::uint8_t>("vabsdiff4", "u32");
  check_distances<std::int8_t>("vabsdiff4", "s32");
}

TEST(Packed, ByHand) {
  // 0x7fff + 1 = 0x8000 in the high half; 0xffff + 2 = 1 in the low one, whose carry goes nowhere.
  static_assert(semantics::by_halves<&semantics::add<std::uint16_t>>(0x7fffffff, 0x00010002) ==
                0x80000001);
  // |0x00 - 0xff| = 0xff, |0x80 - 0x7f| = 1, |3 - 5| = 2, |0x10 - 0x10| = 0; together 258.
  static_assert(semantics::distances<std::uint8_t>(0x00800310, 0xff7f0510, 9) == 0xff010200);
  static_assert(semantics::add_distances<std::uint8_t>(0x00800310, 0xff7f0510, 9) == 267);
  // Signed: |0 - (-1)| = 1, |-128 - 127| = 255, 2, 0.
  static_assert(semantics::distances<std::int8_t>(0x00800310, 0xff7f0510, 0) == 0x01ff0200);
  // |-32768 - 32767| = 65535.
  static_assert(semantics::add_distances<std::int16_t>(0x80000000, 0x7fff0001, 0) == 65536);
  EXPECT_EQ(semantics::distances<std::uint16_t>(0x00010000, 0x00000002, 0), 0x00010002U);
}

}  // namespace
}  // namespace lab::model
