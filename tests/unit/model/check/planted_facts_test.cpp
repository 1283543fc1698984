// What a finding says of an access: elements, indices that wrapped, lanes outside of a mask; and
// that a printf left in costs nothing.
#include <algorithm>
#include <string>

#include "harness/core/bits.h"
#include "tests/unit/model/check/planted.h"

namespace lab::model::planted {
namespace {

BufferSpec f32(const std::string& name, std::uint64_t count) {
  return {name, ElementType::kF32, count, Direction::kInOut, {Fill::Kind::kIota}};
}
ScalarSpec i32(std::uint64_t value) { return {ElementType::kI32, value}; }

TEST(PlantedFacts, ElementsAreOfTheDeclaredType) {
  const std::string source = R"(
extern "C" __global__ void k(const float* x, float* y, int n) {
  int i = threadIdx.x * 4;
  if (i < n) *(float4*)(y + i) = *(const float4*)(x + i);
}
)";
  // 1,023 floats: the last vector begins at x[1020] and reaches x[1023].
  Given given{.launch = {{1, 1, 1}, {256, 1, 1}, 0},
              .args = {f32("x", 1023), f32("y", 1024), i32(1023)}};
  const CaseRecord record = run(source, given);
  ASSERT_EQ(record.findings.size(), 1U);
  const Finding& finding = record.findings.front();
  EXPECT_EQ(finding.array, "x");
  EXPECT_EQ(finding.element, 1020);
  EXPECT_EQ(finding.last_element, 1023);
  EXPECT_EQ(finding.elements, 1023U);
  given.args[0] = f32("x", 1024);
  expect_clean(source, given);
}

TEST(PlantedFacts, NarrowAccessesCountInElementsToo) {
  // Byte 400 of 100 ints is in x[100].
  const std::string source = R"(
extern "C" __global__ void k(const int* x, unsigned char* y, int n) {
  const unsigned char* b = (const unsigned char*)x;
  int i = threadIdx.x;
  if (i <= 4 * n) y[i] = b[i];
}
)";
  const BufferSpec x{"x", ElementType::kI32, 100, Direction::kIn, {Fill::Kind::kIota}};
  const BufferSpec y{"y", ElementType::kU8, 512, Direction::kInOut, {Fill::Kind::kZero}};
  const CaseRecord record =
      run(source, {.launch = {{1, 1, 1}, {512, 1, 1}, 0}, .args = {x, y, i32(100)}});
  ASSERT_EQ(record.findings.size(), 1U);
  EXPECT_EQ(record.findings.front().element, 100);
  EXPECT_EQ(record.findings.front().last_element, 100);
  EXPECT_EQ(record.findings.front().elements, 100U);
}

TEST(PlantedFacts, SharedArraysHaveTheirName) {
  const std::string source = R"(
extern "C" __global__ void k(float* out) {
  __shared__ float tile[64];
  int i = threadIdx.x;
  tile[i] = i;
  __syncthreads();
  out[i] = tile[i + 1];
}
)";
  const CaseRecord record = run(source, {.args = {out_f32(64)}});
  const auto found =
      std::find_if(record.findings.begin(), record.findings.end(),
                   [](const Finding& f) { return f.kind == FindingKind::kOutOfBounds; });
  ASSERT_NE(found, record.findings.end());
  EXPECT_EQ(found->array, "tile");
  EXPECT_EQ(found->element, 64);
  EXPECT_EQ(found->elements, 64U);
}

// Rows of 33 floats where there is room for rows of 32: 7 * 33 + 31 = 262 words, and b begins at
// 256.
const std::string kPool = R"(
extern "C" __global__ void k(const float* xs, const float* ws, float* out) {
  extern __shared__ float pool[];
  float* a = pool;
  float* b = WHERE;
  int t = threadIdx.x;
  for (int i = t; i < 256; i += 128) a[(i / 32) * 33 + i % 32] = xs[i];
  if (t < 8) b[t] = ws[t];
  __syncthreads();
  for (int i = t; i < 256; i += 128) out[i] = a[(i / 32) * 33 + i % 32] * b[i / 32];
}
)";

TEST(PlantedFacts, ArraysOnOneAnotherAreNamed) {
  const Given given{.launch = {{1, 1, 1}, {128, 1, 1}, 4 * 300},
                    .args = {f32("xs", 256), f32("ws", 8), out_f32(256)}};
  for (const char* where : {"pool + 32 * 8", "a + 256", "&pool[256]", "(float*)(pool + 256)"}) {
    const CaseRecord record = run(with(kPool, "WHERE", where), given);
    ASSERT_EQ(record.findings.size(), 1U) << where;
    EXPECT_EQ(record.findings.front().cause, FindingCause::kOverlap) << where;
    EXPECT_EQ(record.findings.front().message,
              "a and b lie on one another: b begins at byte 1,024 of 'pool', and line 7 reaches "
              "byte 1,024 through a");
  }
  for (const char* where : {"pool + 33 * 8", "a + 264", "&pool[263]", "(float*)(pool + 270)"}) {
    expect_clean(with(kPool, "WHERE", where), given);
  }
}

