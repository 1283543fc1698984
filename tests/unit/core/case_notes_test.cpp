#include "harness/core/case_notes.h"

#include <gtest/gtest.h>

#include "harness/core/error.h"

namespace lab {
namespace {

// One note of each type, as it is stored.
TEST(CaseNotes, AreStoredAsTexts) {
  CaseNotes notes;
  notes.checkers = Looked::kLarge;
  notes.images = true;
  notes.unchecked_launches = 12;
  notes.instructions = {{InstructionKind::kGlobalLoad4, 7}, {InstructionKind::kMove, 2}};
  notes.machine_code = {{"global_load", "k.cu:3: three copies"}, {"shared_load", "k.cu:5: one"}};
  notes.printed = "a\nb";
  const std::map<std::string, std::string> texts = {
      {"checkers", "large"},
      {"images", "yes"},
      {"instructions", "global_load_4=7 move=2"},
      {"machine_code", "global_load: k.cu:3: three copies\nshared_load: k.cu:5: one"},
      {"printed", "a\nb"},
      {"unchecked_launches", "12"}};
  EXPECT_EQ(texts_of(notes), texts);
  EXPECT_EQ(CaseNotes::from_text(notes.text()), notes);
}

// Whatever another version wrote comes back as it was, and decides nothing.
TEST(CaseNotes, WordsOfOtherVersionsAreKept) {
  const std::map<std::string, std::string> texts = {{"checkers", "a word of a newer version"},
                                                    {"instructions", "warp_dance=3"},
                                                    {"machine_code", "no place"},
                                                    {"unchecked_launches", "many"},
                                                    {"weather", "fine"},
                                                    {"others", "sunny"}};
  const CaseNotes notes = notes_from(texts);
  EXPECT_EQ(notes.checkers, std::nullopt);
  EXPECT_EQ(notes.unchecked_launches, 0U);
  EXPECT_TRUE(notes.instructions.empty());
  EXPECT_TRUE(notes.machine_code.empty());
  EXPECT_EQ(texts_of(notes), texts);
}

// Where there is a `yes` now, older versions had a sentence.
TEST(CaseNotes, ASentenceIsAYes) {
  EXPECT_TRUE(notes_from({{"grid_barrier", "blocks wait for the whole grid"}}).grid_barrier);
}

TEST(CaseNotes, EditedOnesAreRefused) {
  EXPECT_THROW((void)CaseNotes::from_text("{"), Error);
  EXPECT_THROW((void)CaseNotes::from_text("{\"checkers\": 1}"), Error);
}

}  // namespace
}  // namespace lab
