#include "harness/reading/fidelity.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "harness/core/text.h"

namespace lab::reading {
namespace {

using Kind = InstructionKind;

TEST(Fidelity, NothingIsSaidOfWhatTheModelDidNotRun) {
  EXPECT_TRUE(fidelity_of(CaseRecord()).empty());
}

TEST(Fidelity, ARefusedKernelHasNoneElse) {
  CaseRecord record;
  record.notes.instructions = {{Kind::kFloat, 64}};
  EXPECT_EQ(fidelity_of(record).at(0).known, Known::kRule);
  record.status = CaseStatus::kRefused;
  ASSERT_EQ(fidelity_of(record).size(), 1U);
  EXPECT_EQ(fidelity_of(record)[0].known, Known::kRefused);
  EXPECT_FALSE(fidelity_of(record)[0].executed);
}

// tests/fixtures/reference has rows of 4, 8 and 16 bytes for global memory, and additions of 32
// bits; the labs' kernels on both GPUs move 1, 2, 4, 8 and 16 bytes. No result was recorded.
TEST(Fidelity, MeasuredAreCostsOfMemoryAlone) {
  EXPECT_EQ(fidelity_of(Kind::kGlobalLoad16).known(), Known::kProved);
  EXPECT_EQ(fidelity_of(Kind::kGlobalLoad16).proofs[2].card, Card::kH100);
  EXPECT_EQ(fidelity_of(Kind::kGlobalLoad32).known(), Known::kRule);
  EXPECT_EQ(fidelity_of(Kind::kGlobalAtomicAdd).proofs[0].card, Card::kH200);
  EXPECT_TRUE(fidelity_of(Kind::kGlobalAtomicAdd).proofs[1].test.empty());
  for (const Kind kind : {Kind::kGlobalAtomic, Kind::kLocalLoad, Kind::kBulkCopy, Kind::kFloat,
                          Kind::kProductHalf, Kind::kShuffle, Kind::kApproximate}) {
    EXPECT_EQ(fidelity_of(kind).known(), Known::kRule) << word_of(kind);
  }
}

// A row of the page for one kind or several: the same answer, and every test.
TEST(Fidelity, ThePageHasEveryKind) {
  std::ifstream stream(LAB_SOURCE_DIR "/tools/readers/evidence.md");
  const std::string page(std::istreambuf_iterator<char>(stream), {});
  for (std::size_t i = 0; i < kInstructionKinds; ++i) {
    const FidelityRow& row = fidelity_of(static_cast<Kind>(i));
    const std::string word = "`" + std::string(word_of(row.kind)) + "`";
    std::string_view line;
    for (const std::string_view one : split(page, '\n')) {
      if (one.substr(0, 2) == "| " && one.find(word) != std::string_view::npos) line = one;
    }
    ASSERT_FALSE(line.empty()) << word;
    const auto says = [&](std::string_view text) {
      return line.find(text) != std::string_view::npos;
    };
    EXPECT_TRUE(says(row.rule)) << word;
    EXPECT_TRUE(row.test.empty() || says(row.test)) << word;
    bool cards[2] = {};
    for (const Proof& proof : row.proofs) {
      EXPECT_TRUE(says(proof.test)) << word << ' ' << proof.test;
      if (!proof.test.empty()) cards[static_cast<std::size_t>(proof.card)] = true;
    }
    EXPECT_EQ(says("H200"), cards[0]) << word;
    EXPECT_EQ(says("H100"), cards[1]) << word;
    EXPECT_EQ(says("| by rule |"), row.known() == Known::kRule) << word;
  }
}

}  // namespace
}  // namespace lab::reading
