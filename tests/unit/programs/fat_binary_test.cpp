#include "harness/programs/build/fat_binary.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

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
  const std::vector<FatBinary> all =
      fat_binaries(container(entry(1, 90, "x", 0x8000, 1ULL << 40U)));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].codes[0].bytes, "");
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
