// The vocabulary of PTX: opcodes, types and modifiers, and which go together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/access.h"

namespace lab::ptx {

enum class Type : std::uint8_t {
  kNone,
  kPred,
  kB8,
  kB16,
  kB32,
  kB64,
  kB128,
  kU8,
  kU16,
  kU32,
  kU64,
  kU16x2,
  kS8,
  kS16,
  kS32,
  kS64,
  kS16x2,
  kF16,
  kF16x2,
  kBF16,
  kBF16x2,
  kF32,
  kF32x2,
  kF64,
  kTF32,    ///< of matrices: f32's exponent and 10 bits of fraction, in 32 bits
  kE4M3x2,  ///< two 8-bit numbers with 4 bits of exponent and 3 of fraction
  kE5M2x2,  ///< 5 and 2
};
/// Width in bits; 1 for kPred, 0 for kNone.
[[nodiscard]] int bits_of(Type type);
[[nodiscard]] bool is_float(Type type);
[[nodiscard]] bool is_signed(Type type);
/// Two 16-bit integers in 32 bits: u16x2, s16x2.
[[nodiscard]] bool is_short_pair(Type type);
/// Two 8-bit floating-point numbers in 16 bits.
[[nodiscard]] bool is_fp8_pair(Type type);
[[nodiscard]] std::string_view name_of(Type type);
/// The type with this name (with no dot), such as "u32".
[[nodiscard]] std::optional<Type> find_type(std::string_view name);

using lab::Space;

enum class Compare : std::uint8_t {
  kNone,
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kLo,
  kLs,
  kHi,
  kHs,
  kEqu,
  kNeu,
  kLtu,
  kLeu,
  kGtu,
  kGeu,
  kNum,
  kNan,
};
enum class Combine : std::uint8_t { kNone, kAnd, kOr, kXor };
enum class Round : std::uint8_t { kNone, kRn, kRz, kRm, kRp, kRna, kRni, kRzi, kRmi, kRpi };
enum class Scope : std::uint8_t { kNone, kCta, kCluster, kGpu, kSys };
enum class Order : std::uint8_t { kNone, kRelaxed, kAcquire, kRelease, kAcqRel, kSc, kWeak };
enum class CacheOp : std::uint8_t { kNone, kCa, kCg, kCs, kLu, kCv, kWb, kWt };
enum class MatrixLayout : std::uint8_t { kNone, kRow, kCol };

/// .m16n8k16: rows of A and D, columns of B and D, columns of A. `k` is 0 where one matrix is
/// moved.
struct MatrixShape {
  std::uint8_t m = 0;
  std::uint8_t n = 0;
  std::uint8_t k = 0;
  friend bool operator==(const MatrixShape&, const MatrixShape&) = default;
};

/// Modifiers that choose among an opcode's operations.
enum class Sub : std::uint8_t {
  kNone,
  kLo,
  kHi,
  kWide,  // mul, mad
  kL,
  kR,
  kWrap,
  kClamp,
  kShiftAmt,  // shf, bfind, bmsk
  kIdx,
  kUp,
  kDown,
  kBfly,  // shfl
  kBallot,
  kAny,
  kAll,
  kUniVote,  // vote, match
  kAdd,
  kInc,
  kDec,
  kMin,
  kMax,
  kAnd,
  kOr,
  kXor,
  kExch,
  kCas,
  kPopc,  // atom, red, bar.red, redux
  kF4e,
  kB4e,
  kRc8,
  kEcl,
  kEcr,
  kRc16,  // prmt
  kArrive,
  kSync,
  kRed,
  kWarp,  // bar, barrier
  kTo,    // cvta.to
  kFinite,
  kInfinite,
  kNumber,
  kNotanumber,
  kNormal,
  kSubnormal,   // testp
  kCompleteTx,  // cp.async.bulk: completes on an mbarrier
  kBulkGroup,   // the same, in a group of the thread
  kRead,        // cp.async.bulk.wait_group
  kNoinc,       // cp.async.mbarrier.arrive
  kTrap,
  kZero,  // suld, sust: what is done outside, beside kClamp
};

/// Root opcodes. The table in opcode.cpp has a row for each: spelling, operands and modifiers.
enum class Op : std::uint16_t {
  kNop,
  // Integer and floating-point arithmetic
  kAbs,
  kAdd,
  kAddc,
  kSub,
  kSubc,
  kMul,
  kMul24,
  kMad,
  kMad24,
  kMadc,
  kSad,
  kDiv,
  kRem,
  kNeg,
  kMin,
  kMax,
  kFma,
  kRcp,
  kSqrt,
  kRsqrt,
  kSin,
  kCos,
  kLg2,
  kEx2,
  kTanh,
  kCopysign,
  kTestp,
  kPopc,
  kClz,
  kBfind,
  kFns,
  kBrev,
  kBfe,
  kBfi,
  kBmsk,
  kSzext,
  kDp4a,
  kDp2a,
  kVabsdiff2,
  kVabsdiff4,
  // Comparison, selection, logic, shifts
  kSet,
  kSetp,
  kSelp,
  kSlct,
  kAnd,
  kOr,
  kXor,
  kNot,
  kCnot,
  kLop3,
  kShl,
  kShr,
  kShf,
  kPrmt,
  // Data movement
  kMov,
  kCvt,
  kCvtPack,
  kCvta,
  kMapa,
  kGetctarank,
  kIsspacep,
  kLd,
  kLdu,
  kSt,
  kPrefetch,
  kPrefetchu,
  kDiscard,
  kApplypriority,
  kCreatepolicyFractional,
  kCreatepolicyRange,
  kCreatepolicyCvt,
  kCpAsync,
  kCpAsyncCommitGroup,
  kCpAsyncWaitGroup,
  kCpAsyncWaitAll,
  kCpAsyncBulk,
  kCpAsyncBulkCommitGroup,
  kCpAsyncBulkWaitGroup,
  kCpAsyncBulkPrefetch,
  kTex,
  kSuld,
  kSust,
  // Matrices
  kLdmatrix,
  kStmatrix,
  kMovmatrix,
  kMma,
  kWmmaLoadA,
  kWmmaLoadB,
  kWmmaLoadC,
  kWmmaStore,
  kWmmaMma,
  // Control
  kBra,
  kBrx,
  kCall,
  kRet,
  kExit,
  kTrap,
  kBrkpt,
  kPmevent,
  kNanosleep,
  // Synchronisation and warp-wide operations
  kBar,
  kBarrier,
  kBarrierClusterArrive,
  kBarrierClusterWait,
  kMembar,
  kFence,
  kAtom,
  kRed,
  kVote,
  kMatch,
  kRedux,
  kActivemask,
  kShfl,
  kElect,
  kGriddepcontrol,
  kFenceProxyAsync,
  kFenceMbarrierInit,
  kMbarrierInit,
  kMbarrierInval,
  kMbarrierArrive,
  kMbarrierArriveExpectTx,
  kMbarrierArriveDrop,
  kMbarrierExpectTx,
  kMbarrierCompleteTx,
  kMbarrierTestWait,
  kMbarrierTestWaitParity,
  kMbarrierTryWait,
  kMbarrierTryWaitParity,
  kMbarrierPendingCount,
  kCpAsyncMbarrierArrive,
  kCount_,
};
[[nodiscard]] std::string_view name_of(Op op);

/// Classes of modifiers; a row of the opcode table says which ones the opcode may have.
enum class Mod : std::uint8_t {
  kType,
  kSub,
  kSpace,
  kCompare,
  kCombine,
  kRound,
  kFtz,
  kSat,
  kApprox,
  kFull,
  kVolatile,
  kUni,
  kCc,
  kNc,
  kRelu,
  kNoftz,
  kNan,
  kXorsign,
  kMagnitude,
  kSync,
  kAligned,
  kScope,
  kOrder,
  kCache,
  kVector,
  kHint,      ///< .L1::no_allocate, .L2::128B, ...: advice for a cache, with no effect on results;
              ///< 1: it has an operand
  kShape,     ///< .m16n8k16
  kMatrices,  ///< .x1, .x2, .x4
  kTrans,
  kLayout,  ///< .row, .col; mma has two
  kSatfinite,
  kImageShape,  ///< .1d, .2d, .3d, .a1d, .a2d
};

/// What an image's coordinates are, and in which order: a layer comes first.
enum class ImageShape : std::uint8_t { kNone, k1d, k2d, k3d, kLayers1d, kLayers2d };
/// How many operands they are: of three coordinates, four, the last of which has no meaning (PTX
/// ISA, "tex").
[[nodiscard]] constexpr std::size_t coordinates_of(ImageShape shape) {
  constexpr std::size_t kCounts[] = {0, 1, 2, 4, 2, 4};
  return kCounts[static_cast<std::size_t>(shape)];
}

/// How many type suffixes an opcode has.
/// Up to four for matrices: of D, A, B and C, or of D and C.
enum class Types : std::uint8_t { kNo, kOptional, kOne, kTwo, kThree, kMatrix };

/// When a .lo, .add, .wrap, ... must be there.
enum class Needs : std::uint8_t { kNothing, kSub, kTwoSubs, kSubForIntegers };

/// One row per root opcode. `operands` has one letter per operand, and alternatives after '/'.
/// Destinations:
///   D register of the type's width     d of that width or more (cvt)     U of 32 bits
///   W of the type's width, or twice that with .wide     A as D, or `_` (atom)
///   V of the type's width or more, or a vector of such registers (ld)
///   X of the type's width, or a vector of that width together (mov)
///   P predicate     Q P or P|P (setp)     M U or U|P (match)     B D or D|P (shfl)
/// Sources, a register, an immediate or a special register:
///   T of the type's width     S of the second type's width     s of that width or more (cvt)
///   w as W     v as V (st)     x as X, or a symbol (mov)     u of 32 bits
///   p predicate     i immediate     f an .f32
///   g register of 32 or 64 bits, or a symbol (cvta)
/// Others:
///   Y a vector of registers, as many as .v2 or .v4 says: elements of an image     y as Y, sources
///   I an image in brackets, with its coordinates: [%rd1, {%r1, %r2}]
///   F a register of 32 or 64 bits, or a vector of them: a lane's share of a matrix
///   m memory     l label     t list of branch targets     c a list or callee of call
struct OpcodeRow {
  Op op;
  std::string_view name;
  Types types;
  std::uint32_t first_types;   ///< bit per Type
  std::uint32_t second_types;  ///< bit per Type
  Needs needs;
  std::uint64_t subs;  ///< bit per Sub
  std::uint32_t mods;  ///< bit per Mod, beside kType and kSub
  std::string_view operands;
};
/// The row of an opcode; the table is in the order of Op.
[[nodiscard]] const OpcodeRow& row_of(Op op);
/// The row whose name is `name`, such as "add" or "cp.async.wait_all"; null where there is none.
[[nodiscard]] const OpcodeRow* find_row(std::string_view name);

/// An instruction of PTX that the model has no semantics for.
struct UnmodelledRow {
  std::string_view name;  ///< wgmma, mapa, ...
  std::string_view hint;
};
[[nodiscard]] const UnmodelledRow* find_unmodelled(std::string_view name);

/// One spelling of a modifier and the value that it stands for.
struct ModifierRow {
  std::string_view name;
  Mod mod;
  std::uint8_t value;
};
/// The meaning of `name` (without its dot) with this opcode; null where the opcode cannot have it.
[[nodiscard]] const ModifierRow* find_modifier(const OpcodeRow& row, std::string_view name);
/// The shape that a modifier's value stands for.
[[nodiscard]] MatrixShape shape_of(std::uint8_t value);
/// Every root opcode's name, for suggestions.
[[nodiscard]] std::vector<std::string> opcode_names();

}  // namespace lab::ptx