TEST(PlantedFacts, ARaceWithinAnArrayOfAPoolIsNoOverlap) {
  const std::string source = R"(
extern "C" __global__ void k(float* out) {
  extern __shared__ float pool[];
  float* a = pool;
  float* b = pool + 64;
  int t = threadIdx.x;
  a[t] = t;
  b[t] = a[63 - t];
  out[t] = b[t];
}
)";
  const CaseRecord record =
      run(source, {.launch = {{1, 1, 1}, {64, 1, 1}, 512}, .args = {out_f32(64)}});
  ASSERT_EQ(record.findings.size(), 1U);
  EXPECT_EQ(record.findings.front().kind, FindingKind::kSharedRace);
  EXPECT_EQ(record.findings.front().cause, FindingCause::kNone);
}

struct Wraps {
  std::string index;
  std::uint64_t a;
  std::uint64_t b;
  std::string message;  // empty: it does not wrap
};

TEST(PlantedFacts, AnIndexThatWrappedSaysOfWhat) {
  const Wraps all[] = {
      // 2,500,000,000 - 2^32.
      {"a * b + t", 50000, 50000,
       "50,000 * 50,000 does not fit 32 bits: the index is -1,794,967,296"},
      {"(a + blockIdx.x) * b + t", 46341, 46341,
       "46,341 * 46,341 does not fit 32 bits: the index is -2,147,479,015"},
      {"a * b + threadIdx.x", 50000, 50000,
       "50,000 * 50,000 does not fit 32 bits: the index is -1,794,967,296"},
      // 65,537^2 - 2^32.
      {"(a + blockIdx.x) * b + t", 65537, 65537,
       "65,537 * 65,537 does not fit 32 bits: the index is 131,073"},
      {"a + b", 2147483647, 1,
       "1 + 2,147,483,647 does not fit 32 bits: the index is -2,147,483,648"},
      {"threadIdx.x - 1u + 0 * (a + b)", 1, 1,
       "0 - 1 is below 0: as an unsigned number of 32 bits the index is 4,294,967,295"},
      // Far, and within 32 bits.
      {"a * b + t", 40000, 40000, ""},
      {"a - b", 1, 50000, ""},
      {"(size_t)a * b + t", 50000, 50000, ""},
      {"a * b % 97 + 100", 50000, 50000, ""},
      // 1,794,967,296 is 35,900 * 49,999 + 3,196. A hash may wrap, but its index is not below zero.
      {"a * b % (a - 1)", 50000, 50000,
       "50,000 * 50,000 does not fit 32 bits: the index is -3,196"},
      {"a * b % (a - 1) + b", 50000, 50000, ""},
      {"-a % b", 49999, 50000, ""},
  };
  for (const Wraps& one : all) {
    const std::string source =
        "extern \"C\" __global__ void k(const float* x, float* out, int a, int b) {\n"
        "  int t = threadIdx.x;\n  out[t] = x[" +
        one.index + "];\n}\n";
    const CaseRecord record =
        run(source, {.launch = {{1, 1, 1}, {1, 1, 1}, 0},
                     .args = {f32("x", 2), out_f32(1), i32(one.a), i32(one.b)}});
    ASSERT_EQ(record.findings.size(), 1U) << one.index;
    const Finding& finding = record.findings.front();
    EXPECT_EQ(finding.cause == FindingCause::kWrapped, !one.message.empty()) << one.index;
    if (one.message.empty()) continue;
    EXPECT_EQ(finding.message, "out-of-bounds read of 4 bytes in global memory: " + one.message);
    EXPECT_EQ(finding.array, "");
  }
}

// Runs k(x, out, in, a, b), whose `body` reads past the two elements of x. `in` has 0, a, b.
CaseRecord beyond(const std::string& body, std::uint64_t a, std::uint64_t b) {
  const std::string source =
      "extern \"C\" __global__ void k(const float* x, float* out, const int* in, int a, int b) {\n"
      "  int t = threadIdx.x;\n" +
      body + "\n}\n";
  BufferSpec in{"in", ElementType::kI32, 3, Direction::kIn, {Fill::Kind::kBytes}};
  std::vector<std::byte> bytes;
  for (const std::uint64_t number : {std::uint64_t{0}, a, b}) {
    for (unsigned i = 0; i < 4; ++i) bytes.push_back(static_cast<std::byte>(number >> 8 * i));
  }
  in.fill.bytes = std::move(bytes);
  return run(source, {.launch = {{1, 1, 1}, {1, 1, 1}, 0},
                      .args = {f32("x", 2), out_f32(1), in, i32(a), i32(b)}});
}

