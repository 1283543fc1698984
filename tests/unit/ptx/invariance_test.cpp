// Changes to a text that must not matter to its module: real texts of nvcc and NVRTC, spread out,
// renamed, with comments between their words. And properties of every module's control flow.
#include <cctype>
#include <functional>

#include "harness/core/buffer.h"
#include "tests/unit/ptx/paths.h"
#include "tests/unit/ptx/support.h"

namespace lab::ptx {
namespace {

void describe(const Operand& operand, std::string& out) {
  const auto number = [&](std::uint64_t value) { out += std::to_string(value) + ","; };
  number(static_cast<std::uint64_t>(operand.kind));
  number(operand.negated ? 1 : 0);
  number(static_cast<std::uint64_t>(operand.special) * 4 + operand.component);
  number(operand.reg);
  number(operand.symbol);
  number(static_cast<std::uint64_t>(operand.home));
  number(operand.target);
  number(static_cast<std::uint64_t>(operand.offset));
  number(operand.bits);
  for (const Operand& part : operand.parts) describe(part, out);
  out += ";";
}

/// Everything that an instruction means, and its source line; not where it stands in the text.
std::string described(const Instruction& i) {
  std::string out(row_of(i.op).name);
  for (const unsigned part :
       {static_cast<unsigned>(i.type), static_cast<unsigned>(i.from),
        static_cast<unsigned>(i.space), static_cast<unsigned>(i.compare),
        static_cast<unsigned>(i.combine), static_cast<unsigned>(i.round),
        static_cast<unsigned>(i.sub), static_cast<unsigned>(i.sub2), unsigned{i.vector},
        static_cast<unsigned>(i.scope), static_cast<unsigned>(i.order),
        static_cast<unsigned>(i.cache), i.guard, i.guard_negated ? 1U : 0U, i.ftz ? 1U : 0U,
        i.sat ? 1U : 0U, i.approx ? 1U : 0U, i.where.file, i.where.line}) {
    out += " " + std::to_string(part);
  }
  out += ": ";
  for (const Operand& operand : i.operands) describe(operand, out);
  return out;
}

std::string described(const Module& module) {
  std::string out = module.version + " " + module.target + "\n";
  for (const Variable& v : module.variables) out += v.name + " " + std::to_string(v.bytes) + "\n";
  for (const Function& function : module.functions) {
    out += function.name + (function.is_entry ? " entry" : "");
    out += " " + std::to_string(layout(function.params).bytes) + "\n";
    for (const Register& r : function.registers) {
      out += std::to_string(static_cast<int>(r.type)) + " ";
    }
    for (const Instruction& instruction : function.instructions) {
      out += described(instruction) + "\n";
    }
  }
  return out;
}

/// The text with each run of blanks outside strings and comments replaced by `space()`.
std::string respaced(const std::string& text, const std::function<std::string()>& space) {
  std::string out;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!in_string && text.compare(i, 2, "//") == 0) i = text.find('\n', i);
    if (text[i] == '"') in_string = !in_string;
    if (in_string || std::isspace(static_cast<unsigned char>(text[i])) == 0) {
      out += text[i];
      continue;
    }
    while (i + 1 < text.size() && std::isspace(static_cast<unsigned char>(text[i + 1])) != 0) ++i;
    out += space();
  }
  return out;
}

class RealTexts : public testing::TestWithParam<const char*> {
 protected:
  static std::string text() {
    return read_file("tests/fixtures/ptx/" + std::string(GetParam()) + ".ptx");
  }
};

