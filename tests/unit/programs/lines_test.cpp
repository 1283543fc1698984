#include "harness/programs/serve/lines.h"

#include <gtest/gtest.h>

#include <string>

namespace lab::program {
namespace {

TEST(AllocatedName, IsThatOfThePointer) {
  EXPECT_EQ(allocated_name("cudaMalloc(&d_a, n);"), "d_a");
  EXPECT_EQ(allocated_name("CHECK(cudaMalloc((void**)&d_a, n * sizeof(int)));"), "d_a");
  EXPECT_EQ(allocated_name("cudaMalloc( (void **) &m.elements, n);"), "m.elements");
  EXPECT_EQ(allocated_name("cudaMallocManaged(&list->head, 8);"), "list->head");
  EXPECT_EQ(allocated_name("cudaMalloc(&parts[i], 8);"), "parts[i]");
  EXPECT_EQ(allocated_name("cudaMalloc(reinterpret_cast<void **>(&d_A), n));"), "d_A");
  EXPECT_EQ(allocated_name("CHECK(cudaMalloc(static_cast<void**>( &d_A), n));"), "d_A");
  EXPECT_EQ(allocated_name("cudaMalloc(&a, 8); cudaMalloc(&b, 8);"), "a");
  EXPECT_EQ(allocated_name("cudaMalloc(&a, 8); cudaMallocManaged(&b, 8);", 1), "b");
  EXPECT_EQ(allocated_name("cudaMalloc(&a, 8);", 1), "a");
  EXPECT_EQ(allocated_name("allocate(8);"), "");
  EXPECT_EQ(allocated_name(""), "");
}

TEST(StreamName, IsThatOfTheVariable) {
  EXPECT_EQ(stream_name("cudaStreamCreate(&copies);", 0), "copies");
  EXPECT_EQ(stream_name("CHECK(cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking));", 0),
            "s[i]");
  EXPECT_EQ(stream_name("cudaStreamCreate(&a); cudaStreamCreate(&b);", 1), "b");
  EXPECT_EQ(stream_name("for (auto& one : all) cudaStreamCreate(&one);", 1), "one");  // unrolled
  EXPECT_EQ(stream_name("make_streams(all);", 0), "");
}

TEST(Lines, AreThoseBeforeTheReturnAddress) {
  std::uint64_t asked = 0;
  Lines lines({{"app.cu", "one\n  two();\n"}}, [&](std::uint64_t address) {
    asked = address;
    return std::string("/made/app.cu:2");
  });
  const Line& line = lines.of(0x101);
  EXPECT_EQ(asked, 0x100U);
  EXPECT_EQ(line.place(), "app.cu:2");
  EXPECT_EQ(line.text, "two();");
}

TEST(Lines, OfOtherFilesAreNotKnown) {
  Lines lines({{"app.cu", "one\n"}}, [](std::uint64_t) { return std::string("/usr/x.h:1"); });
  EXPECT_EQ(lines.of(5).place(), "");
  EXPECT_EQ(lines.of(0).place(), "");
}

}  // namespace
}  // namespace lab::program
