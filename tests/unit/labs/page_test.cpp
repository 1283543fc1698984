// The page of the language is the tables that the readers use.
#include "harness/labs/page.h"

#include <gtest/gtest.h>

#include <set>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/labs/keys.h"
#include "harness/labs/lab_file.h"

namespace lab::labs {
namespace {

TEST(LanguagePage, IsAsTheTablesSay) {
  EXPECT_EQ(read_file("labs/LANGUAGE.md", "the page"), language_page())
      << "write it anew: lab __language > labs/LANGUAGE.md";
}

TEST(LanguagePage, ShowsTheErrorOfItsExample) {
  EXPECT_NE(language_page().find("unknown name 'row'"), std::string::npos);
}

TEST(Keys, AreNamedOncePerTable) {
  std::set<std::pair<KeyOf, std::string_view>> seen;
  for (const Key& key : keys()) {
    EXPECT_TRUE(seen.emplace(key.of, key.name).second) << key.name;
    EXPECT_FALSE(key.meaning.empty()) << key.name;
  }
}

// `why` is a key of a name, `what` is none: what may stand there is the table's alone.
TEST(Keys, OfANameAreTheTables) {
  const std::string lab =
      "title = \"T\"\nsummary = \"S\"\n[where]\na = { is = \"1\", what = \"one\" }\n"
      "[variant.v]\nsummary = \"v\"\ngrid = \"a\"\nblock = 32\narguments = \"\"\n";
  try {
    static_cast<void>(read_lab("x", "lab.toml", lab));
    FAIL() << "a key that no table has";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "there is no key 'what' here");
  }
}

}  // namespace
}  // namespace lab::labs