TEST_P(RealTexts, BlanksLinesAndCommentsMeanNothing) {
  const std::string meaning = described(parse(text(), "x.ptx"));
  EXPECT_EQ(described(parse(respaced(text(), [] { return " "; }), "x.ptx")), meaning);
  EXPECT_EQ(described(parse(respaced(text(), [] { return "\r\n"; }), "x.ptx")), meaning);
  std::uint64_t state = 1;
  const char* const spaces[] = {" ",    "\n",          "\t \n\n",        " /* ; } */ ",
                                "\r\n", " // add ;\n", "/**/\n/* \n */", "\v\f "};
  const auto any = [&] { return std::string(spaces[split_mix64(state) % std::size(spaces)]); };
  EXPECT_EQ(described(parse(respaced(text(), any), "x.ptx")), meaning);
}

TEST_P(RealTexts, NamesOfRegistersMeanNothing) {
  // %r, %rd, %f, ... are prefixes of the compiler's choice; %tid and its like are the language's.
  std::string renamed = text();
  for (const char* prefix : {"%rd", "%rs", "%r", "%fd", "%f", "%p"}) {
    const std::string from = prefix;
    for (std::size_t at = renamed.find(from); at != std::string::npos;
         at = renamed.find(from, at + 1)) {
      const char next = renamed[at + from.size()];
      if (std::isdigit(static_cast<unsigned char>(next)) != 0 || next == '<') {
        renamed.insert(at + 1, "my_");
      }
    }
  }
  ASSERT_NE(renamed.find("%my_rd<"), std::string::npos);
  EXPECT_EQ(described(parse(renamed, "x.ptx")), described(parse(text(), "x.ptx")));
}

TEST_P(RealTexts, EachInstructionStandsWhereItSays) {
  const Module module = parse(text(), "x.ptx");
  for (const Function& function : module.functions) {
    for (const Instruction& i : function.instructions) {
      const std::string& line = module.lines.at(i.where.ptx_line - 1);
      const std::string name(row_of(i.op).name);
      EXPECT_NE(line.find(name.substr(0, name.find('.'))), std::string::npos) << line;
    }
  }
}

// Blocks by the definition: begun by targets and by what follows a branch, each instruction in one.
TEST_P(RealTexts, BlocksPartitionAFunction) {
  for (const Function& function : parse(text(), "x.ptx").functions) {
    std::uint32_t next = 0;
    for (const Block& block : function.blocks) {
      EXPECT_EQ(block.first, next) << function.name;
      EXPECT_GE(block.last, block.first);
      next = block.last + 1;
      for (const std::uint32_t successor : block.successors) {
        EXPECT_LT(successor, function.blocks.size());
      }
    }
    EXPECT_EQ(next, function.instructions.size()) << function.name;
  }
}

// By the definition, path by path: a block's post-dominator cannot be gone around, and no block
// between the two has that property.
TEST_P(RealTexts, PostDominatorsCannotBeGoneAround) {
  int found = 0;
  for (const Function& function : parse(text(), "x.ptx").functions) {
    for (std::uint32_t b = 0; b < function.blocks.size(); ++b) {
      const std::uint32_t post = function.blocks[b].post_dominator;
      if (post == kNoIndex || !leaves(function, b, kNoIndex)) continue;
      ++found;
      EXPECT_FALSE(leaves(function, b, post)) << function.name << " block " << b;
      for (std::uint32_t other = 0; other < function.blocks.size(); ++other) {
        if (other == b || other == post || leaves(function, b, other)) continue;
        // Another that cannot be gone around lies behind the nearest one.
        EXPECT_FALSE(leaves(function, post, other))
            << function.name << ": block " << other << " is nearer to " << b << " than " << post;
      }
    }
  }
  EXPECT_GT(found, 0);
}

INSTANTIATE_TEST_SUITE_P(Texts, RealTexts,
                         testing::Values("indirect.nvcc90", "indirect.nvcc121", "indirect.nvrtc120",
                                         "ordinary.nvcc75", "ordinary.nvcc90", "ordinary.nvcc121",
                                         "ordinary.nvrtc90"),
                         [](const auto& each) {
                           std::string name = each.param;
                           name.replace(name.find('.'), 1, "_");
                           return name;
                         });

}  // namespace
}  // namespace lab::ptx
