#include "harness/kernel/cubin/elf.h"

#include <gtest/gtest.h>

#include "tests/unit/cubin/support.h"

namespace lab::cubin {
namespace {

Elf whole(const File& bytes) {
  std::string absent;
  const auto elf = read_elf(bytes, absent);
  EXPECT_TRUE(elf.has_value()) << absent;
  return elf.value_or(Elf{});
}

TEST(Elf, HasItsSections) {
  ElfBuilder builder;
  builder.add(".text.k", 1, {1, 2, 3, 4});
  builder.add(".nv.shared.k", 8, {});
  const File bytes = builder.build();
  const Elf elf = whole(bytes);
  EXPECT_EQ(elf.sm, 90);
  ASSERT_EQ(elf.sections.size(), 4U);  // an empty first one, and the names
  const Section* text = elf.find(".text.k");
  ASSERT_NE(text, nullptr);
  EXPECT_EQ(text->size, 4U);
  EXPECT_EQ(text->data[2], 3);
  EXPECT_EQ(elf.find(".text"), nullptr);
}

TEST(Elf, TakesTheArchitectureFromWhereItsVersionHasIt) {
  ElfBuilder builder;
  builder.abi = 7;
  builder.flags = 0x004b054b;  // sm_75, as toolkits before 13 write it
  const File older = builder.build();
  EXPECT_EQ(whole(older).sm, 75);
  builder.abi = 8;
  builder.flags = 0x09007802;
  const File newer = builder.build();
  EXPECT_EQ(whole(newer).sm, 120);
}

TEST(Elf, HasItsSymbols) {
  ElfBuilder builder;
  const std::uint16_t text = builder.add(".text.k", 1, {});
  File names{0};
  put(names, "kernel");
  const std::uint16_t strings = builder.add(".strtab", 3, names);
  File symbols(24, 0);
  put(symbols, 1, 4);
  put(symbols, 0x12, 1);  // global function
  put(symbols, 0, 1);
  put(symbols, text, 2);
  put(symbols, 0x40, 8);
  put(symbols, 0x80, 8);
  put(symbols, 77, 10);  // cut off
  builder.add(".symtab", 2, symbols, strings);
  const File bytes = builder.build();
  const Elf elf = whole(bytes);
  ASSERT_EQ(elf.symbols.size(), 2U);
  EXPECT_EQ(elf.symbols[1].name, "kernel");
  EXPECT_EQ(elf.symbols[1].kind, 2);
  EXPECT_EQ(elf.symbols[1].section, text);
  EXPECT_EQ(elf.symbols[1].value, 0x40U);
  EXPECT_EQ(elf.symbols[1].size, 0x80U);
}

TEST(Elf, SkipsRelocationsOfNoSymbol) {
  ElfBuilder builder;
  File relocations;
  put(relocations, 8, 8);
  put(relocations, std::uint64_t{5} << 32, 8);  // there is no symbol 5
  put(relocations, 0, 8);
  builder.add(".rela.debug_line", 4, relocations);
  const File bytes = builder.build();
  EXPECT_TRUE(whole(bytes).targets_of(".debug_line").empty());
}

TEST(Elf, LeavesOutWhatLiesOutside) {
  ElfBuilder builder;
  builder.add(".text.k", 1, File(32, 9));
  File bytes = builder.build();
  // The second section header's offset (24 bytes in) points past the end.
  const std::size_t headers = static_cast<std::size_t>(Reader(bytes, 0x28).u64());
  for (std::size_t i = 0; i < 8; ++i) bytes[headers + 64 + 24 + i] = 0xff;
  EXPECT_TRUE(whole(bytes).find(".text.k")->data.empty());
  // A size too large gives what there is.
  File larger = builder.build();
  for (std::size_t i = 0; i < 8; ++i) larger[headers + 64 + 32 + i] = 0xff;
  const Section* text = nullptr;
  const Elf elf = whole(larger);
  text = elf.find(".text.k");
  EXPECT_EQ(text->data.size(), larger.size() - 64);
}

TEST(Elf, SaysWhyThereIsNone) {
  struct Row {
    std::size_t at;
    std::uint8_t byte;
    const char* absent;
  };
  constexpr Row kRows[] = {
      {0, 0x7e, "not a 64-bit ELF file"},
      {4, 1, "not a 64-bit ELF file"},  // 32 bits
      {5, 2, "not a 64-bit ELF file"},  // big-endian
      {18, 0x3e, "an ELF file, but not of CUDA machine code"},
      {58, 40, "its section headers have an unknown size"},
      {62, 9, "its section headers are cut off"},  // index of the names
  };
  for (const Row& row : kRows) {
    File bytes = ElfBuilder{}.build();
    bytes[row.at] = row.byte;
    std::string absent;
    EXPECT_FALSE(read_elf(bytes, absent).has_value());
    EXPECT_EQ(absent, row.absent);
  }
}

TEST(Reader, ReadsNumbersAndRemembersTheEnd) {
  const File bytes{0x01, 0x02, 0x03, 0x04, 0xe5, 0x8e, 0x26, 0x7f, 'a', 'b', 0, 0x80};
  Reader reader(bytes);
  EXPECT_EQ(reader.u16(), 0x0201);
  EXPECT_EQ(reader.u16(), 0x0403);
  EXPECT_EQ(reader.uleb(), 624485U);  // DWARF 2, figure 43's method: e5 8e 26
  EXPECT_EQ(reader.sleb(), -1);       // 7f
  EXPECT_EQ(reader.text(), "ab");
  EXPECT_TRUE(reader.ok());
  EXPECT_EQ(reader.uleb(), 0U);  // never ends
  EXPECT_FALSE(reader.ok());
  EXPECT_TRUE(reader.done());
  EXPECT_EQ(reader.u64(), 0U);
  EXPECT_TRUE(slice(bytes, 99, 1).empty());
  EXPECT_EQ(slice(bytes, 10, 99).size(), 2U);
}

}  // namespace
}  // namespace lab::cubin
