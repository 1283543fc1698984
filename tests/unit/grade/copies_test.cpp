// Who copied is found whatever was done to hide it; who solved the same task alone is not accused.
#include "harness/classes/grade/copies.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace lab::grade {
namespace {

constexpr const char* kStarter = R"(constexpr int kTile = 32;
template <typename T, int kRows>
__global__ void padded(const T* in, T* out, int rows, int cols) {
  __shared__ T tile[kTile][kTile];
  // Yours to write.
}
)";

// Six people who did not see each other's: each solves it in a way of their own.
constexpr const char* kAda = R"(constexpr int kTile = 32;
template <typename T, int kRows>
__global__ void padded(const T* in, T* out, int rows, int cols) {
  // an extra word keeps the columns apart
  __shared__ T tile[kTile][kTile + 4 / sizeof(T)];
  int x = blockIdx.x * kTile + threadIdx.x;
  int y = blockIdx.y * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows) {
    if (x < cols && y + j < rows) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * cols + x];
  }
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x;
  y = blockIdx.x * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows) {
    if (x < rows && y + j < cols) out[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
  }
}
)";
constexpr const char* kBob = R"(constexpr int kTile = 32;
template <typename T, int kRows>
__global__ void padded(const T* in, T* out, int rows, int cols) {
  constexpr int kPad = sizeof(T) == 1 ? 4 : 1;
  __shared__ T tile[kTile][kTile + kPad];
  const int column = kTile * blockIdx.x + threadIdx.x;
  int row = kTile * blockIdx.y + threadIdx.y;
  const int last = min(rows, kTile * (int)blockIdx.y + kTile);
  int line = threadIdx.y;
  while (row < last) {
    if (column < cols) tile[line][threadIdx.x] = in[row * cols + column];
    row += kRows;
    line += kRows;
  }
  __syncthreads();
  const int target = blockIdx.y * kTile + threadIdx.x;
  if (target >= rows) return;
  for (int k = threadIdx.y; k < kTile; k += kRows) {
    const int from = blockIdx.x * kTile + k;
    if (from >= cols) break;
    out[from * rows + target] = tile[threadIdx.x][k];
  }
}
)";
constexpr const char* kCat = R"(constexpr int kTile = 32;
template <typename T>
__device__ T* at(T* base, int r, int c, int pitch) { return base + (long long)r * pitch + c; }
template <typename T, int kRows>
__global__ void padded(const T* in, T* out, int rows, int cols) {
  constexpr int kPitch = kTile + (sizeof(T) < 4 ? 4 / sizeof(T) : 1);
  __shared__ T tile[kTile * kPitch];
  const int r0 = blockIdx.y << 5, c0 = blockIdx.x << 5;
  const int lane = threadIdx.x, first = threadIdx.y;
#pragma unroll
  for (int i = first; i < 32; i += kRows)
    if (r0 + i < rows && c0 + lane < cols) tile[i * kPitch + lane] = *at(in, r0 + i, c0 + lane, cols);
  __syncthreads();
#pragma unroll
  for (int i = first; i < 32; i += kRows)
    if (c0 + i < cols && r0 + lane < rows) *at(out, c0 + i, r0 + lane, rows) = tile[lane * kPitch + i];
}
)";
constexpr const char* kDan = R"(constexpr int kTile = 32;
template <typename T, int kRows>
__global__ void padded(const T* in, T* out, int rows, int cols) {
  __shared__ T tile[kTile][kTile];
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  for (int step = 0; step < kTile / kRows; ++step) {
    int r = threadIdx.y + step * kRows;
    int row = blockIdx.y * kTile + r;
    bool inside = row < rows && col < cols;
    if (inside) tile[r][threadIdx.x ^ r] = in[row * cols + col];
  }
  __syncthreads();
  int newcol = blockIdx.y * blockDim.x + threadIdx.x;
  for (int step = 0; step < kTile / kRows; ++step) {
    int r = threadIdx.y + step * kRows;
    int newrow = blockIdx.x * kTile + r;
    bool inside = newrow < cols && newcol < rows;
    if (inside) out[newrow * rows + newcol] = tile[threadIdx.x][r ^ threadIdx.x];
  }
}
)";
constexpr const char* kEve = R"(constexpr int kTile = 32;
template <typename T, int kRows>
__global__ void padded(const T* in, T* out, int rows, int cols) {
  __shared__ T tile[kTile][kTile + 4];
  int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  for (int j = 0; j < kTile && x < cols && y + j < rows; j += kRows)
    tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * cols + x];
  __syncthreads();
  const int u = blockIdx.y * kTile + threadIdx.x, v = blockIdx.x * kTile + threadIdx.y;
  if (u < rows)
    for (int j = 0; j < kTile; j += kRows)
      if (v + j < cols) out[(v + j) * rows + u] = tile[threadIdx.x][threadIdx.y + j];
}
)";

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
  return text;
}

std::vector<Handwriting> honest() {
  return {{"ada", "ada.cu", kAda},
          {"bob", "bob.cu", kBob},
          {"cat", "cat.cu", kCat},
          {"dan", "dan.cu", kDan},
          {"eve", "eve.cu", kEve}};
}

using Names = std::vector<std::string>;

