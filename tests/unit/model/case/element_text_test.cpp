#include "harness/model/case/element_text.h"

#include <gtest/gtest.h>

#include <string>

namespace {

using lab::Finding;
using lab::model::declared_array;
using lab::model::element_text;

/// What is told of element `element` of shared array `a` with `elements` on the line behind
/// `declaration`.
std::string told(const std::string& declaration, std::int64_t element, std::uint64_t elements,
                 const std::string& before = "") {
  Finding finding;
  finding.array = "a";
  finding.line = 9;
  finding.space = lab::Space::kShared;
  finding.element = element;
  finding.last_element = element;
  finding.elements = elements;
  return element_text(finding, before + "__global__ void k() {\n  " + declaration + "\n}\n");
}

TEST(ElementText, IndicesAreThoseOfTheDeclaration) {
  EXPECT_EQ(told("__shared__ float a[32];", 7, 32), "a[7]");
  // 3 rows of 33 and 5: 3 * 33 + 5 = 104 of 32 * 33 = 1,056.
  EXPECT_EQ(told("__shared__ float a[32][33];", 104, 1056), "a[3][5]");
  // (1 * 4 + 2) * 8 + 3 = 51 of 2 * 4 * 8 = 64.
  EXPECT_EQ(told("__shared__ int a[2][4][8];", 51, 64), "a[1][2][3]");
  EXPECT_EQ(told("extern __shared__ float a[];", 51, 64), "a[51]");
  EXPECT_EQ(told("__shared__ int a;", 0, 1), "a");
}

TEST(ElementText, BoundsMayBeConstants) {
  const std::string array = "__shared__ float a[kRows][kRows + 1];";
  EXPECT_EQ(told(array, 104, 1056, "constexpr int kRows = 32;\n"), "a[3][5]");
  EXPECT_EQ(told(array, 104, 1056, "#define kRows 32  // rows\n"), "a[3][5]");
  EXPECT_EQ(told(array, 104, 1056, "  #  define kRows (16 * 2) /* rows */\n"), "a[3][5]");
  EXPECT_EQ(told(array, 104, 1056, "#define kRows \\\n  32\n"), "a[3][5]");
}

TEST(ElementText, BoundsThatTheTextDoesNotSayAreNotGuessed) {
  const std::string array = "__shared__ float a[kRows][kRows + 1];";
  EXPECT_EQ(told(array, 104, 1056, "template <int kRows>\n"), "element 104 of a");
  // A macro with arguments is no constant, nor is one of something else than numbers.
  EXPECT_EQ(told(array, 104, 1056, "#define kRows(x) 32\n"), "element 104 of a");
  EXPECT_EQ(told(array, 104, 1056, "#define kRows sizeof(int[32])\n"), "element 104 of a");
  // The first index needs no bound.
  EXPECT_EQ(told("__shared__ float a[kRows];", 104, 1056), "a[104]");
}

TEST(ElementText, ADeclarationOfAnotherSizeIsOfSomethingElse) {
  EXPECT_EQ(told("__shared__ float a[16][16];", 104, 1056), "");
  EXPECT_EQ(told("__shared__ Pair a;", 1, 2), "");
  // What is declared behind the line of the finding.
  EXPECT_EQ(told("\n\n\n\n\n\n\n\n__shared__ float a[16][16];", 0, 1), "a");
}

TEST(ElementText, WhatCannotBeIndexed) {
  Finding finding;
  EXPECT_EQ(element_text(finding, ""), "");
  finding.array = "allocation 1";
  finding.element = 3;
  finding.last_element = 3;
  finding.elements = 8;
  EXPECT_EQ(element_text(finding, ""), "element 3 of allocation 1");
  finding.array = "x";
  EXPECT_EQ(element_text(finding, ""), "x[3]");
  finding.last_element = 6;
  EXPECT_EQ(element_text(finding, ""), "x[3] to x[6]");
}

TEST(ElementText, TheLastDeclarationUpToTheLineCounts) {
  const std::string source =
      "__global__ void a() { __shared__ float t[4][8]; return t[0][0]; }\n"
      "__global__ void b() { __shared__ double t[2][16]; }\n"
      "__global__ void c() { __shared__ char t[64]; }\n";
  EXPECT_EQ(declared_array("t", 1, source).bounds, (lab::model::Bounds{4, 8}));
  EXPECT_EQ(declared_array("t", 2, source).bounds, (lab::model::Bounds{2, 16}));
  EXPECT_EQ(declared_array("t", 2, source).element_bytes, 8);
  EXPECT_EQ(declared_array("t", 3, source).element_bytes, 1);
  EXPECT_TRUE(declared_array("u", 3, source).bounds.empty());
}

}  // namespace
