#include "harness/model/case/instruction_kinds.h"

#include <algorithm>
#include <array>
#include <bit>

namespace lab::model {
namespace {

using ptx::Op;
using ptx::Space;
using ptx::Sub;
using ptx::Type;

bool is_half(Type type) {
  return type == Type::kF16 || type == Type::kF16x2 || type == Type::kBF16 || type == Type::kBF16x2;
}

bool is_single(Type type) {
  return type == Type::kF32 || type == Type::kF32x2 || type == Type::kTF32;
}

bool is_word(Type type) { return type == Type::kU32 || type == Type::kS32 || type == Type::kB32; }

/// `first` is the kind of one byte per lane, which those of 2, 4, ... follow.
InstructionKind by_width(InstructionKind first, const ptx::Instruction& ins) {
  const auto bytes = static_cast<unsigned>(ptx::bits_of(ins.type)) / 8 * ins.vector;
  return static_cast<InstructionKind>(static_cast<unsigned>(first) + std::bit_width(bytes) - 1);
}

InstructionKind load_or_store(const ptx::Instruction& ins) {
  const bool loads = ins.op != Op::kSt;
  switch (ins.space) {
    case Space::kGlobal:
      return by_width(loads ? InstructionKind::kGlobalLoad1 : InstructionKind::kGlobalStore1, ins);
    case Space::kShared:
      return by_width(loads ? InstructionKind::kSharedLoad1 : InstructionKind::kSharedStore1, ins);
    case Space::kLocal:
      return loads ? InstructionKind::kLocalLoad : InstructionKind::kLocalStore;
    case Space::kConst:
      return InstructionKind::kConstantLoad;
    case Space::kParam:
      return InstructionKind::kParameter;
    case Space::kGeneric:
      break;
  }
  return loads ? InstructionKind::kGenericLoad : InstructionKind::kGenericStore;
}

InstructionKind shared_atomic(const ptx::Instruction& ins) {
  if (ins.sub == Sub::kAdd && ins.type == Type::kF32) return InstructionKind::kSharedAtomicFloatAdd;
  if (!is_word(ins.type)) return InstructionKind::kSharedAtomic;
  switch (ins.sub) {
    case Sub::kAdd:
      return InstructionKind::kSharedAtomicAdd;
    case Sub::kMax:
      return InstructionKind::kSharedAtomicMax;
    case Sub::kOr:
      return InstructionKind::kSharedAtomicOr;
    case Sub::kExch:
      return InstructionKind::kSharedAtomicExchange;
    case Sub::kCas:
      return InstructionKind::kSharedAtomicSwap;
    default:
      return InstructionKind::kSharedAtomic;
  }
}

InstructionKind atomic(const ptx::Instruction& ins) {
  if (ins.space == Space::kShared) return shared_atomic(ins);
  if (ins.space != Space::kGlobal) return InstructionKind::kGenericAtomic;
  const bool adds = ins.sub == Sub::kAdd && is_word(ins.type);
  if (ins.op == Op::kRed)
    return adds ? InstructionKind::kGlobalReductionAdd : InstructionKind::kGlobalReduction;
  return adds ? InstructionKind::kGlobalAtomicAdd : InstructionKind::kGlobalAtomic;
}

InstructionKind product(const ptx::Instruction& ins) {
  const auto has = [&](Type type) {
    return std::find(ins.types.begin(), ins.types.end(), type) != ins.types.end();
  };
  if (has(Type::kS8) || has(Type::kU8)) return InstructionKind::kProductBytes;
  if (has(Type::kBF16)) return InstructionKind::kProductBfloat;
  if (has(Type::kTF32)) return InstructionKind::kProductTf32;
  return has(Type::kF64) ? InstructionKind::kProductDouble : InstructionKind::kProductHalf;
}

/// `whole`: the kind that it is where its type is one of whole numbers.
InstructionKind by_type(const ptx::Instruction& ins, InstructionKind whole) {
  if (is_single(ins.type)) return InstructionKind::kFloat;
  if (ins.type == Type::kF64) return InstructionKind::kDouble;
  if (is_half(ins.type)) return InstructionKind::kHalf;
  return ptx::is_short_pair(ins.type) ? InstructionKind::kIntegerPacked : whole;
}

InstructionKind root(const ptx::Instruction& ins) {
  if (ins.approx || ins.full) return InstructionKind::kApproximate;
  if (!ptx::is_float(ins.type)) return InstructionKind::kIntegerDivision;
  return ins.type == Type::kF64 ? InstructionKind::kDoubleRoots : InstructionKind::kFloatRoots;
}

InstructionKind conversion(const ptx::Instruction& ins) {
  if (ptx::is_fp8_pair(ins.type) || ptx::is_fp8_pair(ins.from))
    return InstructionKind::kConvertTiny;
  if (is_half(ins.type) || is_half(ins.from)) return InstructionKind::kConvertHalf;
  const bool floats = ptx::is_float(ins.type) || ptx::is_float(ins.from) || is_single(ins.type);
  return floats ? InstructionKind::kConvertFloat : InstructionKind::kConvertInteger;
}

bool reads_clock(const ptx::Instruction& ins) {
  return std::any_of(ins.operands.begin(), ins.operands.end(), [](const ptx::Operand& operand) {
    return operand.kind == ptx::Operand::Kind::kSpecial &&
           operand.special >= ptx::Special::kClock &&
           operand.special <= ptx::Special::kGlobaltimerHi;
  });
}

// The fourth operand says how many bytes are read, or whether none are.
bool reads_all(const ptx::Instruction& copy) {
  if (copy.operands.size() <= 3) return true;
  const ptx::Operand& read = copy.operands[3];
  return read.kind == ptx::Operand::Kind::kImmediate && read.bits == copy.operands[2].bits;
}

}  // namespace

InstructionKind kind_of(const ptx::Instruction& ins) {
  switch (ins.op) {
    case Op::kAbs:
    case Op::kSub:
    case Op::kMul:
    case Op::kMul24:
    case Op::kMad24:
    case Op::kSad:
    case Op::kNeg:
    case Op::kMin:
    case Op::kMax:
    case Op::kFma:
    case Op::kCopysign:
    case Op::kTestp:
    case Op::kAdd:
    case Op::kMad:
      return by_type(ins, ins.carry_out ? InstructionKind::kIntegerCarry
                                        : InstructionKind::kIntegerArithmetic);
    case Op::kAddc:
    case Op::kSubc:
    case Op::kMadc:
      return InstructionKind::kIntegerCarry;
    case Op::kDiv:
    case Op::kRem:
    case Op::kRcp:
    case Op::kSqrt:
      return root(ins);
    case Op::kRsqrt:
    case Op::kSin:
    case Op::kCos:
    case Op::kLg2:
    case Op::kEx2:
    case Op::kTanh:
      return InstructionKind::kApproximate;
    case Op::kDp4a:
    case Op::kDp2a:
    case Op::kVabsdiff2:
    case Op::kVabsdiff4:
      return InstructionKind::kIntegerPacked;
    case Op::kPopc:
    case Op::kClz:
    case Op::kBfind:
    case Op::kFns:
    case Op::kBrev:
    case Op::kBfe:
    case Op::kBfi:
    case Op::kBmsk:
    case Op::kSzext:
    case Op::kAnd:
    case Op::kOr:
    case Op::kXor:
    case Op::kNot:
    case Op::kCnot:
    case Op::kLop3:
    case Op::kShl:
    case Op::kShr:
    case Op::kShf:
    case Op::kPrmt:
      return InstructionKind::kBits;
    case Op::kSet:
    case Op::kSetp:
      return InstructionKind::kCompare;
    case Op::kSelp:
    case Op::kSlct:
      return InstructionKind::kSelect;
    case Op::kMov:
      return reads_clock(ins) ? InstructionKind::kClock : InstructionKind::kMove;
    case Op::kCvta:
    case Op::kIsspacep:
      return InstructionKind::kMove;
    case Op::kCvt:
    case Op::kCvtPack:
      return conversion(ins);
    case Op::kMapa:
    case Op::kGetctarank:
      return InstructionKind::kClusterPlace;
    case Op::kLd:
    case Op::kLdu:
    case Op::kSt:
      return load_or_store(ins);
    case Op::kPrefetch:
    case Op::kPrefetchu:
    case Op::kDiscard:
    case Op::kApplypriority:
    case Op::kCreatepolicyFractional:
    case Op::kCreatepolicyRange:
    case Op::kCreatepolicyCvt:
    case Op::kCpAsyncBulkPrefetch:
      return InstructionKind::kCacheHint;
    case Op::kCpAsync:
      return reads_all(ins) ? InstructionKind::kAsyncCopy : InstructionKind::kAsyncCopyPart;
    case Op::kCpAsyncCommitGroup:
    case Op::kCpAsyncWaitGroup:
    case Op::kCpAsyncWaitAll:
      return InstructionKind::kAsyncWait;
    case Op::kCpAsyncBulk:
      return InstructionKind::kBulkCopy;
    case Op::kCpAsyncBulkCommitGroup:
    case Op::kCpAsyncBulkWaitGroup:
      return InstructionKind::kBulkWait;
    case Op::kTex:
      return InstructionKind::kTexture;
    case Op::kSuld:
    case Op::kSust:
      return InstructionKind::kSurface;
    case Op::kLdmatrix:
      return ins.trans && ins.matrices < 4 ? InstructionKind::kMatrixLoadTransposed
                                           : InstructionKind::kMatrixLoad;
    case Op::kStmatrix:
      return ins.trans || ins.matrices < 4 ? InstructionKind::kMatrixStoreOther
                                           : InstructionKind::kMatrixStore;
    case Op::kMovmatrix:
    case Op::kWmmaLoadA:
    case Op::kWmmaLoadB:
    case Op::kWmmaLoadC:
    case Op::kWmmaStore:
      return InstructionKind::kFragmentMove;
    case Op::kMma:
    case Op::kWmmaMma:
      return product(ins);
    case Op::kBra:
    case Op::kBrx:
      return InstructionKind::kBranch;
    case Op::kCall:
    case Op::kRet:
      return InstructionKind::kCall;
    case Op::kExit:
    case Op::kTrap:
    case Op::kBrkpt:
      return InstructionKind::kEnd;
    case Op::kNop:
    case Op::kPmevent:
    case Op::kNanosleep:
    case Op::kGriddepcontrol:
      return InstructionKind::kPause;
    case Op::kBar:
    case Op::kBarrier:
      return InstructionKind::kBarrier;
    case Op::kBarrierClusterArrive:
    case Op::kBarrierClusterWait:
      return InstructionKind::kClusterBarrier;
    case Op::kMembar:
    case Op::kFence:
    case Op::kFenceProxyAsync:
    case Op::kFenceMbarrierInit:
      return InstructionKind::kFence;
    case Op::kAtom:
    case Op::kRed:
      return atomic(ins);
    case Op::kVote:
      return InstructionKind::kVote;
    case Op::kMatch:
      return InstructionKind::kMatch;
    case Op::kRedux:
      return InstructionKind::kRedux;
    case Op::kActivemask:
    case Op::kElect:
      return InstructionKind::kActiveLanes;
    case Op::kShfl:
      return InstructionKind::kShuffle;
    case Op::kMbarrierInit:
    case Op::kMbarrierInval:
    case Op::kMbarrierArrive:
    case Op::kMbarrierArriveExpectTx:
    case Op::kMbarrierArriveDrop:
    case Op::kMbarrierExpectTx:
    case Op::kMbarrierCompleteTx:
    case Op::kMbarrierTestWait:
    case Op::kMbarrierTestWaitParity:
    case Op::kMbarrierTryWait:
    case Op::kMbarrierTryWaitParity:
    case Op::kMbarrierPendingCount:
    case Op::kCpAsyncMbarrierArrive:
      return InstructionKind::kMbarrier;
    case Op::kCount_:
      break;
  }
  return InstructionKind::kMove;
}

std::vector<ExecutedKind> executed_kinds(const Program& program, const GridResult& result) {
  std::array<std::uint64_t, kInstructionKinds> sums{};
  for (const InstructionOrigin& one : program.instructions) {
    const auto kind = static_cast<std::size_t>(kind_of(instruction_of(program, one.origin)));
    sums[kind] += result.entered[one.block];
  }
  std::vector<ExecutedKind> executed;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i] > 0) executed.push_back({static_cast<InstructionKind>(i), sums[i]});
  }
  return executed;
}

}  // namespace lab::model
