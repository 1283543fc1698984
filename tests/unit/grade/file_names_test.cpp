// A student's name as a file's: no two share one, wherever the files lie.
#include "harness/classes/grade/file_names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "harness/core/text.h"

namespace lab::grade {
namespace {

// As a file system that does not tell capitals apart compares ASCII names.
std::string folded(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(c < 128 ? std::tolower(c) : c); });
  return name;
}

TEST(FileNames, OrdinaryNamesStay) {
  for (const std::string name : {"ada", "ada.lovelace", "a_b-c", "x@example.org", "s0123+2"}) {
    EXPECT_EQ(file_name_of(name), name);
  }
}

// Bytes of RFC 3986 by hand: blank 20, # 23, / 2f, ~ 7e, % 25; u-umlaut is c3 bc in UTF-8.
TEST(FileNames, OtherCharactersAreEncoded) {
  EXPECT_EQ(file_name_of("x y"), "x%20y");
  EXPECT_EQ(file_name_of("x#y"), "x%23y");
  EXPECT_EQ(file_name_of("../x"), "%2E.%2Fx");
  EXPECT_EQ(file_name_of("-rf"), "%2Drf");
  EXPECT_EQ(file_name_of("j\u00fcrgen"), "j%C3%BCrgen");
  EXPECT_EQ(file_name_of("con.x"), "%63on.x");
  EXPECT_EQ(file_name_of("lpt7"), "%6Cpt7");
}

// Ada: byte 0, 2^0. Ada Lovelace: bytes 0 and 4, 1 + 16 = 0x11. aDA: bytes 1 and 2, 2 + 4 = 6.
TEST(FileNames, CapitalsAreCounted) {
  EXPECT_EQ(file_name_of("Ada"), "Ada~1");
  EXPECT_EQ(file_name_of("Ada Lovelace"), "Ada%20Lovelace~11");
  EXPECT_EQ(file_name_of("aDA"), "aDA~6");
}

TEST(FileNames, NoTwoStudentsShareOne) {
  std::vector<std::string> students = {"x y",
                                       "x#y",
                                       "x_y",
                                       "x%20y",
                                       "x%y",
                                       "X y",
                                       "x Y",
                                       "ada",
                                       "Ada",
                                       "ADA",
                                       "aDa",
                                       "ad a",
                                       "ada~1",
                                       "Ada~1",
                                       "ada ",
                                       " ada",
                                       "ada\n",
                                       "ada\t",
                                       "con",
                                       "CON",
                                       "%63on",
                                       "nul.md",
                                       ".ada",
                                       "%2Eada",
                                       "-ada",
                                       "j\u00fcrgen",
                                       "ju\u0308rgen",
                                       "J\u00dcRGEN",
                                       "\xff",
                                       "\xfe",
                                       std::string(300, 'a'),
                                       std::string(301, 'a'),
                                       std::string(300, 'A'),
                                       std::string(299, 'a') + "b",
                                       std::string(100, ' '),
                                       std::string(100, '\t')};
  // And of three characters of six kinds, each with each.
  for (const char a : std::string("aA _%~")) {
    for (const char b : std::string("aA _%~")) {
      for (const char c : std::string("aA _%~")) students.push_back({a, b, c});
    }
  }
  std::map<std::string, std::string> taken;
  for (const std::string& student : students) {
    const std::string name = file_name_of(student);
    const auto [at, fresh] = taken.try_emplace(folded(name), student);
    EXPECT_TRUE(fresh) << student << " and " << at->second << ": " << name;
    // 255 bytes with an ending; no folder, no hidden file, no option, no device.
    EXPECT_LE(name.size(), 240u);
    EXPECT_EQ(
        name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                               ".-_@+%~"),
        std::string::npos);
    EXPECT_EQ(std::string(".-").find(name[0]), std::string::npos);
  }
}

TEST(FileNames, LeadBack) {
  for (const std::string student :
       {"ada", "Ada Lovelace", "x#y", "con", "-rf", "j\u00fcrgen", "50%"}) {
    EXPECT_EQ(named_by_file(file_name_of(student)), student);
  }
  // Nobody's: what people call files.
  for (const std::string name : {"x y", "50%", "ada~1", "a%2", "a%zz", "a%2Fb", "a%0Ab", "Ada"}) {
    EXPECT_EQ(named_by_file(name), name);
  }
}

}  // namespace
}  // namespace lab::grade
