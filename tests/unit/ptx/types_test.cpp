// Which types each opcode has: PTX ISA's tables, and what ptxas 13.0 accepts for sm_90 and sm_100.
// Every other type is refused by its name.
#include <gtest/gtest.h>

#include <set>

#include "harness/core/text.h"
#include "tests/unit/ptx/support.h"

namespace lab::ptx {
namespace {

constexpr const char* kInts = "u16 u32 u64 s16 s32 s64";
constexpr const char* kPairs = "u16x2 s16x2";
constexpr const char* kSigned = "s16 s32 s64";
constexpr const char* kBits = "b16 b32 b64";
constexpr const char* kFloats = "f32 f64";
constexpr const char* kHalves = "f16 f16x2 bf16 bf16x2";
constexpr const char* kWords = "u32 s32 u64 s64";

// '@' stands for a register of the type, 'W' for one of twice its width.
struct Row {
  const char* opcode;  ///< up to the dot before the type
  const char* operands;
  std::vector<const char*> types;
};

const Row kRows[] = {
    {"abs.", "@, @", {kSigned, kFloats, kHalves}},
    {"neg.", "@, @", {kSigned, kFloats, kHalves}},
    {"add.", "@, @, @", {kInts, kPairs, kFloats, kHalves, "f32x2"}},
    {"sub.", "@, @, @", {kInts, kFloats, kHalves, "f32x2"}},
    {"mul.", "@, @, @", {kFloats, kHalves, "f32x2"}},
    {"mul.lo.", "@, @, @", {kInts}},
    {"mul.hi.", "@, @, @", {kInts}},
    {"mul.wide.", "W, @, @", {"u16 s16 u32 s32"}},
    {"mad.lo.", "@, @, @, @", {kInts}},
    {"mad.hi.", "@, @, @, @", {kInts}},
    {"mad.wide.", "W, @, @, W", {"u16 s16 u32 s32"}},
    {"mad.rn.", "@, @, @, @", {kFloats}},
    {"fma.rn.", "@, @, @, @", {kFloats, kHalves, "f32x2"}},
    {"mul24.hi.", "@, @, @", {"u32 s32"}},
    {"mad24.lo.", "@, @, @, @", {"u32 s32"}},
    {"add.cc.", "@, @, @", {kWords}},
    {"addc.", "@, @, @", {kWords}},
    {"sub.cc.", "@, @, @", {kWords}},
    {"subc.cc.", "@, @, @", {kWords}},
    {"mad.lo.cc.", "@, @, @, @", {kWords}},
    {"madc.hi.", "@, @, @, @", {kWords}},
    {"sad.", "@, @, @, @", {kInts}},
    {"div.", "@, @, @", {kInts}},
    {"div.rn.", "@, @, @", {kFloats}},
    {"div.full.", "@, @, @", {"f32"}},
    {"rem.", "@, @, @", {kInts}},
    {"min.", "@, @, @", {kInts, kPairs, kFloats, kHalves}},
    {"max.relu.", "@, @, @", {"s32 s16x2"}},
    {"max.NaN.", "@, @, @", {"f32", kHalves}},
    {"max.xorsign.abs.", "@, @, @", {"f32", kHalves}},
    {"rcp.rn.", "@, @", {kFloats}},
    {"rcp.approx.ftz.", "@, @", {kFloats}},
    {"sqrt.rn.", "@, @", {kFloats}},
    {"sqrt.approx.", "@, @", {"f32"}},
    {"rsqrt.approx.", "@, @", {kFloats}},
    {"sin.approx.", "@, @", {"f32"}},
    {"lg2.approx.", "@, @", {"f32"}},
    {"ex2.approx.", "@, @", {"f32 f16 f16x2"}},
    {"ex2.approx.ftz.", "@, @", {"f32 bf16 bf16x2"}},
    {"tanh.approx.", "@, @", {"f32", kHalves}},
    {"copysign.", "@, @, @", {kFloats}},
    {"testp.finite.", "%p1, @", {kFloats}},
    {"popc.", "%r1, @", {"b32 b64"}},
    {"clz.", "%r1, @", {"b32 b64"}},
    {"bfind.", "%r1, @", {kWords}},
    {"brev.", "@, @", {"b32 b64"}},
    {"bfe.", "@, @, %r1, %r2", {kWords}},
    {"bfi.", "@, @, @, %r1, %r2", {"b32 b64"}},
    {"bmsk.wrap.", "@, @, @", {"b32"}},
    {"szext.wrap.", "@, @, %r1", {"u32 s32"}},
    {"setp.eq.", "%p1, @, @", {kInts, kBits, kFloats, "f16 bf16"}},
    {"setp.lt.", "%p1, @, @", {kInts, kFloats, "f16 bf16"}},
    {"setp.hi.", "%p1, @, @", {"u16 u32 u64"}},
    {"setp.geu.", "%p1, @, @", {kFloats, "f16 bf16"}},
    {"setp.nan.", "%p1|%p2, @, @", {kFloats, kHalves}},
    {"set.eq.u32.", "%r1, @, @", {kInts, kBits, kFloats, kHalves}},
    {"set.lt.s32.", "%r1, @, @", {kInts, kFloats, kHalves}},
    {"set.ge.f32.", "%r1, @, @", {kInts, kFloats}},
    {"set.lt.f16x2.", "%r1, @, @", {"f16x2"}},
    {"selp.", "@, @, @, %p1", {kInts, kBits, kFloats}},
    {"slct.u64.", "%rd1, %rd2, %rd3, @", {"s32 f32"}},
    {"and.", "@, @, @", {kBits, "pred"}},
    {"not.", "@, @", {kBits, "pred"}},
    {"cnot.", "@, @", {kBits}},
    {"lop3.", "@, @, @, @, 3", {"b32"}},
    {"shl.", "@, @, %r1", {kBits}},
    {"shr.", "@, @, %r1", {kBits, kInts}},
    {"shf.r.clamp.", "@, @, @, %r1", {"b32"}},
    {"prmt.", "@, @, @, @", {"b32"}},
    {"mov.", "@, @", {kInts, kBits, kFloats, "pred"}},
    {"ld.global.", "@, [%rd1]", {kInts, kBits, kFloats, "b8 u8 s8"}},
    {"ld.v2.", "{@, @}, [%rd1]", {kInts, kBits, kFloats, "b8 u8 s8"}},
    {"ld.global.v4.", "{@, @, @, @}, [%rd1]", {kInts, kBits, kFloats, "b8 u8 s8"}},
    {"ldu.global.", "@, [%rd1]", {kInts, kBits, kFloats, "b8 u8 s8"}},
    {"st.shared.", "[%r1], @", {kInts, kBits, kFloats, "b8 u8 s8"}},
    {"ld.global.v8.", "{@, @, @, @, @, @, @, @}, [%rd1]", {"b8 u8 s8 b16 u16 s16 b32 u32 s32 f32"}},
    {"mov.v2.", "{@, @}, {@, @}", {kInts, kBits, kFloats}},
    {"createpolicy.cvt.L2.", "%rd1, %rd2", {"b64"}},
    {"mapa.shared::cluster.", "@, @, %r1", {"u32 u64"}},
    {"cvta.local.", "@, @", {"u32 u64"}},
    {"atom.global.add.", "@, [%rd1], @", {"u32 s32 u64", kFloats}},
    {"atom.global.add.noftz.", "@, [%rd1], @", {kHalves}},
    {"atom.shared.inc.", "@, [%rd1], @", {"u32"}},
    {"atom.shared.max.", "@, [%rd1], @", {kWords}},
    {"atom.xor.", "@, [%rd1], @", {"b32 b64"}},
    {"atom.exch.", "@, [%rd1], @", {"b32 b64"}},
    {"atom.cas.", "@, [%rd1], @, @", {kBits}},
    {"red.global.add.", "[%rd1], @", {"u32 s32 u64", kFloats}},
    {"red.shared.dec.", "[%rd1], @", {"u32"}},
    {"red.min.", "[%rd1], @", {kWords}},
    {"red.or.", "[%rd1], @", {"b32 b64"}},
    {"vote.sync.any.", "@, %p1, -1", {"pred"}},
    {"vote.sync.ballot.", "@, %p1, -1", {"b32"}},
    {"match.any.sync.", "%r1, @, -1", {"b32 b64"}},
    {"redux.sync.add.", "@, @, -1", {"u32 s32"}},
    {"redux.sync.and.", "@, @, -1", {"b32"}},
    {"shfl.sync.idx.", "@, @, 0, 31, -1", {"b32"}},
    {"activemask.", "@", {"b32"}},
    {"nanosleep.", "@", {"u32"}},
};

constexpr const char* kAll[] = {"pred",   "b8",  "b16",   "b32", "b64",   "u8",   "u16",   "u32",
                                "u64",    "s8",  "s16",   "s32", "s64",   "f16",  "f16x2", "bf16",
                                "bf16x2", "f32", "f32x2", "f64", "u16x2", "s16x2"};

std::string register_of(int bits) {
  switch (bits) {
    case 1:
      return "%p2";
    case 8:
    case 16:
      return "%h2";
    case 32:
      return "%r2";
    default:
      return "%rd2";
  }
}

std::string instruction(const Row& row, const std::string& type) {
  const int bits = bits_of(*find_type(type));
  std::string text = std::string(row.opcode) + type + " ";
  for (const char* at = row.operands; *at != '\0'; ++at) {
    if (*at == '@') text += register_of(bits);
    if (*at == 'W') text += register_of(2 * bits);
    if (*at != '@' && *at != 'W') text += *at;
  }
  return text + ";";
}

std::set<std::string> types_of(const Row& row) {
  std::set<std::string> types;
  for (const char* list : row.types) {
    for (const std::string_view type : split(list, ' ')) types.emplace(type);
  }
  return types;
}

TEST(OpcodeTypes, AreThoseOfTheTables) {
  for (const Row& row : kRows) {
    const std::set<std::string> types = types_of(row);
    for (const char* type : kAll) {
      const std::string text = instruction(row, type);
      const std::string error = error_of(kernel(text));
      const bool parsed = error.empty() && !parse(kernel(text), "x").functions[0].refusal;
      EXPECT_EQ(parsed, types.count(type) == 1) << text << " " << error;
    }
  }
}

TEST(OpcodeTypes, ThatAreOfNoUseAreRefusedByName) {
  // A type that the opcode never has leaves the rest of the module readable.
  struct Refused {
    const char* text;
    const char* what;
  };
  constexpr Refused kRefused[] = {
      {"abs.u32 %r1, %r2;", "'abs' is not modelled for type .u32"},
      {"add.b32 %r1, %r2, %r3;", "'add' is not modelled for type .b32"},
      {"addc.u16 %h1, %h2, %h3;", "'addc' is not modelled for type .u16"},
      {"ld.global.b128 %rd1, [%rd2];", "'ld' is not modelled for type .b128"},
      {"cvt.b32.u8 %r1, %r2;", "'cvt' is not modelled for type .b32"},
      {"cvt.u32.b8 %r1, %r2;", "'cvt' is not modelled for type .b8"},
      {"atom.global.exch.b128 %rd1, [%rd2], %rd3;", "'atom' is not modelled for type .b128"},
      {"add.s32.s32 %r1, %r2, %r3;", "'add' is not modelled for type .s32"},
      {"dp4a.u32.u32.u32 %r1, %r2, %r3, %r4;", "'dp4a' is not modelled for type .u32"},
      {"cvt.pack.sat.u8.s32.u32 %r1, %r2, %r3, %r4;", "'cvt.pack' is not modelled for type .u32"},
      {"sub.s16x2 %r1, %r2, %r3;", "'sub' is not modelled for type .s16x2"},
      // vabsdiff2: the sources have one type, the result is unsigned.
      {"vabsdiff2.u32.u32.s32 %r1, %r2, %r3, %r4;", "'vabsdiff2' is not modelled for type .s32"},
      {"vabsdiff4.s32.s32.s32 %r1, %r2, %r3, %r4;", "'vabsdiff4' is not modelled for type .s32"},
      {"vabsdiff4.u32.u32.u32.sat %r1, %r2, %r3, %r4;",
       "the modifier '.sat' of 'vabsdiff4' is not modelled"},
      {"vabsdiff4.u32.u32.u32 %r1, %r2.b10, %r3.b32, %r4;",
       "masks of 'vabsdiff4' are not modelled"},
      {"shl.s32 %r1, %r2, 3;", "'shl' is not modelled for type .s32"},
  };
  for (const Refused& row : kRefused) {
    const Module module = parse(kernel(row.text), "x.ptx");
    ASSERT_TRUE(module.functions[0].refusal.has_value()) << row.text;
    EXPECT_EQ(module.functions[0].refusal->what, row.what);
    EXPECT_EQ(module.functions[0].refusal->hint,
              "write that line with other instructions, or in plain C++");
    EXPECT_EQ(module.functions[0].refusal->where.ptx_line, 6U);
  }
}

TEST(Conversions, ExistBetweenAllNumbers) {
  // Every pair of the 12 numbers that cvt has, with the rounding that its direction asks for.
  constexpr const char* kNumbers[] = {"u8",  "u16", "u32", "u64",  "s8",  "s16",
                                      "s32", "s64", "f16", "bf16", "f32", "f64"};
  for (const char* to : kNumbers) {
    for (const char* from : kNumbers) {
      const Type d = *find_type(to);
      const Type a = *find_type(from);
      const bool narrows = is_float(a) && is_float(d) && d != a && bits_of(d) <= bits_of(a);
      std::string round = is_float(a) && !is_float(d) ? ".rzi" : "";
      if ((!is_float(a) && is_float(d)) || narrows) round = ".rn";
      const std::string text = "cvt" + round + "." + to + "." + from + " " +
                               register_of(bits_of(d)) + ", " + register_of(bits_of(a)) + ";";
      EXPECT_EQ(error_of(kernel(text)), "");
      const bool needed = !round.empty();
      const std::string bare = "cvt." + text.substr(text.find(to));
      EXPECT_EQ(error_of(kernel(bare)).empty(), !needed) << bare;
    }
  }
}

}  // namespace
}  // namespace lab::ptx
