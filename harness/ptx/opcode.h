// The vocabulary of PTX: opcodes, types and modifiers, and what may stand with what.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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
  kS8,
  kS16,
  kS32,
  kS64,
  kF16,
  kF16x2,
  kBF16,
  kBF16x2,
  kF32,
  kF32x2,
  kF64,
};
/// Width in bits; 1 for kPred, 0 for kNone.
[[nodiscard]] int bits_of(Type type);
[[nodiscard]] bool is_float(Type type);
[[nodiscard]] bool is_signed(Type type);
[[nodiscard]] std::string_view name_of(Type type);

enum class Space : std::uint8_t { kGeneric, kGlobal, kShared, kLocal, kConst, kParam, kReg };
[[nodiscard]] std::string_view name_of(Space space);

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
  kSubnormal,  // testp
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
  kIsspacep,
  kLd,
  kLdu,
  kSt,
  kPrefetch,
  kPrefetchu,
  kDiscard,
  kApplypriority,
  kCpAsync,
  kCpAsyncCommitGroup,
  kCpAsyncWaitGroup,
  kCpAsyncWaitAll,
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
  kCount_,
};
[[nodiscard]] std::string_view name_of(Op op);

}  // namespace lab::ptx