void expect_wrapped(const std::vector<Wraps>& all) {
  for (const Wraps& one : all) {
    const CaseRecord record = beyond(one.index, one.a, one.b);
    ASSERT_FALSE(record.findings.empty()) << one.index;
    const Finding& finding = record.findings.front();
    EXPECT_EQ(finding.cause == FindingCause::kWrapped, !one.message.empty())
        << one.index << ": " << finding.message;
    if (one.message.empty()) continue;
    EXPECT_EQ(finding.message, "out-of-bounds read of 4 bytes in global memory: " + one.message)
        << one.index;
  }
}

TEST(PlantedFacts, AnIndexOfLoadedNumbersThatWrappedSaysOfWhat) {
  expect_wrapped({
      // 100,000 * 50,000 - 2^32 = 705,032,704.
      {"out[t] = x[in[1] * b];", 100000, 50000,
       "100,000 * 50,000 does not fit 32 bits: the index is 705,032,704"},
      {"out[t] = x[in[1] * in[2] + t];", 50000, 50000,
       "50,000 * 50,000 does not fit 32 bits: the index is -1,794,967,296"},
      {"__shared__ int s[3]; s[t] = in[t + 1]; __syncthreads(); out[t] = x[s[0] * a];", 50000, 1,
       "50,000 * 50,000 does not fit 32 bits: the index is -1,794,967,296"},
      {"out[t] = x[in[in[0] + 1] + b];", 2147483647, 3,
       "2,147,483,647 + 3 does not fit 32 bits: the index is -2,147,483,646"},
      // 2^32 and 3 more.
      {"out[t] = x[(unsigned)in[1] * b + 3];", 65536, 65536,
       "65,536 * 65,536 does not fit 32 bits: the index is 3"},
      {"out[t] = x[in[0] - 1u];", 0, 0,
       "0 - 1 is below 0: as an unsigned number of 32 bits the index is 4,294,967,295"},
  });
}

TEST(PlantedFacts, AnIndexOfALoopThatWrappedSaysOfWhat) {
  expect_wrapped({
      // The loop begins where the first product is too long.
      {"float s = 0;\n#pragma unroll 1\nfor (unsigned k = a; k != a + 3u; ++k) s += x[k * b];\n"
       "out[t] = s;",
       70000, 70000, "70,000 * 70,000 does not fit 32 bits: the index is 605,032,704"},
      {"float s = 0;\n#pragma unroll 1\nfor (unsigned k = a; k < (unsigned)in[2]; k += 7)\n"
       "  s += x[k * k + t];\nout[t] = s;",
       // 65,536^2 is 0, and x[0] is there; 65,543^2 - 2^32 = 917,553.
       65536, 65550, "65,543 * 65,543 does not fit 32 bits: the index is 917,553"},
      {"float s = 0;\n#pragma unroll 1\nfor (int k = in[1]; k > in[0]; k /= 2) s += x[k * b];\n"
       "out[t] = s;",
       50000, 50000, "50,000 * 50,000 does not fit 32 bits: the index is -1,794,967,296"},
      // x[0] and x[1] are read in turn, each by two sums that wrap: 2^31 + 2^31 is 0, and so on.
      {"float s = 0;\n#pragma unroll 1\nfor (unsigned k = 0, i = 0; k < (unsigned)a; ++k) {\n"
       "  s += x[i];\n  i += k == 1 ? 2u : (unsigned)b;\n}\nout[t] = s;",
       9, 2147483648, ""},
      // 4,294,967,000 is not read; 296 more are 0, and 300 more 4.
      {"float s = 0;\n#pragma unroll 1\nfor (unsigned k = a; k != 4u + b; k += b)\n"
       "  if (k < 1000u) s += x[k];\nout[t] = s;",
       4294967000, 300, "4,294,967,000 + 300 does not fit 32 bits: the index is 4"},
  });
}

