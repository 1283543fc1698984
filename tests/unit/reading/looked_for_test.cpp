#include "harness/reading/looked_for.h"

#include <gtest/gtest.h>

#include "harness/core/looked.h"

namespace lab::reading {
namespace {

// The model ran all of it, with every checker, and its results were compared.
CaseRecord whole() {
  CaseRecord record;
  record.kernel = "k";
  record.facts.access_level = AccessLevel::kSass;
  record.correct = true;
  record.notes.checkers = Looked::kFull;
  return record;
}

std::vector<std::string> gaps(const CaseRecord& record) {
  std::vector<std::string> all;
  for (const auto& [what, why] : looked_for(record).not_checked) {
    all.push_back(std::string(word_of(what)) + " " + std::string(word_of(why)));
  }
  return all;
}

// The five kinds that cost (the page of --json has the words), each with the reason.
std::vector<std::string> costly(const std::string& why) {
  return {"unwritten_reads " + why, "shared_races " + why, "global_races " + why,
          "cluster_races " + why, "unwaited_copies " + why};
}

TEST(LookedFor, EveryKindIsEitherCheckedOrHasAReason) {
  // Nine kinds in all: bounds, alignment, barriers, five that cost, results.
  EXPECT_EQ(looked_for(whole()).checked.size(), 9U);
  EXPECT_TRUE(gaps(whole()).empty());
  CaseRecord skipped;
  skipped.status = CaseStatus::kSkipped;
  EXPECT_TRUE(looked_for(skipped).checked.empty());
  EXPECT_EQ(gaps(skipped).size(), 9U);
  EXPECT_EQ(gaps(skipped).front(), "bounds not_run");
}

TEST(LookedFor, CheckersThatCostAreLeftOutForAReason) {
  const std::vector<std::pair<Looked, std::string>> reasons = {{Looked::kOff, "not_asked"},
                                                               {Looked::kLarge, "large_launch"},
                                                               {Looked::kBudget, "some_launches"},
                                                               {Looked::kBasic, "not_said"}};
  for (const auto& [looked, why] : reasons) {
    CaseRecord record = whole();
    record.notes.checkers = looked;
    EXPECT_EQ(gaps(record), costly(why)) << why;
  }
  CaseRecord record = whole();
  record.notes.checkers = Looked::kShared;
  EXPECT_EQ(gaps(record), std::vector<std::string>{"global_races large_memory"});
  record.notes = {};  // nothing is known then, and that is no `full`
  EXPECT_EQ(gaps(record), costly("not_said"));
}

TEST(LookedFor, SomeLaunchesUncheckedIsNotAllChecked) {
  CaseRecord record = whole();
  record.notes.unchecked_launches = 3;
  EXPECT_EQ(gaps(record), costly("some_launches"));
}

TEST(LookedFor, APartOfTheBlocksIsNotTheLaunch) {
  CaseRecord record = whole();
  record.facts.sampled_blocks = 16;
  record.correct.reset();
  ASSERT_EQ(gaps(record).size(), 9U);
  EXPECT_EQ(gaps(record).front(), "bounds sampled");
  EXPECT_EQ(gaps(record).back(), "results sampled");
}

TEST(LookedFor, AGpuComparesResultsAlone) {
  CaseRecord record = whole();
  record.facts.access_level.reset();
  record.facts.carveout = CaseFacts::kDriversChoice;
  EXPECT_EQ(looked_for(record).checked, std::vector<Sought>{Sought::kResults});
  ASSERT_EQ(gaps(record).size(), 8U);  // of the nine, all but results
  EXPECT_EQ(gaps(record).front(), "bounds gpu_alone");
  record.kernel.clear();
  EXPECT_EQ(gaps(record).front(), "bounds no_kernel");  // a program's own case has no numbers
  EXPECT_EQ(not_looked_for_text({&record}), "");
  record.timing = Timing();
  EXPECT_EQ(gaps(record).front(), "bounds library");
}

TEST(LookedFor, ALaunchThatStoppedAtAMistakeHidesOthers) {
  CaseRecord record = whole();
  record.status = CaseStatus::kFinding;
  record.correct.reset();
  record.findings.push_back({FindingKind::kTrap, "", "", ""});
  // Eight kinds of the execution, and results, which come after it.
  ASSERT_EQ(gaps(record).size(), 9U);
  EXPECT_EQ(gaps(record).front(), "bounds not_to_the_end");
  EXPECT_EQ(gaps(record).back(), "results found_first");
  // It goes on after a race, and after an access out of bounds, which is left out.
  for (const FindingKind kind : {FindingKind::kSharedRace, FindingKind::kOutOfBounds}) {
    record.findings.front().kind = kind;
    EXPECT_EQ(gaps(record), std::vector<std::string>{"results found_first"});
  }
}

TEST(LookedFor, NoCheckerSeesWhatTexturesAccess) {
  CaseRecord record = whole();
  record.notes.images = true;
  EXPECT_EQ(gaps(record), (std::vector<std::string>{"bounds textures", "unwritten_reads textures",
                                                    "global_races textures"}));
}

TEST(LookedFor, TextsNameGapsWithTheirCases) {
  const CaseRecord fine = whole();
  EXPECT_EQ(looked_for_text({&fine}),
            "Checked: bounds, alignment, barriers, unwritten reads, races, copies, results.");
  EXPECT_EQ(not_looked_for_text({&fine}), "");
  CaseRecord large = whole();
  large.notes.checkers = Looked::kShared;
  EXPECT_EQ(not_looked_for_text({&fine, &large}),
            "Not checked: races in global memory (1 of 2 cases: the launch is too large to follow "
            "all of them).");
  CaseRecord sampled = whole();
  sampled.facts.sampled_blocks = 1;
  sampled.correct.reset();
  EXPECT_EQ(not_looked_for_text({&sampled}),
            "Not checked: anything (only a sample of the blocks ran).");
  // Its findings are told; beside them this would be noise.
  large.findings.push_back({FindingKind::kSharedRace, "", "", ""});
  EXPECT_EQ(not_looked_for_text({&large}), "");
}

}  // namespace
}  // namespace lab::reading
