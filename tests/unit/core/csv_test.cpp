// RFC 4180, and what programs make of it.
#include "harness/core/csv.h"

#include <gtest/gtest.h>

namespace lab {
namespace {

using Cells = std::vector<std::vector<std::string>>;

Cells all_rows(std::string_view text, char separator = ',') {
  CsvReader reader(text, separator);
  Cells rows;
  while (auto row = reader.next()) rows.push_back(std::move(row->cells));
  return rows;
}

TEST(Csv, CellsAndLines) {
  EXPECT_EQ(all_rows("a,b\nc,d\n"), (Cells{{"a", "b"}, {"c", "d"}}));
  EXPECT_EQ(all_rows("a,b\r\nc,d"), (Cells{{"a", "b"}, {"c", "d"}}));
  EXPECT_EQ(all_rows("a,,\n"), (Cells{{"a", "", ""}}));
  EXPECT_EQ(all_rows("a;b,c", ';'), (Cells{{"a", "b,c"}}));
  EXPECT_EQ(all_rows(""), Cells{});
  EXPECT_EQ(all_rows("\n\na"), (Cells{{""}, {""}, {"a"}}));
}

TEST(Csv, Quotes) {
  EXPECT_EQ(all_rows("\"a,b\",\"say \"\"x\"\"\"\n"), (Cells{{"a,b", "say \"x\""}}));
  EXPECT_EQ(all_rows("\"two\nlines\",b\nc,d"), (Cells{{"two\nlines", "b"}, {"c", "d"}}));
  EXPECT_EQ(all_rows("\"a\"tail,b"), (Cells{{"atail", "b"}}));
}

TEST(Csv, QuoteThatNeverClosesEndsWithItsLine) {
  EXPECT_EQ(all_rows("x,\"open\nc,d\n"), (Cells{{"x", "\"open"}, {"c", "d"}}));
}

TEST(Csv, LinesOfRows) {
  CsvReader reader("a\n\"b\n\nc\",x\nd\n", ',');
  EXPECT_EQ(reader.next()->line, 1);
  EXPECT_EQ(reader.next()->line, 2);
  EXPECT_EQ(reader.next()->line, 5);  // the cell in between holds two line ends
  EXPECT_FALSE(reader.next());
}

TEST(Csv, Utf16AndMarks) {
  EXPECT_EQ(as_utf8("\xEF\xBB\xBF"
                    "ab"),
            "ab");
  EXPECT_EQ(as_utf8(std::string_view("\xFF\xFE"
                                     "a\0\xE9\0",
                                     6)),
            "a\xC3\xA9");  // U+00E9 is C3 A9 in UTF-8
  EXPECT_EQ(as_utf8(std::string_view("\xFE\xFF\x20\xAC", 4)), "\xE2\x82\xAC");  // U+20AC
  EXPECT_EQ(as_utf8(std::string_view("\xFE\xFF\xD8\x3D\xDE\x00", 6)),
            "\xF0\x9F\x98\x80");  // the pair D83D DE00 is U+1F600
  EXPECT_EQ(as_utf8("plain"), "plain");
  // Without a mark, by its first character.
  EXPECT_EQ(as_utf8(std::string_view("a\0\xE9\0", 4)), "a\xC3\xA9");
  EXPECT_EQ(as_utf8(std::string_view("\0a\0\xE9", 4)), "a\xC3\xA9");
  const std::string_view not_text("\x01\0\x02\0", 4);
  EXPECT_EQ(as_utf8(not_text), not_text);
}

}  // namespace
}  // namespace lab