// Far, and nothing wrapped: each number is as the source has it.
TEST(PlantedFacts, AFarIndexThatFitsIsNotSaidToHaveWrapped) {
  expect_wrapped({
      {"out[t] = x[in[1] * b];", 40000, 40000, ""},
      // 3,000,000,000 fits an unsigned number.
      {"out[t] = x[(unsigned)a * (unsigned)b];", 60000, 50000, ""},
      {"out[t] = x[(unsigned)in[1] * (unsigned)in[2]];", 60000, 50000, ""},
      {"unsigned p = in[1], q = in[2];\nout[t] = x[p * q];", 60000, 50000, ""},
      {"const unsigned int p = a;\nout[t] = x[p * b + 7];", 60000, 50000, ""},
      {"out[t] = x[(long long)in[1] * in[2]];", 50000, 50000, ""},
      {"out[t] = x[in[1] - in[2]];", 1, 50000, ""},
      // 70,000 * 70,000 - 70,000 * 69,999 = 70,000, whatever wraps on the way.
      {"out[t] = x[(unsigned)in[1] * b - (unsigned)in[2] * (b - 1u)];", 70000, 70000, ""},
      // A hash is meant to wrap.
      {"out[t] = x[(unsigned)in[1] * 2654435761u % 97 + 100];", 50000, 1, ""},
      // Counted up from behind the end, with no product.
      {"float s = 0;\n#pragma unroll 1\nfor (int k = in[1]; k < in[2]; k += 64) s += x[k];\n"
       "out[t] = s;",
       2, 1000, ""},
      {"float s = 0;\n#pragma unroll 1\nfor (unsigned k = t; k < 1000u; k += 64) s += x[k];\n"
       "out[t] = s;",
       0, 0, ""},
  });
}

TEST(PlantedFacts, LanesOutsideAreOneFindingOfTheLine) {
  const std::string source = R"(
extern "C" __global__ void k(int* out, int n) {
  int t = threadIdx.x;
  unsigned mask = __ballot_sync(0xffffffffu, t < n);
  if (t < n) {
    int w = t;
    for (int o = 16; o > 0; o >>= 1) w += __shfl_down_sync(mask, w, o);
    out[t] = w;
  }
}
)";
  // Lane 0 alone is in the mask: it reads lanes 16, 8, 4, 2 and 1.
  const Launch warp{{1, 1, 1}, {32, 1, 1}, 0};
  const CaseRecord record = run(source, {.launch = warp, .args = {out_i32(32), i32(1)}});
  ASSERT_EQ(record.findings.size(), 1U);
  EXPECT_EQ(record.findings.front().line, 7);
  EXPECT_EQ(record.findings.front().cause, FindingCause::kLanesOutside);
  EXPECT_EQ(record.findings.front().count, 5U);
  EXPECT_EQ(record.findings.front().message,
            "a shuffle reads lanes 1 to 16, which do not execute it: they are outside of the mask, "
            "and the value is undefined");
  expect_clean(source, {.launch = warp, .args = {out_i32(32), i32(32)}});
}

double count(const CaseRecord& record, std::string_view metric) {
  const auto found = std::find_if(record.observations.begin(), record.observations.end(),
                                  [&](const Observation& o) { return o.metric == metric; });
  EXPECT_TRUE(found != record.observations.end() && found->has_value()) << metric;
  return found->number();
}

TEST(PlantedFacts, APrintfLeftInCostsNoTraffic) {
  const std::string plain = R"(
#include <cstdio>
extern "C" __global__ void k(float* out, const float* in) {
  int i = threadIdx.x;
  float v = in[i];
  out[i] = 2 * v;
  PRINT
}
)";
  const Given given{.args = {out_f32(64), in_f32(64)}};
  const CaseRecord without = run(with(plain, "PRINT", ""), given);
  for (const char* print :
       {"if (i == 0) printf(\"%d\\n\", i);", "printf(\"%f\\n\", v);",
        "if (i < 3) printf(\"%d %f %s %c\\n\", i, v, \"x\", 'c');", "printf(\"done\\n\");"}) {
    const CaseRecord record = run(with(plain, "PRINT", print), given);
    EXPECT_EQ(record.status, CaseStatus::kOk);
    EXPECT_FALSE(record.notes.printed.empty());
    for (const char* metric :
         {"global_load_requests", "global_load_sectors", "global_store_requests",
          "global_store_sectors", "local_load_requests", "local_store_requests", "l2_read_sectors",
          "l2_write_sectors", "dram_read_bytes"}) {
      EXPECT_EQ(count(record, metric), count(without, metric)) << metric << " " << print;
    }
  }
}

TEST(PlantedFacts, AnArrayBesideAPrintfIsCounted) {
  // The thread's own array is in local memory, since its index is not known: its stores stay.
  const std::string source = R"(
#include <cstdio>
extern "C" __global__ void k(float* out, const float* in, int n) {
  float own[16];
  int i = threadIdx.x;
  for (int j = 0; j < 16; ++j) own[j] = in[(i + j * n) % 64];
  if (i == 0) printf("%d %f\n", i, own[n]);
  out[i] = own[(i + n) % 16];
}
)";
  // 16 floats in vectors of 4, by two warps; the arguments would be 2 more.
  const CaseRecord record = run(source, {.args = {out_f32(64), in_f32(64), i32(3)}});
  EXPECT_EQ(count(record, "local_store_requests"), 16 / 4 * 2);
}

}  // namespace
}  // namespace lab::model::planted
