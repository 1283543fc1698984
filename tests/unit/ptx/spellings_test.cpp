// Which modifiers each opcode has. Every spelling that exists is tried beside every opcode: those
// listed are accepted, the others are refused by name. Both lists were held against ptxas 13.0.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "harness/core/text.h"
#include "tests/unit/ptx/support.h"

namespace lab::ptx {
namespace {

// PTX ISA's modifiers, without types: each with one opcode or more below.
constexpr const char* kSpellings =
    "trap zero 1d 2d lo hi wide l r wrap clamp shiftamt idx up down bfly ballot any all uni add "
    "inc dec min max "
    "and "
    "or xor exch cas popc f4e b4e rc8 ecl ecr rc16 arrive sync red warp to finite infinite number "
    "notanumber normal subnormal global shared shared::cta local const param param::entry "
    "param::func eq ne lt le gt ge ls hs equ neu ltu leu gtu geu num nan rn rz rm rp rna rni rzi "
    "rmi rpi cta cluster gpu gl sys relaxed acquire release acq_rel sc weak ca cg cs lu cv wb wt "
    "ftz "
    "sat approx full volatile cc nc relu noftz NaN xorsign abs aligned v2 v4 v8 L1 L2 "
    "L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate "
    "L2::evict_normal L2::evict_first L2::evict_last L2::64B L2::128B L2::256B shared::cluster "
    "L2::evict_unchanged L2::cache_hint mbarrier::complete_tx::bytes bulk_group read noinc m8n8 "
    "m8n8k4 m8n8k16 m16n8k4 m16n8k8 "
    "m16n8k16 "
    "m16n8k32 m16n16k8 m16n16k16 m32n8k16 m8n32k16 x1 x2 x4 trans row col satfinite";

constexpr const char* kShapes =
    "m8n8 m8n8k4 m8n8k16 m16n8k4 m16n8k8 m16n8k16 m16n8k32 m16n16k8 m16n16k16 m32n8k16 m8n32k16";
constexpr const char* kSpaces =
    "global shared shared::cta shared::cluster local const param param::entry param::func";
constexpr const char* kScopes = "cta cluster gpu gl sys";
constexpr const char* kOrders = "relaxed acquire release acq_rel sc weak";
constexpr const char* kCaches = "ca cg cs lu cv wb wt";
constexpr const char* kHints =
    "L1 L2 L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate "
    "L2::evict_normal L2::evict_first L2::evict_last L2::evict_unchanged L2::cache_hint L2::64B "
    "L2::128B L2::256B";
constexpr const char* kRounds = "rn rz rm rp rna rni rzi rmi rpi";
constexpr const char* kCompares =
    "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan and or xor";

struct Row {
  Op op;
  std::vector<const char*> spellings;
};

const Row kRows[] = {
    {Op::kAbs, {"ftz"}},
    {Op::kAdd, {kRounds, "ftz sat cc"}},
    {Op::kAddc, {"cc"}},
    {Op::kSub, {kRounds, "ftz sat cc"}},
    {Op::kSubc, {"cc"}},
    {Op::kMul, {kRounds, "ftz sat lo hi wide"}},
    {Op::kMul24, {"lo hi"}},
    {Op::kMad, {kRounds, "ftz sat cc lo hi wide"}},
    {Op::kMad24, {"lo hi sat"}},
    {Op::kMadc, {"lo hi cc"}},
    {Op::kSad, {}},
    {Op::kDiv, {kRounds, "ftz approx full"}},
    {Op::kRem, {}},
    {Op::kNeg, {"ftz"}},
    {Op::kMin, {"ftz NaN relu xorsign abs"}},
    {Op::kMax, {"ftz NaN relu xorsign abs"}},
    {Op::kFma, {kRounds, "ftz sat relu"}},
    {Op::kRcp, {kRounds, "ftz approx"}},
    {Op::kSqrt, {kRounds, "ftz approx"}},
    {Op::kRsqrt, {"ftz approx"}},
    {Op::kSin, {"ftz approx"}},
    {Op::kCos, {"ftz approx"}},
    {Op::kLg2, {"ftz approx"}},
    {Op::kEx2, {"ftz approx"}},
    {Op::kTanh, {"approx"}},
    {Op::kCopysign, {}},
    {Op::kTestp, {"finite infinite number notanumber normal subnormal"}},
    {Op::kPopc, {}},
    {Op::kClz, {}},
    {Op::kBfind, {"shiftamt"}},
    {Op::kFns, {}},
    {Op::kBrev, {}},
    {Op::kBfe, {}},
    {Op::kBfi, {}},
    {Op::kBmsk, {"clamp wrap"}},
    {Op::kSzext, {"clamp wrap"}},
    {Op::kDp4a, {}},
    {Op::kDp2a, {"lo hi"}},
    {Op::kVabsdiff2, {"add"}},
    {Op::kVabsdiff4, {"add"}},
    {Op::kSet, {kCompares, "ftz"}},
    {Op::kSetp, {kCompares, "ftz"}},
    {Op::kSelp, {}},
    {Op::kSlct, {"ftz"}},
    {Op::kAnd, {}},
    {Op::kOr, {}},
    {Op::kXor, {}},
    {Op::kNot, {}},
    {Op::kCnot, {}},
    {Op::kLop3, {}},
    {Op::kShl, {}},
    {Op::kShr, {}},
    {Op::kShf, {"l r wrap clamp"}},
    {Op::kPrmt, {"f4e b4e rc8 ecl ecr rc16"}},
    {Op::kMov, {"v2 v4 v8"}},
    {Op::kCvt, {kRounds, "ftz sat relu satfinite"}},
    {Op::kCvtPack, {"sat"}},
    {Op::kCvta, {kSpaces, "to"}},
    {Op::kMapa, {kSpaces}},
    {Op::kGetctarank, {kSpaces}},
    {Op::kIsspacep, {kSpaces}},
    {Op::kLd, {kSpaces, kScopes, kOrders, kCaches, kHints, "volatile nc v2 v4 v8"}},
    {Op::kLdu, {kSpaces, "v2 v4 v8"}},
    {Op::kSt, {kSpaces, kScopes, kOrders, kCaches, kHints, "volatile v2 v4 v8"}},
    {Op::kPrefetch, {kSpaces, kHints}},
    {Op::kPrefetchu, {kHints}},
    {Op::kDiscard, {kSpaces, kHints}},
    {Op::kApplypriority, {kSpaces, kHints}},
    {Op::kCreatepolicyFractional, {kHints}},
    {Op::kCreatepolicyRange, {kSpaces, kHints}},
    {Op::kCreatepolicyCvt, {kHints}},
    {Op::kCpAsync, {kSpaces, kCaches, kHints}},
    {Op::kCpAsyncCommitGroup, {}},
    {Op::kCpAsyncWaitGroup, {}},
    {Op::kCpAsyncWaitAll, {}},
    {Op::kCpAsyncBulk, {kSpaces, kHints, "mbarrier::complete_tx::bytes bulk_group"}},
    {Op::kCpAsyncBulkCommitGroup, {}},
    {Op::kCpAsyncBulkWaitGroup, {"read"}},
    {Op::kCpAsyncBulkPrefetch, {kSpaces, kHints}},
    {Op::kTex, {"v2 v4 v8 1d 2d"}},
    {Op::kSuld, {"v2 v4 v8 1d 2d trap clamp zero"}},
    {Op::kSust, {"v2 v4 v8 1d 2d trap clamp zero"}},
    {Op::kLdmatrix, {kSpaces, kShapes, "sync aligned x1 x2 x4 trans"}},
    {Op::kStmatrix, {kSpaces, kShapes, "sync aligned x1 x2 x4 trans"}},
    {Op::kMovmatrix, {kShapes, "sync aligned trans"}},
    {Op::kMma, {kShapes, "sync aligned row col satfinite"}},
    {Op::kWmmaLoadA, {kSpaces, kShapes, "sync aligned row col"}},
    {Op::kWmmaLoadB, {kSpaces, kShapes, "sync aligned row col"}},
    {Op::kWmmaLoadC, {kSpaces, kShapes, "sync aligned row col"}},
    {Op::kWmmaStore, {kSpaces, kShapes, "sync aligned row col"}},
    {Op::kWmmaMma, {kShapes, "sync aligned row col satfinite"}},
    {Op::kBra, {"uni"}},
    {Op::kBrx, {"uni"}},
    {Op::kCall, {"uni"}},
    {Op::kRet, {"uni"}},
    {Op::kExit, {}},
    {Op::kTrap, {}},
    {Op::kBrkpt, {}},
    {Op::kPmevent, {}},
    {Op::kNanosleep, {}},
    {Op::kBar, {kScopes, "sync arrive red popc and or warp"}},
    {Op::kBarrier, {kScopes, "sync arrive red popc and or aligned"}},
    {Op::kBarrierClusterArrive, {kOrders, "aligned"}},
    {Op::kBarrierClusterWait, {kOrders, "aligned"}},
    {Op::kMembar, {kScopes}},
    {Op::kFence, {kScopes, kOrders}},
    {Op::kAtom,
     {kSpaces, kScopes, kOrders, kHints, "noftz add inc dec min max and or xor exch cas"}},
    {Op::kRed, {kSpaces, kScopes, kOrders, kHints, "noftz add inc dec min max and or xor"}},
    {Op::kVote, {"sync all any uni ballot"}},
    {Op::kMatch, {"sync any all"}},
    {Op::kRedux, {"sync add min max and or xor"}},
    {Op::kActivemask, {}},
    {Op::kShfl, {"sync idx up down bfly"}},
    {Op::kElect, {"sync"}},
    {Op::kGriddepcontrol, {}},
    {Op::kFenceProxyAsync, {kSpaces}},
    {Op::kFenceMbarrierInit, {kScopes, kOrders}},
    {Op::kMbarrierInit, {kSpaces}},
    {Op::kMbarrierInval, {kSpaces}},
    {Op::kMbarrierArrive, {kSpaces, kScopes, kOrders}},
    {Op::kMbarrierArriveExpectTx, {kSpaces, kScopes, kOrders}},
    {Op::kMbarrierArriveDrop, {kSpaces, kScopes, kOrders}},
    {Op::kMbarrierExpectTx, {kSpaces, kScopes, kOrders}},
    {Op::kMbarrierCompleteTx, {kSpaces, kScopes, kOrders}},
    {Op::kMbarrierTestWait, {kSpaces, kScopes, kOrders}},
    {Op::kMbarrierTestWaitParity, {kSpaces, kScopes, kOrders}},
    {Op::kMbarrierTryWait, {kSpaces, kScopes, kOrders}},
    {Op::kMbarrierTryWaitParity, {kSpaces, kScopes, kOrders}},
    {Op::kMbarrierPendingCount, {}},
    {Op::kCpAsyncMbarrierArrive, {kSpaces, "noinc"}},
};

std::vector<std::string> words_of(const std::vector<const char*>& lists) {
  std::vector<std::string> words;
  for (const char* list : lists) {
    for (const std::string_view word : split(list, ' ')) words.emplace_back(word);
  }
  return words;
}

TEST(Spellings, AreAcceptedBesideTheirOpcodesAlone) {
  const std::vector<std::string> all = words_of({kSpellings});
  for (const Row& row : kRows) {
    const std::vector<std::string> own = words_of(row.spellings);
    const std::set<std::string> allowed(own.begin(), own.end());
    for (const std::string& spelling : all) {
      EXPECT_EQ(find_modifier(row_of(row.op), spelling) != nullptr, allowed.count(spelling) == 1)
          << name_of(row.op) << "." << spelling;
    }
  }
}

TEST(Spellings, AreListedForEveryOpcode) {
  ASSERT_EQ(std::size(kRows), static_cast<std::size_t>(Op::kCount_) - 1);
  for (std::size_t i = 0; i < std::size(kRows); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(kRows[i].op), i + 1);  // kNop has no spelling
  }
  // Each is of use somewhere.
  std::set<std::string> used;
  for (const Row& row : kRows) {
    for (const std::string& word : words_of(row.spellings)) used.insert(word);
  }
  for (const std::string& word : words_of({kSpellings})) EXPECT_EQ(used.count(word), 1U) << word;
}

TEST(Spellings, OfOthersAreRefusedByName) {
  struct Refused {
    const char* text;
    const char* what;
  };
  constexpr Refused kRefused[] = {
      {"sad.sat.u32 %r1, %r2, %r3, %r4;", "the modifier '.sat' of 'sad' is not modelled"},
      {"cvt.rn.satfinite.e2m1x2.f32 %h1, %f1, %f2;",
       "the modifier '.e2m1x2' of 'cvt' is not modelled"},
      {"fma.rn.oob.f16 %h1, %h2, %h3, %h4;", "the modifier '.oob' of 'fma' is not modelled"},
      {"add.u8x4 %r1, %r2, %r3;", "the modifier '.u8x4' of 'add' is not modelled"},
      {"ld.mmio.relaxed.sys.global.u32 %r1, [%rd1];",
       "the modifier '.mmio' of 'ld' is not modelled"},
      {"fence.proxy.alias;", "the modifier '.proxy' of 'fence' is not modelled"},
      {"red.global.v2.f32.add [%rd1], {%f1, %f2};", "the modifier '.v2' of 'red' is not modelled"},
      {"mov.b32.u32.wrong.xyz %r1, %r2;", "'mov' is not modelled for type .u32"},  // the first one
  };
  for (const Refused& row : kRefused) {
    const Module module = parse(kernel(row.text), "x.ptx");
    ASSERT_TRUE(module.functions[0].refusal.has_value()) << row.text;
    EXPECT_EQ(module.functions[0].refusal->what, row.what);
  }
}

TEST(Spellings, StandOnce) {
  constexpr Marked kTwice[] = {
      {"add.ftz`.ftz.f32 %f1, %f2, %f3;", "'add' has two modifiers of the kind of '.ftz'"},
      {"add.rn`.rz.f32 %f1, %f2, %f3;", "'add' has two modifiers of the kind of '.rz'"},
      {"ld.global`.shared.u32 %r1, [%rd1];", "'ld' has two modifiers of the kind of '.shared'"},
      {"ld.relaxed.gpu`.acquire.u32 %r1, [%rd1];",
       "'ld' has two modifiers of the kind of '.acquire'"},
      {"ld.relaxed.gpu`.sys.u32 %r1, [%rd1];", "'ld' has two modifiers of the kind of '.sys'"},
      {"ld.ca`.cg.u32 %r1, [%rd1];", "'ld' has two modifiers of the kind of '.cg'"},
      {"ld.v2`.v4.u32 {%r1, %r2}, [%rd1];", "'ld' has two modifiers of the kind of '.v4'"},
      {"setp.lt`.gt.s32 %p1, %r1, %r2;", "'setp' has two modifiers of the kind of '.gt'"},
      {"setp.lt.and`.or.s32 %p1, %r1, %r2, %p2;", "'setp' has two modifiers of the kind of '.or'"},
      {"vote.sync`.sync.any.pred %p1, %p2, -1;", "'vote' has two modifiers of the kind of '.sync'"},
  };
  for (const Marked& row : kTwice) expect_marked_error(kernel(row.text), row);
}

}  // namespace
}  // namespace lab::ptx
