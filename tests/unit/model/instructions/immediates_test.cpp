// Stores of constants: every width, space, vector size and way to write the number, against the
// bytes that the number's definition gives.
#include <gtest/gtest.h>

#include "tests/unit/model/run_ptx.h"

namespace lab::model {
namespace {

using ptx_run::entry;
using ptx_run::Ran;
using ptx_run::run_ptx;
using ptx_run::Scene;

/// A constant as written, and its value as 64 bits, of which a store takes the lowest.
struct Written {
  const char* text;
  std::uint64_t bits;
};
constexpr Written kIntegers[] = {
    {"0", 0},
    {"1", 1},
    {"7", 7},
    {"+7", 7},
    {"65", 65},  // 'A'
    {"7U", 7},
    {"255", 255},
    {"300", 300},  // 0x12c
    {"-1", ~std::uint64_t{0}},
    {"-3", ~std::uint64_t{2}},
    {"-128", ~std::uint64_t{127}},
    {"0x7F", 127},
    {"0X80", 128},
    {"0xA5C3", 0xa5c3},
    {"017", 15},    // 1 * 8 + 7
    {"0377", 255},  // 3 * 64 + 7 * 8 + 7
    {"0b101", 5},   // 4 + 1
    {"0B1001", 9},  // 8 + 1
    {"-0x10", ~std::uint64_t{15}},
    {"0x123456789ABCDEF0", 0x123456789abcdef0},
    {"18446744073709551615", ~std::uint64_t{0}},
};
constexpr Written kSingles[] = {
    {"0f3F800000", 0x3f800000},                       // 1: sign 0, exponent 127, fraction 0
    {"0fC0490FDB", 0xc0490fdb}, {"1.5", 0x3fc00000},  // exponent 127, fraction one half
    {"-2.25", 0xc0100000},                            // exponent 128, fraction one eighth
    {"1.0e1", 0x41200000},                            // 8 * 1.25
    {"-0.0", 0x80000000},       {"0d3FF8000000000000", 0x3fc00000},  // 1.5 as a double
};
constexpr Written kDoubles[] = {
    {"0d3FF0000000000000", 0x3ff0000000000000},
    {"1.5", 0x3ff8000000000000},
    {"-2.25", 0xc002000000000000},
    {"0f3F800000", 0x3ff0000000000000},  // 1 as a single
};
constexpr Written kSingleBits[] = {{"0f3F800000", 0x3f800000}, {"0fFFFFFFFF", 0xffffffff}};
constexpr Written kDoubleBits[] = {{"0d3FF0000000000001", 0x3ff0000000000001}};

struct Width {
  std::string type;
  unsigned bytes;
  std::vector<Written> constants;
};
std::vector<Width> widths() {
  std::vector<Width> all;
  for (const auto& [suffix, bytes] :
       {std::pair{"8", 1U}, std::pair{"16", 2U}, std::pair{"32", 4U}, std::pair{"64", 8U}}) {
    for (const char* const kind : {"b", "u", "s"}) {
      all.push_back(
          {std::string(kind) + suffix, bytes, {std::begin(kIntegers), std::end(kIntegers)}});
    }
  }
  all.push_back({"f32", 4, {std::begin(kSingles), std::end(kSingles)}});
  all.push_back({"f64", 8, {std::begin(kDoubles), std::end(kDoubles)}});
  all.push_back({"b32", 4, {std::begin(kSingleBits), std::end(kSingleBits)}});
  all.push_back({"b64", 8, {std::begin(kDoubleBits), std::end(kDoubleBits)}});
  return all;
}

/// Where a store goes: how its address is made from `at`, and how its bytes are read again.
struct Where {
  const char* suffix;  ///< of st and ld
  const char* declare;
  const char* base;  ///< puts the first byte's address into %rd1
};
constexpr Where kWheres[] = {
    {".global", "", "mov.u64 %rd1, %out;\n"},
    {"", "", "mov.u64 %rd1, %out;\n"},
    {".shared", ".shared .align 16 .b8 s[4096];\n", "mov.u64 %rd1, s;\n"},
    {"", ".shared .align 16 .b8 s[4096];\n", "mov.u64 %rd1, s;\ncvta.shared.u64 %rd1, %rd1;\n"},
    {".local", ".local .align 16 .b8 s[4096];\n", "mov.u64 %rd1, s;\n"},
    {"", ".local .align 16 .b8 s[4096];\n", "mov.u64 %rd1, s;\ncvta.local.u64 %rd1, %rd1;\n"},
};
constexpr unsigned kStep = 32;  ///< bytes from one store to the next, more than the widest has

std::string vector_of(const std::vector<Written>& constants, std::size_t first, unsigned elements) {
  if (elements == 1) return constants[first].text;
  std::string text;
  for (unsigned e = 0; e < elements; ++e) {
    text += (e == 0 ? "{" : ", ") + std::string(constants[(first + e) % constants.size()].text);
  }
  return text + "}";
}

/// Lane 0 fills the memory with 0xEE, stores each constant, and copies all of it to `out`.
std::string stores(const Width& width, const Where& where, unsigned elements) {
  const std::string space = where.suffix;
  const std::string vector = elements == 1 ? "" : ".v" + std::to_string(elements);
  const std::size_t bytes = width.constants.size() * kStep;
  std::string code = std::string(where.declare) + "setp.ne.u32 %p1, %t, 0;\n@%p1 ret;\n";
  code += where.base;
  for (std::size_t at = 0; at < bytes; at += 4) {
    code += "st" + space + ".b32 [%rd1+" + std::to_string(at) + "], 0xEEEEEEEE;\n";
  }
  for (std::size_t i = 0; i < width.constants.size(); ++i) {
    code += "st" + space + vector + "." + width.type + " [%rd1+" + std::to_string(i * kStep) +
            "], " + vector_of(width.constants, i, elements) + ";\n";
  }
  for (std::size_t at = 0; at < bytes; at += 4) {
    const std::string offset = std::to_string(at);
    code += "ld" + space + ".b32 %r1, [%rd1+" + offset + "];\nst.global.b32 [%out+" + offset +
            "], %r1;\n";
  }
  return code + "ret;";
}

void expect_bytes(const Ran& ran, const Width& width, unsigned elements, const std::string& what) {
  const auto* got = reinterpret_cast<const unsigned char*>(ran.out.data());
  for (std::size_t i = 0; i < width.constants.size(); ++i) {
    for (std::size_t at = 0; at < kStep; ++at) {
      const std::size_t element = at / width.bytes;
      const std::uint64_t bits =
          width.constants[(i + element) % width.constants.size()].bits >> (8 * (at % width.bytes));
      const auto want = static_cast<unsigned char>(element < elements ? bits : 0xee);
      ASSERT_EQ(unsigned{got[i * kStep + at]}, unsigned{want})
          << what << ' ' << vector_of(width.constants, i, elements) << ", byte " << at;
    }
  }
}

TEST(Immediates, AreStoredWithTheirBytesInEveryWidthSpaceAndVector) {
  for (const Width& width : widths()) {
    for (const Where& where : kWheres) {
      for (const unsigned elements : {1U, 2U, 4U, 8U}) {
        if (elements * width.bytes > 16) continue;
        Scene scene;
        scene.out_size = width.constants.size() * kStep / 4;
        const Ran ran = run_ptx(entry(stores(width, where, elements)), scene);
        const std::string what = std::string("st") + where.suffix + ".v" +
                                 std::to_string(elements) + "." + width.type + where.declare;
        ASSERT_TRUE(ran.result.faults.empty()) << what;
        expect_bytes(ran, width, elements, what);
      }
    }
  }
}

// A vector of registers and constants: the constant takes the registers' width.
TEST(Immediates, MayStandBesideRegisters) {
  Scene scene;
  scene.in = {0x44332211};
  const Ran ran = run_ptx(entry("mov.b16 %h1, 0x1234;\nmov.u32 %r1, 0x5678;\n"
                                "st.global.v2.u8 [%out], {%h1, 9};\n"
                                "st.global.v2.u8 [%out+2], {250, %r1};\n"
                                "st.global.v4.s8 [%out+4], {-1, -2, %r1, 3};\nret;"),
                          scene);
  EXPECT_EQ(ran.out[0], 0x78fa0934U);
  EXPECT_EQ(ran.out[1], 0x0378feffU);
}

}  // namespace
}  // namespace lab::model
