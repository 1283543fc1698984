#include "harness/reading/fidelity.h"

namespace lab::reading {
namespace {

using Kind = InstructionKind;

// Measured costs of a warp's access on an H200, for any addresses.
constexpr Proof kGlobalRows{Card::kH200, "Reference.EveryGlobalRowHasTheMeasuredSectors"};
constexpr Proof kSharedRows{Card::kH200,
                            "Reference.EverySharedRowHasTheMeasuredWavefrontsAndConflicts"};
constexpr Proof kAtomicRows{
    Card::kH200, "Reference.EverySharedAtomicHasTheMeasuredRequestsWavefrontsConflictsAndLoads"};
constexpr Proof kMoveRows{Card::kH200, "Reference.EveryMatrixMoveAndRegularCopyHasTheMeasuredCost"};
constexpr Proof kCopyRows{Card::kH200, "Reference.EveryCopyOfAnyAddressesHasTheMeasuredSectors"};
// Whole kernels: those of the labs.
constexpr Proof kLabsOnH200{Card::kH200,
                            "Measured.ExactMetricsAreEqualInTheoryModelAndMeasurement"};
constexpr Proof kLabsOnH100{Card::kH100, "OnH100.ExactMetricsAreEqualInTheoryAndMeasurement"};

constexpr std::string_view kOfSectors = "requests and sectors";
constexpr std::string_view kOfWavefronts = "requests, wavefronts and bank conflicts";
constexpr std::string_view kAsNarrower = "as narrower accesses, of which it was measured";
constexpr std::string_view kAsAdditions = "as additions of 32 bits, of which it was measured";
constexpr std::string_view kAsIsaSays = "results as the PTX ISA defines them";
constexpr std::string_view kUnmeasured =
    "results as the PTX ISA defines them; costs are not counted";

constexpr std::string_view kMoveForms = "Forms.EveryWidthAndVectorMovesItsBytes";
constexpr std::string_view kSharedForms = "Forms.EveryWidthGoesThroughSharedMemory";
constexpr std::string_view kAtomicForms = "Warps.EveryAtomicLeavesItsResult";

// The rows stand in the order of instruction_kinds.h.
constexpr std::array kFidelityRows{
    FidelityRow{Kind::kParameter, kAsIsaSays, "Memory.AStructureComesByValue"},
    FidelityRow{Kind::kConstantLoad, kUnmeasured, "Forms.ConstantsHaveAddressesOfTheirOwn"},
    FidelityRow{Kind::kGlobalLoad1, kOfSectors, {}, {kLabsOnH200, kLabsOnH100}},
    FidelityRow{Kind::kGlobalLoad2, kOfSectors, {}, {kLabsOnH200, kLabsOnH100}},
    FidelityRow{Kind::kGlobalLoad4, kOfSectors, {}, {kGlobalRows, kLabsOnH200, kLabsOnH100}},
    FidelityRow{Kind::kGlobalLoad8, kOfSectors, {}, {kGlobalRows, kLabsOnH200, kLabsOnH100}},
    FidelityRow{Kind::kGlobalLoad16, kOfSectors, {}, {kGlobalRows, kLabsOnH200, kLabsOnH100}},
    FidelityRow{Kind::kGlobalLoad32, kAsNarrower, kMoveForms},
    FidelityRow{Kind::kGlobalStore1, kOfSectors, {}, {kLabsOnH200, kLabsOnH100}},
    FidelityRow{Kind::kGlobalStore2, kOfSectors, {}, {kLabsOnH200, kLabsOnH100}},
    FidelityRow{Kind::kGlobalStore4, kOfSectors, {}, {kGlobalRows, kLabsOnH200, kLabsOnH100}},
    FidelityRow{Kind::kGlobalStore8, kOfSectors, {}, {kGlobalRows, kLabsOnH200, kLabsOnH100}},
    FidelityRow{Kind::kGlobalStore16, kOfSectors, {}, {kGlobalRows, kLabsOnH200, kLabsOnH100}},
    FidelityRow{Kind::kGlobalStore32, kAsNarrower, kMoveForms},
    FidelityRow{Kind::kSharedLoad1, kOfWavefronts, {}, {kSharedRows, kLabsOnH200, kLabsOnH100}},
    FidelityRow{Kind::kSharedLoad2, kOfWavefronts, {}, {kLabsOnH200, kLabsOnH100}},
    FidelityRow{Kind::kSharedLoad4, kOfWavefronts, {}, {kSharedRows, kLabsOnH200, kLabsOnH100}},
    FidelityRow{Kind::kSharedLoad8, kOfWavefronts, {}, {kSharedRows, kLabsOnH200, kLabsOnH100}},
    FidelityRow{Kind::kSharedLoad16, kOfWavefronts, {}, {kSharedRows, kLabsOnH200, kLabsOnH100}},
    FidelityRow{Kind::kSharedLoad32, kAsNarrower, kSharedForms},
    FidelityRow{Kind::kSharedStore1, kOfWavefronts, {}, {kLabsOnH200, kLabsOnH100}},
    FidelityRow{Kind::kSharedStore2, kOfWavefronts, {}, {kLabsOnH200, kLabsOnH100}},
    FidelityRow{Kind::kSharedStore4, kOfWavefronts, {}, {kSharedRows, kLabsOnH200, kLabsOnH100}},
    FidelityRow{Kind::kSharedStore8, kOfWavefronts, {}, {kSharedRows, kLabsOnH200, kLabsOnH100}},
    FidelityRow{Kind::kSharedStore16, kOfWavefronts, {}, {kSharedRows, kLabsOnH200, kLabsOnH100}},
    FidelityRow{Kind::kSharedStore32, kAsNarrower, kSharedForms},
    FidelityRow{Kind::kLocalLoad,
                "as global memory, each thread's own element beside its "
                "neighbour's",
                "Control.LocalStoresReachL2"},
    FidelityRow{Kind::kLocalStore,
                "as global memory, each thread's own element beside its "
                "neighbour's",
                "Control.LocalStoresReachL2"},
    FidelityRow{Kind::kGenericLoad, "as the space that each lane's address is of",
                "Access.GenericAddressesReachTheirSpaces"},
    FidelityRow{Kind::kGenericStore, "as the space that each lane's address is of",
                "Access.GenericAddressesReachTheirSpaces"},
    FidelityRow{Kind::kGlobalAtomicAdd, "sectors", {}, {kGlobalRows}},
    FidelityRow{Kind::kGlobalReductionAdd, "sectors", {}, {kGlobalRows}},
    FidelityRow{Kind::kGlobalAtomic, kAsAdditions, kAtomicForms},
    FidelityRow{Kind::kGlobalReduction, kAsAdditions, kAtomicForms},
    FidelityRow{Kind::kSharedAtomicAdd, kOfWavefronts, {}, {kAtomicRows}},
    FidelityRow{Kind::kSharedAtomicMax, kOfWavefronts, {}, {kAtomicRows}},
    FidelityRow{Kind::kSharedAtomicOr, kOfWavefronts, {}, {kAtomicRows}},
    FidelityRow{Kind::kSharedAtomicExchange, kOfWavefronts, {}, {kAtomicRows}},
    FidelityRow{Kind::kSharedAtomicSwap, kOfWavefronts, {}, {kAtomicRows}},
    FidelityRow{Kind::kSharedAtomicFloatAdd, kOfWavefronts, {}, {kAtomicRows}},
    FidelityRow{Kind::kSharedAtomic, kAsAdditions, kAtomicForms},
    FidelityRow{Kind::kGenericAtomic, "as the space that each lane's address is of",
                "Memory.GenericStoresAndAtomicsFindTheirMemory"},
    FidelityRow{Kind::kMatrixLoad, "wavefronts and bank conflicts", {}, {kMoveRows}},
    FidelityRow{Kind::kMatrixLoadTransposed, "as of four matrices, of which it was measured",
                "Matrices.TransposedRowsAreColumns"},
    FidelityRow{Kind::kMatrixStore, "wavefronts and bank conflicts", {}, {kMoveRows}},
    FidelityRow{Kind::kMatrixStoreOther, "as of four matrices, of which it was measured",
                "Matrices.StoresAreTheLoadsTurnedAround"},
    FidelityRow{Kind::kAsyncCopy, "sectors", {}, {kCopyRows, kMoveRows}},
    FidelityRow{Kind::kAsyncCopyPart, "sectors of what it reads",
                "Forms.AsynchronousCopiesOfLessFillWithZeros"},
    FidelityRow{Kind::kAsyncWait, kAsIsaSays, "Warps.AsynchronousCopiesArriveInTheirGroups"},
    FidelityRow{Kind::kBulkCopy, "in none of the counters of loads and stores",
                "Asynchronous.BulkCopiesMoveATileInAndOut"},
    FidelityRow{Kind::kBulkWait, kAsIsaSays, "Asynchronous.BulkCopiesMoveATileInAndOut"},
    FidelityRow{Kind::kTexture, kUnmeasured, "Images.ACoordinateMeansTheTexelThatItLiesIn"},
    FidelityRow{Kind::kSurface, kUnmeasured, "Images.SurfacesAreReadAndWritten"},
    FidelityRow{Kind::kCacheHint, "changes no result, and no count",
                "Forms.FencesPrefetchesAndHintsDoNothingThatShows"},
    FidelityRow{Kind::kProductHalf, "rounds as compute capability 9.0 was seen to",
                "Matrices.ProductsOfHalves"},
    FidelityRow{Kind::kProductBfloat, "rounds as compute capability 9.0 was seen to",
                "Matrices.ProductsOfHalves"},
    FidelityRow{Kind::kProductTf32, "rounds as compute capability 9.0 was seen to",
                "Matrices.ProductsOfTf32"},
    FidelityRow{Kind::kProductDouble, kAsIsaSays, "Matrices.ProductsOfDoubles"},
    FidelityRow{Kind::kProductBytes, kAsIsaSays, "Matrices.ProductsOfBytes"},
    FidelityRow{Kind::kFragmentMove, "the accesses that the machine code has for it",
                "Matrices.ATiledProductCostsWhatItsPitchMakesOfIt"},
    FidelityRow{Kind::kShuffle, kAsIsaSays, "Warps.ShufflesOfEveryWidthAndType"},
    FidelityRow{Kind::kVote, kAsIsaSays, "Warps.VotesMatchesAndReductionsOfSomeLanesAndOfAll"},
    FidelityRow{Kind::kMatch, kAsIsaSays, "Warps.VotesMatchesAndReductionsOfSomeLanesAndOfAll"},
    FidelityRow{Kind::kRedux, kAsIsaSays, "Warps.VotesMatchesAndReductionsOfSomeLanesAndOfAll"},
    FidelityRow{Kind::kActiveLanes, kAsIsaSays, "WarpOps.OneLaneIsElected"},
    FidelityRow{Kind::kBarrier, kAsIsaSays, "Warps.BarriersCountTheirThreads"},
    FidelityRow{Kind::kClusterBarrier, kAsIsaSays, "Libraries.BlocksOfAClusterPassNumbersAround"},
    FidelityRow{Kind::kClusterPlace, kAsIsaSays, "Libraries.PlacesInClusters"},
    FidelityRow{Kind::kFence, "the model's memory is in order without it",
                "Forms.FencesPrefetchesAndHintsDoNothingThatShows"},
    FidelityRow{Kind::kMbarrier, kAsIsaSays, "Asynchronous.ArrivalsMakeAPhase"},
    FidelityRow{Kind::kBranch, kAsIsaSays, "Control.ATableOfBranchesTakesEachLaneToItsOwn"},
    FidelityRow{Kind::kCall, kAsIsaSays, "Control.FunctionsTakeAndGiveStructures"},
    FidelityRow{Kind::kEnd, kAsIsaSays, "Control.ThreadsThatLeftAreNotAwaited"},
    FidelityRow{Kind::kPause, "no time passes", "PtxasForms.WaitsOfGridsThatDependOnOthers"},
    FidelityRow{Kind::kClock, "a number that grows, not a GPU's clock", "Forms.TimeGoesOn"},
    FidelityRow{Kind::kIntegerArithmetic, kAsIsaSays,
                "IntegerRows.SumsAndDifferencesWrapAtTheirWidth"},
    FidelityRow{Kind::kIntegerCarry, kAsIsaSays,
                "IntegerRows.TheCarryGoesFromInstructionToInstruction"},
    FidelityRow{Kind::kIntegerDivision, kAsIsaSays,
                "IntegerRows.QuotientsRoundToZeroAndRemaindersTakeTheDividendsSign"},
    FidelityRow{Kind::kIntegerPacked, kAsIsaSays, "IntegerRows.DotProductsOfBytesAndHalves"},
    FidelityRow{Kind::kBits, kAsIsaSays, "BitRows.LogicOfEveryWidth"},
    FidelityRow{Kind::kCompare, kAsIsaSays, "CompareRows.WholeNumbersInTheirOrder"},
    FidelityRow{Kind::kSelect, kAsIsaSays, "CompareRows.SelectionLooksAtAPredicateOrASign"},
    FidelityRow{Kind::kMove, kAsIsaSays, "BitRows.PartsOfRegistersMove"},
    FidelityRow{Kind::kConvertInteger, kAsIsaSays,
                "ConvertRows.WholeNumbersAreExtendedCutOrSaturated"},
    FidelityRow{Kind::kConvertFloat, kAsIsaSays, "ConvertRows.FloatsChangeTheirWidth"},
    FidelityRow{Kind::kConvertHalf, kAsIsaSays, "HalfRows.ComparisonsAndConversionsOfPairs"},
    FidelityRow{Kind::kConvertTiny, kAsIsaSays, "HalfRows.PairsOfEightBits"},
    FidelityRow{Kind::kFloat, kAsIsaSays, "FloatRows.SumsRoundInFourDirections"},
    FidelityRow{Kind::kFloatRoots, kAsIsaSays, "FloatRows.QuotientsAndRootsRoundCorrectly"},
    FidelityRow{Kind::kDouble, kAsIsaSays, "FloatProperty.DoublesInEveryRounding"},
    FidelityRow{Kind::kDoubleRoots, kAsIsaSays, "FloatRows.QuotientsAndRootsRoundCorrectly"},
    FidelityRow{Kind::kHalf, kAsIsaSays, "HalfRows.HalvesRoundToNearestEven"},
    FidelityRow{Kind::kApproximate,
                "within the PTX ISA's greatest error, not a GPU's result bit for bit",
                "Numbers.FastFunctionsAreNear"},
};
constexpr bool is_in_order() {
  for (std::size_t i = 0; i < kFidelityRows.size(); ++i) {
    if (kFidelityRows[i].kind != static_cast<Kind>(i)) return false;
    if (kFidelityRows[i].test.empty() == (kFidelityRows[i].proofs.front().test.empty()))
      return false;
  }
  return kFidelityRows.size() == kInstructionKinds;
}
static_assert(is_in_order(), "a row for each kind, and each with a proof or a rule's test");

}  // namespace

const FidelityRow& fidelity_of(InstructionKind kind) {
  return kFidelityRows[static_cast<std::size_t>(kind)];
}

std::vector<Fidelity> fidelity_of(const CaseRecord& record) {
  if (record.status == CaseStatus::kRefused) return {{}};
  std::vector<Fidelity> all;
  for (const ExecutedKind& one : record.notes.instructions) {
    all.push_back({fidelity_of(one.kind).known(), one});
  }
  return all;
}

}  // namespace lab::reading
