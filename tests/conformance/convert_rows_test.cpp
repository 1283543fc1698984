// cvt between every two kinds of numbers; PTX ISA, "cvt". Out of range: clamped; NaN: 0, or the top
// bit alone where 64 bits are on either side.
#include "tests/conformance/rows.h"

namespace lab::conformance {
namespace {

class ConvertRows : public Rows {};
INSTANTIATE_TEST_SUITE_P(Backends, ConvertRows, backends(), backend_name);

TEST_P(ConvertRows, FourWaysToAWholeNumber) {
  struct Case {
    float value;
    int rni, rzi, rmi, rpi;
  };
  const Case cases[] = {{2.5F, 2, 2, 2, 3},          {3.5F, 4, 3, 3, 4},  {-2.5F, -2, -2, -3, -2},
                        {-0.75F, -1, 0, -1, 0},      {0.25F, 0, 0, 0, 1}, {-7, -7, -7, -7, -7},
                        {100.5F, 100, 100, 100, 101}};
  std::vector<Row> rows;
  for (const Case& c : cases) {
    const std::pair<const char*, int> wants[] = {
        {"rni", c.rni}, {"rzi", c.rzi}, {"rmi", c.rmi}, {"rpi", c.rpi}};
    for (const auto& [round, want] : wants) {
      const std::string head = "cvt." + std::string(round) + ".";
      rows.push_back({head + "s32.f32 %r0, %r1", {f(c.value)}, s32(want)});
      rows.push_back({head + "s64.f32 %d0, %r1", {f(c.value)}, s64(want)});
      rows.push_back({head + "s16.f64 %h0, %d1", {d(c.value)}, s16(want)});
      rows.push_back({head + "s32.f64 %r0, %d1", {d(c.value)}, s32(want)});
      rows.push_back({head + "u32.f32 %r0, %r1", {f(c.value)}, s32(want < 0 ? 0 : want)});
      // Within a type: a float that is whole. The sign of zero stays.
      const float whole = want == 0 && c.value < 0 ? -0.0F : static_cast<float>(want);
      rows.push_back({head + "f32.f32 %r0, %r1", {f(c.value)}, f(whole)});
      rows.push_back({head + "f64.f64 %d0, %d1", {d(c.value)}, d(whole)});
    }
  }
  expect(rows);
}

TEST_P(ConvertRows, OutOfRangeIsTheNearestEnd) {
  expect({
      {"cvt.rzi.s32.f32 %r0, %r1", {f(3e9F)}, 0x7fffffff},
      {"cvt.rzi.s32.f32 %r0, %r1", {f(-3e9F)}, kMin32},
      {"cvt.rzi.u32.f32 %r0, %r1", {f(5e9F)}, 0xffffffff},
      {"cvt.rzi.u32.f32 %r0, %r1", {f(-1)}, 0},
      {"cvt.rzi.s64.f32 %d0, %r1", {kInf32}, 0x7fffffffffffffff},
      {"cvt.rzi.u64.f64 %d0, %d1", {kInf64 | kMin64}, 0},
      {"cvt.rzi.u64.f64 %d0, %d1", {d(0x1p64)}, ~0ULL},
      {"cvt.rzi.u64.f64 %d0, %d1", {d(0x1p63)}, kMin64},
      {"cvt.rzi.s16.f32 %h0, %r1", {f(40000)}, 0x7fff},
      {"cvt.rzi.u16.f32 %h0, %r1", {f(70000)}, 0xffff},
      {"cvt.rzi.s8.f32 %r0, %r1", {f(-1000)}, s32(-128)},
      {"cvt.rzi.u8.f32 %r0, %r1", {f(300)}, 255},
      {"cvt.rni.s32.f16 %r0, %h1", {0x7bff}, 65504},
      {"cvt.rni.u32.f16 %r0, %h1", {0xc500}, 0},
      {"cvt.rzi.s32.f32 %r0, %r1", {0x7fc00000}, 0},
      {"cvt.rzi.u32.f32 %r0, %r1", {0x7fc00000}, 0},
      {"cvt.rzi.s64.f32 %d0, %r1", {0x7fc00000}, kMin64},
      {"cvt.rzi.s64.f64 %d0, %d1", {0x7ff8000000000000}, kMin64},
      {"cvt.rzi.s32.f64 %r0, %d1", {0x7ff8000000000000}, kMin32},
  });
}

TEST_P(ConvertRows, WholeNumbersRoundWhereTheFloatIsTooShort) {
  // 2^24 + 1 is a tie of f32, 2^53 + 1 one of f64.
  constexpr std::uint64_t t24 = (1U << 24U) + 1;
  constexpr std::uint64_t t53 = (1ULL << 53U) + 1;
  expect({
      {"cvt.rn.f32.u32 %r0, %r1", {t24}, f(0x1p24F)},
      {"cvt.rp.f32.u32 %r0, %r1", {t24}, f(0x1p24F + 2)},
      {"cvt.rz.f32.s32 %r0, %r1", {s32(-static_cast<int>(t24))}, f(-0x1p24F)},
      {"cvt.rm.f32.s32 %r0, %r1", {s32(-static_cast<int>(t24))}, f(-0x1p24F - 2)},
      {"cvt.rn.f32.u32 %r0, %r1", {0xffffffff}, f(0x1p32F)},
      {"cvt.rz.f32.u32 %r0, %r1", {0xffffffff}, f(0x1.fffffep31F)},
      {"cvt.rn.f32.u64 %r0, %d1", {~0ULL}, f(0x1p64F)},
      {"cvt.rn.f32.s64 %r0, %d1", {kMin64}, f(-0x1p63F)},
      {"cvt.rn.f64.s32 %d0, %r1", {kMin32}, d(-0x1p31)},
      {"cvt.rn.f64.u64 %d0, %d1", {t53}, d(0x1p53)},
      {"cvt.rp.f64.u64 %d0, %d1", {t53}, d(0x1p53 + 2)},
      {"cvt.rn.f64.u32 %d0, %r1", {0xffffffff}, d(4294967295.0)},
      {"cvt.rn.f32.s16 %r0, %h1", {0xffff}, f(-1)},
      {"cvt.rn.f32.u16 %r0, %h1", {0xffff}, f(65535)},
      {"cvt.rn.f32.s8 %r0, %r1", {0x80}, f(-128)},
      {"cvt.rn.f32.u8 %r0, %r1", {0x180}, f(128)},
      {"cvt.rn.f16.s32 %h0, %r1", {s32(-3)}, 0xc200},
      {"cvt.rn.f16.u32 %h0, %r1", {2049}, 0x6800},    // a tie between 2048 and 2050
      {"cvt.rn.f16.u32 %h0, %r1", {100000}, 0x7c00},  // past 65504
      {"cvt.rn.f16.u64 %h0, %d1", {2051}, 0x6802},    // a tie: 2052
      {"cvt.rn.bf16.u32 %h0, %r1", {257}, 0x4380},    // a tie of 8 bits: 256
      // 1 above the tie of 2^63 and 2^63 + 2^56, and of -2^62: a double on the way would drop it.
      {"cvt.rn.bf16.u64 %h0, %d1", {(1ULL << 63U) + (1ULL << 55U)}, 0x5f00},
      {"cvt.rn.bf16.u64 %h0, %d1", {(1ULL << 63U) + (1ULL << 55U) + 1}, 0x5f01},
      {"cvt.rn.bf16.s64 %h0, %d1", {s64(-(1LL << 62) - (1LL << 54) - 1)}, 0xde81},
  });
}

TEST_P(ConvertRows, FloatsChangeTheirWidth) {
  expect({
      {"cvt.f64.f32 %d0, %r1", {f(0.1F)}, d(0.1F)},
      {"cvt.f64.f32 %d0, %r1", {1}, d(0x1p-149)},
      {"cvt.ftz.f64.f32 %d0, %r1", {1}, 0},
      {"cvt.rn.f32.f64 %r0, %d1", {d(0.1)}, f(0.1F)},
      {"cvt.rn.f32.f64 %r0, %d1", {d(1 + 0x1p-24)}, f(1)},
      {"cvt.rp.f32.f64 %r0, %d1", {d(1 + 0x1p-50)}, f(1 + 0x1p-23F)},
      {"cvt.rm.f32.f64 %r0, %d1", {d(-1 - 0x1p-50)}, f(-1 - 0x1p-23F)},
      {"cvt.rz.f32.f64 %r0, %d1", {d(1e300)}, f(0x1.fffffep127F)},
      {"cvt.rn.f32.f64 %r0, %d1", {d(1e300)}, kInf32},
      {"cvt.rn.f32.f64 %r0, %d1", {d(0x1p-149)}, 1},
      {"cvt.rn.ftz.f32.f64 %r0, %d1", {d(0x1p-149)}, 0},
      {"cvt.rn.sat.f32.f64 %r0, %d1", {d(7)}, f(1)},
      {"cvt.f32.f16 %r0, %h1", {0x3555}, f(0x1.554p-2F)},
      {"cvt.f32.f16 %r0, %h1", {0x0001}, f(0x1p-24F)},
      {"cvt.f32.f16 %r0, %h1", {0xfc00}, kInf32 | kMin32},
      {"cvt.f64.f16 %d0, %h1", {0x3c00}, d(1)},
      {"cvt.f32.bf16 %r0, %h1", {0x4049}, 0x40490000},
      {"cvt.rn.f16.f32 %h0, %r1", {f(65519)}, 0x7bff},
      {"cvt.rn.f16.f32 %h0, %r1", {f(65520)}, 0x7c00},
      {"cvt.rz.f16.f32 %h0, %r1", {f(1e9F)}, 0x7bff},
      {"cvt.rn.f16.f32 %h0, %r1", {f(0x1p-25F)}, 0x0000},  // a tie with nothing
      {"cvt.rn.f16.f32 %h0, %r1", {f(0x1.8p-25F)}, 0x0001},
      {"cvt.rn.f16.f64 %h0, %d1", {d(1 + 0x1p-11 + 0x1p-40)}, 0x3c01},
      {"cvt.rn.bf16.f32 %h0, %r1", {0x3f808000}, 0x3f80},
      {"cvt.rn.bf16.f32 %h0, %r1", {0x3f818000}, 0x3f82},
      {"cvt.rz.bf16.f32 %h0, %r1", {0x3f80ffff}, 0x3f80},
      {"cvt.rn.relu.f16.f32 %h0, %r1", {f(-5)}, 0},
      {"cvt.rn.relu.bf16.f32 %h0, %r1", {f(5)}, 0x40a0},
      {"cvt.sat.f32.f32 %r0, %r1", {f(1.5F)}, f(1)},
      {"cvt.sat.f32.f32 %r0, %r1", {0x7fc00000}, 0},
      {"cvt.ftz.f32.f32 %r0, %r1", {0x80000001}, kMin32},
  });
}

TEST_P(ConvertRows, WholeNumbersAreExtendedCutOrSaturated) {
  expect({
      {"cvt.u32.u8 %r0, %r1", {0xabcdef99}, 0x99},
      {"cvt.s32.s8 %r0, %r1", {0xabcdef99}, s32(-103)},
      {"cvt.u32.u16 %r0, %h1", {0x8001}, 0x8001},
      {"cvt.s32.s16 %r0, %h1", {0x8001}, s32(-32767)},
      {"cvt.u64.u32 %d0, %r1", {kMin32}, kMin32},
      {"cvt.s64.s32 %d0, %r1", {kMin32}, 0xffffffff80000000},
      {"cvt.u64.s32 %d0, %r1", {kMin32}, 0xffffffff80000000},
      {"cvt.s64.u32 %d0, %r1", {kMin32}, kMin32},
      {"cvt.u32.u64 %r0, %d1", {0x123456789abcdef0}, 0x9abcdef0},
      {"cvt.u16.u64 %h0, %d1", {0x123456789abcdef0}, 0xdef0},
      {"cvt.u8.u32 %r0, %r1", {0x1ff}, 0xff},
      {"cvt.s8.u32 %r0, %r1", {0x1ff}, 0xffffffff},  // the register is wider: its sign goes on
      {"cvt.sat.s16.s32 %h0, %r1", {s32(-40000)}, 0x8000},
      {"cvt.sat.u16.s32 %h0, %r1", {s32(-40000)}, 0},
      {"cvt.sat.s8.s32 %r0, %r1", {1000}, 127},
      {"cvt.sat.u8.u32 %r0, %r1", {1000}, 255},
      {"cvt.sat.s32.u32 %r0, %r1", {0xffffffff}, 0x7fffffff},
      {"cvt.sat.u32.s32 %r0, %r1", {0xffffffff}, 0},
      {"cvt.sat.s32.s64 %r0, %d1", {kMin64}, kMin32},
      {"cvt.sat.s64.u64 %d0, %d1", {~0ULL}, 0x7fffffffffffffff},
      {"cvt.pack.sat.s16.s32 %r0, %r1, %r2", {40000, s32(-40000)}, 0x7fff8000},
      {"cvt.pack.sat.u16.s32 %r0, %r1, %r2", {70000, s32(-1)}, 0xffff0000},
      {"cvt.pack.sat.u8.s32.b32 %r0, %r1, %r2, %r3", {300, s32(-5), 0x1234}, 0x1234ff00},
      {"cvt.pack.sat.s8.s32.b32 %r0, %r1, %r2, %r3", {s32(-300), 7, 0xabcd}, 0xabcd8007},
  });
}

}  // namespace
}  // namespace lab::conformance
