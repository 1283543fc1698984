#include "harness/run/probe.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "harness/core/error.h"
#include "harness/run/parameters.h"

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

BufferSpec image(const std::string& text) {
  Job probe;
  add_arg(text, probe);
  return std::get<BufferSpec>(probe.args.at(0));
}
std::string image_error(const std::string& text) {
  try {
    (void)image(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kInput);
    return render(error);
  }
  return "no error";
}

TEST(ProbeArg, ReadsTexturesAndSurfaces) {
  const BufferSpec plane = image("tex2d-border:f32x4[64x48]=iota");
  ASSERT_TRUE(plane.image);
  EXPECT_EQ(*plane.image,
            (ImageSpec{ImageSpec::Kind::kTexture, ImageSpec::Outside::kBorder, 64, 48, 4}));
  EXPECT_EQ(plane.count, 64U * 48 * 4);
  EXPECT_EQ(plane.type, ElementType::kF32);
  EXPECT_EQ(plane.direction, Direction::kIn);
  const BufferSpec linear = image("tex1dfetch:u8[1000]=random:7");
  EXPECT_EQ(*linear.image,
            (ImageSpec{ImageSpec::Kind::kLinear, ImageSpec::Outside::kBorder, 1000, 0, 1}));
  EXPECT_EQ(linear.fill.seed, 7U);
  EXPECT_EQ(image("tex1d:f16[32]=ones").image->outside, ImageSpec::Outside::kClamp);
  // What it wrote can be dumped.
  EXPECT_EQ(image("surf1d:i16x2[8]=zero").direction, Direction::kInOut);
}

TEST(ProbeArg, SaysHowABuffersSizeIsWritten) {
  EXPECT_EQ(image_error("f32:32"),
            "error: expected '=' or '['\n"
            "  --arg f32:32\n"
            "           ^\n"
            "hint: write f32=5 for a number, f32[1024]=iota for a buffer\n");
}

TEST(ProbeArg, SaysWhatIsWrongWithATexture) {
  EXPECT_EQ(image_error("tex3d:f32[4x4]=zero"),
            "error: unknown kind of texture or surface 'tex3d'\n"
            "  --arg tex3d:f32[4x4]=zero\n"
            "        ^\n"
            "hint: did you mean 'tex1d'?\n");
  EXPECT_EQ(image_error("tex2d:f32[64]=zero")
                .rfind("error: it has two dimensions, such as 64x48\n"
                       "  --arg tex2d:f32[64]=zero\n"
                       "                  ^\n",
                       0),
            0U);
  EXPECT_EQ(image_error("tex1d:f64[64]=zero"),
            "error: textures and surfaces have no elements of f64\n"
            "  --arg tex1d:f64[64]=zero\n"
            "              ^\n"
            "hint: use i8, u8, i16, u16, i32, u32, f16 or f32\n");
  EXPECT_EQ(image_error("tex2d:u8x3[64x64]=zero").rfind("error: a texel has 1, 2 or 4 channels", 0),
            0U);
  EXPECT_EQ(image_error("surf1d:u8[32769]=zero").rfind("error: it has 1 to 32768 texels", 0), 0U);
  EXPECT_EQ(image_error("tex2d:u8[0x4]=zero").rfind("error: it has 1x1 to 131072x65536", 0), 0U);
  EXPECT_EQ(image_error("tex2d:u8=zero").rfind("error: expected a type, a size in brackets", 0),
            0U);
}

TEST(ProbeArg, SaysWhereItIsWrong) {
  EXPECT_EQ(error_of("f17=1"),
            "error: unknown element type 'f17'\n"
            "  --arg f17=1\n"
            "        ^\n"
            "hint: did you mean 'f16'?\n");
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

Job probe_of(const std::vector<std::string>& args) {
  Job probe;
  for (const std::string& text : args) add_arg(text, probe);
  return probe;
}

TEST(ProbeDump, NamesABuffer) {
  const Job probe = probe_of({"i32=1", "i32[4]=zero", "{i32=4, f32[2]=ones, {u8=1, f32[3]=ones}}",
                              "ptr[2]={f32[5]=ones, arg1}"});
  const Dump dump = parse_dump("1=out.bin", probe);
  EXPECT_EQ(dump.buffer, "arg1");
  EXPECT_EQ(dump.file, "out.bin");
  // Elements, as given above: which of the buffers it is.
  const auto count = [&](const char* text) {
    return buffers_of(probe).at(parse_dump(text, probe).buffer)->count;
  };
  EXPECT_EQ(count("2.1=a"), 2U);
  EXPECT_EQ(count("2.2.1=a=b"), 3U);
  EXPECT_EQ(count("3=a"), 2U);  // the array of pointers itself
  EXPECT_EQ(count("3.0=a"), 5U);
  for (const char* text : {"", "1", "1=", "0=a", "4=a", "x=a", "2=a", "2.0=a", "2.3=a", "2.=a",
                           "2.2=a", "3.1=a", ".1=a", "1.0=a", "2.1.=a"}) {
    EXPECT_THROW((void)parse_dump(text, probe), Error) << text;
  }
}

std::string error_of_args(const std::vector<std::string>& args) {
  try {
    (void)probe_of(args);
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kInput);
    return render(error);
  }
  return "no error";
}

std::uint64_t bits_at(const std::vector<std::byte>& bytes, std::size_t at, std::size_t count) {
  std::uint64_t bits = 0;
  for (std::size_t i = count; i-- > 0;)
    bits = bits << 8 | std::to_integer<std::uint64_t>(bytes.at(at + i));
  return bits;
}

