// Bits: PTX ISA, "Logic and Shift Instructions" and the bit-field instructions.
#include "tests/conformance/rows.h"

namespace lab::conformance {
namespace {

class BitRows : public Rows {};
INSTANTIATE_TEST_SUITE_P(Backends, BitRows, backends(), backend_name);

TEST_P(BitRows, LogicOfEveryWidth) {
  expect({
      {"and.b16 %h0, %h1, %h2", {0xff0f, 0x3333}, 0x3303},
      {"and.b32 %r0, %r1, %r2", {0xffff0000, 0x12345678}, 0x12340000},
      {"and.b64 %d0, %d1, %d2", {~0ULL << 32, ~0ULL >> 16}, 0x0000ffff00000000},
      {"and.pred %p0, %p1, %p2", {1, 0}, 0},
      {"or.b16 %h0, %h1, %h2", {0xf000, 0x000f}, 0xf00f},
      {"or.b32 %r0, %r1, %r2", {0xffff0000, 0x12345678}, 0xffff5678},
      {"or.b64 %d0, %d1, %d2", {1, 1ULL << 63}, (1ULL << 63) + 1},
      {"or.pred %p0, %p1, %p2", {1, 0}, 1},
      {"xor.b16 %h0, %h1, %h2", {0xffff, 0x0ff0}, 0xf00f},
      {"xor.b32 %r0, %r1, %r2", {0xaaaaaaaa, 0xffffffff}, 0x55555555},
      {"xor.b64 %d0, %d1, %d2", {~0ULL, 1}, ~1ULL},
      {"xor.pred %p0, %p1, %p2", {1, 1}, 0},
      {"not.b16 %h0, %h1", {0x00ff}, 0xff00},
      {"not.b32 %r0, %r1", {0}, 0xffffffff},
      {"not.b64 %d0, %d1", {~0ULL >> 1}, kMin64},
      {"not.pred %p0, %p1", {0}, 1},
      {"cnot.b16 %h0, %h1", {0}, 1},
      {"cnot.b32 %r0, %r1", {7}, 0},
      {"cnot.b64 %d0, %d1", {0}, 1},
  });
}

TEST_P(BitRows, LogicTablesNameEveryFunctionOfThreeBits) {
  // The table's bit a * 4 + b * 2 + c. a = f0, b = cc, c = aa in each byte has all eight
  // combinations, so the result's byte is the table itself.
  std::vector<Row> rows;
  for (const unsigned table : {0x00U, 0x01U, 0x80U, 0x96U, 0xe8U, 0xcaU, 0xfeU, 0x1bU, 0xffU}) {
    rows.push_back({"lop3.b32 %r0, %r1, %r2, %r3, " + std::to_string(table),
                    {0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa},
                    table * 0x01010101ULL});
  }
  expect(rows);
}

TEST_P(BitRows, ShiftsByTheWidthAndMoreEmptyTheRegister) {
  expect({
      {"shl.b16 %h0, %h1, %r2", {0x8001, 1}, 2},
      {"shl.b16 %h0, %h1, %r2", {0x8001, 16}, 0},
      {"shl.b32 %r0, %r1, %r2", {3, 31}, kMin32},
      {"shl.b32 %r0, %r1, %r2", {3, 32}, 0},
      {"shl.b32 %r0, %r1, %r2", {3, 0xffffffff}, 0},
      {"shl.b64 %d0, %d1, %r2", {3, 63}, kMin64},
      {"shl.b64 %d0, %d1, %r2", {3, 64}, 0},
      {"shr.u16 %h0, %h1, %r2", {0x8000, 15}, 1},
      {"shr.s16 %h0, %h1, %r2", {0x8000, 15}, 0xffff},
      {"shr.s16 %h0, %h1, %r2", {0x8000, 99}, 0xffff},
      {"shr.u32 %r0, %r1, %r2", {kMin32, 31}, 1},
      {"shr.u32 %r0, %r1, %r2", {kMin32, 32}, 0},
      {"shr.s32 %r0, %r1, %r2", {kMin32, 32}, 0xffffffff},
      {"shr.s32 %r0, %r1, %r2", {0x7fffffff, 1000}, 0},
      {"shr.b32 %r0, %r1, %r2", {kMin32, 4}, 0x08000000},
      {"shr.u64 %d0, %d1, %r2", {kMin64, 63}, 1},
      {"shr.s64 %d0, %d1, %r2", {kMin64, 64}, ~0ULL},
      {"shr.s64 %d0, %d1, %r2", {kMin64, 4}, 0xf800000000000000},
  });
}

TEST_P(BitRows, FunnelShiftsTakeThirtyTwoBitsOfTwoWords) {
  // b:a = 01234567:89abcdef.
  expect({
      {"shf.l.wrap.b32 %r0, %r1, %r2, %r3", {0x89abcdef, 0x01234567, 4}, 0x12345678},
      {"shf.l.wrap.b32 %r0, %r1, %r2, %r3", {0x89abcdef, 0x01234567, 36}, 0x12345678},
      {"shf.l.clamp.b32 %r0, %r1, %r2, %r3", {0x89abcdef, 0x01234567, 36}, 0x89abcdef},
      {"shf.r.wrap.b32 %r0, %r1, %r2, %r3", {0x89abcdef, 0x01234567, 4}, 0x789abcde},
      {"shf.r.wrap.b32 %r0, %r1, %r2, %r3", {0x89abcdef, 0x01234567, 32}, 0x89abcdef},
      {"shf.r.clamp.b32 %r0, %r1, %r2, %r3", {0x89abcdef, 0x01234567, 32}, 0x01234567},
  });
}

TEST_P(BitRows, FieldsAreTakenAndPut) {
  expect({
      {"bfe.u32 %r0, %r1, %r2, %r3", {0x12345678, 8, 12}, 0x456},
      {"bfe.s32 %r0, %r1, %r2, %r3", {0x12348678, 8, 8}, s32(-122)},  // 0x86
      {"bfe.u32 %r0, %r1, %r2, %r3", {0x12345678, 8, 0}, 0},
      {"bfe.u32 %r0, %r1, %r2, %r3", {0xf0000000, 28, 32}, 0xf},
      {"bfe.s32 %r0, %r1, %r2, %r3", {0xf0000000, 28, 32}, 0xffffffff},  // the sign beyond bit 31
      {"bfe.s32 %r0, %r1, %r2, %r3", {kMin32, 40, 4}, 0xffffffff},
      {"bfe.u32 %r0, %r1, %r2, %r3", {0x12345678, 32, 8}, 0},  // just past the last bit
      {"bfe.s32 %r0, %r1, %r2, %r3", {kMin32, 32, 8}, 0xffffffff},
      {"bfe.u64 %d0, %d1, %r2, %r3", {~0ULL, 64, 8}, 0},
      {"bfe.u64 %d0, %d1, %r2, %r3", {0x123456789abcdef0, 20, 40}, 0x23456789ab},
      {"bfe.s64 %d0, %d1, %r2, %r3", {1ULL << 40, 40, 1}, ~0ULL},
      {"bfi.b32 %r0, %r1, %r2, %r3, %r4", {0xabc, 0x12345678, 8, 12}, 0x123abc78},
      {"bfi.b32 %r0, %r1, %r2, %r3, %r4", {0xff, 0, 28, 8}, 0xf0000000},
      {"bfi.b32 %r0, %r1, %r2, %r3, %r4", {0xff, 0x1111, 4, 0}, 0x1111},
      {"bfi.b64 %d0, %d1, %d2, %r3, %r4", {~0ULL, 0, 60, 16}, 0xf000000000000000},
      {"bmsk.clamp.b32 %r0, %r1, %r2", {4, 8}, 0xff0},
      {"bmsk.clamp.b32 %r0, %r1, %r2", {30, 8}, 0xc0000000},
      {"bmsk.clamp.b32 %r0, %r1, %r2", {40, 8}, 0},
      {"bmsk.wrap.b32 %r0, %r1, %r2", {36, 8}, 0xff0},
      {"szext.wrap.s32 %r0, %r1, %r2", {0x80, 8}, s32(-128)},
      {"szext.wrap.u32 %r0, %r1, %r2", {0xf80, 8}, 0x80},
      {"szext.clamp.s32 %r0, %r1, %r2", {0x80, 40}, 0x80},
      {"szext.wrap.s32 %r0, %r1, %r2", {0x80, 40}, s32(-128)},
  });
}

TEST_P(BitRows, CountsAndPositions) {
  expect({
      {"popc.b32 %r0, %r1", {0xf00000ff}, 12},
      {"popc.b64 %r0, %d1", {0xf00000ff00000001}, 13},
      {"clz.b32 %r0, %r1", {0x00010000}, 15},
      {"clz.b32 %r0, %r1", {0}, 32},
      {"clz.b64 %r0, %d1", {1}, 63},
      {"clz.b64 %r0, %d1", {0}, 64},
      {"bfind.u32 %r0, %r1", {0x00010000}, 16},
      {"bfind.u32 %r0, %r1", {0}, 0xffffffff},
      {"bfind.s32 %r0, %r1", {s32(-5)}, 2},  // ...11111011: the highest 0
      {"bfind.s32 %r0, %r1", {s32(-1)}, 0xffffffff},
      {"bfind.shiftamt.u32 %r0, %r1", {0x00010000}, 15},
      {"bfind.u64 %r0, %d1", {1ULL << 50}, 50},
      {"bfind.s64 %r0, %d1", {s64(-(1LL << 50))}, 49},
      {"bfind.shiftamt.u64 %r0, %d1", {1ULL << 50}, 13},
      {"brev.b32 %r0, %r1", {0x00000013}, 0xc8000000},
      {"brev.b64 %d0, %d1", {0x8000000000000002}, 0x4000000000000001},
      // The second set bit from 3 on of 1101 0010: 4, then 6; downwards from 7: 7, 6, 4.
      {"fns.b32 %r0, %r1, %r2, %r3", {0xd2, 3, 2}, 6},
      {"fns.b32 %r0, %r1, %r2, %r3", {0xd2, 7, s32(-3)}, 4},
      {"fns.b32 %r0, %r1, %r2, %r3", {0xd2, 3, 9}, 0xffffffff},
      {"fns.b32 %r0, %r1, %r2, %r3", {0xd2, 4, 0}, 4},
      {"fns.b32 %r0, %r1, %r2, %r3", {0xd2, 3, 0}, 0xffffffff},
  });
}

TEST_P(BitRows, PermutationsOfBytes) {
  // b:a = 77665544:33221100; a selector's bit 3 gives the byte's sign eight times.
  expect({
      {"prmt.b32 %r0, %r1, %r2, %r3", {0x33221100, 0x77665544, 0x3210}, 0x33221100},
      {"prmt.b32 %r0, %r1, %r2, %r3", {0x33221100, 0x77665544, 0x7531}, 0x77553311},
      {"prmt.b32 %r0, %r1, %r2, %r3", {0x33221180, 0x77665544, 0x888f}, 0xffffff00},
      {"prmt.b32.f4e %r0, %r1, %r2, %r3", {0x33221100, 0x77665544, 1}, 0x44332211},
      {"prmt.b32.b4e %r0, %r1, %r2, %r3", {0x33221100, 0x77665544, 1}, 0x66770011},
      {"prmt.b32.rc8 %r0, %r1, %r2, %r3", {0x33221100, 0x77665544, 2}, 0x22222222},
      {"prmt.b32.rc16 %r0, %r1, %r2, %r3", {0x33221100, 0x77665544, 1}, 0x33223322},
      {"prmt.b32.ecl %r0, %r1, %r2, %r3", {0x33221100, 0x77665544, 1}, 0x33221111},
      {"prmt.b32.ecr %r0, %r1, %r2, %r3", {0x33221100, 0x77665544, 1}, 0x11111100},
  });
}

TEST_P(BitRows, PartsOfRegistersMove) {
  expect({
      {"mov.b32 %r0, {%h1, %h2}", {0x1234, 0xabcd}, 0xabcd1234},
      {"mov.b64 %d0, {%r1, %r2}", {0x11112222, 0x33334444}, 0x3333444411112222},
      {"mov.b64 %d0, {%h1, %h2, %h3, %h4}", {1, 2, 3, 4}, 0x0004000300020001},
      {"mov.b64 {%r5, %r0}, %d1", {0x3333444411112222}, 0x33334444},
      {"mov.b64 {%r0, %r5}, %d1", {0x3333444411112222}, 0x11112222},
      {"mov.b32 {%h5, %h0}, %r1", {0xabcd1234}, 0xabcd},
      {"mov.pred %p0, %p1", {1}, 1},
      {"mov.u16 %h0, %h1", {77}, 77},
      {"mov.f64 %d0, 0d3FF0000000000000", {}, d(1.0)},
      {"mov.f32 %r0, 0f3F800000", {}, f(1.0F)},
  });
}

}  // namespace
}  // namespace lab::conformance
