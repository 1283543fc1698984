#include "harness/kernel/cubin/lines.h"

#include <gtest/gtest.h>

#include "tests/unit/cubin/support.h"

namespace lab::cubin {
namespace {

// A line program with line base -5, line range 14, first special opcode 10, as NVIDIA's have.
File unit(const File& files, const File& program) {
  File header{16, 1, static_cast<std::uint8_t>(-5), 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1};
  header.insert(header.end(), files.begin(), files.end());
  File body;
  put(body, 2, 2);  // version
  put(body, header.size(), 4);
  body.insert(body.end(), header.begin(), header.end());
  body.insert(body.end(), program.begin(), program.end());
  File out;
  put(out, body.size(), 4);
  out.insert(out.end(), body.begin(), body.end());
  return out;
}

File files_of(const std::string& folder, const std::string& name) {
  File out;
  if (!folder.empty()) put(out, folder);
  put(out, 0, 1);
  if (!name.empty()) {
    put(out, name);
    out.insert(out.end(), {static_cast<std::uint8_t>(folder.empty() ? 0 : 1), 0, 0});
  }
  put(out, 0, 1);
  return out;
}

// set_address with 8 bytes that a relocation fills.
const File kSetAddress{0, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0};

struct Made {
  File bytes;
  LineTable table;
};

// `field`: offset in the section of the address that the relocation gives.
Made made(const File& section, std::vector<std::uint64_t> fields, bool addend = true) {
  ElfBuilder builder;
  File code(256, 0);
  const std::uint16_t text = builder.add(".text.k", 1, code);
  File names{0};
  put(names, "k");
  const std::uint16_t strings = builder.add(".strtab", 3, names);
  File symbols(24, 0);
  put(symbols, 1, 4);
  put(symbols, 2, 2);
  put(symbols, text, 2);
  put(symbols, 0, 16);
  builder.add(".symtab", 2, symbols, strings);
  builder.add(".debug_line", 1, section);
  File relocations;
  for (const std::uint64_t field : fields) {
    put(relocations, field, 8);
    put(relocations, std::uint64_t{1} << 32 | 2, 8);
    if (addend) put(relocations, 0, 8);
  }
  builder.add(addend ? ".rela.debug_line" : ".rel.debug_line", addend ? 4 : 9, relocations);
  Made result;
  result.bytes = builder.build();
  std::string absent;
  const auto elf = read_elf(result.bytes, absent);
  EXPECT_TRUE(elf.has_value()) << absent;
  if (elf) result.table = read_lines(*elf, ".debug_line");
  return result;
}

constexpr std::uint16_t kText = 1;  // the first section that made() adds

File program(std::initializer_list<std::uint8_t> opcodes) {
  File out = kSetAddress;
  out.insert(out.end(), opcodes);
  return out;
}

// The unit's length (4), version (2), header length (4), 14 bytes, files, then 3 of set_address.
std::uint64_t address_field(const File& files) { return 4 + 2 + 4 + 14 + files.size() + 3; }

void expect_row(const LineTable& table, std::uint64_t address, std::uint32_t line) {
  const LineRow* row = table.find(kText, address);
  ASSERT_NE(row, nullptr) << address;
  EXPECT_EQ(row->line, line) << address;
}

TEST(Lines, FollowTheProgram) {
  const File files = files_of("/src", "k.cu");
  // advance_line +9 -> 10, copy at 0; advance_pc 16; advance_line -3 -> 7, copy at 16;
  // special 10 + 5 + 2 + 14: address +1 (min instruction 16: +16 -> 32), line +2 -> 9;
  // const_add_pc: (255 - 10) / 14 = 17 instructions = 272 -> 304, special 16: line +1 -> 10;
  // fixed_advance_pc 0x0010 -> 320, copy.
  const Made m = made(unit(files, program({3, 9, 1, 2, 1, 3, 0x7d, 1, 31, 8, 16, 9, 16, 0, 1})),
                      {address_field(files)});
  EXPECT_EQ(m.table.files.at(1), "/src/k.cu");
  expect_row(m.table, 0, 10);
  expect_row(m.table, 15, 10);
  expect_row(m.table, 16, 7);
  expect_row(m.table, 32, 9);
  expect_row(m.table, 304, 10);
  expect_row(m.table, 9999, 10);
  EXPECT_EQ(m.table.rows.at(kText).back().address, 320U);
  EXPECT_EQ(m.table.find(kText, 0)->file, 1U);
  EXPECT_EQ(m.table.find(2, 0), nullptr);
}

TEST(Lines, UnderstandRelocationsWithoutAddend) {
  const File files = files_of("", "a.cu");
  File text = unit(files, program({1}));
  text[address_field(files)] = 0x40;  // stands in the field itself
  const Made m = made(text, {address_field(files)}, false);
  EXPECT_EQ(m.table.find(kText, 0x3f), nullptr);
  expect_row(m.table, 0x40, 1);
}

TEST(Lines, SkipWhatIsNotAboutLines) {
  const File files = files_of("", "a.cu");
  // NVIDIA's inlined call: extended opcode 0x90 with two numbers; then negate_stmt and set_column.
  const Made m =
      made(unit(files, program({0, 3, 0x90, 1, 2, 6, 5, 9, 3, 4, 1})), {address_field(files)});
  expect_row(m.table, 0, 5);
}

// Files 1 (/src/my.cu) and 2 (/src/a.h).
File two_files() {
  File out;
  put(out, "/src");
  put(out, 0, 1);
  for (const char* name : {"my.cu", "a.h"}) {
    put(out, name);
    out.insert(out.end(), {1, 0, 0});
  }
  put(out, 0, 1);
  return out;
}

TEST(Lines, OfInlinedCodeAreInTheFileThatItWasInlinedInto) {
  const File files = two_files();
  // 16 bytes each. Row 1: my.cu:5. Row 2: a.h:9, inlined into row 1. Row 3: my.cu:3, an own
  // function that row 2 calls. Row 4: a.h:7, inlined into row 3. Row 5: my.cu:6.
  const Made m =
      made(unit(files, program({3, 4, 1,                                      // my.cu:5
                                4, 2, 0, 3, 0x90, 1, 0, 3, 4,    2, 1, 1,     // a.h:9, into row 1
                                4, 1, 0, 3, 0x90, 2, 0, 3, 0x7a, 2, 1, 1,     // my.cu:3, into row 2
                                4, 2, 0, 3, 0x90, 3, 0, 3, 4,    2, 1, 1,     // a.h:7, into row 3
                                4, 1, 0, 3, 0x90, 0, 0, 3, 0x7f, 2, 1, 1})),  // my.cu:6
           {address_field(files)});
  const std::uint32_t want[] = {5, 5, 3, 3, 6};
  for (std::uint64_t i = 0; i < std::size(want); ++i) {
    expect_row(m.table, 16 * i, want[i]);
    EXPECT_EQ(m.table.files.at(m.table.find(kText, 16 * i)->file), "/src/my.cu") << i;
  }
}

TEST(Lines, OfACallerThatIsNoEarlierRowAreTheirOwn) {
  const File files = two_files();
  // Row 1 names row 1, itself; row 2 names row 9.
  const Made m = made(unit(files, program({4, 2, 0,    3, 0x90, 1, 0, 3, 4, 1,  //
                                           0, 3, 0x90, 9, 0,    3, 1, 2, 1, 1})),
                      {address_field(files)});
  expect_row(m.table, 0, 5);
  expect_row(m.table, 16, 6);
  EXPECT_EQ(m.table.find(kText, 16)->file, 2U);
}

TEST(Lines, OfInlinedCodeCountRowsBySequence) {
  const File files = two_files();
  // A sequence of two rows ends; the next one's row 1 is my.cu:8, and the caller of its row 2.
  File text = program({3, 4, 1, 2, 1, 3, 1, 1, 2, 1, 0, 1, 1});
  const std::uint64_t second = text.size() + 3;
  const File next = program({3, 7, 1, 4, 2, 0, 3, 0x90, 1, 0, 3, 4, 2, 1, 1});
  text.insert(text.end(), next.begin(), next.end());
  const std::uint64_t first = address_field(files);
  File whole = unit(files, text);
  whole[first - 3 + second] = 64;  // stands in the field itself
  const Made m = made(whole, {first, first - 3 + second}, false);
  expect_row(m.table, 0, 5);
  expect_row(m.table, 16, 6);
  expect_row(m.table, 64, 8);
  expect_row(m.table, 80, 8);
}

TEST(Lines, StopAtWhatIsBroken) {
  const File files = files_of("", "a.cu");
  const std::uint64_t field = address_field(files);
  // The program ends within a number, after one row.
  const Made cut = made(unit(files, program({1, 2, 0x80})), {field});
  EXPECT_EQ(cut.table.rows.at(kText).size(), 1U);
  // No relocation: the rows belong to no code.
  EXPECT_TRUE(made(unit(files, program({1})), {}).table.rows.empty());
  // A length past the end, a line range of 0, an unknown version.
  File longer = unit(files, program({1}));
  longer[0] = 0xff;
  EXPECT_TRUE(made(longer, {field}).table.rows.empty());
  File range = unit(files, program({1}));
  range[4 + 2 + 4 + 3] = 0;
  EXPECT_TRUE(made(range, {field}).table.rows.empty());
  File version = unit(files, program({1}));
  version[4] = 5;
  EXPECT_TRUE(made(version, {field}).table.rows.empty());
}

TEST(Lines, ReadEveryUnit) {
  const File files = files_of("", "a.cu");
  File both = unit(files, program({3, 4, 1}));
  const std::uint64_t second = both.size();
  const File next = unit(files, program({2, 4, 3, 6, 1}));
  both.insert(both.end(), next.begin(), next.end());
  const std::uint64_t field = address_field(files);
  const Made m = made(both, {field, second + field});
  expect_row(m.table, 0, 5);
  expect_row(m.table, 64, 7);
  EXPECT_EQ(m.table.files.size(), 3U);
  EXPECT_EQ(m.table.find(kText, 64)->file, 2U);
}

}  // namespace
}  // namespace lab::cubin
