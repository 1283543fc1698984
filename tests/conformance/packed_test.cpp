// Several integers in a word, from CUDA source. What an intrinsic gives is the C++ expression in
// the CUDA Math API's description of it, on the elements one by one.
#include <algorithm>
#include <array>
#include <cstdlib>

#include "tests/conformance/suite.h"

namespace lab::conformance {
namespace {

using Word = std::uint32_t;

template <typename T>
int element(Word word, std::size_t i) {
  return static_cast<T>(word >> (8 * sizeof(T) * i));
}
template <typename T, typename F>
Word each(Word a, Word b, F f) {
  constexpr Word kOnes = (Word{1} << (8 * sizeof(T))) - 1;
  Word result = 0;
  for (std::size_t i = 0; i < 4 / sizeof(T); ++i) {
    const auto made = static_cast<Word>(f(element<T>(a, i), element<T>(b, i))) & kOnes;
    result |= made << (8 * sizeof(T) * i);
  }
  return result;
}
template <typename T>
int clamped(int value) {
  return std::clamp<int>(value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
}
template <typename T>
Word sum(Word word) {
  int total = 0;
  for (std::size_t i = 0; i < 4 / sizeof(T); ++i) total += element<T>(word, i);
  return static_cast<Word>(total);
}

struct Row {
  const char* name;
  Word (*want)(Word a, Word b, Word c);
};
// The lines of kernel `packed`, in its order.
constexpr Row kRows[] = {
    {"__vadd2(a, b)",
     [](Word a, Word b, Word) {
       return each<std::uint16_t>(a, b, [](int x, int y) { return x + y; });
     }},
    {"__vsub2(a, b)",
     [](Word a, Word b, Word) {
       return each<std::uint16_t>(a, b, [](int x, int y) { return x - y; });
     }},
    {"__vaddss2(a, b)",
     [](Word a, Word b, Word) {
       return each<std::int16_t>(a, b, [](int x, int y) { return clamped<std::int16_t>(x + y); });
     }},
    {"__vsubss2(a, b)",
     [](Word a, Word b, Word) {
       return each<std::int16_t>(a, b, [](int x, int y) { return clamped<std::int16_t>(x - y); });
     }},
    {"__vaddus2(a, b)",
     [](Word a, Word b, Word) {
       return each<std::uint16_t>(a, b, [](int x, int y) { return clamped<std::uint16_t>(x + y); });
     }},
    {"__vsubus2(a, b)",
     [](Word a, Word b, Word) {
       return each<std::uint16_t>(a, b, [](int x, int y) { return clamped<std::uint16_t>(x - y); });
     }},
    {"__vmins2(a, b)",
     [](Word a, Word b, Word) {
       return each<std::int16_t>(a, b, [](int x, int y) { return std::min(x, y); });
     }},
    {"__vmaxs2(a, b)",
     [](Word a, Word b, Word) {
       return each<std::int16_t>(a, b, [](int x, int y) { return std::max(x, y); });
     }},
    {"__vminu2(a, b)",
     [](Word a, Word b, Word) {
       return each<std::uint16_t>(a, b, [](int x, int y) { return std::min(x, y); });
     }},
    {"__vmaxu2(a, b)",
     [](Word a, Word b, Word) {
       return each<std::uint16_t>(a, b, [](int x, int y) { return std::max(x, y); });
     }},
    {"__vavgu2(a, b)",
     [](Word a, Word b, Word) {
       return each<std::uint16_t>(a, b, [](int x, int y) { return (x + y + 1) / 2; });
     }},
    {"__vhaddu2(a, b)",
     [](Word a, Word b, Word) {
       return each<std::uint16_t>(a, b, [](int x, int y) { return (x + y) / 2; });
     }},
    {"__vabsdiffu2(a, b)",
     [](Word a, Word b, Word) {
       return each<std::uint16_t>(a, b, [](int x, int y) { return std::abs(x - y); });
     }},
    {"__vabsdiffs2(a, b)",
     [](Word a, Word b, Word) {
       return each<std::int16_t>(a, b, [](int x, int y) { return std::abs(x - y); });
     }},
    {"__vabs2(a)",
     [](Word a, Word b, Word) {
       return each<std::int16_t>(a, b, [](int x, int) { return std::abs(x); });
     }},
    {"__vabsss2(a)",
     [](Word a, Word b, Word) {
       return each<std::int16_t>(a, b,
                                 [](int x, int) { return clamped<std::int16_t>(std::abs(x)); });
     }},
    {"__vneg2(a)",
     [](Word a, Word b, Word) { return each<std::int16_t>(a, b, [](int x, int) { return -x; }); }},
    {"__vnegss2(a)",
     [](Word a, Word b, Word) {
       return each<std::int16_t>(a, b, [](int x, int) { return clamped<std::int16_t>(-x); });
     }},
    {"__vcmpgtu2(a, b)",
     [](Word a, Word b, Word) {
       return each<std::uint16_t>(a, b, [](int x, int y) { return x > y ? -1 : 0; });
     }},
    {"__vsetles2(a, b)",
     [](Word a, Word b, Word) {
       return each<std::int16_t>(a, b, [](int x, int y) { return x <= y ? 1 : 0; });
     }},
    {"__vsadu2(a, b)",
     [](Word a, Word b, Word) {
       return sum<std::uint16_t>(
           each<std::uint16_t>(a, b, [](int x, int y) { return std::abs(x - y); }));
     }},
    {"__vsads2(a, b)",
     [](Word a, Word b, Word) {
       return sum<std::uint16_t>(
           each<std::int16_t>(a, b, [](int x, int y) { return std::abs(x - y); }));
     }},
    {"__vadd4(a, b)",
     [](Word a, Word b, Word) {
       return each<std::uint8_t>(a, b, [](int x, int y) { return x + y; });
     }},
    {"__vsub4(a, b)",
     [](Word a, Word b, Word) {
       return each<std::uint8_t>(a, b, [](int x, int y) { return x - y; });
     }},
    {"__vaddss4(a, b)",
     [](Word a, Word b, Word) {
       return each<std::int8_t>(a, b, [](int x, int y) { return clamped<std::int8_t>(x + y); });
     }},
    {"__vsubss4(a, b)",
     [](Word a, Word b, Word) {
       return each<std::int8_t>(a, b, [](int x, int y) { return clamped<std::int8_t>(x - y); });
     }},
    {"__vaddus4(a, b)",
     [](Word a, Word b, Word) {
       return each<std::uint8_t>(a, b, [](int x, int y) { return clamped<std::uint8_t>(x + y); });
     }},
    {"__vsubus4(a, b)",
     [](Word a, Word b, Word) {
       return each<std::uint8_t>(a, b, [](int x, int y) { return clamped<std::uint8_t>(x - y); });
     }},
    {"__vmins4(a, b)",
     [](Word a, Word b, Word) {
       return each<std::int8_t>(a, b, [](int x, int y) { return std::min(x, y); });
     }},
    {"__vmaxs4(a, b)",
     [](Word a, Word b, Word) {
       return each<std::int8_t>(a, b, [](int x, int y) { return std::max(x, y); });
     }},
    {"__vminu4(a, b)",
     [](Word a, Word b, Word) {
       return each<std::uint8_t>(a, b, [](int x, int y) { return std::min(x, y); });
     }},
    {"__vmaxu4(a, b)",
     [](Word a, Word b, Word) {
       return each<std::uint8_t>(a, b, [](int x, int y) { return std::max(x, y); });
     }},
    {"__vavgu4(a, b)",
     [](Word a, Word b, Word) {
       return each<std::uint8_t>(a, b, [](int x, int y) { return (x + y + 1) / 2; });
     }},
    {"__vhaddu4(a, b)",
     [](Word a, Word b, Word) {
       return each<std::uint8_t>(a, b, [](int x, int y) { return (x + y) / 2; });
     }},
    {"__vabsdiffu4(a, b)",
     [](Word a, Word b, Word) {
       return each<std::uint8_t>(a, b, [](int x, int y) { return std::abs(x - y); });
     }},
    {"__vabsdiffs4(a, b)",
     [](Word a, Word b, Word) {
       return each<std::int8_t>(a, b, [](int x, int y) { return std::abs(x - y); });
     }},
    {"__vabs4(a)",
     [](Word a, Word b, Word) {
       return each<std::int8_t>(a, b, [](int x, int) { return std::abs(x); });
     }},
    {"__vabsss4(a)",
     [](Word a, Word b, Word) {
       return each<std::int8_t>(a, b, [](int x, int) { return clamped<std::int8_t>(std::abs(x)); });
     }},
    {"__vneg4(a)",
     [](Word a, Word b, Word) { return each<std::int8_t>(a, b, [](int x, int) { return -x; }); }},
    {"__vnegss4(a)",
     [](Word a, Word b, Word) {
       return each<std::int8_t>(a, b, [](int x, int) { return clamped<std::int8_t>(-x); });
     }},
    {"__vcmpgtu4(a, b)",
     [](Word a, Word b, Word) {
       return each<std::uint8_t>(a, b, [](int x, int y) { return x > y ? -1 : 0; });
     }},
    {"__vsetles4(a, b)",
     [](Word a, Word b, Word) {
       return each<std::int8_t>(a, b, [](int x, int y) { return x <= y ? 1 : 0; });
     }},
    {"__vsadu4(a, b)",
     [](Word a, Word b, Word) {
       return sum<std::uint8_t>(
           each<std::uint8_t>(a, b, [](int x, int y) { return std::abs(x - y); }));
     }},
    {"__vsads4(a, b)",
     [](Word a, Word b, Word) {
       return sum<std::uint8_t>(
           each<std::int8_t>(a, b, [](int x, int y) { return std::abs(x - y); }));
     }},
    {"__viaddmax_s16x2(a, b, c)",
     [](Word a, Word b, Word c) {
       return each<std::int16_t>(each<std::int16_t>(a, b, [](int x, int y) { return x + y; }), c,
                                 [](int x, int y) { return std::max(x, y); });
     }},
    {"__vimax3_s16x2(a, b, c)",
     [](Word a, Word b, Word c) {
       return each<std::int16_t>(
           each<std::int16_t>(a, b, [](int x, int y) { return std::max(x, y); }), c,
           [](int x, int y) { return std::max(x, y); });
     }},
    {"__viaddmin_s16x2(a, b, c)",
     [](Word a, Word b, Word c) {
       return each<std::int16_t>(each<std::int16_t>(a, b, [](int x, int y) { return x + y; }), c,
                                 [](int x, int y) { return std::min(x, y); });
     }},
    {"__vimin3_s16x2(a, b, c)",
     [](Word a, Word b, Word c) {
       return each<std::int16_t>(
           each<std::int16_t>(a, b, [](int x, int y) { return std::min(x, y); }), c,
           [](int x, int y) { return std::min(x, y); });
     }},
    {"__viaddmax_u16x2(a, b, c)",
     [](Word a, Word b, Word c) {
       return each<std::uint16_t>(each<std::uint16_t>(a, b, [](int x, int y) { return x + y; }), c,
                                  [](int x, int y) { return std::max(x, y); });
     }},
    {"__vimax3_u16x2(a, b, c)",
     [](Word a, Word b, Word c) {
       return each<std::uint16_t>(
           each<std::uint16_t>(a, b, [](int x, int y) { return std::max(x, y); }), c,
           [](int x, int y) { return std::max(x, y); });
     }},
    {"__viaddmin_u16x2(a, b, c)",
     [](Word a, Word b, Word c) {
       return each<std::uint16_t>(each<std::uint16_t>(a, b, [](int x, int y) { return x + y; }), c,
                                  [](int x, int y) { return std::min(x, y); });
     }},
    {"__vimin3_u16x2(a, b, c)",
     [](Word a, Word b, Word c) {
       return each<std::uint16_t>(
           each<std::uint16_t>(a, b, [](int x, int y) { return std::min(x, y); }), c,
           [](int x, int y) { return std::min(x, y); });
     }},
    {"__vimax_s16x2_relu(a, b)",
     [](Word a, Word b, Word) {
       return each<std::int16_t>(a, b, [](int x, int y) { return std::max(std::max(x, y), 0); });
     }},
    {"__viaddmax_s16x2_relu(a, b, c)",
     [](Word a, Word b, Word c) {
       return each<std::int16_t>(each<std::int16_t>(a, b, [](int x, int y) { return x + y; }), c,
                                 [](int x, int y) { return std::max(std::max(x, y), 0); });
     }},
    {"__vimin_s16x2_relu(a, b)",
     [](Word a, Word b, Word) {
       return each<std::int16_t>(a, b, [](int x, int y) { return std::max(std::min(x, y), 0); });
     }},
    {"__viaddmin_s16x2_relu(a, b, c)",
     [](Word a, Word b, Word c) {
       return each<std::int16_t>(each<std::int16_t>(a, b, [](int x, int y) { return x + y; }), c,
                                 [](int x, int y) { return std::max(std::min(x, y), 0); });
     }},
};
constexpr std::size_t kCount = std::size(kRows);

/// Three words for each of 64 threads: edges of halves and bytes, then bits of SplitMix64.
std::vector<Word> words() {
  constexpr std::array<Word, 12> kEdges = {0,          0xffffffff, 0x80008000, 0x7fff7fff,
                                           0x80808080, 0x7f7f7f7f, 0x00010001, 0x01010101,
                                           0xffff0000, 0x8000ffff, 0x00ff7f80, 0x7fff8000};
  std::vector<Word> list;
  for (std::size_t i = 0; i < 96; ++i) list.push_back(kEdges[(i * 5 + i / 12) % kEdges.size()]);
  std::uint64_t state = 7;
  while (list.size() < 192) {
    state += 0x9e3779b97f4a7c15;
    std::uint64_t z = (state ^ (state >> 30U)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111eb;
    list.push_back(static_cast<Word>(z ^ (z >> 31U)));
  }
  return list;
}

class Packed : public Suite {
 protected:
  Packed() : Suite("packed.cu", Needs::kNvrtc12) {}
};
INSTANTIATE_TEST_SUITE_P(Backends, Packed, backends(), backend_name);

TEST_P(Packed, IntrinsicsGiveWhatTheirDescriptionsSay) {
  const std::vector<Word> in = words();
  for (const std::string& arch : runnable({"sm_75", "sm_80", "sm_90", "sm_100", "sm_120"})) {
    compile_for(arch);
    const auto got = run("packed", line(1, 64), {out(kU32, 64 * kCount), given(kU32, in)});
    const auto values = buffer<Word>(got, 0);
    for (std::size_t t = 0; t < 64; ++t) {
      for (std::size_t k = 0; k < kCount; ++k) {
        EXPECT_EQ(values.at(t * kCount + k), kRows[k].want(in[3 * t], in[3 * t + 1], in[3 * t + 2]))
            << arch << ": " << kRows[k].name << std::hex << " of " << in[3 * t] << ", "
            << in[3 * t + 1] << ", " << in[3 * t + 2];
      }
    }
  }
}

TEST_P(Packed, PredicatesTellWhichWasChosen) {
  // (5, -3) and (4, -3): the greater high half is the first's; of equals the first counts.
  // Unsigned, (1, 9) and (0xffff, 3): the smaller high half is the first's, the low the second's.
  const std::vector<Word> in = {0x0005fffd, 0x0004fffd, 0, 0x00010009, 0xffff0003, 0};
  const auto got = run("chosen", line(1, 2), {out(kU32, 8), given(kU32, in)});
  const std::vector<Word> want = {0x0005fffd, 3, 0x0004fffd, 1, 0x00010009, 3, 0x00010003, 2};
  EXPECT_EQ(buffer<Word>(got, 0), want);
}

TEST_P(Packed, DotProducts) {
  // Bytes of a, lowest first: 1, -2 (254), 3, -4 (252); of b: 5, 6, 7, -8 (248); c = 100.
  // Signed: 100 + 5 - 12 + 21 + 32 = 146. Unsigned: 100 + 5 + 1524 + 21 + 62496 = 64146.
  // Halves of a: 0xfe01 = -511 (65025), 0xfc03 = -1021 (64515).
  // Signed, low bytes: 100 - 511 * 5 - 1021 * 6 = -8581; high: 100 - 511 * 7 + 1021 * 8 = 4691.
  // Unsigned, low: 100 + 65025 * 5 + 64515 * 6 = 712315; high: 100 + 65025 * 7 + 64515 * 248 =
  // 16454995.
  const auto got = run("dots", line(1, 1),
                       {out(kU32, 6), given(kU32, std::vector<Word>{0xfc03fe01, 0xf8070605, 100})});
  const std::vector<Word> want = {146, 64146, static_cast<Word>(-8581), 4691, 712315, 16454995};
  EXPECT_EQ(buffer<Word>(got, 0), want);
}

}  // namespace
}  // namespace lab::conformance
