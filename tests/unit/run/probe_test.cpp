#include "harness/run/probe.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "harness/core/error.h"

namespace lab::run {
namespace {

ScalarSpec scalar(const std::string& text) { return std::get<ScalarSpec>(parse_arg(0, text)); }
BufferSpec buffer(const std::string& text) { return std::get<BufferSpec>(parse_arg(3, text)); }

std::string error_of(const std::string& text) {
  try {
    (void)parse_arg(0, text);
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kInput);
    return render(error);
  }
  return "no error";
}

TEST(ProbeArg, ReadsScalars) {
  EXPECT_EQ(scalar("i32=-5").bits, 0xfffffffbU);  // two's complement of 5 in 32 bits
  EXPECT_EQ(scalar("u64=18446744073709551615").bits, ~0ULL);
  EXPECT_EQ(scalar("i64=-9223372036854775808").bits, 1ULL << 63);
  EXPECT_EQ(scalar("f32=1.5").bits, 0x3fc00000U);
  EXPECT_EQ(scalar("f64=-2").bits, 0xc000000000000000ULL);
  EXPECT_EQ(scalar("u8=255").bits, 255U);
}

TEST(ProbeArg, ReadsBuffers) {
  const BufferSpec b = buffer("f32[1048576]=random:7");
  EXPECT_EQ(b.name, "arg3");
  EXPECT_EQ(b.type, ElementType::kF32);
  EXPECT_EQ(b.count, 1048576U);
  EXPECT_EQ(b.fill.kind, Fill::Kind::kRandom);
  EXPECT_EQ(b.fill.seed, 7U);
  EXPECT_EQ(buffer("i8[3]=iota").fill.kind, Fill::Kind::kIota);
  EXPECT_EQ(buffer("i8[3]=zero").fill.kind, Fill::Kind::kZero);
  EXPECT_EQ(buffer("i8[3]=ones").fill.kind, Fill::Kind::kOnes);
}

TEST(ProbeArg, ReadsAFileThatFitsExactly) {
  const std::string path = testing::TempDir() + "lab_probe_arg.bin";
  std::ofstream(path, std::ios::binary) << std::string("\x01\x00\x02\x00", 4);
  const BufferSpec b = buffer("u16[2]=@" + path);
  ASSERT_EQ(b.fill.bytes.size(), 4U);
  EXPECT_EQ(b.fill.bytes[2], std::byte{2});
  EXPECT_NE(error_of("u16[3]=@" + path).find("has 4 bytes, the buffer 6"), std::string::npos);
  std::remove(path.c_str());
  EXPECT_NE(error_of("u16[2]=@" + path).find("cannot read the contents '"), std::string::npos);
}

TEST(ProbeArg, SaysWhereItIsWrong) {
  EXPECT_EQ(error_of("f16=1"),
            "error: unknown element type 'f16'\n"
            "  --arg f16=1\n"
            "        ^\n"
            "hint: did you mean 'i16'?\n");
  EXPECT_EQ(error_of("i32=2147483648"),
            "error: number out of range\n"
            "  --arg i32=2147483648\n"
            "            ^\n"
            "hint: write i32=5, f32=1.5, f32[1024]=iota, u32[64]=random:7 or f64[100]=@data.bin\n");
  EXPECT_EQ(error_of("f32[4]=iotta"),
            "error: unknown contents 'iotta'\n"
            "  --arg f32[4]=iotta\n"
            "               ^\n"
            "hint: did you mean 'iota'?\n");
}

TEST(ProbeArg, RefusesMalformedTexts) {
  for (const char* text : {"",
                           "=",
                           "i32",
                           "i32=",
                           "i32=1.5",
                           "f32=x",
                           "[4]=zero",
                           "f32[]=zero",
                           "f32[0]=zero",
                           "f32[-1]=zero",
                           "f32[4=zero",
                           "f32[4]x=zero",
                           "u8=256",
                           "i8=-129",
                           "u32=-1",
                           "f32[4]=random:",
                           "f32[4]=random:x",
                           "f32[4]=",
                           "f64[999999999999999]=zero",
                           "f32[4]=@"}) {
    EXPECT_NE(error_of(text), "no error") << text;
  }
}

TEST(ProbeDim3, ReadsOneToThreeSizes) {
  EXPECT_EQ(parse_dim3("--grid", "4"), (Dim3{4, 1, 1}));
  EXPECT_EQ(parse_dim3("--grid", "4,2,3"), (Dim3{4, 2, 3}));
  for (const char* text : {"", "0", "4,", "1,2,3,4", "x", "-1", "4294967296"}) {
    EXPECT_THROW((void)parse_dim3("--grid", text), Error) << text;
  }
}

TEST(ProbeDump, NamesABuffer) {
  const std::vector<ArgSpec> args = {parse_arg(0, "i32=1"), parse_arg(1, "i32[4]=zero")};
  const Dump dump = parse_dump("1=out.bin", args);
  EXPECT_EQ(dump.argument, 1);
  EXPECT_EQ(dump.file, "out.bin");
  for (const char* text : {"", "1", "1=", "0=a", "2=a", "x=a"}) {
    EXPECT_THROW((void)parse_dump(text, args), Error) << text;
  }
}

}  // namespace
}  // namespace lab::run
