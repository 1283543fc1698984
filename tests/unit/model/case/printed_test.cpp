// What a record keeps of what kernels print.
#include "harness/model/case/printed.h"

#include <gtest/gtest.h>

namespace lab::model {
namespace {

CaseRecord told(const Printed& printed) {
  CaseRecord record;
  printed.tell(record);
  return record;
}

TEST(Printed, NothingIsNoNote) {
  Printed printed;
  printed.add("");
  EXPECT_EQ(told(printed).notes, CaseNotes());
}

TEST(Printed, IsKeptWhole) {
  Printed printed;
  printed.add("a ");
  printed.add("b\nc\n");
  const CaseRecord record = told(printed);
  EXPECT_EQ(record.notes.printed, "a b\nc\n");
  EXPECT_EQ(record.notes.printed_left_out, "");
}

TEST(Printed, LinesAreBounded) {
  Printed printed;
  for (std::size_t i = 0; i < Printed::kMostLines; ++i) printed.add("x\n");
  EXPECT_EQ(told(printed).notes.printed_left_out, "");
  printed.add("y");
  const CaseRecord record = told(printed);
  EXPECT_EQ(record.notes.printed.size(), 2 * Printed::kMostLines);
  // 200 lines of 2 bytes, and one that has not come to its end.
  EXPECT_EQ(record.notes.printed_left_out, "201 lines, 401 bytes");
}

TEST(Printed, BytesAreBounded) {
  Printed printed;
  printed.add(std::string(Printed::kMostBytes - 1, 'x') + "\n");
  EXPECT_EQ(told(printed).notes.printed_left_out, "");
  printed.add("y\n");
  EXPECT_EQ(told(printed).notes.printed.size(), Printed::kMostBytes);
  EXPECT_EQ(told(printed).notes.printed_left_out, "2 lines, 16,386 bytes");
}

}  // namespace
}  // namespace lab::model
