#include "harness/reading/notes.h"

#include <gtest/gtest.h>

#include "metrics/time_flaws.h"
#include "tests/unit/cli/sample_run.h"

namespace lab::reading {
namespace {

std::vector<Note> notes_of(const std::vector<CaseRecord>& records, const Shown& shown) {
  Cases cases;
  for (const CaseRecord& record : records) cases.push_back(&record);
  return reading::notes_of(cases, shown);
}

CaseRecord explained(const std::string& reason) {
  CaseRecord record = cli::sample_case(2, 2, 2);
  record.verdicts[0].kind = VerdictKind::kExplained;
  record.verdicts[0].reason = reason;
  return record;
}

CaseRecord found(int line, const std::string& message) {
  CaseRecord record;
  record.findings.emplace_back();
  record.findings[0].line = line;
  record.findings[0].message = message;
  return record;
}

const Shown kPage{{}, Detail::kFolded};

TEST(Notes, VerdictsThatDifferInNumbersAreOne) {
  const std::vector<CaseRecord> cases = {explained("1 of 1,286 is arbitration"),
                                         explained("2.5 of 127433 is arbitration"),
                                         explained("1 of 2 is something else")};
  const auto notes = notes_of(cases, kPage);
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_EQ(notes[0].text, "1 of 1,286 is arbitration");
  EXPECT_EQ(notes[0].cases, 2U);
  EXPECT_FALSE(notes[0].same);
  EXPECT_TRUE(notes[1].same);
  EXPECT_TRUE(notes_of(cases, {}).empty());  // in brief
}

// What one thread did to another is one note; at another line it is another mistake.
TEST(Notes, FindingsOfOneLineAreOne) {
  const std::vector<CaseRecord> cases = {found(3, "threads 1 and 2"), found(3, "threads 5 and 6"),
                                         found(4, "threads 1 and 2")};
  const auto notes = notes_of(cases, {});
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_EQ(notes[0].cases, 2U);
  EXPECT_EQ(notes[1].finding->line, 4);
}

TEST(Notes, FactsComeFirstAndKeepTheirNumbers) {
  CaseRecord first;
  first.reason = "sampled";
  CaseRecord second = first;
  first.notes.races = "1 lost";
  second.notes.races = "2 lost";
  const auto notes = notes_of({first, second}, {});
  ASSERT_EQ(notes.size(), 3U);
  EXPECT_EQ(notes[0].text, "1 lost");
  EXPECT_EQ(notes[1].text, "2 lost");
  EXPECT_EQ(notes[2].kind, NoteKind::kReason);
  EXPECT_EQ(notes[2].cases, 2U);
}

TEST(Notes, WhatIsMissingIsSaidOfWhatWasAskedForAlone) {
  CaseRecord record = cli::sample_case(2, 2, 2);
  record.verdicts[0].kind = VerdictKind::kTooSmall;
  EXPECT_TRUE(notes_of({record}, {{"shared_load_ways"}, Detail::kEverySource}).empty());
  EXPECT_TRUE(notes_of({record}, {{"instructions"}, Detail::kAsked}).empty());
  EXPECT_EQ(notes_of({record}, {{"shared_load_ways"}, Detail::kAsked}).at(0).kind,
            NoteKind::kMissing);
}

TEST(Notes, WhyALaunchTookLongerIsANoteOfItsOwn) {
  CaseRecord record;
  record.verdicts.emplace_back();
  record.verdicts[0].metric = "duration_ns";
  record.verdicts[0].kind = VerdictKind::kContext;
  record.verdicts[0].reason = "at least: DRAM 0.1 us";
  record.verdicts[0].longer = TimeGap::kFewBlocks;
  record.verdicts[0].longer_because = "few blocks";
  const auto notes = notes_of({record}, kPage);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0].kind, NoteKind::kSlower);
  EXPECT_EQ(notes[0].text, "few blocks");
}

TEST(Notes, WhatAnExpectedTimeLeavesOutIsSaidOnce) {
  CaseRecord record;
  record.expected.emplace().ns = 1000;
  record.expected->off = TimeFlaw::kPieces;
  const auto notes = notes_of({record, record}, {{}, Detail::kBrief});
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0].kind, NoteKind::kFlaw);
  EXPECT_EQ(notes[0].cases, 2U);
  EXPECT_EQ(notes[0].text, metrics::told(TimeFlaw::kPieces));
  record.timing.emplace().median_ns = 1100;  // measured
  EXPECT_TRUE(notes_of({record}, {{}, Detail::kBrief}).empty());
}

TEST(Notes, TheMechanismOfMostCasesComesFirst) {
  const std::vector<CaseRecord> all = {explained("one"), explained("two 1"), explained("two 2")};
  const auto notes = mechanisms_of({&all[0], &all[1], &all[2]}, {"shared_load_ways"});
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_EQ(notes[0].text, "two 1");
  EXPECT_TRUE(mechanisms_of({&all[0]}, {"instructions"}).empty());
}

}  // namespace
}  // namespace lab::reading
