// Kinds of instructions, as many as differ in how it is known what they do and cost.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "harness/core/words.h"

namespace lab {

/// A kind of PTX instruction, as the model runs it. Numbers in names are bytes per lane. Stored by
/// its word, in the note `instructions`. What an instruction is,
/// harness/model/case/instruction_kinds.h says.
enum class InstructionKind : std::uint8_t {
  kParameter,
  kConstantLoad,
  kGlobalLoad1,
  kGlobalLoad2,
  kGlobalLoad4,
  kGlobalLoad8,
  kGlobalLoad16,
  kGlobalLoad32,
  kGlobalStore1,
  kGlobalStore2,
  kGlobalStore4,
  kGlobalStore8,
  kGlobalStore16,
  kGlobalStore32,
  kSharedLoad1,
  kSharedLoad2,
  kSharedLoad4,
  kSharedLoad8,
  kSharedLoad16,
  kSharedLoad32,
  kSharedStore1,
  kSharedStore2,
  kSharedStore4,
  kSharedStore8,
  kSharedStore16,
  kSharedStore32,
  kLocalLoad,
  kLocalStore,
  kGenericLoad,      ///< its address may be of any space
  kGenericStore,     ///< likewise
  kGlobalAtomicAdd,  ///< of 32-bit whole numbers, as that of reductions
  kGlobalReductionAdd,
  kGlobalAtomic,  ///< all others
  kGlobalReduction,
  kSharedAtomicAdd,  ///< of 32 bits, as those that follow
  kSharedAtomicMax,
  kSharedAtomicOr,
  kSharedAtomicExchange,
  kSharedAtomicSwap,
  kSharedAtomicFloatAdd,
  kSharedAtomic,  ///< all others
  kGenericAtomic,
  kMatrixLoad,
  kMatrixLoadTransposed,  ///< one or two matrices
  kMatrixStore,           ///< four matrices, as they are
  kMatrixStoreOther,
  kAsyncCopy,
  kAsyncCopyPart,  ///< it reads less than it writes
  kAsyncWait,      ///< its groups: commits and waits
  kBulkCopy,
  kBulkWait,
  kTexture,
  kSurface,
  kCacheHint,
  kProductHalf,
  kProductBfloat,
  kProductTf32,
  kProductDouble,
  kProductBytes,
  kFragmentMove,  ///< wmma.load, wmma.store, movmatrix
  kShuffle,
  kVote,
  kMatch,
  kRedux,
  kActiveLanes,
  kBarrier,
  kClusterBarrier,
  kClusterPlace,
  kFence,
  kMbarrier,
  kBranch,
  kCall,
  kEnd,  ///< exit, trap, brkpt
  kPause,
  kClock,
  kIntegerArithmetic,
  kIntegerCarry,
  kIntegerDivision,
  kIntegerPacked,
  kBits,
  kCompare,
  kSelect,
  kMove,
  kConvertInteger,
  kConvertFloat,
  kConvertHalf,
  kConvertTiny,  ///< numbers of 8 bits
  kFloat,
  kFloatRoots,  ///< quotients and roots that are rounded correctly
  kDouble,
  kDoubleRoots,
  kHalf,
  kApproximate,
  kCount_,
};
inline constexpr std::size_t kInstructionKinds = static_cast<std::size_t>(InstructionKind::kCount_);

template <>
inline constexpr auto kWordsOf<InstructionKind> =
    std::to_array<std::string_view>({"parameter",
                                     "constant_load",
                                     "global_load_1",
                                     "global_load_2",
                                     "global_load_4",
                                     "global_load_8",
                                     "global_load_16",
                                     "global_load_32",
                                     "global_store_1",
                                     "global_store_2",
                                     "global_store_4",
                                     "global_store_8",
                                     "global_store_16",
                                     "global_store_32",
                                     "shared_load_1",
                                     "shared_load_2",
                                     "shared_load_4",
                                     "shared_load_8",
                                     "shared_load_16",
                                     "shared_load_32",
                                     "shared_store_1",
                                     "shared_store_2",
                                     "shared_store_4",
                                     "shared_store_8",
                                     "shared_store_16",
                                     "shared_store_32",
                                     "local_load",
                                     "local_store",
                                     "generic_load",
                                     "generic_store",
                                     "global_atomic_add",
                                     "global_reduction_add",
                                     "global_atomic",
                                     "global_reduction",
                                     "shared_atomic_add",
                                     "shared_atomic_max",
                                     "shared_atomic_or",
                                     "shared_atomic_exchange",
                                     "shared_atomic_swap",
                                     "shared_atomic_float_add",
                                     "shared_atomic",
                                     "generic_atomic",
                                     "matrix_load",
                                     "matrix_load_transposed",
                                     "matrix_store",
                                     "matrix_store_other",
                                     "async_copy",
                                     "async_copy_part",
                                     "async_wait",
                                     "bulk_copy",
                                     "bulk_wait",
                                     "texture",
                                     "surface",
                                     "cache_hint",
                                     "product_half",
                                     "product_bfloat",
                                     "product_tf32",
                                     "product_double",
                                     "product_bytes",
                                     "fragment_move",
                                     "shuffle",
                                     "vote",
                                     "match",
                                     "redux",
                                     "active_lanes",
                                     "barrier",
                                     "cluster_barrier",
                                     "cluster_place",
                                     "fence",
                                     "mbarrier",
                                     "branch",
                                     "call",
                                     "end",
                                     "pause",
                                     "clock",
                                     "integer_arithmetic",
                                     "integer_carry",
                                     "integer_division",
                                     "integer_packed",
                                     "bits",
                                     "compare",
                                     "select",
                                     "move",
                                     "convert_integer",
                                     "convert_float",
                                     "convert_half",
                                     "convert_tiny",
                                     "float",
                                     "float_roots",
                                     "double",
                                     "double_roots",
                                     "half",
                                     "approximate"});
static_assert(kWordsOf<InstructionKind>.size() == kInstructionKinds);
static_assert(word_of(InstructionKind::kGlobalAtomicAdd) == "global_atomic_add");
static_assert(word_of(InstructionKind::kApproximate) == "approximate");

/// Instructions of a kind that warps executed, each warp once; of all blocks that ran.
struct ExecutedKind {
  InstructionKind kind = InstructionKind::kMove;
  std::uint64_t instructions = 0;
  friend bool operator==(const ExecutedKind&, const ExecutedKind&) = default;
};

}  // namespace lab
