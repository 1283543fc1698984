// The PTX that nvcc and NVRTC 13.0 make of the kernels in tests/fixtures/ptx, for several
// architectures.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>

#include "harness/core/text.h"
#include "tests/unit/ptx/support.h"

namespace lab::ptx {
namespace {

// Instructions counted without the parser: in a function's body, statements up to a ';' that begin
// with a lower-case letter or a guard, with labels, braces and directives taken off.
std::size_t count_instructions(const std::string& text) {
  std::string body;
  for (const std::string_view line : split(text, '\n')) {
    const std::string_view bare = trim(line.substr(0, line.find("//")));
    if (bare.rfind(".loc", 0) != 0 && bare.rfind(".section", 0) != 0)
      body += std::string(bare) + " ";
  }
  std::size_t count = 0;
  for (std::string_view statement : split(body, ';')) {
    while (true) {
      statement = trim(statement);
      const std::size_t colon = statement.find(':');
      const bool label =
          colon != std::string_view::npos &&
          trim(statement.substr(0, colon)).find_first_of(" .{(") == std::string_view::npos;
      const bool brace = !statement.empty() && (statement[0] == '{' || statement[0] == '}');
      if (!label && !brace) break;
      statement = statement.substr(label ? colon + 1 : 1);
    }
    // A function's head ends in the '{' of its body.
    const std::size_t open = statement.find(") { ");
    if (open != std::string_view::npos) statement = trim(statement.substr(open + 4));
    if (statement.empty()) continue;
    const auto first = static_cast<unsigned char>(statement[0]);
    if (std::islower(first) != 0 || first == '@') ++count;
  }
  return count;
}

class Fixtures : public testing::TestWithParam<const char*> {};

TEST_P(Fixtures, ParseWhole) {
  const std::string text = read_file("tests/fixtures/ptx/" + std::string(GetParam()) + ".ptx");
  const Module module = parse(text, GetParam());
  std::size_t count = 0;
  for (const Function& function : module.functions) {
    EXPECT_FALSE(function.refusal.has_value()) << function.name;
    count += function.instructions.size();
    for (const Instruction& i : function.instructions) {
      EXPECT_NE(i.where.ptx_line, 0U);
      EXPECT_LT(i.where.file, module.files.size());
    }
  }
  EXPECT_EQ(count, count_instructions(text));
}

INSTANTIATE_TEST_SUITE_P(Compilers, Fixtures,
                         testing::Values("ordinary.nvcc75", "ordinary.nvcc90", "ordinary.nvcc121",
                                         "ordinary.nvrtc90", "indirect.nvcc90", "indirect.nvcc121",
                                         "indirect.nvrtc120"));

TEST(Fixtures, LeadBackToTheSource) {
  const Module module =
      parse(read_file("tests/fixtures/ptx/ordinary.nvcc90.ptx"), "ordinary.nvcc90.ptx");
  const std::string source = read_file("tests/fixtures/ptx/ordinary.cu");
  const Function& k = module.functions[module.find_entry("ordinary")];
  EXPECT_EQ(k.max_threads, 256U);
  const auto store = std::find_if(
      k.instructions.begin(), k.instructions.end(),
      [](const Instruction& i) { return i.op == Op::kSt && i.space == Space::kShared; });
  ASSERT_NE(store, k.instructions.end());
  EXPECT_EQ(module.files[store->where.file], "/src/ordinary.cu");
  EXPECT_EQ(line_of(source, static_cast<int>(store->where.line)), "  tile[threadIdx.x] = in[i];");
}

}  // namespace
}  // namespace lab::ptx
