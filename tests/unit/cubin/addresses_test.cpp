#include "harness/kernel/cubin/addresses.h"

#include <gtest/gtest.h>

#include "harness/kernel/ptx/parser.h"

namespace lab::cubin {
namespace {

std::vector<Address> addresses(const std::string& body) {
  const ptx::Module module = ptx::parse(
      ".version 9.0 .target sm_90 .address_size 64\n.shared .b8 t[64]; .entry k(.param .u64 q) { "
      ".shared .b8 s[64]; .reg .b32 %r<19>; .reg .b64 %rd<9>; .reg .pred %p<2>;\n" +
          body + "\nret; }\n",
      "x.ptx");
  return addresses_of(module.functions[0]);
}

// Whether the last two accesses are known to be a distance apart, and which.
void expect_apart(const std::string& body, std::size_t first, std::size_t second,
                  std::int64_t distance) {
  const auto list = addresses(body);
  EXPECT_EQ(list[first].base, list[second].base) << body;
  EXPECT_EQ(list[second].offset - list[first].offset, distance) << body;
}
void expect_unknown(const std::string& body, std::size_t first, std::size_t second) {
  const auto list = addresses(body);
  EXPECT_NE(list[first].base, list[second].base) << body;
}

constexpr const char* kLoad = "ld.shared.b32 %r9, ";

TEST(Addresses, OfOneRegisterAreApartByTheirOffsets) {
  expect_apart(std::string(kLoad) + "[%r1+4];" + kLoad + "[%r1+-8];", 0, 1, -12);
  expect_unknown(std::string(kLoad) + "[%r1+4];" + kLoad + "[%r2+4];", 0, 1);
}

TEST(Addresses, OfOneVariableAreApartByTheirOffsets) {
  expect_apart(std::string(kLoad) + "[s+4];" + kLoad + "[s+20];", 0, 1, 16);
  expect_unknown(std::string(kLoad) + "[s];" + kLoad + "[t];", 0, 1);
  expect_apart(std::string("mov.u32 %r1, s;") + kLoad + "[%r1+4];" + kLoad + "[s+12];", 1, 2, 8);
  expect_apart(std::string("mov.u32 %r1, s+8;") + kLoad + "[%r1];" + kLoad + "[s];", 1, 2, -8);
  // Parameter 0 and shared variable 0 are two.
  expect_unknown(std::string("mov.u64 %rd1, q;") + kLoad + "[%rd1];" + kLoad + "[s];", 1, 2);
}

TEST(Addresses, FollowSumsAndMoves) {
  expect_apart(std::string("add.s32 %r2, %r1, 12;\nmov.b32 %r3, %r2;\nadd.s32 %r4, %r3, -4;") +
                   kLoad + "[%r1];" + kLoad + "[%r4+1];",
               3, 4, 9);
  expect_apart(std::string("add.s32 %r1, %r1, 16;") + kLoad + "[%r1];" + kLoad + "[%r1+4];", 1, 2,
               4);
  expect_apart(std::string(kLoad) + "[%r1];\nadd.s32 %r1, %r1, 16;\n" + kLoad + "[%r1];", 0, 2, 16);
}

TEST(Addresses, ForgetWhatChanges) {
  const std::string load = kLoad;
  expect_unknown(load + "[%r1];\nmov.u32 %r1, %tid.x;\n" + load + "[%r1];", 0, 2);
  expect_unknown(load + "[%r1];\nadd.s32 %r1, %r1, %r2;\n" + load + "[%r1];", 0, 2);
  expect_unknown(load + "[%r1];\nshl.b32 %r1, %r1, 1;\n" + load + "[%r1];", 0, 2);
  expect_unknown(load + "[%r1];\n@%p1 add.s32 %r1, %r1, 4;\n" + load + "[%r1];", 0, 2);
  expect_unknown(load + "[%r1];\nmov.b64 {%r1, %r2}, %rd1;\n" + load + "[%r1];", 0, 2);
  expect_unknown(load + "[%r1];\nld.shared.b32 %r1, [%r2];\n" + load + "[%r1];", 0, 2);
  expect_unknown(load + "[%r1];\nadd.sat.s32 %r1, %r1, 4;\n" + load + "[%r1];", 0, 2);
  // The values of the block before are not known here.
  const auto list = addresses(load + "[%r1];\nbra L;\nL: " + load + "[%r1];");
  EXPECT_NE(list[0].block, list[2].block);
}

TEST(Addresses, StaySoThroughStores) {
  expect_apart(
      "st.shared.b32 [%r1], %r2;\nst.shared.b32 [%r1+4], %r1;\nred.shared.add.u32 [%r1+8], "
      "%r1;",
      0, 2, 8);
}

}  // namespace
}  // namespace lab::cubin
