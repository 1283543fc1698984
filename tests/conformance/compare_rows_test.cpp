// Comparison and selection; PTX ISA, "Comparison and Selection Instructions".
#include "tests/conformance/rows.h"

namespace lab::conformance {
namespace {

class CompareRows : public Rows {};
INSTANTIATE_TEST_SUITE_P(Backends, CompareRows, backends(), backend_name);

struct Holds {
  const char* name;
  bool less, equal, greater;  ///< the result where a < b, a == b, a > b
};
constexpr Holds kSigned[] = {{"eq", false, true, false}, {"ne", true, false, true},
                             {"lt", true, false, false}, {"le", true, true, false},
                             {"gt", false, false, true}, {"ge", false, true, true}};

TEST_P(CompareRows, WholeNumbersInTheirOrder) {
  struct Type {
    const char* name;
    char file;
    std::uint64_t small, large;  ///< small < large in this type
  };
  const Type types[] = {{"u16", 'h', 1, 0xffff},     {"s16", 'h', 0xffff, 1},
                        {"u32", 'r', 1, 0xffffffff}, {"s32", 'r', 0xffffffff, 1},
                        {"u64", 'd', 1, ~0ULL},      {"s64", 'd', ~0ULL, 1}};
  std::vector<Row> rows;
  for (const Type& type : types) {
    for (const Holds& c : kSigned) {
      const std::string text = "setp." + std::string(c.name) + "." + type.name + " %p0, %" +
                               type.file + "1, %" + type.file + "2";
      rows.push_back({text, {type.small, type.large}, c.less});
      rows.push_back({text, {type.large, type.large}, c.equal});
      rows.push_back({text, {type.large, type.small}, c.greater});
    }
  }
  const Holds unsigned_names[] = {{"lo", true, false, false},
                                  {"ls", true, true, false},
                                  {"hi", false, false, true},
                                  {"hs", false, true, true}};
  for (const Holds& c : unsigned_names) {
    const std::string text = "setp." + std::string(c.name) + ".u32 %p0, %r1, %r2";
    rows.push_back({text, {1, 0xffffffff}, c.less});
    rows.push_back({text, {7, 7}, c.equal});
    rows.push_back({text, {0xffffffff, 1}, c.greater});
  }
  for (const char* type : {"b16", "b32", "b64"}) {
    const std::string file(1, type[1] == '1' ? 'h' : (type[1] == '3' ? 'r' : 'd'));
    const std::string operands = std::string(type) + " %p0, %" + file + "1, %" + file + "2";
    rows.push_back({"setp.eq." + operands, {0x8000, 0x8000}, 1});
    rows.push_back({"setp.ne." + operands, {0x8000, 0x8000}, 0});
  }
  expect(rows);
}

TEST_P(CompareRows, NanIsOrderedWithNothing) {
  // The ordered comparisons are false where an operand is NaN, those with u true.
  std::vector<Row> rows;
  const auto add = [&](const std::string& name, const Holds& c, bool with_nan) {
    const auto row = [&](std::uint64_t a, std::uint64_t b, bool want) {
      rows.push_back({"setp." + name + ".f32 %p0, %r1, %r2", {a, b}, want});
    };
    row(f(-1), f(2), c.less);
    row(f(0), f(-0.0F), c.equal);
    row(kInf32, f(2), c.greater);
    row(0x7fc00000, f(2), with_nan);
    row(f(2), 0xffc00000, with_nan);
    rows.push_back({"setp." + name + ".f64 %p0, %d1, %d2", {d(-1), d(2)}, c.less});
    rows.push_back({"setp." + name + ".f64 %p0, %d1, %d2", {kInf64, kInf64}, c.equal});
    rows.push_back({"setp." + name + ".f64 %p0, %d1, %d2", {0x7ff8000000000000, d(1)}, with_nan});
  };
  for (const Holds& c : kSigned) {
    add(c.name, c, false);
    add(std::string(c.name) + "u", c, true);
  }
  add("num", {"num", true, true, true}, false);
  add("nan", {"nan", false, false, false}, true);
  // Flushed, a subnormal is zero.
  rows.push_back({"setp.gt.f32 %p0, %r1, %r2", {1, 0}, 1});
  rows.push_back({"setp.gt.ftz.f32 %p0, %r1, %r2", {1, 0}, 0});
  expect(rows);
}

TEST_P(CompareRows, ResultsCombineWithAPredicate) {
  std::vector<Row> rows;
  for (const std::uint64_t compared : {0U, 1U}) {
    for (const std::uint64_t other : {0U, 1U}) {
      const std::vector<std::uint64_t> in = {compared, 1, other};  // 0 == 1 or 1 == 1, and %p3
      rows.push_back({"setp.eq.and.s32 %p0, %r1, %r2, %p3", in, compared & other});
      rows.push_back({"setp.eq.or.s32 %p0, %r1, %r2, %p3", in, compared | other});
      rows.push_back({"setp.eq.xor.s32 %p0, %r1, %r2, %p3", in, compared ^ other});
      rows.push_back({"setp.eq.and.s32 %p0, %r1, %r2, !%p3", in, compared & (1 - other)});
      // The second destination takes the opposite comparison, combined too.
      rows.push_back({"setp.eq.and.s32 %p5|%p0, %r1, %r2, %p3", in, (1 - compared) & other});
      rows.push_back({"set.eq.and.u32.s32 %r0, %r1, %r2, %p3", in,
                      (compared & other) != 0 ? 0xffffffffU : 0U});
    }
  }
  expect(rows);
}

TEST_P(CompareRows, SetWritesOnesOrTheNumberOne) {
  expect({
      {"set.lt.u32.s32 %r0, %r1, %r2", {s32(-1), 0}, 0xffffffff},
      {"set.lt.s32.u32 %r0, %r1, %r2", {s32(-1), 0}, 0},
      {"set.lt.f32.s32 %r0, %r1, %r2", {s32(-1), 0}, f(1)},
      {"set.gt.f32.f64 %r0, %d1, %d2", {d(1), d(2)}, 0},
      {"set.geu.u32.f32 %r0, %r1, %r2", {0x7fc00000, 0}, 0xffffffff},
      {"set.eq.u32.u16 %r0, %h1, %h2", {0x10005, 5}, 0xffffffff},
      {"set.ne.u32.s64 %r0, %d1, %d2", {kMin64, kMin64}, 0},
  });
}

TEST_P(CompareRows, SelectionLooksAtAPredicateOrASign) {
  expect({
      {"selp.b16 %h0, %h1, %h2, %p3", {7, 9, 1}, 7},
      {"selp.b32 %r0, %r1, %r2, %p3", {7, 9, 0}, 9},
      {"selp.f64 %d0, %d1, %d2, %p3", {d(7), d(9), 1}, d(7)},
      {"selp.s32 %r0, %r1, %r2, !%p3", {7, 9, 1}, 9},
      // slct: the first where the third is at least zero.
      {"slct.b32.s32 %r0, %r1, %r2, %r3", {7, 9, 0}, 7},
      {"slct.u32.s32 %r0, %r1, %r2, %r3", {7, 9, s32(-1)}, 9},
      {"slct.u64.s32 %d0, %d1, %d2, %r3", {7, 9, 5}, 7},
      {"slct.f32.f32 %r0, %r1, %r2, %r3", {7, 9, f(-0.0F)}, 7},  // -0 is zero
      {"slct.f32.f32 %r0, %r1, %r2, %r3", {7, 9, f(-1)}, 9},
      {"slct.f32.f32 %r0, %r1, %r2, %r3", {7, 9, 0x7fc00000}, 9},  // NaN takes the second
      {"slct.ftz.f32.f32 %r0, %r1, %r2, %r3", {7, 9, 0x80000001}, 7},
      {"slct.f32.f32 %r0, %r1, %r2, %r3", {7, 9, 0x80000001}, 9},
  });
}

}  // namespace
}  // namespace lab::conformance
