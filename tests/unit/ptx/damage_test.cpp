// Compiler output with pieces cut out, doubled and swapped: each text is parsed or refused with a
// place in it, and never anything else.
#include <gtest/gtest.h>

#include <random>

#include "tests/unit/ptx/support.h"

namespace lab::ptx {
namespace {

class Damage : public testing::TestWithParam<const char*> {};

// How many texts of `count` were refused.
template <typename Change>
int refused(const std::string& whole, int count, Change change) {
  int errors = 0;
  for (int i = 0; i < count; ++i) {
    const std::string text = change(whole);
    try {
      const Module module = parse(text, "x.ptx");
      for (const Function& function : module.functions) {
        EXPECT_EQ(function.is_defined, !function.instructions.empty());
      }
    } catch (const Error& error) {
      ++errors;
      EXPECT_EQ(error.fault(), Fault::kInput);
      EXPECT_TRUE(error.place().has_value()) << error.what();
      if (!error.place()) continue;
      EXPECT_GE(error.place()->line, 1);
      EXPECT_GE(error.place()->column, 1);
      EXPECT_STRNE(error.what(), "");
    }
  }
  return errors;
}

TEST_P(Damage, IsRefusedWithAPlace) {
  const std::string whole = read_file("tests/fixtures/ptx/" + std::string(GetParam()));
  std::mt19937 engine(3);
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(engine()) % limit; };
  const int cut = refused(
      whole, 60, [&](std::string text) { return text.erase(below(text.size()), 1 + below(40)); });
  const int doubled = refused(whole, 60, [&](std::string text) {
    const std::size_t at = below(text.size());
    return text.insert(below(text.size()), text.substr(at, 1 + below(40)));
  });
  const int changed = refused(whole, 60, [&](std::string text) {
    text[below(text.size())] = static_cast<char>(below(256));
    return text;
  });
  const int shortened = refused(whole, 60, [&](std::string text) {
    text.resize(below(text.size()));
    return text;
  });
  // Most of it is noticed; damage to a comment, a name or a number need not be.
  EXPECT_GT(cut, 10);
  EXPECT_GT(doubled, 10);
  EXPECT_GT(changed, 5);
  EXPECT_GT(shortened, 30);
}

INSTANTIATE_TEST_SUITE_P(Compilers, Damage,
                         testing::Values("ordinary.nvcc90.ptx", "indirect.nvrtc120.ptx"));

TEST(Damage, ByManyNestedThingsIsRefused) {
  const std::string many(100000, '{');
  EXPECT_NE(error_of(kHeader + std::string(".entry k() ") + many), "");
  EXPECT_NE(error_of(kHeader + std::string(".section .x ") + many), "");
  EXPECT_NE(error_of(kHeader + std::string(".global .b8 a[1] = ") + many), "");
  EXPECT_NE(error_of(kHeader + std::string(".global .b8 a") + std::string(100000, '[')), "");
  EXPECT_NE(error_of(kernel("mov.b32 %r1, " + std::string(100000, '-') + "x;")), "");
  EXPECT_NE(error_of(kernel("ld.u32 %r1, [%rd1" + std::string(100000, '+') + "];")), "");
  EXPECT_NE(error_of(std::string(100000, '(')), "");
}

TEST(Damage, ShowsNoLineOfAMillionCharacters) {
  const std::string text =
      error_of(kHeader + std::string(".global .b8 a[1] = {") + std::string(1000000, '1') + "};");
  EXPECT_LT(text.find('\n'), 1100000U);
  EXPECT_EQ(text.find("  .global"), std::string::npos);
}

}  // namespace
}  // namespace lab::ptx
