// Bit instructions against the host's bit by bit.
#include "tests/unit/model/instructions/property.h"

namespace lab::model {
namespace {

using property::expect_always;
using U16 = std::uint16_t;
using U32 = std::uint32_t;
using U64 = std::uint64_t;

template <typename U>
bool bit(U value, std::uint64_t at) {
  return at < 8 * sizeof(U) && ((U64{value} >> at) & 1U) != 0;
}
/// A number of type U whose bit i is at(i).
template <typename U, typename F>
U made(F at) {
  U64 value = 0;
  for (unsigned i = 0; i < 8 * sizeof(U); ++i) value |= U64{at(i)} << i;
  return static_cast<U>(value);
}

template <typename U>
void check_shifts(const std::string& bits, const std::string& file) {
  using S = std::make_signed_t<U>;
  const std::string operands = bits + " " + file + "0, " + file + "1, %r2";
  expect_always<U, U32>("shl.b" + operands, [](U a, U32 n) {
    return made<U>([&](unsigned i) { return n <= i && bit(a, i - n); });
  });
  expect_always<U, U32>("shr.u" + operands, [](U a, U32 n) {
    return made<U>([&](unsigned i) { return bit(a, U64{i} + n); });
  });
  expect_always<U, U32>("shr.b" + operands, [](U a, U32 n) {
    return made<U>([&](unsigned i) { return bit(a, U64{i} + n); });
  });
  expect_always<S, U32>("shr.s" + operands, [](S a, U32 n) {
    const auto raw = static_cast<U>(a);
    return made<U>(
        [&](unsigned i) { return U64{i} + n < 8 * sizeof(U) ? bit(raw, U64{i} + n) : a < 0; });
  });
}
TEST(BitsProperty, ShiftsByAnyNumber) {
  check_shifts<U16>("16", "%h");
  check_shifts<U32>("32", "%r");
  check_shifts<U64>("64", "%d");
}

template <typename U>
void check_logic(const std::string& bits, const std::string& file) {
  const std::string two = ".b" + bits + " " + file + "0, " + file + "1, " + file + "2";
  const std::string one = ".b" + bits + " " + file + "0, " + file + "1";
  expect_always<U, U>("and" + two, [](U a, U b) { return static_cast<U>(a & b); });
  expect_always<U, U>("or" + two, [](U a, U b) { return static_cast<U>(a | b); });
  expect_always<U, U>("xor" + two, [](U a, U b) { return static_cast<U>(a ^ b); });
  expect_always<U>("not" + one, [](U a) { return static_cast<U>(~a); });
  expect_always<U>("cnot" + one, [](U a) { return static_cast<U>(a == 0 ? 1 : 0); });
}
TEST(BitsProperty, Logic) {
  check_logic<U16>("16", "%h");
  check_logic<U32>("32", "%r");
  check_logic<U64>("64", "%d");
  expect_always<bool, bool>("xor.pred %p0, %p1, %p2", [](bool a, bool b) { return a != b; });
  expect_always<bool, bool>("and.pred %p0, %p1, %p2", [](bool a, bool b) { return a && b; });
  expect_always<bool, bool>("or.pred %p0, %p1, %p2", [](bool a, bool b) { return a || b; });
  expect_always<bool>("not.pred %p0, %p1", [](bool a) { return !a; });
}

TEST(BitsProperty, EveryTableOfThreeBits) {
  for (unsigned table = 0; table < 256; ++table) {
    expect_always<U32, U32, U32>(
        "lop3.b32 %r0, %r1, %r2, %r3, " + std::to_string(table), [&](U32 a, U32 b, U32 c) {
          return made<U32>([&](unsigned i) {
            return bit(table, 4U * bit(a, i) + 2U * bit(b, i) + 1U * bit(c, i));
          });
        });
  }
}

template <typename U>
void check_counts(const std::string& bits, const std::string& file) {
  using S = std::make_signed_t<U>;
  constexpr U32 kBits = 8 * sizeof(U);
  const std::string source = bits + " %r0, " + file + "1";
  const auto highest = [](auto found) {
    for (U32 i = kBits; i-- > 0;) {
      if (found(i)) return i;
    }
    return ~U32{0};
  };
  const auto find = [&](U a) { return highest([&](U32 i) { return bit(a, i); }); };
  const auto find_signed = [&](S a) {
    const auto raw = static_cast<U>(a < 0 ? ~a : a);
    return highest([&](U32 i) { return bit(raw, i); });
  };
  expect_always<U>("popc.b" + source, [](U a) {
    U32 count = 0;
    for (U32 i = 0; i < kBits; ++i) count += bit(a, i) ? 1 : 0;
    return count;
  });
  expect_always<U>("clz.b" + source, [&](U a) { return kBits - 1 - find(a); });
  expect_always<U>("bfind.u" + source, find);
  expect_always<S>("bfind.s" + source, find_signed);
  expect_always<U>("bfind.shiftamt.u" + source,
                   [&](U a) { return a == 0 ? ~U32{0} : kBits - 1 - find(a); });
  expect_always<U>("brev.b" + bits + " " + file + "0, " + file + "1",
                   [](U a) { return made<U>([&](unsigned i) { return bit(a, kBits - 1 - i); }); });
}
TEST(BitsProperty, CountsAndPositions) {
  check_counts<U32>("32", "%r");
  check_counts<U64>("64", "%d");
}

template <typename U>
void check_fields(const std::string& bits, const std::string& file) {
  using S = std::make_signed_t<U>;
  constexpr unsigned kBits = 8 * sizeof(U);
  const std::string three = bits + " " + file + "0, " + file + "1, %r2, %r3";
  expect_always<U, U32, U32>("bfe.u" + three, [](U a, U32 pos, U32 len) {
    return made<U>([&](unsigned i) { return i < (len & 255U) && bit(a, (pos & 255U) + i); });
  });
  expect_always<S, U32, U32>("bfe.s" + three, [](S a, U32 pos, U32 len) {
    const auto raw = static_cast<U>(a);
    const U32 p = pos & 255U;
    const U32 n = len & 255U;
    const bool sign = n != 0 && bit(raw, std::min<U32>(p + n - 1, kBits - 1));
    return made<U>([&](unsigned i) { return i < n && p + i < kBits ? bit(raw, p + i) : sign; });
  });
  expect_always<U, U, U32, U32>(
      "bfi.b" + bits + " " + file + "0, " + file + "1, " + file + "2, %r3, %r4",
      [](U a, U b, U32 pos, U32 len) {
        const U32 p = pos & 255U;
        const U32 n = len & 255U;
        return made<U>([&](unsigned i) { return i >= p && i - p < n ? bit(a, i - p) : bit(b, i); });
      });
}
TEST(BitsProperty, FieldsAtAnyPositionOfAnyLength) {
  check_fields<U32>("32", "%r");
  check_fields<U64>("64", "%d");
}

TEST(BitsProperty, FunnelShiftsOfAnyAmount) {
  for (const bool left : {true, false}) {
    for (const bool wrap : {true, false}) {
      const std::string text = std::string("shf.") + (left ? "l." : "r.") +
                               (wrap ? "wrap" : "clamp") + ".b32 %r0, %r1, %r2, %r3";
      expect_always<U32, U32, U32>(text, [&](U32 a, U32 b, U32 c) {
        const U32 n = wrap ? c % 32 : std::min<U32>(c, 32);
        const U64 both = (U64{b} << 32U) | a;
        return static_cast<U32>(left ? (both << n) >> 32U : both >> n);
      });
    }
  }
}

TEST(BitsProperty, MasksAndExtensions) {
  for (const bool wrap : {true, false}) {
    const std::string mode = wrap ? "wrap" : "clamp";
    const auto amount = [wrap](U32 n) { return wrap ? n % 32 : std::min<U32>(n, 32); };
    expect_always<U32, U32>("bmsk." + mode + ".b32 %r0, %r1, %r2", [&](U32 a, U32 b) {
      const U32 from = amount(a);
      const U32 many = amount(b);
      return made<U32>([&](unsigned i) { return i >= from && i < from + many; });
    });
    expect_always<U32, U32>("szext." + mode + ".u32 %r0, %r1, %r2", [&](U32 a, U32 b) {
      return made<U32>([&](unsigned i) { return i < amount(b) && bit(a, i); });
    });
    expect_always<U32, U32>("szext." + mode + ".s32 %r0, %r1, %r2", [&](U32 a, U32 b) {
      const U32 n = amount(b);
      const bool sign = n != 0 && bit(a, n - 1);
      return made<U32>([&](unsigned i) { return i < n ? bit(a, i) : sign; });
    });
  }
}

TEST(BitsProperty, PermutationsTakeBytesByTheirSelectors) {
  const auto byte = [](U32 a, U32 b, U32 selector) {
    const U64 both = (U64{b} << 32U) | a;
    const auto value = static_cast<U32>(both >> (8 * (selector & 7U))) & 255U;
    if ((selector & 8U) == 0) return value;
    return (value & 128U) != 0 ? 255U : 0U;
  };
  expect_always<U32, U32, U32>("prmt.b32 %r0, %r1, %r2, %r3", [&](U32 a, U32 b, U32 c) {
    U32 value = 0;
    for (unsigned i = 0; i < 4; ++i) value |= byte(a, b, (c >> (4 * i)) & 15U) << (8 * i);
    return value;
  });
  // Modes as lists of selectors, by the two low bits of c; PTX ISA, "prmt".
  struct Mode {
    const char* name;
    std::array<U32, 4> selectors;
  };
  const Mode modes[] = {
      {"f4e", {0x3210, 0x4321, 0x5432, 0x6543}}, {"b4e", {0x5670, 0x6701, 0x7012, 0x0123}},
      {"rc8", {0x0000, 0x1111, 0x2222, 0x3333}}, {"ecl", {0x3210, 0x3211, 0x3222, 0x3333}},
      {"ecr", {0x0000, 0x1110, 0x2210, 0x3210}}, {"rc16", {0x1010, 0x3232, 0x1010, 0x3232}}};
  for (const Mode& mode : modes) {
    expect_always<U32, U32, U32>(
        "prmt.b32." + std::string(mode.name) + " %r0, %r1, %r2, %r3", [&](U32 a, U32 b, U32 c) {
          U32 value = 0;
          for (unsigned i = 0; i < 4; ++i) {
            value |= byte(a, b, (mode.selectors[c & 3U] >> (4 * i)) & 7U) << (8 * i);
          }
          return value;
        });
  }
}

TEST(BitsProperty, TheNthSetBitFromABase) {
  // Up from the base for n > 0, down for n < 0, the base's own bit for 0.
  expect_always<U32, U32, std::int32_t>(
      "fns.b32 %r0, %r1, %r2, %r3", [](U32 mask, U32 base, std::int32_t n) {
        if (n == 0) return bit(mask, base) ? base : ~U32{0};
        std::int64_t left = n < 0 ? -std::int64_t{n} : n;
        for (std::int64_t i = base; i >= 0 && i < 32; i += n < 0 ? -1 : 1) {
          left -= bit(mask, static_cast<U64>(i)) ? 1 : 0;
          if (left == 0) return static_cast<U32>(i);
        }
        return ~U32{0};
      });
}

}  // namespace
}  // namespace lab::model
