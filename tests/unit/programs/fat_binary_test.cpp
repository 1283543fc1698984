#include "harness/programs/build/fat_binary.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>

#include "harness/core/error.h"
#include "harness/programs/build/elf.h"
#include "harness/programs/build/unpack.h"

namespace lab::program {
namespace {

template <typename T>
std::string raw(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

// An entry as nvcc writes it: kind, version, length of the head, of the code, packed length, where
// its options are, version of PTX, architecture, name, flags, a word, unpacked length.
std::string entry(std::uint16_t kind, std::uint32_t arch, const std::string& code,
                  std::uint64_t flags = 0, std::uint64_t unpacked = 0) {
  return raw(kind) + raw(std::uint16_t{257}) + raw(std::uint32_t{64}) +
         raw(std::uint64_t{code.size()}) + raw(static_cast<std::uint32_t>(code.size())) +
         raw(std::uint32_t{0}) + raw(std::uint32_t{0x00090000}) + raw(arch) +
         raw(std::uint64_t{0}) + raw(flags) + raw(std::uint64_t{0}) + raw(unpacked) + code;
}
std::string container(const std::string& entries) {
  return raw(std::uint32_t{0xba55ed50U}) + raw(std::uint16_t{1}) + raw(std::uint16_t{16}) +
         raw(std::uint64_t{entries.size()}) + entries;
}

// Token 0x44: 4 literals and a match of 4 + 4 bytes, 4 back; then a token of one literal.
const std::string kPacked = std::string("\x44") + "abcd" + std::string("\x04\x00\x10", 3) + "e";

TEST(Lz4, CopiesLiteralsAndWhatLiesBack) { EXPECT_EQ(unpack_lz4(kPacked, 100), "abcdabcdabcde"); }

// 15 + 2 literals: the length goes on in a byte.
TEST(Lz4, LongLengthsGoOn) {
  EXPECT_EQ(unpack_lz4(std::string("\xf0\x02") + std::string(17, 'x'), 100), std::string(17, 'x'));
}

TEST(Lz4, DamagedIsEmpty) {
  EXPECT_FALSE(unpack_lz4(kPacked, 12));  // 13 bytes are more than that
  for (std::size_t cut = 1; cut < kPacked.size(); ++cut) {
    // All of these lack something, but for the one that ends behind its literals.
    EXPECT_EQ(unpack_lz4(kPacked.substr(0, cut), 100).has_value(), cut == 5) << cut;
  }
  EXPECT_FALSE(unpack_lz4(std::string("\x10", 1) + "a" + std::string("\x05\x00", 2), 100));
}

TEST(FatBinary, HasTheCodeOfEachFile) {
  const std::string first = container(entry(2, 90, "machine") + entry(1, 90, "ptx" + raw('\0')));
  const std::string section = first + std::string((8 - first.size() % 8) % 8, '\0') +
                              container(entry(1, 80, kPacked, 0x2000, 13));
  const std::vector<FatBinary> all = fat_binaries(section);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].at, 0U);
  const std::vector<DeviceCode>& codes = all[0].codes;
  ASSERT_EQ(codes.size(), 2U);
  EXPECT_EQ(codes[0].kind, DeviceCode::Kind::kMachineCode);
  EXPECT_EQ(codes[0].bytes, "machine");
  EXPECT_EQ(codes[1].bytes, "ptx");
  EXPECT_EQ(codes[1].arch, 90U);
  EXPECT_EQ(all[1].at, (first.size() + 7) / 8 * 8);
  ASSERT_EQ(all[1].codes.size(), 1U);
  EXPECT_EQ(all[1].codes[0].bytes, "abcdabcdabcde");
}

TEST(FatBinary, DamagedEndsEarly) {
  const std::string whole = container(entry(2, 90, "machine") + entry(1, 90, "ptx"));
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    EXPECT_TRUE(fat_binaries(whole.substr(0, cut)).empty()) << cut;  // it says how long it is
  }
}

// What entries say that they unpack to is added up over all of a file: 256 MiB may be had.
TEST(FatBinary, ABombIsTheProgramsMistake) {
  const std::string claims = entry(1, 90, "x", 0x2000, 100ULL << 20U);
  EXPECT_EQ(fat_binaries(container(claims + claims)).size(), 1U);
  EXPECT_THROW((void)fat_binaries(container(claims + claims + claims)), Error);
  const std::string apart = container(claims + claims);
  const std::string padding((8 - apart.size() % 8) % 8, '\0');
  EXPECT_THROW((void)fat_binaries(apart + padding + container(claims)), Error);
  EXPECT_THROW((void)fat_binaries(container(entry(1, 90, "x", 0x8000, 1ULL << 40U))), Error);
}

// A file whose sections `.x` all have the same `bytes`.
std::string elf_with(std::size_t sections, const std::string& bytes) {
  const std::string names = std::string("\0.x\0", 4);
  Elf64_Ehdr head{};
  std::memcpy(head.e_ident, ELFMAG, SELFMAG);
  head.e_ident[EI_CLASS] = ELFCLASS64;
  head.e_shoff = sizeof head + names.size() + bytes.size();
  head.e_shnum = static_cast<Elf64_Half>(sections + 1);
  Elf64_Shdr of_names{};
  of_names.sh_type = SHT_STRTAB;
  of_names.sh_offset = sizeof head;
  of_names.sh_size = names.size();
  Elf64_Shdr one{};
  one.sh_name = 1;
  one.sh_type = SHT_PROGBITS;
  one.sh_offset = sizeof head + names.size();
  one.sh_size = bytes.size();
  std::string file = raw(head) + names + bytes + raw(of_names);
  for (std::size_t i = 0; i < sections; ++i) file += raw(one);
  return file;
}

// The heads alone are some hundred bytes: two sections of 4 KiB over the same bytes are more than
// the file has.
TEST(Elf, SectionsThatLieOverOneAnotherAreTheProgramsMistake) {
  const std::string bytes(4096, 'x');
  EXPECT_EQ(section_bytes(elf_with(1, bytes), ".x"), bytes);
  EXPECT_THROW((void)section_bytes(elf_with(2, bytes), ".x"), Error);
  EXPECT_THROW((void)section_bytes(elf_with(60000, bytes), ".x"), Error);
}

TEST(Elf, WhatIsNoneHasNothing) {
  for (const std::string& file :
       {std::string(), std::string("#!/bin/sh"), std::string(200, '\x7f')}) {
    EXPECT_TRUE(sections_of(file).empty());
    EXPECT_TRUE(needed_by(file).empty());
    EXPECT_EQ(section_bytes(file, ".text"), "");
  }
}

}  // namespace
}  // namespace lab::program