Names found(std::vector<Handwriting> more) {
  std::vector<Handwriting> all = honest();
  all.insert(all.end(), more.begin(), more.end());
  const std::vector<Cluster> clusters = copies_among(all, kStarter);
  EXPECT_LE(clusters.size(), 1u);
  return clusters.empty() ? Names{} : clusters.front().students;
}

TEST(Copies, WhoWorkedAloneIsNotAccused) { EXPECT_EQ(found({}), Names{}); }

TEST(Copies, TheSameTextIsFoundFirst) {
  std::vector<Handwriting> all = honest();
  all.push_back({"zoe", "zoe.cu", kBob});
  const std::vector<Cluster> clusters = copies_among(all, kStarter);
  ASSERT_EQ(clusters.size(), 1u);
  EXPECT_EQ(clusters[0].students, (Names{"bob", "zoe"}));
  EXPECT_EQ(clusters[0].alike, Alike::kBytes);
}

TEST(Copies, OtherNamesAndCommentsDoNotHideIt) {
  std::string text = replaced(kBob, "column", "my_col");
  text = replaced(replaced(text, "line", "slot"), "kPad", "kGap");
  text = replaced(text, "  __syncthreads();\n",
                  "  // all the tile is there now\n  __syncthreads();\n");
  EXPECT_EQ(found({{"zoe", "zoe.cu", text}}), (Names{"bob", "zoe"}));
}

TEST(Copies, DeadCodeDoesNotHideIt) {
  std::string dead;
  for (int i = 0; i < 20; ++i) {
    dead +=
        fmt::format("  float dead{0} = rows * {0}.5f; dead{0} = dead{0} * dead{0} - cols;\n", i);
  }
  EXPECT_EQ(found({{"zoe", "zoe.cu",
                    replaced(kBob, "  int line = threadIdx.y;\n",
                             dead + "  int line = threadIdx.y;\n")}}),
            (Names{"bob", "zoe"}));
}

TEST(Copies, ReorderedTermsDoNotHideIt) {
  std::string text = replaced(kBob, "row * cols + column", "column + cols * row");
  text = replaced(text, "kTile * blockIdx.x + threadIdx.x", "threadIdx.x + blockIdx.x * kTile");
  text = replaced(text, "kTile * blockIdx.y + threadIdx.y", "threadIdx.y + blockIdx.y * kTile");
  text = replaced(text, "from * rows + target", "(target) + (rows * from)");
  EXPECT_EQ(found({{"zoe", "zoe.cu", text}}), (Names{"bob", "zoe"}));
}

TEST(Copies, WhileForForDoesNotHideIt) {
  std::string text = replaced(kBob, "  while (row < last) {\n",
                              "  for (; row < last; row += kRows, line += kRows) {\n");
  text = replaced(text, "    row += kRows;\n    line += kRows;\n", "");
  text = replaced(text, "  for (int k = threadIdx.y; k < kTile; k += kRows) {\n",
                  "  int k = threadIdx.y;\n  while (k < kTile) {\n");
  text = replaced(text, "tile[threadIdx.x][k];\n", "tile[threadIdx.x][k];\n    k += kRows;\n");
  EXPECT_EQ(found({{"zoe", "zoe.cu", text}}), (Names{"bob", "zoe"}));
}

TEST(Copies, AllOfAGroupAreOneRow) {
  EXPECT_EQ(found({{"zoe", "zoe.cu", kBob},
                   {"yan", "yan.cu", replaced(kBob, "line", "slot")},
                   {"xia", "xia.cu", replaced(kBob, "column", "c")}}),
            (Names{"bob", "xia", "yan", "zoe"}));
}

TEST(Copies, TheLabsOwnIsNamed) {
  std::vector<Handwriting> all = honest();
  all.push_back({"", "", replaced(kBob, "column", "c") + kStarter});
  const std::vector<Cluster> clusters = copies_among(all, kStarter);
  ASSERT_EQ(clusters.size(), 1u);
  EXPECT_EQ(clusters[0].students, Names{"bob"});
  EXPECT_TRUE(clusters[0].with_solution);
}

// What a task of one line makes all write, the starter as it is, and one file of two people.
TEST(Copies, WhatIsShortOrGivenAccusesNobody) {
  const std::string one_line =
      replaced(kStarter, "  // Yours to write.\n", "  out[threadIdx.x] = in[threadIdx.x];\n");
  EXPECT_EQ(found({{"x", "x.cu", one_line}, {"y", "y.cu", one_line}}), Names{});
  EXPECT_EQ(found({{"x", "x.cu", kStarter}, {"y", "y.cu", kStarter}}), Names{});
  const std::string ours = replaced(replaced(kCat, "kPitch", "mine"), "<< 5", "* 32");
  std::vector<Handwriting> group = {{"x", "group.cu", ours}, {"y", "group.cu", ours}};
  std::vector<Handwriting> all = {{"ada", "", kAda}, {"bob", "", kBob}, {"dan", "", kDan}};
  all.insert(all.end(), group.begin(), group.end());
  EXPECT_TRUE(copies_among(all, kStarter).empty());
  EXPECT_EQ(found(group), (Names{"cat", "x", "y"}));  // but who copied together is named
}

}  // namespace
}  // namespace lab::grade
