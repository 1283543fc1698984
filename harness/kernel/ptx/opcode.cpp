#include "harness/kernel/ptx/opcode.h"

#include <array>
#include <unordered_map>

namespace lab::ptx {

namespace {

template <typename... T>
constexpr std::uint32_t types(T... list) {
  return ((1U << static_cast<unsigned>(list)) | ... | 0U);
}
template <typename... M>
constexpr std::uint32_t mods(M... list) {
  return ((1U << static_cast<unsigned>(list)) | ... | 0U);
}
template <typename... S>
constexpr std::uint64_t subs(S... list) {
  return ((std::uint64_t{1} << static_cast<unsigned>(list)) | ... | std::uint64_t{0});
}

// clang-format off
using enum Type;
using enum Mod;
// clang-format on

constexpr std::uint32_t kInt32 = types(kU32, kS32);
constexpr std::uint32_t kInts = types(kU16, kS16, kU64, kS64) | kInt32;
constexpr std::uint32_t kShortPairs = types(kU16x2, kS16x2);
constexpr std::uint32_t kSigned = types(kS16, kS32, kS64);
constexpr std::uint32_t kHalves = types(kF16, kF16x2, kBF16, kBF16x2);
constexpr std::uint32_t kFloats = types(kF32, kF64);
constexpr std::uint32_t kReals = kFloats | kHalves;
constexpr std::uint32_t kBits = types(kB16, kB32, kB64);
constexpr std::uint32_t kLogic = kBits | types(kPred);
constexpr std::uint32_t kSizes = kInts | kBits | types(kB8, kU8, kS8);
constexpr std::uint32_t kMemory = kSizes | kFloats;
constexpr std::uint32_t kMovable = kInts | kBits | kFloats;
constexpr std::uint32_t kConvertible = kInts | types(kU8, kS8, kE4M3x2, kE5M2x2) | kReals;

constexpr std::uint32_t kArith = mods(kRound, kFtz, kSat);
constexpr std::uint32_t kFast = mods(kRound, kFtz, kApprox);
constexpr std::uint32_t kCoherence = mods(kSpace, kScope, kOrder);
constexpr std::uint32_t kAccess = kCoherence | mods(kCache, kVolatile, kVector, kHint);

constexpr std::uint32_t kMatrixTypes = types(kF16, kBF16, kTF32, kF32, kF64, kS8, kU8, kS32);
constexpr std::uint32_t kMultiply = mods(kSync, kAligned, kShape, kLayout, kSatfinite);
constexpr std::uint32_t kFragment = mods(kSync, kAligned, kShape, kLayout, kSpace);
constexpr std::uint32_t kRows8 = mods(kSync, kAligned, kShape, kMatrices, kTrans, kSpace);
constexpr std::uint32_t kMbarrier = kCoherence;

constexpr std::uint32_t kPlainBits = types(kB8, kB16, kB32, kB64);
constexpr std::uint64_t kOutside = subs(Sub::kTrap, Sub::kClamp, Sub::kZero);

constexpr std::uint64_t kLoHi = subs(Sub::kLo, Sub::kHi);
constexpr std::uint64_t kLoHiWide = kLoHi | subs(Sub::kWide);
constexpr std::uint64_t kClampWrap = subs(Sub::kClamp, Sub::kWrap);
constexpr std::uint64_t kBitwise = subs(Sub::kAnd, Sub::kOr, Sub::kXor);
constexpr std::uint64_t kReduce =
    subs(Sub::kAdd, Sub::kMin, Sub::kMax, Sub::kInc, Sub::kDec) | kBitwise;
constexpr std::uint64_t kBarriers =
    subs(Sub::kSync, Sub::kArrive, Sub::kRed, Sub::kPopc, Sub::kAnd, Sub::kOr);

constexpr auto kSub1 = Needs::kSub;
constexpr auto kSub2 = Needs::kTwoSubs;
constexpr auto kSubI = Needs::kSubForIntegers;
constexpr auto kSub0 = Needs::kNothing;

// clang-format off
constexpr std::array kRows{
    OpcodeRow{Op::kNop, "nop", Types::kNo, 0, 0, kSub0, 0, 0, ""},
    // Integer and floating-point arithmetic
    OpcodeRow{Op::kAbs, "abs", Types::kOne, kSigned | kReals, 0, kSub0, 0, mods(kFtz), "DT"},
    OpcodeRow{Op::kAdd, "add", Types::kOne, kInts | kShortPairs | kReals | types(kF32x2), 0, kSub0, 0, kArith | mods(kCc), "DTT"},
    OpcodeRow{Op::kAddc, "addc", Types::kOne, kInt32 | types(kU64, kS64), 0, kSub0, 0, mods(kCc), "DTT"},
    OpcodeRow{Op::kSub, "sub", Types::kOne, kInts | kReals | types(kF32x2), 0, kSub0, 0, kArith | mods(kCc), "DTT"},
    OpcodeRow{Op::kSubc, "subc", Types::kOne, kInt32 | types(kU64, kS64), 0, kSub0, 0, mods(kCc), "DTT"},
    OpcodeRow{Op::kMul, "mul", Types::kOne, kInts | kReals | types(kF32x2), 0, kSubI, kLoHiWide, kArith, "WTT"},
    OpcodeRow{Op::kMul24, "mul24", Types::kOne, kInt32, 0, kSub1, kLoHi, 0, "DTT"},
    OpcodeRow{Op::kMad, "mad", Types::kOne, kInts | kFloats, 0, kSubI, kLoHiWide, kArith | mods(kCc), "WTTw"},
    OpcodeRow{Op::kMad24, "mad24", Types::kOne, kInt32, 0, kSub1, kLoHi, mods(kSat), "DTTT"},
    OpcodeRow{Op::kMadc, "madc", Types::kOne, kInt32 | types(kU64, kS64), 0, kSub1, kLoHi, mods(kCc), "DTTT"},
    OpcodeRow{Op::kSad, "sad", Types::kOne, kInts, 0, kSub0, 0, 0, "DTTT"},
    OpcodeRow{Op::kDiv, "div", Types::kOne, kInts | kFloats, 0, kSub0, 0, kFast | mods(kFull), "DTT"},
    OpcodeRow{Op::kRem, "rem", Types::kOne, kInts, 0, kSub0, 0, 0, "DTT"},
    OpcodeRow{Op::kNeg, "neg", Types::kOne, kSigned | kReals, 0, kSub0, 0, mods(kFtz), "DT"},
    OpcodeRow{Op::kMin, "min", Types::kOne, kInts | kShortPairs | kReals, 0, kSub0, 0, mods(kFtz, kNan, kRelu, kXorsign, kMagnitude), "DTT"},
    OpcodeRow{Op::kMax, "max", Types::kOne, kInts | kShortPairs | kReals, 0, kSub0, 0, mods(kFtz, kNan, kRelu, kXorsign, kMagnitude), "DTT"},
    OpcodeRow{Op::kFma, "fma", Types::kOne, kReals | types(kF32x2), 0, kSub0, 0, kArith | mods(kRelu), "DTTT"},
    OpcodeRow{Op::kRcp, "rcp", Types::kOne, kFloats, 0, kSub0, 0, kFast, "DT"},
    OpcodeRow{Op::kSqrt, "sqrt", Types::kOne, kFloats, 0, kSub0, 0, kFast, "DT"},
    OpcodeRow{Op::kRsqrt, "rsqrt", Types::kOne, kFloats, 0, kSub0, 0, mods(kApprox, kFtz), "DT"},
    OpcodeRow{Op::kSin, "sin", Types::kOne, types(kF32), 0, kSub0, 0, mods(kApprox, kFtz), "DT"},
    OpcodeRow{Op::kCos, "cos", Types::kOne, types(kF32), 0, kSub0, 0, mods(kApprox, kFtz), "DT"},
    OpcodeRow{Op::kLg2, "lg2", Types::kOne, types(kF32), 0, kSub0, 0, mods(kApprox, kFtz), "DT"},
    OpcodeRow{Op::kEx2, "ex2", Types::kOne, types(kF32) | kHalves, 0, kSub0, 0, mods(kApprox, kFtz), "DT"},
    OpcodeRow{Op::kTanh, "tanh", Types::kOne, types(kF32) | kHalves, 0, kSub0, 0, mods(kApprox), "DT"},
    OpcodeRow{Op::kCopysign, "copysign", Types::kOne, kFloats, 0, kSub0, 0, 0, "DTT"},
    OpcodeRow{Op::kTestp, "testp", Types::kOne, kFloats, 0, kSub1,
              subs(Sub::kFinite, Sub::kInfinite, Sub::kNumber, Sub::kNotanumber, Sub::kNormal, Sub::kSubnormal), 0, "PT"},
    OpcodeRow{Op::kPopc, "popc", Types::kOne, types(kB32, kB64), 0, kSub0, 0, 0, "UT"},
    OpcodeRow{Op::kClz, "clz", Types::kOne, types(kB32, kB64), 0, kSub0, 0, 0, "UT"},
    OpcodeRow{Op::kBfind, "bfind", Types::kOne, kInt32 | types(kU64, kS64), 0, kSub0, subs(Sub::kShiftAmt), 0, "UT"},
    OpcodeRow{Op::kFns, "fns", Types::kOne, types(kB32), 0, kSub0, 0, 0, "DTTT"},
    OpcodeRow{Op::kBrev, "brev", Types::kOne, types(kB32, kB64), 0, kSub0, 0, 0, "DT"},
    OpcodeRow{Op::kBfe, "bfe", Types::kOne, kInt32 | types(kU64, kS64), 0, kSub0, 0, 0, "DTuu"},
    OpcodeRow{Op::kBfi, "bfi", Types::kOne, types(kB32, kB64), 0, kSub0, 0, 0, "DTTuu"},
    OpcodeRow{Op::kBmsk, "bmsk", Types::kOne, types(kB32), 0, kSub1, kClampWrap, 0, "DTT"},
    OpcodeRow{Op::kSzext, "szext", Types::kOne, kInt32, 0, kSub1, kClampWrap, 0, "DTu"},
    OpcodeRow{Op::kDp4a, "dp4a", Types::kTwo, kInt32, kInt32, kSub0, 0, 0, "Uuuu"},
    OpcodeRow{Op::kDp2a, "dp2a", Types::kTwo, kInt32, kInt32, kSub1, kLoHi, 0, "Uuuu"},
    OpcodeRow{Op::kVabsdiff2, "vabsdiff2", Types::kThree, types(kU32), kInt32, kSub0, subs(Sub::kAdd), 0, "Uuuu"},
    OpcodeRow{Op::kVabsdiff4, "vabsdiff4", Types::kThree, types(kU32), kInt32, kSub0, subs(Sub::kAdd), 0, "Uuuu"},
    // Comparison, selection, logic, shifts
    OpcodeRow{Op::kSet, "set", Types::kTwo, kInt32 | types(kU16, kS16, kF32) | kHalves, kMovable | kHalves, kSub0, 0,
              mods(kCompare, kCombine, kFtz), "DSS/DSSp"},
    OpcodeRow{Op::kSetp, "setp", Types::kOne, kMovable | kHalves, 0, kSub0, 0, mods(kCompare, kCombine, kFtz), "QTT/QTTp"},
    OpcodeRow{Op::kSelp, "selp", Types::kOne, kMovable, 0, kSub0, 0, 0, "DTTp"},
    OpcodeRow{Op::kSlct, "slct", Types::kTwo, kMovable, types(kS32, kF32), kSub0, 0, mods(kFtz), "DTTS"},
    OpcodeRow{Op::kAnd, "and", Types::kOne, kLogic, 0, kSub0, 0, 0, "DTT"},
    OpcodeRow{Op::kOr, "or", Types::kOne, kLogic, 0, kSub0, 0, 0, "DTT"},
    OpcodeRow{Op::kXor, "xor", Types::kOne, kLogic, 0, kSub0, 0, 0, "DTT"},
    OpcodeRow{Op::kNot, "not", Types::kOne, kLogic, 0, kSub0, 0, 0, "DT"},
    OpcodeRow{Op::kCnot, "cnot", Types::kOne, kBits, 0, kSub0, 0, 0, "DT"},
    OpcodeRow{Op::kLop3, "lop3", Types::kOne, types(kB32), 0, kSub0, 0, 0, "DTTTi"},
    OpcodeRow{Op::kShl, "shl", Types::kOne, kBits, 0, kSub0, 0, 0, "DTu"},
    OpcodeRow{Op::kShr, "shr", Types::kOne, kBits | kInts, 0, kSub0, 0, 0, "DTu"},
    OpcodeRow{Op::kShf, "shf", Types::kOne, types(kB32), 0, kSub2, subs(Sub::kL, Sub::kR) | kClampWrap, 0, "DTTT"},
    OpcodeRow{Op::kPrmt, "prmt", Types::kOne, types(kB32), 0, kSub0,
              subs(Sub::kF4e, Sub::kB4e, Sub::kRc8, Sub::kEcl, Sub::kEcr, Sub::kRc16), 0, "DTTT"},
    // Data movement
    OpcodeRow{Op::kMov, "mov", Types::kOne, kMovable | kLogic, 0, kSub0, 0, mods(kVector), "Xx"},
    OpcodeRow{Op::kCvt, "cvt", Types::kTwo, kConvertible | types(kTF32), kConvertible, kSub0, 0, kArith | mods(kRelu, kSatfinite), "ds/dss"},
    OpcodeRow{Op::kCvtPack, "cvt.pack", Types::kThree, types(kU8, kS8, kU16, kS16), types(kS32), kSub0, 0, mods(kSat), "Uuu/Uuuu"},
    OpcodeRow{Op::kCvta, "cvta", Types::kOne, types(kU32, kU64), 0, kSub0, subs(Sub::kTo), mods(kSpace), "Dg"},
    OpcodeRow{Op::kMapa, "mapa", Types::kOne, types(kU32, kU64), 0, kSub0, 0, mods(kSpace), "Dgu"},
    OpcodeRow{Op::kGetctarank, "getctarank", Types::kOne, types(kU32, kU64), 0, kSub0, 0, mods(kSpace), "Ug"},
    OpcodeRow{Op::kIsspacep, "isspacep", Types::kNo, 0, 0, kSub0, 0, mods(kSpace), "Pg"},
    OpcodeRow{Op::kLd, "ld", Types::kOne, kMemory, 0, kSub0, 0, kAccess | mods(kNc), "Vm"},
    OpcodeRow{Op::kLdu, "ldu", Types::kOne, kMemory, 0, kSub0, 0, mods(kSpace, kVector), "Vm"},
    OpcodeRow{Op::kSt, "st", Types::kOne, kMemory, 0, kSub0, 0, kAccess, "mv"},
    OpcodeRow{Op::kPrefetch, "prefetch", Types::kNo, 0, 0, kSub0, 0, mods(kSpace, kHint), "m"},
    OpcodeRow{Op::kPrefetchu, "prefetchu", Types::kNo, 0, 0, kSub0, 0, mods(kHint), "m"},
    OpcodeRow{Op::kDiscard, "discard", Types::kNo, 0, 0, kSub0, 0, mods(kSpace, kHint), "mi"},
    OpcodeRow{Op::kApplypriority, "applypriority", Types::kNo, 0, 0, kSub0, 0, mods(kSpace, kHint), "mi"},
    // A policy is a number of 64 bits that only .L2::cache_hint takes.
    OpcodeRow{Op::kCreatepolicyFractional, "createpolicy.fractional", Types::kOne, types(kB64), 0, kSub0, 0, mods(kHint), "D/Df"},
    OpcodeRow{Op::kCreatepolicyRange, "createpolicy.range", Types::kOne, types(kB64), 0, kSub0, 0, mods(kSpace, kHint), "Dmuu"},
    OpcodeRow{Op::kCreatepolicyCvt, "createpolicy.cvt", Types::kOne, types(kB64), 0, kSub0, 0, mods(kHint), "DT"},
    OpcodeRow{Op::kCpAsync, "cp.async", Types::kNo, 0, 0, kSub0, 0, mods(kSpace, kCache, kHint), "mmi/mmiu/mmip"},
    OpcodeRow{Op::kCpAsyncCommitGroup, "cp.async.commit_group", Types::kNo, 0, 0, kSub0, 0, 0, ""},
    OpcodeRow{Op::kCpAsyncWaitGroup, "cp.async.wait_group", Types::kNo, 0, 0, kSub0, 0, 0, "i"},
    OpcodeRow{Op::kCpAsyncWaitAll, "cp.async.wait_all", Types::kNo, 0, 0, kSub0, 0, 0, ""},
    OpcodeRow{Op::kCpAsyncBulk, "cp.async.bulk", Types::kNo, 0, 0, kSub1, subs(Sub::kCompleteTx, Sub::kBulkGroup),
              mods(kSpace, kHint), "mmu/mmum"},
    OpcodeRow{Op::kCpAsyncBulkCommitGroup, "cp.async.bulk.commit_group", Types::kNo, 0, 0, kSub0, 0, 0, ""},
    OpcodeRow{Op::kCpAsyncBulkWaitGroup, "cp.async.bulk.wait_group", Types::kNo, 0, 0, kSub0, subs(Sub::kRead), 0, "i"},
    OpcodeRow{Op::kCpAsyncBulkPrefetch, "cp.async.bulk.prefetch", Types::kNo, 0, 0, kSub0, 0, mods(kSpace, kHint), "mu"},
    OpcodeRow{Op::kTex, "tex", Types::kTwo, types(kU32, kS32, kF32), types(kS32, kF32), kSub0, 0, mods(kVector, kImageShape), "YI"},
    OpcodeRow{Op::kSuld, "suld.b", Types::kOne, kPlainBits, 0, kSub1, kOutside, mods(kVector, kImageShape), "YI"},
    OpcodeRow{Op::kSust, "sust.b", Types::kOne, kPlainBits, 0, kSub1, kOutside, mods(kVector, kImageShape), "Iy"},
    // Matrices
    OpcodeRow{Op::kLdmatrix, "ldmatrix", Types::kOne, types(kB16), 0, kSub0, 0, kRows8, "Fm"},
    OpcodeRow{Op::kStmatrix, "stmatrix", Types::kOne, types(kB16), 0, kSub0, 0, kRows8, "mF"},
    OpcodeRow{Op::kMovmatrix, "movmatrix", Types::kOne, types(kB16), 0, kSub0, 0, mods(kSync, kAligned, kShape, kTrans), "Uu"},
    OpcodeRow{Op::kMma, "mma", Types::kMatrix, kMatrixTypes, 0, kSub0, 0, kMultiply, "FFFF"},
    OpcodeRow{Op::kWmmaLoadA, "wmma.load.a", Types::kMatrix, kMatrixTypes, 0, kSub0, 0, kFragment, "Fm/Fmu"},
    OpcodeRow{Op::kWmmaLoadB, "wmma.load.b", Types::kMatrix, kMatrixTypes, 0, kSub0, 0, kFragment, "Fm/Fmu"},
    OpcodeRow{Op::kWmmaLoadC, "wmma.load.c", Types::kMatrix, kMatrixTypes, 0, kSub0, 0, kFragment, "Fm/Fmu"},
    OpcodeRow{Op::kWmmaStore, "wmma.store.d", Types::kMatrix, kMatrixTypes, 0, kSub0, 0, kFragment, "mF/mFu"},
    OpcodeRow{Op::kWmmaMma, "wmma.mma", Types::kMatrix, kMatrixTypes, 0, kSub0, 0, kMultiply, "FFFF"},
    // Control
    OpcodeRow{Op::kBra, "bra", Types::kNo, 0, 0, kSub0, 0, mods(kUni), "l"},
    OpcodeRow{Op::kBrx, "brx.idx", Types::kNo, 0, 0, kSub0, 0, mods(kUni), "ut"},
    OpcodeRow{Op::kCall, "call", Types::kNo, 0, 0, kSub0, 0, mods(kUni), "ccc"},
    OpcodeRow{Op::kRet, "ret", Types::kNo, 0, 0, kSub0, 0, mods(kUni), ""},
    OpcodeRow{Op::kExit, "exit", Types::kNo, 0, 0, kSub0, 0, 0, ""},
    OpcodeRow{Op::kTrap, "trap", Types::kNo, 0, 0, kSub0, 0, 0, ""},
    OpcodeRow{Op::kBrkpt, "brkpt", Types::kNo, 0, 0, kSub0, 0, 0, ""},
    OpcodeRow{Op::kPmevent, "pmevent", Types::kNo, 0, 0, kSub0, 0, 0, "i"},
    OpcodeRow{Op::kNanosleep, "nanosleep", Types::kOne, types(kU32), 0, kSub0, 0, 0, "T"},
    // Synchronisation and warp-wide operations
    OpcodeRow{Op::kBar, "bar", Types::kOptional, types(kU32, kPred), 0, kSub1, kBarriers | subs(Sub::kWarp), mods(kScope),
              "u/uu/Dup/Duup"},
    OpcodeRow{Op::kBarrier, "barrier", Types::kOptional, types(kU32, kPred), 0, kSub1, kBarriers, mods(kScope, kAligned),
              "u/uu/Dup/Duup"},
    OpcodeRow{Op::kBarrierClusterArrive, "barrier.cluster.arrive", Types::kNo, 0, 0, kSub0, 0, mods(kOrder, kAligned), ""},
    OpcodeRow{Op::kBarrierClusterWait, "barrier.cluster.wait", Types::kNo, 0, 0, kSub0, 0, mods(kOrder, kAligned), ""},
    OpcodeRow{Op::kMembar, "membar", Types::kNo, 0, 0, kSub0, 0, mods(kScope), ""},
    OpcodeRow{Op::kFence, "fence", Types::kNo, 0, 0, kSub0, 0, mods(kScope, kOrder), ""},
    OpcodeRow{Op::kAtom, "atom", Types::kOne, kInt32 | types(kU64, kS64, kB16, kB32, kB64) | kReals, 0, kSub1,
              kReduce | subs(Sub::kExch, Sub::kCas), kCoherence | mods(kNoftz, kHint), "AmT/AmTT"},
    OpcodeRow{Op::kRed, "red", Types::kOne, kInt32 | types(kU64, kS64, kB32, kB64) | kReals, 0, kSub1, kReduce,
              kCoherence | mods(kNoftz, kHint), "mT"},
    OpcodeRow{Op::kVote, "vote", Types::kOne, types(kPred, kB32), 0, kSub1,
              subs(Sub::kAll, Sub::kAny, Sub::kUniVote, Sub::kBallot), mods(kSync), "Dpu"},
    OpcodeRow{Op::kMatch, "match", Types::kOne, types(kB32, kB64), 0, kSub1, subs(Sub::kAny, Sub::kAll), mods(kSync), "MTu"},
    OpcodeRow{Op::kRedux, "redux", Types::kOne, kInt32 | types(kB32), 0, kSub1,
              subs(Sub::kAdd, Sub::kMin, Sub::kMax) | kBitwise, mods(kSync), "DTu"},
    OpcodeRow{Op::kActivemask, "activemask", Types::kOne, types(kB32), 0, kSub0, 0, 0, "D"},
    OpcodeRow{Op::kShfl, "shfl", Types::kOne, types(kB32), 0, kSub1,
              subs(Sub::kIdx, Sub::kUp, Sub::kDown, Sub::kBfly), mods(kSync), "BTuuu"},
    OpcodeRow{Op::kElect, "elect", Types::kNo, 0, 0, kSub0, 0, mods(kSync), "Mu"},
    OpcodeRow{Op::kGriddepcontrol, "griddepcontrol.wait", Types::kNo, 0, 0, kSub0, 0, 0, ""},
    OpcodeRow{Op::kFenceProxyAsync, "fence.proxy.async", Types::kNo, 0, 0, kSub0, 0, mods(kSpace), ""},
    OpcodeRow{Op::kFenceMbarrierInit, "fence.mbarrier_init", Types::kNo, 0, 0, kSub0, 0, mods(kScope, kOrder), ""},
    OpcodeRow{Op::kMbarrierInit, "mbarrier.init", Types::kOne, types(kB64), 0, kSub0, 0, mods(kSpace), "mu"},
    OpcodeRow{Op::kMbarrierInval, "mbarrier.inval", Types::kOne, types(kB64), 0, kSub0, 0, mods(kSpace), "m"},
    OpcodeRow{Op::kMbarrierArrive, "mbarrier.arrive", Types::kOne, types(kB64), 0, kSub0, 0, kMbarrier, "Am/Amu"},
    OpcodeRow{Op::kMbarrierArriveExpectTx, "mbarrier.arrive.expect_tx", Types::kOne, types(kB64), 0, kSub0, 0, kMbarrier, "Amu"},
    OpcodeRow{Op::kMbarrierArriveDrop, "mbarrier.arrive_drop", Types::kOne, types(kB64), 0, kSub0, 0, kMbarrier, "Am/Amu"},
    OpcodeRow{Op::kMbarrierExpectTx, "mbarrier.expect_tx", Types::kOne, types(kB64), 0, kSub0, 0, kMbarrier, "mu"},
    OpcodeRow{Op::kMbarrierCompleteTx, "mbarrier.complete_tx", Types::kOne, types(kB64), 0, kSub0, 0, kMbarrier, "mu"},
    OpcodeRow{Op::kMbarrierTestWait, "mbarrier.test_wait", Types::kOne, types(kB64), 0, kSub0, 0, kMbarrier, "PmT"},
    OpcodeRow{Op::kMbarrierTestWaitParity, "mbarrier.test_wait.parity", Types::kOne, types(kB64), 0, kSub0, 0, kMbarrier, "Pmu"},
    OpcodeRow{Op::kMbarrierTryWait, "mbarrier.try_wait", Types::kOne, types(kB64), 0, kSub0, 0, kMbarrier, "PmT/PmTu"},
    OpcodeRow{Op::kMbarrierTryWaitParity, "mbarrier.try_wait.parity", Types::kOne, types(kB64), 0, kSub0, 0, kMbarrier, "Pmu/Pmuu"},
    OpcodeRow{Op::kMbarrierPendingCount, "mbarrier.pending_count", Types::kOne, types(kB64), 0, kSub0, 0, 0, "UT"},
    OpcodeRow{Op::kCpAsyncMbarrierArrive, "cp.async.mbarrier.arrive", Types::kOne, types(kB64), 0, kSub0, subs(Sub::kNoinc), mods(kSpace), "m"},
};
// clang-format on
static_assert(kRows.size() == static_cast<std::size_t>(Op::kCount_));

// Other names for a row.
struct Alias {
  std::string_view name;
  Op op;
};
constexpr std::array kAliases{
    // The count is the caller's affair: it promises that the phase does not end.
    Alias{"mbarrier.arrive.noComplete", Op::kMbarrierArrive},
    Alias{"mbarrier.arrive_drop.noComplete", Op::kMbarrierArriveDrop},
    Alias{"griddepcontrol.launch_dependents", Op::kGriddepcontrol},
};

constexpr std::string_view kPointer = "read and write through plain pointers instead";
constexpr std::string_view kTensor =
    "multiply with mma.sync, wmma or ordinary fma instructions instead";
constexpr std::string_view kBulk =
    "copy with plain loads and stores, with cp.async, or with cp.async.bulk of bytes";
constexpr std::string_view kCluster = "use one block's __shared__ memory and __syncthreads()";
constexpr std::string_view kStack = "use a local array of fixed size instead of alloca()";
constexpr std::string_view kVideo = "use ordinary integer arithmetic instead";
constexpr std::array kUnmodelled{
    UnmodelledRow{"tld4", kPointer},
    UnmodelledRow{"txq", kPointer},
    UnmodelledRow{"istypep", kPointer},
    UnmodelledRow{"suld", kPointer},
    UnmodelledRow{"sust", kPointer},
    UnmodelledRow{"sured", kPointer},
    UnmodelledRow{"suq", kPointer},
    UnmodelledRow{"wgmma", kTensor},
    UnmodelledRow{"tcgen05", kTensor},
    UnmodelledRow{"cp.async.bulk.tensor", kBulk},
    UnmodelledRow{"mma.sp", kTensor},
    UnmodelledRow{"fence.proxy.tensormap::generic", kBulk},
    UnmodelledRow{"cp.reduce", kBulk},
    UnmodelledRow{"st.async", kBulk},
    UnmodelledRow{"st.bulk", kBulk},
    UnmodelledRow{"red.async", kBulk},
    UnmodelledRow{"tensormap", kBulk},
    UnmodelledRow{"multimem", "use one GPU's memory"},
    UnmodelledRow{"clusterlaunchcontrol", kCluster},
    UnmodelledRow{"setmaxnreg", "drop it: it changes no result"},
    UnmodelledRow{"alloca", kStack},
    UnmodelledRow{"stacksave", kStack},
    UnmodelledRow{"stackrestore", kStack},
    UnmodelledRow{"vadd", kVideo},
    UnmodelledRow{"vsub", kVideo},
    UnmodelledRow{"vabsdiff", kVideo},
    UnmodelledRow{"vmin", kVideo},
    UnmodelledRow{"vmax", kVideo},
    UnmodelledRow{"vshl", kVideo},
    UnmodelledRow{"vshr", kVideo},
    UnmodelledRow{"vmad", kVideo},
    UnmodelledRow{"vset", kVideo},
    UnmodelledRow{"vadd2", kVideo},
    UnmodelledRow{"vsub2", kVideo},
    UnmodelledRow{"vavrg2", kVideo},
    UnmodelledRow{"vmin2", kVideo},
    UnmodelledRow{"vmax2", kVideo},
    UnmodelledRow{"vset2", kVideo},
    UnmodelledRow{"vadd4", kVideo},
    UnmodelledRow{"vsub4", kVideo},
    UnmodelledRow{"vavrg4", kVideo},
    UnmodelledRow{"vmin4", kVideo},
    UnmodelledRow{"vmax4", kVideo},
    UnmodelledRow{"vset4", kVideo},
};

using RowsByName = std::unordered_map<std::string_view, const OpcodeRow*>;

RowsByName rows_by_name() {
  RowsByName map;
  for (const OpcodeRow& row : kRows) map.emplace(row.name, &row);
  for (const Alias& alias : kAliases) map.emplace(alias.name, &row_of(alias.op));
  map.erase("nop");
  return map;
}

}  // namespace

const OpcodeRow& row_of(Op op) { return kRows[static_cast<std::size_t>(op)]; }

const OpcodeRow* find_row(std::string_view name) {
  static const RowsByName kByName = rows_by_name();
  const auto it = kByName.find(name);
  return it == kByName.end() ? nullptr : it->second;
}

const UnmodelledRow* find_unmodelled(std::string_view name) {
  for (const UnmodelledRow& row : kUnmodelled) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

std::string_view name_of(Op op) { return row_of(op).name; }

std::vector<std::string> opcode_names() {
  std::vector<std::string> names;
  for (const OpcodeRow& row : kRows) names.emplace_back(row.name);
  for (const UnmodelledRow& row : kUnmodelled) names.emplace_back(row.name);
  return names;
}

}  // namespace lab::ptx