TEST(ProbeArg, HalvesAndTruths) {
  EXPECT_EQ(scalar("f16=1.5").bits, 0x3e00U);   // 1.1 in binary, exponent 15
  EXPECT_EQ(scalar("f16=1e9").bits, 0x7c00U);   // infinity
  EXPECT_EQ(scalar("f16=6e-8").bits, 0x0001U);  // the least subnormal is 2^-24 = 5.96e-8
  EXPECT_EQ(scalar("bf16=1").bits, 0x3f80U);    // the upper half of 1.0f = 0x3f800000
  EXPECT_EQ(scalar("bool=true").bits, 1U);
  EXPECT_EQ(scalar("bool=0").bits, 0U);
  EXPECT_NE(error_of("bool=2"), "no error");
  EXPECT_EQ(buffer("f16[4]=iota").count, 4U);
}

// { int; float*; char } as C++ lays it out: 0, 8 and 16, in 24 bytes.
TEST(ProbeArg, StructsAreLaidOutAsInCpp) {
  const Job probe = probe_of({"{i32=7, f32[4]=ones, i8=-1}"});
  const auto& bytes = std::get<BytesSpec>(probe.args.at(0));
  ASSERT_EQ(bytes.bytes.size(), 24U);
  EXPECT_EQ(bits_at(bytes.bytes, 0, 4), 7U);
  EXPECT_EQ(bits_at(bytes.bytes, 16, 1), 0xffU);
  ASSERT_EQ(probe.buffers.size(), 1U);
  EXPECT_EQ(bytes.pointers, (std::vector<PointerSpec>{{8, probe.buffers[0].name, 0}}));
  // A struct within one keeps its own alignment: { char; { short; char } } is 0, 2 and 4, in 6.
  const Job nested = probe_of({"{u8=1, {u16=2, u8=3}}"});
  const auto& inner = std::get<BytesSpec>(nested.args.at(0)).bytes;
  ASSERT_EQ(inner.size(), 6U);
  EXPECT_EQ(bits_at(inner, 0, 6), 0x000300020001U);
}

TEST(ProbeArg, PointersLeadIntoOthersBuffers) {
  const Job probe = probe_of({"f64[8]=zero", "arg0+2", "ptr[2]={f32[4]=ones, arg0}"});
  // Two doubles are 16 bytes.
  EXPECT_EQ(std::get<BytesSpec>(probe.args.at(1)).pointers,
            (std::vector<PointerSpec>{{0, "arg0", 16}}));
  const auto& rows = std::get<BufferSpec>(probe.args.at(2));
  EXPECT_EQ(rows.count, 2U);
  EXPECT_EQ(rows.pointers, (std::vector<PointerSpec>{{0, "arg2.0", 0}, {8, "arg0", 0}}));
  EXPECT_NE(error_of_args({"arg0"}).find("there is no buffer arg0 before this"), std::string::npos);
  EXPECT_NE(error_of_args({"f32[4]=zero", "arg0+5"}).find("past the buffer's end"),
            std::string::npos);
  EXPECT_NE(error_of_args({"ptr[3]={f32[4]=zero}"}).find("1 pointers are given"),
            std::string::npos);
}

TEST(ProbeArg, ErrorsInAStructPointAtTheField) {
  EXPECT_EQ(error_of_args({"{i32=1, f23=2}"}).substr(0, 80).find("error: "), 0U);
  EXPECT_NE(error_of_args({"{i32=1"}).find("expected '}'"), std::string::npos);
  EXPECT_NE(error_of_args({"{i32=1,}"}).find("expected a value"), std::string::npos);
}

// The declaration says what a bare number is; what it does not say stays as it was written.
TEST(ProbeArg, BareNumbersHaveTheirParametersType) {
  const KernelText source{"k.cu", "__global__ void k(int n, const double a, float* x, T t) {}"};
  Job job;
  job.kernel = "k";
  const auto typed = [&](std::size_t number, const std::string& text) {
    job.args.assign(number, ScalarSpec{});
    return typed_argument(text, source, job);
  };
  EXPECT_EQ(typed(0, "-5"), "i32=-5");
  EXPECT_EQ(typed(1, "2"), "f64=2");
  EXPECT_EQ(typed(1, "f32=2"), "f32=2");
  EXPECT_EQ(typed(2, "3"), "f32=3");  // a pointer: refused as such
  EXPECT_EQ(typed(3, "3"), "3");      // a type of the file's own
  EXPECT_EQ(typed(4, "3"), "3");      // one argument too many
  EXPECT_EQ(typed(0, "arg0"), "arg0");
}

TEST(ProbeSymbol, HoldsAnArrayOrAStruct) {
  Job probe;
  add_symbol("filter=f32[2]=ones", probe);
  add_symbol("where={f32[2]=zero}", probe);
  ASSERT_EQ(probe.symbols.size(), 2U);
  EXPECT_EQ(probe.symbols[0].name, "filter");
  // 1.0f twice.
  EXPECT_EQ(bits_at(probe.symbols[0].value.bytes, 0, 8), 0x3f8000003f800000U);
  EXPECT_EQ(probe.symbols[1].value.pointers.size(), 1U);
  EXPECT_EQ(probe.buffers.size(), 1U);
  EXPECT_THROW(add_symbol("filter", probe), Error);
}

}  // namespace
}  // namespace lab::run
