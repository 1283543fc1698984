// Spellings of types and modifiers.
#include <array>

#include "harness/kernel/ptx/opcode.h"

namespace lab::ptx {

namespace {

template <typename T>
constexpr ModifierRow row(std::string_view name, Mod mod, T value) {
  return {name, mod, static_cast<std::uint8_t>(value)};
}

// Modifiers' values are indices into this table.
constexpr std::array kShapes{
    MatrixShape{8, 8, 0},    MatrixShape{8, 8, 4},   MatrixShape{8, 8, 16},  MatrixShape{16, 8, 4},
    MatrixShape{16, 8, 8},   MatrixShape{16, 8, 16}, MatrixShape{16, 8, 32}, MatrixShape{16, 16, 8},
    MatrixShape{16, 16, 16}, MatrixShape{32, 8, 16}, MatrixShape{8, 32, 16},
};

constexpr std::array kModifiers{
    row("pred", Mod::kType, Type::kPred),
    row("b8", Mod::kType, Type::kB8),
    row("b16", Mod::kType, Type::kB16),
    row("b32", Mod::kType, Type::kB32),
    row("b64", Mod::kType, Type::kB64),
    row("b128", Mod::kType, Type::kB128),
    row("u8", Mod::kType, Type::kU8),
    row("u16", Mod::kType, Type::kU16),
    row("u32", Mod::kType, Type::kU32),
    row("u64", Mod::kType, Type::kU64),
    row("u16x2", Mod::kType, Type::kU16x2),
    row("s8", Mod::kType, Type::kS8),
    row("s16", Mod::kType, Type::kS16),
    row("s32", Mod::kType, Type::kS32),
    row("s64", Mod::kType, Type::kS64),
    row("s16x2", Mod::kType, Type::kS16x2),
    row("f16", Mod::kType, Type::kF16),
    row("f16x2", Mod::kType, Type::kF16x2),
    row("bf16", Mod::kType, Type::kBF16),
    row("bf16x2", Mod::kType, Type::kBF16x2),
    row("f32", Mod::kType, Type::kF32),
    row("f32x2", Mod::kType, Type::kF32x2),
    row("f64", Mod::kType, Type::kF64),
    row("tf32", Mod::kType, Type::kTF32),
    row("e4m3x2", Mod::kType, Type::kE4M3x2),
    row("e5m2x2", Mod::kType, Type::kE5M2x2),
    row("lo", Mod::kSub, Sub::kLo),
    row("hi", Mod::kSub, Sub::kHi),
    row("wide", Mod::kSub, Sub::kWide),
    row("l", Mod::kSub, Sub::kL),
    row("r", Mod::kSub, Sub::kR),
    row("wrap", Mod::kSub, Sub::kWrap),
    row("clamp", Mod::kSub, Sub::kClamp),
    row("shiftamt", Mod::kSub, Sub::kShiftAmt),
    row("idx", Mod::kSub, Sub::kIdx),
    row("up", Mod::kSub, Sub::kUp),
    row("down", Mod::kSub, Sub::kDown),
    row("bfly", Mod::kSub, Sub::kBfly),
    row("ballot", Mod::kSub, Sub::kBallot),
    row("any", Mod::kSub, Sub::kAny),
    row("all", Mod::kSub, Sub::kAll),
    row("uni", Mod::kSub, Sub::kUniVote),
    row("add", Mod::kSub, Sub::kAdd),
    row("inc", Mod::kSub, Sub::kInc),
    row("dec", Mod::kSub, Sub::kDec),
    row("min", Mod::kSub, Sub::kMin),
    row("max", Mod::kSub, Sub::kMax),
    row("and", Mod::kSub, Sub::kAnd),
    row("or", Mod::kSub, Sub::kOr),
    row("xor", Mod::kSub, Sub::kXor),
    row("exch", Mod::kSub, Sub::kExch),
    row("cas", Mod::kSub, Sub::kCas),
    row("popc", Mod::kSub, Sub::kPopc),
    row("f4e", Mod::kSub, Sub::kF4e),
    row("b4e", Mod::kSub, Sub::kB4e),
    row("rc8", Mod::kSub, Sub::kRc8),
    row("ecl", Mod::kSub, Sub::kEcl),
    row("ecr", Mod::kSub, Sub::kEcr),
    row("rc16", Mod::kSub, Sub::kRc16),
    row("arrive", Mod::kSub, Sub::kArrive),
    row("sync", Mod::kSub, Sub::kSync),
    row("red", Mod::kSub, Sub::kRed),
    row("warp", Mod::kSub, Sub::kWarp),
    row("to", Mod::kSub, Sub::kTo),
    row("finite", Mod::kSub, Sub::kFinite),
    row("infinite", Mod::kSub, Sub::kInfinite),
    row("number", Mod::kSub, Sub::kNumber),
    row("notanumber", Mod::kSub, Sub::kNotanumber),
    row("normal", Mod::kSub, Sub::kNormal),
    row("subnormal", Mod::kSub, Sub::kSubnormal),
    row("mbarrier::complete_tx::bytes", Mod::kSub, Sub::kCompleteTx),
    row("bulk_group", Mod::kSub, Sub::kBulkGroup),
    row("read", Mod::kSub, Sub::kRead),
    row("noinc", Mod::kSub, Sub::kNoinc),
    row("trap", Mod::kSub, Sub::kTrap),
    row("zero", Mod::kSub, Sub::kZero),
    row("global", Mod::kSpace, Space::kGlobal),
    row("shared", Mod::kSpace, Space::kShared),
    row("shared::cta", Mod::kSpace, Space::kShared),
    // The address says whether it is another block's.
    row("shared::cluster", Mod::kSpace, Space::kShared),
    row("local", Mod::kSpace, Space::kLocal),
    row("const", Mod::kSpace, Space::kConst),
    row("param", Mod::kSpace, Space::kParam),
    row("param::entry", Mod::kSpace, Space::kParam),
    row("param::func", Mod::kSpace, Space::kParam),
    row("eq", Mod::kCompare, Compare::kEq),
    row("ne", Mod::kCompare, Compare::kNe),
    row("lt", Mod::kCompare, Compare::kLt),
    row("le", Mod::kCompare, Compare::kLe),
    row("gt", Mod::kCompare, Compare::kGt),
    row("ge", Mod::kCompare, Compare::kGe),
    row("lo", Mod::kCompare, Compare::kLo),
    row("ls", Mod::kCompare, Compare::kLs),
    row("hi", Mod::kCompare, Compare::kHi),
    row("hs", Mod::kCompare, Compare::kHs),
    row("equ", Mod::kCompare, Compare::kEqu),
    row("neu", Mod::kCompare, Compare::kNeu),
    row("ltu", Mod::kCompare, Compare::kLtu),
    row("leu", Mod::kCompare, Compare::kLeu),
    row("gtu", Mod::kCompare, Compare::kGtu),
    row("geu", Mod::kCompare, Compare::kGeu),
    row("num", Mod::kCompare, Compare::kNum),
    row("nan", Mod::kCompare, Compare::kNan),
    row("and", Mod::kCombine, Combine::kAnd),
    row("or", Mod::kCombine, Combine::kOr),
    row("xor", Mod::kCombine, Combine::kXor),
    row("rn", Mod::kRound, Round::kRn),
    row("rz", Mod::kRound, Round::kRz),
    row("rm", Mod::kRound, Round::kRm),
    row("rp", Mod::kRound, Round::kRp),
    row("rna", Mod::kRound, Round::kRna),
    row("rni", Mod::kRound, Round::kRni),
    row("rzi", Mod::kRound, Round::kRzi),
    row("rmi", Mod::kRound, Round::kRmi),
    row("rpi", Mod::kRound, Round::kRpi),
    row("cta", Mod::kScope, Scope::kCta),
    row("cluster", Mod::kScope, Scope::kCluster),
    row("gpu", Mod::kScope, Scope::kGpu),
    row("gl", Mod::kScope, Scope::kGpu),
    row("sys", Mod::kScope, Scope::kSys),
    row("relaxed", Mod::kOrder, Order::kRelaxed),
    row("acquire", Mod::kOrder, Order::kAcquire),
    row("release", Mod::kOrder, Order::kRelease),
    row("acq_rel", Mod::kOrder, Order::kAcqRel),
    row("sc", Mod::kOrder, Order::kSc),
    row("weak", Mod::kOrder, Order::kWeak),
    row("ca", Mod::kCache, CacheOp::kCa),
    row("cg", Mod::kCache, CacheOp::kCg),
    row("cs", Mod::kCache, CacheOp::kCs),
    row("lu", Mod::kCache, CacheOp::kLu),
    row("cv", Mod::kCache, CacheOp::kCv),
    row("wb", Mod::kCache, CacheOp::kWb),
    row("wt", Mod::kCache, CacheOp::kWt),
    row("ftz", Mod::kFtz, 1),
    row("sat", Mod::kSat, 1),
    row("approx", Mod::kApprox, 1),
    row("full", Mod::kFull, 1),
    row("volatile", Mod::kVolatile, 1),
    row("uni", Mod::kUni, 1),
    row("cc", Mod::kCc, 1),
    row("nc", Mod::kNc, 1),
    row("relu", Mod::kRelu, 1),
    row("noftz", Mod::kNoftz, 1),
    row("NaN", Mod::kNan, 1),
    row("xorsign", Mod::kXorsign, 1),
    row("abs", Mod::kMagnitude, 1),
    row("sync", Mod::kSync, 1),
    row("aligned", Mod::kAligned, 1),
    row("v2", Mod::kVector, 2),
    row("v4", Mod::kVector, 4),
    row("v8", Mod::kVector, 8),
    row("L1", Mod::kHint, 0),
    row("L2", Mod::kHint, 0),
    row("L1::evict_normal", Mod::kHint, 0),
    row("L1::evict_unchanged", Mod::kHint, 0),
    row("L1::evict_first", Mod::kHint, 0),
    row("L1::evict_last", Mod::kHint, 0),
    row("L1::no_allocate", Mod::kHint, 0),
    row("L2::evict_normal", Mod::kHint, 0),
    row("L2::evict_first", Mod::kHint, 0),
    row("L2::evict_last", Mod::kHint, 0),
    row("L2::evict_unchanged", Mod::kHint, 0),
    row("L2::cache_hint", Mod::kHint, 1),
    row("L2::64B", Mod::kHint, 0),
    row("L2::128B", Mod::kHint, 0),
    row("L2::256B", Mod::kHint, 0),
    row("m8n8", Mod::kShape, 0),
    row("m8n8k4", Mod::kShape, 1),
    row("m8n8k16", Mod::kShape, 2),
    row("m16n8k4", Mod::kShape, 3),
    row("m16n8k8", Mod::kShape, 4),
    row("m16n8k16", Mod::kShape, 5),
    row("m16n8k32", Mod::kShape, 6),
    row("m16n16k8", Mod::kShape, 7),
    row("m16n16k16", Mod::kShape, 8),
    row("m32n8k16", Mod::kShape, 9),
    row("m8n32k16", Mod::kShape, 10),
    row("x1", Mod::kMatrices, 1),
    row("x2", Mod::kMatrices, 2),
    row("x4", Mod::kMatrices, 4),
    row("trans", Mod::kTrans, 1),
    row("row", Mod::kLayout, MatrixLayout::kRow),
    row("col", Mod::kLayout, MatrixLayout::kCol),
    row("satfinite", Mod::kSatfinite, 1),
    row("1d", Mod::kImageShape, ImageShape::k1d),
    row("2d", Mod::kImageShape, ImageShape::k2d),
    row("3d", Mod::kImageShape, ImageShape::k3d),
    row("a1d", Mod::kImageShape, ImageShape::kLayers1d),
    row("a2d", Mod::kImageShape, ImageShape::kLayers2d),
};

struct TypeRow {
  Type type;
  std::string_view name;
  int bits;
};
constexpr std::array kTypes{
    TypeRow{Type::kNone, "none", 0},      TypeRow{Type::kPred, "pred", 1},
    TypeRow{Type::kB8, "b8", 8},          TypeRow{Type::kB16, "b16", 16},
    TypeRow{Type::kB32, "b32", 32},       TypeRow{Type::kB64, "b64", 64},
    TypeRow{Type::kB128, "b128", 128},    TypeRow{Type::kU8, "u8", 8},
    TypeRow{Type::kU16, "u16", 16},       TypeRow{Type::kU32, "u32", 32},
    TypeRow{Type::kU64, "u64", 64},       TypeRow{Type::kU16x2, "u16x2", 32},
    TypeRow{Type::kS8, "s8", 8},          TypeRow{Type::kS16, "s16", 16},
    TypeRow{Type::kS32, "s32", 32},       TypeRow{Type::kS64, "s64", 64},
    TypeRow{Type::kS16x2, "s16x2", 32},   TypeRow{Type::kF16, "f16", 16},
    TypeRow{Type::kF16x2, "f16x2", 32},   TypeRow{Type::kBF16, "bf16", 16},
    TypeRow{Type::kBF16x2, "bf16x2", 32}, TypeRow{Type::kF32, "f32", 32},
    TypeRow{Type::kF32x2, "f32x2", 64},   TypeRow{Type::kF64, "f64", 64},
    TypeRow{Type::kTF32, "tf32", 32},     TypeRow{Type::kE4M3x2, "e4m3x2", 16},
    TypeRow{Type::kE5M2x2, "e5m2x2", 16},
};

bool allows(const OpcodeRow& row, const ModifierRow& modifier) {
  if (modifier.mod == Mod::kType) return row.types != Types::kNo;
  if (modifier.mod == Mod::kSub) return ((row.subs >> modifier.value) & 1U) != 0;
  return ((row.mods >> static_cast<unsigned>(modifier.mod)) & 1U) != 0;
}

}  // namespace

const ModifierRow* find_modifier(const OpcodeRow& row, std::string_view name) {
  for (const ModifierRow& modifier : kModifiers) {
    if (modifier.name == name && allows(row, modifier)) return &modifier;
  }
  return nullptr;
}

std::optional<Type> find_type(std::string_view name) {
  for (const TypeRow& type : kTypes) {
    if (type.name == name && type.type != Type::kNone) return type.type;
  }
  return {};
}

int bits_of(Type type) { return kTypes[static_cast<std::size_t>(type)].bits; }
std::string_view name_of(Type type) { return kTypes[static_cast<std::size_t>(type)].name; }
bool is_float(Type type) { return type >= Type::kF16; }
bool is_signed(Type type) { return type >= Type::kS8 && type <= Type::kS16x2; }

MatrixShape shape_of(std::uint8_t value) { return kShapes.at(value); }

bool is_short_pair(Type type) { return type == Type::kU16x2 || type == Type::kS16x2; }

bool is_fp8_pair(Type type) { return type == Type::kE4M3x2 || type == Type::kE5M2x2; }

}  // namespace lab::ptx
