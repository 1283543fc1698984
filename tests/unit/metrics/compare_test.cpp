#include "metrics/compare.h"

#include <gtest/gtest.h>

#include "metrics/values.h"
#include "tests/unit/metrics/records.h"

namespace lab::metrics {
namespace {

using testing_records::with;
constexpr auto kModel = SourceOf::kModel;
constexpr auto kCupti = SourceOf::kCupti;
constexpr auto kSass = SourceOf::kSass;

Variant variant_with(std::vector<TheoryRow> theory) {
  Variant variant;
  variant.name = "v";
  variant.launch = [](const Params&) { return Launch{{4, 1, 1}, {64, 1, 1}, 0}; };
  variant.theory = std::move(theory);
  return variant;
}

Verdict judged(const Variant& variant, CaseRecord record, const std::string& key,
               bool own_kernel = true) {
  judge({&variant, own_kernel, {}}, record);
  for (const auto& verdict : record.verdicts) {
    if (verdict.metric == key) return verdict;
  }
  ADD_FAILURE() << "no verdict for " << key;
  return {};
}

// 4 blocks of 64 threads: 8 warps, each one request of 4 sectors.
const Variant kSectors = variant_with(
    {{"global_load_sectors", Expr("blocks") * "warps" * 4, "why", Level::kAsCompiled}});

TEST(Exact, TheoryAndModelAgreeWithNoGpu) {
  const auto verdict =
      judged(kSectors, with({{"global_load_sectors", kModel, 32}}), "global_load_sectors");
  EXPECT_EQ(verdict.kind, VerdictKind::kAgrees);
  EXPECT_EQ(verdict.reason, "all agree: theory 32, model 32; not measured: no GPU");
  EXPECT_EQ(verdict.theory, 32);
  EXPECT_FALSE(verdict.theory_high);
  EXPECT_EQ(verdict.formula, "4 * blocks * warps");
  EXPECT_EQ(verdict.level, Level::kAsCompiled);
}

TEST(Exact, AllFourSourcesAgree) {
  const auto record = with({{"global_load_sectors", kModel, 32},
                            {"global_load_sectors", kSass, 32},
                            {"global_load_sectors", kCupti, 32}});
  const auto verdict = judged(kSectors, record, "global_load_sectors");
  EXPECT_EQ(verdict.kind, VerdictKind::kAgrees);
  EXPECT_EQ(verdict.reason, "all agree: theory 32, model 32, cupti 32, sass 32");
}

TEST(Exact, OneOffIsADisagreementThatSaysWhoHasWhat) {
  const auto record =
      with({{"global_load_sectors", kModel, 33}, {"global_load_sectors", kCupti, 32}});
  const auto verdict = judged(kSectors, record, "global_load_sectors");
  EXPECT_EQ(verdict.kind, VerdictKind::kDisagrees);
  EXPECT_EQ(verdict.reason, "the model has 33, theory says 32");
}

TEST(Exact, HardwareThatDiffersDisagreesThoughModelAndTheoryAgree) {
  const auto record =
      with({{"global_load_sectors", kModel, 32}, {"global_load_sectors", kCupti, 40}});
  const auto verdict = judged(kSectors, record, "global_load_sectors");
  EXPECT_EQ(verdict.kind, VerdictKind::kDisagrees);
  EXPECT_EQ(verdict.reason, "cupti has 40, theory says 32");
}

// An H200's product of 100 x 70 by 70 x 45 at 128 registers per thread: 80 bytes per thread spilled
// in 160 stores, 4 sectors each, which took L2's writes from at most 737 to 1232.
TEST(Banded, SpilledRegistersAreWrittenToo) {
  const auto record = [](double local_stores) {
    auto made = with({{"l2_write_sectors", kModel, 737},
                      {"local_store_requests", kModel, 0},
                      {"l2_write_sectors", kCupti, 1232},
                      {"local_store_requests", kSass, local_stores}});
    made.observations[0].min = 563;
    made.observations[0].max = 737;
    return made;
  };
  const auto variant = variant_with({});
  const auto verdict = judged(variant, record(160), "l2_write_sectors");
  EXPECT_EQ(verdict.kind, VerdictKind::kExplained);
  EXPECT_EQ(verdict.reason,
            "495 of 1232 are local memory's: the machine code spills registers, in 160 stores");
  // 30 stores of 16 sectors at most are 480 sectors: not all of the 495.
  EXPECT_EQ(judged(variant, record(30), "l2_write_sectors").kind, VerdictKind::kDisagrees);
  EXPECT_EQ(judged(variant, record(31), "l2_write_sectors").kind, VerdictKind::kExplained);
}

// An H200's walk over 65536 lines: 2.4 ms, 262,176 bytes at most of its own.
TEST(Banded, OthersUseDramForAsLongAsTheKernelRuns) {
  const auto record = [](double bytes, double microseconds) {
    auto made = with({{"dram_read_bytes", kModel, 262144}, {"dram_read_bytes", kCupti, bytes}});
    made.observations[0].min = 131072;
    made.observations[0].max = 262176;
    made.timing = Timing();
    made.timing->median_ns = 1000 * microseconds;
    return made;
  };
  const auto variant = variant_with({});
  // 262176 * 1.01 + 32768 + 50 * 2400 + 65536 = 483101.76.
  EXPECT_EQ(judged(variant, record(483101, 2400), "dram_read_bytes").kind, VerdictKind::kExplained);
  EXPECT_EQ(judged(variant, record(483103, 2400), "dram_read_bytes").kind, VerdictKind::kDisagrees);
  EXPECT_EQ(judged(variant, record(366300, 10), "dram_read_bytes").kind, VerdictKind::kDisagrees);
}

// Without a timing loop the counters' own pass says how long it took: 262176 * 1.01 + 32768 +
// 50 * 2400 + 65536 = 483101.76.
TEST(Banded, TheTimeOfTheCountersWillDoWhereNoneWasTaken) {
  const auto record = with({{"dram_read_bytes", kModel, 262176},
                            {"dram_read_bytes", kCupti, 483101},
                            {"duration_ns", kCupti, 2400000}});
  EXPECT_EQ(judged(variant_with({}), record, "dram_read_bytes").kind, VerdictKind::kExplained);
}

// On an H200 a kernel of 4 blocks that writes 4,096 bytes was seen beside 49,152.
TEST(Banded, WritesOfOthersBesideAKernelThatWritesLittle) {
  auto record = with({{"dram_write_bytes", kModel, 4096}, {"dram_write_bytes", kCupti, 49152}});
  record.observations[0].min = 0;
  record.observations[0].max = 4096;
  EXPECT_EQ(judged(variant_with({}), record, "dram_write_bytes").kind, VerdictKind::kTooSmall);
}

// On an H200 a walk of 75 us that writes 32 bytes was seen beside 98,304, and a kernel of 4 blocks
// beside 90,112. At most 262,144 come at once, beside 49,152 and 50 per us: 315,078 with these 32.
TEST(Banded, WritesOfOthersComeAtOnceBesideAnyKernel) {
  const auto kind = [](double bytes, double microseconds) {
    auto record = with({{"dram_write_bytes", kModel, 32}, {"dram_write_bytes", kCupti, bytes}});
    record.observations[0].min = 0;
    record.observations[0].max = 32;
    record.timing = Timing{};
    record.timing->median_ns = 1000 * microseconds;
    return judged(variant_with({}), record, "dram_write_bytes").kind;
  };
  EXPECT_EQ(kind(98304, 75), VerdictKind::kTooSmall);
  EXPECT_EQ(kind(90112, 3), VerdictKind::kTooSmall);
  EXPECT_EQ(kind(315078, 75), VerdictKind::kTooSmall);
  EXPECT_EQ(kind(315079, 75), VerdictKind::kDisagrees);
}

TEST(Banded, OthersOnlyAddToWhatRepeatsHaveLeast) {
  auto record =
      with({{"dram_write_bytes", kModel, 1000000}, {"dram_write_bytes", kCupti, 1400000}});
  record.observations[1].min = 1000000;
  record.observations[1].max = 1400000;
  const auto variant = variant_with({});
  EXPECT_EQ(judged(variant, record, "dram_write_bytes").kind, VerdictKind::kDisagrees);
  record.observations[1].samples = 3;
  const auto verdict = judged(variant, record, "dram_write_bytes");
  EXPECT_EQ(verdict.kind, VerdictKind::kExplained);
  EXPECT_EQ(verdict.reason,
            "cupti has 1400000, 400000 above the prediction: DRAM counters count the whole chip: "
            "ECC, the display and instruction fetches are included; the least of 3 is 1000000");
  record.observations[1].min = 1321297;  // 1000000 * 1.01 + 49152 + 262144 is one less
  EXPECT_EQ(judged(variant, record, "dram_write_bytes").kind, VerdictKind::kDisagrees);
}

// Beside a kernel of no time, others add up to 32768 bytes, and 65536 more once in many runs.
TEST(Banded, WhatOthersMayHideIsTooSmallToJudge) {
  const auto kind = [](double predicted, double seen) {
    const auto record =
        with({{"dram_read_bytes", kModel, predicted}, {"dram_read_bytes", kCupti, seen}});
    return judged(variant_with({}), record, "dram_read_bytes").kind;
  };
  EXPECT_EQ(kind(2048, 6144), VerdictKind::kTooSmall);
  EXPECT_EQ(kind(2048, 2048), VerdictKind::kTooSmall);
  EXPECT_EQ(kind(32767, 0), VerdictKind::kTooSmall);
  EXPECT_EQ(kind(32768, 32768), VerdictKind::kAgrees);
  // 2048 * 1.01 + 32768 + 65536 = 100372.48.
  EXPECT_EQ(kind(2048, 100372), VerdictKind::kTooSmall);
  EXPECT_EQ(kind(2048, 100373), VerdictKind::kDisagrees);
}

TEST(Banded, TooSmallSaysHowMuchOthersAdd) {
  const auto record = with({{"dram_read_bytes", kModel, 2048}, {"dram_read_bytes", kCupti, 6144}});
  EXPECT_EQ(judged(variant_with({}), record, "dram_read_bytes").reason,
            "2048 bytes predicted, and up to 32768 of others on the chip are counted as well");
}

// 0.1 % of 268,435,456 bytes are 268,435.
TEST(Banded, ADifferenceOfLessThanAThousandthIsNone) {
  const auto judge_seen = [](double seen) {
    const auto record =
        with({{"dram_read_bytes", kModel, 268435456}, {"dram_read_bytes", kCupti, seen}});
    return judged(variant_with({}), record, "dram_read_bytes");
  };
  EXPECT_EQ(judge_seen(268435456 + 268435).kind, VerdictKind::kAgrees);
  EXPECT_EQ(judge_seen(268435456 - 268435).kind, VerdictKind::kAgrees);
  EXPECT_EQ(judge_seen(268435456 + 268436).kind, VerdictKind::kExplained);
  EXPECT_EQ(judge_seen(268435456 + 8192).reason,
            "all agree within 0.1 %: model 268435456, cupti 268443648");
}

// An exact count that is off by little is off.
TEST(Exact, ADifferenceOfLessThanAThousandthDisagrees) {
  const auto record =
      with({{"global_load_sectors", kModel, 1000000}, {"global_load_sectors", kCupti, 1000001}});
  const auto variant = variant_with({{"global_load_sectors", 1000000, "why"}});
  EXPECT_EQ(judged(variant, record, "global_load_sectors").kind, VerdictKind::kDisagrees);
}

TEST(Banded, AShortageIsNeverOthersTraffic) {
  const auto record =
      with({{"dram_read_bytes", kModel, 1000000}, {"dram_read_bytes", kCupti, 980000}});
  const auto verdict = judged(variant_with({}), record, "dram_read_bytes");
  EXPECT_EQ(verdict.kind, VerdictKind::kExplained);
  EXPECT_EQ(verdict.reason,
            "cupti has 980000, 20000 below the prediction: L2 held a part of it already");
}

TEST(Exact, RequestsOfTheHardwareMayTakeInInstructionsThatAreSwitchedOff) {
  const auto variant = variant_with({{"global_load_requests", 1067, "why"}});
  const auto verdict =
      judged(variant,
             with({{"global_load_requests", kSass, 1067}, {"global_load_requests", kCupti, 1071}}),
             "global_load_requests");
  EXPECT_EQ(verdict.kind, VerdictKind::kExplained);
  EXPECT_EQ(verdict.reason,
            "4 of 1071 are instructions whose lanes were all switched off, some of which the "
            "hardware counter takes in; instruction patching counts 1067");
}

// Below the prediction, without patching's word for it, or against it, nothing explains them.
TEST(Exact, OtherRequestsOfTheHardwareDisagree) {
  const auto variant = variant_with({{"global_load_requests", 1067, "why"}});
  const auto kind = [&](const CaseRecord& record) {
    return judged(variant, record, "global_load_requests").kind;
  };
  EXPECT_EQ(
      kind(with({{"global_load_requests", kSass, 1067}, {"global_load_requests", kCupti, 1066}})),
      VerdictKind::kDisagrees);
  EXPECT_EQ(
      kind(with({{"global_load_requests", kSass, 1071}, {"global_load_requests", kCupti, 1071}})),
      VerdictKind::kDisagrees);
  EXPECT_EQ(
      kind(with({{"global_load_requests", kModel, 1067}, {"global_load_requests", kCupti, 1071}})),
      VerdictKind::kDisagrees);
}

TEST(Exact, RatiosOfCountsAreEqualUpToRounding) {
  const auto variant = variant_with({{"global_load_efficiency", Expr(1) / 3, "why"}});
  const auto record = with({{"global_load_bytes", kModel, 32}, {"global_load_sectors", kModel, 3}});
  EXPECT_EQ(judged(variant, record, "global_load_efficiency").kind, VerdictKind::kAgrees);
}

TEST(Exact, AFallbackSaysWhichSourceWasWanted) {
  const auto variant = variant_with({{"global_load_requests", 8, "why"}});
  const auto record =
      with({{"global_load_requests", kModel, 8}, {"global_load_requests", kCupti, 8}});
  EXPECT_EQ(judged(variant, record, "global_load_requests").reason,
            "all agree: theory 8, model 8, cupti 8; measured by cupti, for want of sass");
}

TEST(Exact, AtomicsMayReadASectorMoreThanTheRule) {
  const auto variant = variant_with({{"global_reduction_sectors", 28, "why"}});
  const auto verdict = judged(
      variant,
      with({{"global_reduction_sectors", kModel, 28}, {"global_reduction_sectors", kCupti, 29}}),
      "global_reduction_sectors");
  EXPECT_EQ(verdict.kind, VerdictKind::kExplained);
  EXPECT_EQ(
      verdict.reason,
      "cupti has 29, 1 above the prediction: atomics of scattered lanes now and then cost the "
      "hardware one sector more than the rule says");
  const auto far = judged(
      variant,
      with({{"global_reduction_sectors", kModel, 28}, {"global_reduction_sectors", kCupti, 35}}),
      "global_reduction_sectors");
  EXPECT_EQ(far.kind, VerdictKind::kDisagrees);
}

TEST(Missing, OneValueAloneIsNotAVerdict) {
  CaseRecord record;
  record.status = CaseStatus::kRefused;
  record.reason = "instruction tex is not modelled";
  const auto verdict = judged(kSectors, record, "global_load_sectors");
  EXPECT_EQ(verdict.kind, VerdictKind::kMissing);
  EXPECT_EQ(verdict.reason,
            "fewer than two values to compare; model: instruction tex is not modelled; not "
            "measured: no GPU");
}

TEST(Missing, TheReasonOfAMissingMeasurementIsPassedOn) {
  auto record = with({{"global_load_sectors", kModel, 32}});
  testing_records::add_missing(record, "global_load_sectors", kCupti,
                               {NoValue::kNoPermission, "counters need root"});
  EXPECT_EQ(judged(kSectors, record, "global_load_sectors").reason,
            "all agree: theory 32, model 32; not measured: counters need root");
}

TEST(Context, IsNeverJudged) {
  const auto variant = variant_with({{"instructions", 100, "why"}});
  const auto verdict = judged(variant, with({{"instructions", kModel, 7}}), "instructions");
  EXPECT_EQ(verdict.kind, VerdictKind::kContext);
}

const Variant kPadded = variant_with({{"shared_load_wavefronts_sass", 512, "why"},
                                      {"shared_store_wavefronts_sass", 512, "why"},
                                      {"shared_load_bank_conflicts", 0, "why"},
                                      {"shared_bank_conflicts", 0, "why"}});

// A padded transpose: hardware counts conflicts though there are none by address.
CaseRecord padded(double patched, double conflicts) {
  return with({{"shared_load_wavefronts_sass", kModel, 512},
               {"shared_store_wavefronts_sass", kModel, 512},
               {"shared_load_bank_conflicts", kModel, 0},
               {"shared_store_bank_conflicts", kModel, 0},
               {"shared_atomic_bank_conflicts", kModel, 0},
               {"shared_atomic_requests", kSass, 0},
               {"shared_load_wavefronts_sass", kSass, patched},
               {"shared_store_wavefronts_sass", kSass, 512},
               {"shared_load_bank_conflicts", kCupti, conflicts},
               {"shared_store_bank_conflicts", kCupti, 0}});
}

TEST(Conflicts, HardwareAboveTheRuleIsArbitrationWherePatchedWavefrontsAgree) {
  const auto verdict = judged(kPadded, padded(512, 79), "shared_bank_conflicts");
  EXPECT_EQ(verdict.kind, VerdictKind::kExplained);
  EXPECT_EQ(verdict.reason,
            "79 of 79 are arbitration: the counter also counts cycles that shared accesses lose to "
            "other traffic of the L1 data stage");
}

TEST(Conflicts, AreRealWherePatchedWavefrontsContradict) {
  const auto verdict = judged(kPadded, padded(1024, 512), "shared_load_bank_conflicts");
  EXPECT_EQ(verdict.kind, VerdictKind::kDisagrees);
  EXPECT_EQ(verdict.reason, "cupti has 512, theory says 0");
  EXPECT_EQ(judged(kPadded, padded(1024, 512), "shared_bank_conflicts").kind,
            VerdictKind::kDisagrees);
}

// The model counted 8 requests and says that the machine code may make up to 20 of them.
CaseRecord with_room(double measured_requests) {
  auto record = with({{"global_load_requests", kModel, 8},
                      {"global_load_sectors", kModel, 32},
                      {"global_load_requests", kSass, measured_requests},
                      {"global_load_sectors", kSass, 32}});
  record.observations.front().min = 8;
  record.observations.front().max = 20;
  record.notes.machine_code = {{"global_load", "k.cu:12: three copies of a loop"},
                               {"shared_load", "k.cu:14: not this one"}};
  return record;
}

TEST(MachineCode, ExplainsWhatItLeavesRoomForAndSaysWhere) {
  const Variant none;
  const auto verdict = judged(none, with_room(9), "global_load_requests");
  EXPECT_EQ(verdict.kind, VerdictKind::kExplained);
  EXPECT_EQ(verdict.reason, "9 where the PTX has 8: k.cu:12: three copies of a loop");
  EXPECT_EQ(judged(none, with_room(8), "global_load_requests").kind, VerdictKind::kAgrees);
  EXPECT_EQ(judged(none, with_room(21), "global_load_requests").kind, VerdictKind::kDisagrees);
  EXPECT_EQ(judged(none, with_room(7), "global_load_requests").kind, VerdictKind::kDisagrees);
}

TEST(MachineCode, RatiosHaveTheRoomOfTheirParts) {
  // 32 sectors by 8 to 20 requests: 1.6 to 4 for each.
  const Variant none;
  EXPECT_EQ(judged(none, with_room(16), "global_load_sectors_per_request").kind,
            VerdictKind::kExplained);
  EXPECT_EQ(judged(none, with_room(32), "global_load_sectors_per_request").kind,
            VerdictKind::kDisagrees);
}

TEST(Conflicts, BelowTheRuleIsADisagreement) {
  const auto variant = variant_with({{"shared_load_bank_conflicts", 100, "why"}});
  const auto record = with(
      {{"shared_load_bank_conflicts", kModel, 100}, {"shared_load_bank_conflicts", kCupti, 99}});
  EXPECT_EQ(judged(variant, record, "shared_load_bank_conflicts").kind, VerdictKind::kDisagrees);
}

// The transposes of 4096 x 4096 floats measured on an H200: all conflicts less arbitration.
TEST(Conflicts, AreToldApartWhereTheChipCountsArbitration) {
  auto record = padded(512, 79584);
  record.observations.push_back(testing_records::observation("l1_bank_conflicts", kCupti, 285234));
  record.observations.push_back(
      testing_records::observation("l1_arbitration_conflicts", kCupti, 285428));
  const auto verdict = judged(kPadded, record, "shared_bank_conflicts");
  EXPECT_EQ(verdict.kind, VerdictKind::kExplained);
  EXPECT_EQ(verdict.reason,
            "79584 of 79584 are arbitration: the counter also counts cycles that shared accesses "
            "lose to other traffic of the L1 data stage; told apart by the chip's arbitration "
            "counter: -194 are caused by addresses");

  // 353,106 lost to arbitration of 16,605,649: 16,252,543 by addresses, where none were predicted.
  auto unpadded = padded(512, 16490295);
  unpadded.observations.push_back(
      testing_records::observation("l1_bank_conflicts", kCupti, 16605649));
  unpadded.observations.push_back(
      testing_records::observation("l1_arbitration_conflicts", kCupti, 353106));
  EXPECT_EQ(judged(kPadded, unpadded, "shared_bank_conflicts").kind, VerdictKind::kDisagrees);
}

// The one counter of all shared conflicts. 4,096 wavefronts of loads and stores, of which addresses
// cause 1,000.
CaseRecord with_all(double read, double shuffles, double wavefronts = 4096) {
  return with({{"shared_load_bank_conflicts", kModel, wavefronts > 0 ? 1000.0 : 0.0},
               {"shared_store_bank_conflicts", kModel, 0},
               {"shared_atomic_bank_conflicts", kModel, 0},
               {"shared_load_wavefronts", kModel, wavefronts},
               {"shared_store_wavefronts", kModel, 0},
               {"shared_atomic_wavefronts", kModel, 0},
               {"warp_shuffles", kModel, shuffles},
               {"shared_conflicts_all", kCupti, read}});
}

TEST(ConflictsOfAll, AreWhatAddressesCauseAndWhatArbitrationAdds) {
  const Variant none;
  const auto kind = [&](const CaseRecord& record) {
    return judged(none, record, "shared_conflicts_all").kind;
  };
  EXPECT_EQ(kind(with_all(1000, 0)), VerdictKind::kAgrees);
  EXPECT_EQ(kind(with_all(999, 0)), VerdictKind::kDisagrees);  // nothing hides them
  EXPECT_EQ(kind(with_all(1000 + 2048, 0)), VerdictKind::kExplained);
  EXPECT_EQ(kind(with_all(1000 + 2049, 0)), VerdictKind::kDisagrees);  // half of each wavefront
  EXPECT_EQ(judged(none, with_all(1300, 0), "shared_conflicts_all").reason,
            "300 of 1300 are arbitration: the counter also counts cycles that shared accesses and "
            "shuffles lose to other traffic of the L1 data stage");
}

// Lab 10's bursts on an H200: 2,097,152 warps with 5 shuffles each, and no shared memory.
TEST(ConflictsOfAll, ShufflesLoseThemTooAndNothingElseDoes) {
  const Variant none;
  const auto verdict = judged(none, with_all(557766, 10485760, 0), "shared_conflicts_all");
  EXPECT_EQ(verdict.kind, VerdictKind::kExplained);
  EXPECT_NE(verdict.reason.find("10485760 shuffles are among them"), std::string::npos)
      << verdict.reason;
  EXPECT_EQ(judged(none, with_all(1, 0, 0), "shared_conflicts_all").kind, VerdictKind::kDisagrees);
  EXPECT_EQ(judged(none, with_all(0, 0, 0), "shared_conflicts_all").kind, VerdictKind::kAgrees);
}

const Variant kReads = variant_with({{"l2_read_sectors", 1000, "why", Level::kAsCompiled, 2000}});

CaseRecord reads(double low, double high, double measured) {
  auto record = with({{"l2_read_sectors", kModel, low}, {"l2_read_sectors", kCupti, measured}});
  record.observations[0].max = high;
  return record;
}

TEST(Banded, InsideTheIntervalAgrees) {
  const auto verdict = judged(kReads, reads(1000, 2000, 1700), "l2_read_sectors");
  EXPECT_EQ(verdict.kind, VerdictKind::kAgrees);
  EXPECT_EQ(verdict.reason, "all agree: theory 1000 to 2000, model 1000 to 2000, cupti 1700");
  EXPECT_EQ(verdict.theory, 1000);
  EXPECT_EQ(verdict.theory_high, 2000);
}

// The band of L2 reads is 4 sectors and 0.05 %: 2005 is within 2000 + 1 + 4.
TEST(Banded, JustOutsideIsExplainedFarOutsideDisagrees) {
  EXPECT_EQ(judged(kReads, reads(1000, 2000, 2005), "l2_read_sectors").kind,
            VerdictKind::kExplained);
  EXPECT_EQ(judged(kReads, reads(1000, 2000, 2006), "l2_read_sectors").kind,
            VerdictKind::kDisagrees);
  EXPECT_EQ(judged(kReads, reads(1000, 2000, 990), "l2_read_sectors").kind,
            VerdictKind::kDisagrees);
}

// The model allows all that theory allows, and more at both ends.
TEST(Banded, AModelThatEnclosesTheoryAgrees) {
  EXPECT_EQ(judged(kReads, reads(500, 3000, 1700), "l2_read_sectors").kind, VerdictKind::kAgrees);
}

TEST(Banded, AModelThatSharesNothingWithTheoryDisagrees) {
  EXPECT_EQ(judged(kReads, reads(2500, 3000, 1700), "l2_read_sectors").kind,
            VerdictKind::kDisagrees);
}

TEST(ForeignKernel, HasATargetAndIsNeverBlamedForBeingSlow) {
  const auto record =
      with({{"global_load_sectors", kModel, 64}, {"global_load_sectors", kCupti, 64}});
  const auto verdict = judged(kSectors, record, "global_load_sectors", false);
  EXPECT_EQ(verdict.kind, VerdictKind::kAgrees);
  EXPECT_EQ(verdict.target, 32);
  EXPECT_EQ(verdict.excess, 2);
  EXPECT_FALSE(verdict.theory);
  EXPECT_EQ(verdict.reason,
            "your kernel: 64 against a target of 32; all agree: model 64, cupti 64");
}

// 32 to 64 sectors, as caches decide: 48 are on target, 96 are 1.5 times the most, 16 half the
// least.
TEST(ForeignKernel, AnIntervalIsAllOnTarget) {
  Variant variant = variant_with({{"l2_read_sectors", 32, "why"}});
  variant.theory[0].high = 64;
  const auto excess = [&](double sectors) {
    const auto verdict =
        judged(variant, with({{"l2_read_sectors", kModel, sectors}}), "l2_read_sectors", false);
    return std::pair(verdict.target, verdict.excess);
  };
  EXPECT_EQ(excess(48), std::pair(std::optional(48.0), std::optional(1.0)));
  EXPECT_EQ(excess(96), std::pair(std::optional(64.0), std::optional(1.5)));
  EXPECT_EQ(excess(16), std::pair(std::optional(32.0), std::optional(0.5)));
}

TEST(ForeignKernel, WithNoGpuShowsTheTarget) {
  const auto verdict =
      judged(kSectors, with({{"global_load_sectors", kModel, 64}}), "global_load_sectors", false);
  EXPECT_EQ(verdict.kind, VerdictKind::kContext);
  EXPECT_EQ(verdict.excess, 2);
  EXPECT_EQ(verdict.reason, "your kernel: 64 against a target of 32; not measured: no GPU");
}

TEST(ForeignKernel, WhoseModelIsWrongDisagrees) {
  const auto record =
      with({{"global_load_sectors", kModel, 64}, {"global_load_sectors", kCupti, 60}});
  EXPECT_EQ(judged(kSectors, record, "global_load_sectors", false).kind, VerdictKind::kDisagrees);
}

TEST(Probe, ComparesModelAndHardwareWithoutTheory) {
  auto record = with({{"global_load_sectors", kModel, 64},
                      {"global_load_sectors", kCupti, 64},
                      {"cycles", kCupti, 1000}});
  judge({nullptr, true, {"duration_ns"}}, record);
  ASSERT_GE(record.verdicts.size(), 3U);
  EXPECT_EQ(record.verdicts[0].metric, "duration_ns");
  EXPECT_EQ(record.verdicts[0].kind, VerdictKind::kMissing);
  EXPECT_EQ(record.verdicts[1].metric, "global_load_sectors");
  EXPECT_EQ(record.verdicts[1].kind, VerdictKind::kAgrees);
  EXPECT_FALSE(record.verdicts[1].theory);
  // The rest has one source and was not asked for: nobody judged it, and what was measured stands.
  for (std::size_t i = 2; i < record.verdicts.size(); ++i) {
    EXPECT_EQ(record.verdicts[i].kind, VerdictKind::kNone) << record.verdicts[i].metric;
  }
  EXPECT_EQ(record.verdicts[2].metric, "cycles");
  EXPECT_EQ(record.verdicts[2].measured, 1000);
  EXPECT_EQ(record.verdicts[2].measured_source, kCupti);
}

TEST(Merged, APtxLevelModelIsExplainedForAVariantDeclaredMerged) {
  auto variant = variant_with({{"shared_load_requests", 40, "why"}});
  auto record = with({{"shared_load_requests", kModel, 64}});
  record.facts.access_level = AccessLevel::kPtx;
  EXPECT_EQ(judged(variant, record, "shared_load_requests").kind, VerdictKind::kDisagrees);
  variant.merged = true;
  const auto verdict = judged(variant, record, "shared_load_requests");
  EXPECT_EQ(verdict.kind, VerdictKind::kExplained);
  EXPECT_EQ(verdict.reason,
            "the model counted the accesses of the PTX, which the compiler then merged: 64 as "
            "written, 40 as compiled; not measured: no GPU");
}

TEST(Merged, AnUnusedAtomicOfThePtxIsAReductionOfTheMachineCode) {
  const auto variant = variant_with({{"global_reduction_sectors", 12, "why"}});
  auto record =
      with({{"global_reduction_sectors", kModel, 0}, {"global_atomic_sectors", kModel, 12}});
  EXPECT_EQ(judged(variant, record, "global_reduction_sectors").kind, VerdictKind::kDisagrees);
  record.facts.access_level = AccessLevel::kPtx;
  const auto verdict = judged(variant, record, "global_reduction_sectors");
  EXPECT_EQ(verdict.kind, VerdictKind::kExplained);
  EXPECT_EQ(verdict.reason,
            "the model counted 12 sectors as atomics, as the PTX has them; nobody uses their "
            "results, so the compiler makes them reductions; not measured: no GPU");
}

// 32 lanes on one address: 32 sectors in the PTX, one after the compiler has combined them.
TEST(Merged, LanesThatTheCompilerCombinesAreExplainedForAVariantDeclaredMerged) {
  auto variant = variant_with({{"global_reduction_sectors", 1, "why"}});
  variant.merged = true;
  auto record =
      with({{"global_reduction_sectors", kModel, 0}, {"global_atomic_sectors", kModel, 32}});
  record.facts.access_level = AccessLevel::kPtx;
  const auto verdict = judged(variant, record, "global_reduction_sectors");
  EXPECT_EQ(verdict.kind, VerdictKind::kExplained);
  EXPECT_EQ(verdict.reason,
            "the model counted 32 sectors of atomics, as the PTX has them; the compiler combines "
            "the lanes of a warp first; not measured: no GPU");
}

TEST(Merged, AFormulaOfTheSourceIsExplainedByTheCompiler) {
  const auto variant = variant_with({{"shared_load_requests", 64, "why", Level::kAsWritten}});
  auto record = with({{"shared_load_requests", kModel, 40}, {"shared_load_requests", kSass, 40}});
  record.facts.access_level = AccessLevel::kSass;
  const auto verdict = judged(variant, record, "shared_load_requests");
  EXPECT_EQ(verdict.kind, VerdictKind::kExplained);
  EXPECT_EQ(verdict.level, Level::kAsWritten);
}

TEST(Judge, TwiceIsAsOnce) {
  auto record = padded(512, 79);
  judge({&kPadded, true, {}}, record);
  const auto observations = record.observations.size();
  const auto verdicts = record.verdicts.size();
  judge({&kPadded, true, {}}, record);
  EXPECT_EQ(record.observations.size(), observations);
  EXPECT_EQ(record.verdicts.size(), verdicts);
}

TEST(Judge, ATheoryThatHasNoValueAtAPointIsMissingWithItsReason) {
  const auto variant =
      variant_with({{"shared_load_ways", Expr("blocks") / (Expr("warps") - 2), "why"}});
  CaseRecord record;
  judge({&variant, true, {}}, record);
  const auto* theory = find_observation(record, "shared_load_ways", SourceOf::kTheory);
  ASSERT_NE(theory, nullptr);
  ASSERT_FALSE(theory->has_value());
  EXPECT_EQ(std::get<Missing>(theory->value).reason, NoValue::kNoValue);
}

}  // namespace
}  // namespace lab::metrics
