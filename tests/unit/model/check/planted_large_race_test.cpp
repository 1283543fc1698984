// Races between blocks of launches with many MiB of buffers, and right kernels of that size.
#include <string>

#include "harness/model/check/race_shadow.h"
#include "tests/unit/model/check/planted.h"

namespace lab::model::planted {
namespace {

// 16 MiB: 4 Mi elements of 4 bytes, in 16,384 blocks of 256 threads.
constexpr std::uint32_t kBlocks = 16 * 1024;
constexpr std::uint64_t kCount = std::uint64_t{kBlocks} * 256;

Given large(std::vector<ArgSpec> args, Dim3 grid = {kBlocks, 1, 1}, Dim3 block = {256, 1, 1}) {
  return {.launch = {grid, block, 0}, .args = std::move(args)};
}
BufferSpec counted(const std::string& name) {
  return {name, ElementType::kI32, kCount, Direction::kInOut, {Fill::Kind::kIota}};
}

// The neighbour of a block's last element is the next block's first.
TEST(PlantedLargeRace, AStencilInPlace) {
  const std::string source = R"(
extern "C" __global__ void k(int* a, int* b) {
  int i = blockIdx.x * 256 + threadIdx.x;
  int sum = a[i] + a[(i + 1) % (gridDim.x * 256)];
  __syncthreads();
  a[i] = sum;
}
)";
  const auto given = [] { return large({counted("a"), zeroed_i32("b", kCount)}); };
  const CaseRecord record = run(source, given());
  EXPECT_EQ(summary(record), (Lines{"global_race: a[i] = sum;"}));
  EXPECT_EQ(record.notes.checkers, Looked::kFull);
  expect_clean(with(source, "a[i] = sum", "b[i] = sum"), given());
}

TEST(PlantedLargeRace, RowsAndColumnsOfAMatrixInPlace) {
  const std::string source = R"(
extern "C" __global__ void k(int* d, int n, int k) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  int via = d[y * n + k] / 2 + d[k * n + x] / 2;
  if (x != k && y != k) d[y * n + x] = min(d[y * n + x], via);
}
)";
  const auto given = [] {
    return large({counted("d"), scalar_i32(2048), scalar_i32(77)}, {64, 256, 1}, {32, 8, 1});
  };
  expect_clean(source, given());  // row and column k stay as they are
  EXPECT_EQ(summary(run(with(source, "if (x != k && y != k) ", ""), given())),
            (Lines{"global_race: d[y * n + x] = min(d[y * n + x], via);"}));
}

// A transpose, whose stores lie a row apart.
TEST(PlantedLargeRace, StoresThatAreFarApart) {
  const std::string source = R"(
extern "C" __global__ void k(const int* in, int* out) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  out[x * 2048 + y] = in[y * 2048 + x];
}
)";
  const auto given = [] {
    return large({counted("in"), zeroed_i32("out", kCount)}, {64, 256, 1}, {32, 8, 1});
  };
  expect_clean(source, given());
  // The last row of each block is the next block's first, too: of 2,048 columns with 256 blocks
  // each all but the last of all, which is nobody else's.
  Given wrong = given();
  wrong.args[1] = zeroed_i32("out", kCount + 1);
  wrong.threads = 1;
  const CaseRecord record =
      run(with(source, "x * 2048 + y", "x * 2048 + y + threadIdx.y / 7"), wrong);
  ASSERT_EQ(record.findings.size(), 1U);
  EXPECT_EQ(record.findings[0].kind, FindingKind::kGlobalRace);
  EXPECT_EQ(record.findings[0].count, 2048U * 256U - 1U);
}

TEST(PlantedLargeRace, AGridStrideOfBytes) {
  const std::string source = R"(
extern "C" __global__ void k(char* a, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    a[i] = a[i] + 1;
  }
}
)";
  const std::uint64_t count = std::uint64_t{12} << 20U;
  const BufferSpec bytes{"a", ElementType::kI8, count, Direction::kInOut, {Fill::Kind::kZero}};
  const auto given = [&] {
    return large({bytes, scalar_i32(static_cast<std::int32_t>(count))}, {1024, 1, 1});
  };
  expect_clean(source, given());
  // Each block but the first begins one element early.
  EXPECT_EQ(summary(run(with(source, "int i = blockIdx.x * blockDim.x",
                             "int i = blockIdx.x * (blockDim.x - 1)"),
                        given())),
            (Lines{"global_race: a[i] = a[i] + 1;"}));
}

TEST(PlantedLargeRace, OfBlocksThatPublishWhatTheyWrote) {
  const std::string source = R"(
extern "C" __global__ void k(int* a, int* out, int* ticket) {
  __shared__ bool last;
  int i = blockIdx.x * 256 + threadIdx.x;
  a[i] = i & 3;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(ticket, 1) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  int sum = 0;
  for (int j = threadIdx.x; j < gridDim.x * 256; j += 4096) sum += a[j];
  atomicAdd(out, sum);
}
)";
  const auto given = [] {
    return large({zeroed_i32("a", kCount), zeroed_i32("out", 1), zeroed_i32("ticket", 1)});
  };
  expect_clean(source, given());
  EXPECT_EQ(summary(run(with(source, "__threadfence();", ""), given())),
            (Lines{"global_race: for (int j = threadIdx.x; j < gridDim.x * 256; j += 4096) sum += "
                   "a[j];"}));
}

// What could not be noted for want of memory is known, and 'full' is not said.
TEST(PlantedLargeRace, AShadowThatIsFullSaysSo) {
  std::vector<std::byte> bytes(1U << 20U);
  GlobalMemory memory;
  const std::uint64_t out = memory.add(bytes, "out", 0);
  const auto fill = [&](std::uint64_t most) {
    check::RaceShadow shadow(memory, 4, {{2, true}}, most);
    check::RaceShadow::Region* region = shadow.find(out);
    const std::uint64_t who = check::GlobalAccess{.block = 1}.packed();
    for (std::uint64_t sector = 0; sector < bytes.size() / 32; ++sector) {
      const auto at = check::RaceShadow::sector(*region, sector);
      shadow.note_whole_read(check::Plane::kRead, at, who);
      EXPECT_EQ(shadow.seen(check::Plane::kRead, at, 3), shadow.complete() ? who + 3 : 0);
    }
    return shadow.complete();
  };
  // A word of 8 bytes for each of 32,768 sectors, and what tells where each page's are.
  EXPECT_TRUE(fill(300'000));
  EXPECT_FALSE(fill(200'000));
}

}  // namespace
}  // namespace lab::model::planted
