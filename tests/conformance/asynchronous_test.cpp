// mbarriers and copies beside the threads: what they bring, what they cost, and that what they
// order is not taken for a race.
#include "metrics/values.h"
#include "tests/conformance/suite.h"

namespace lab::conformance {
namespace {

class Asynchronous : public Suite {
 protected:
  Asynchronous() : Suite("asynchronous.cu", Needs::kNvrtc12) {}
};
INSTANTIATE_TEST_SUITE_P(Backends, Asynchronous, backends(), backend_name);

TEST_P(Asynchronous, ArrivalsMakeAPhase) {
  const auto got = run("arrivals", line(1, 128), {out(kI32, 128)});
  EXPECT_EQ(got.record.findings.size(), 0U);
  const auto sums = buffer<std::int32_t>(got, 0);
  // 0 + 1000 + 2000, and the neighbour three times.
  for (std::int32_t t = 0; t < 128; ++t) {
    EXPECT_EQ(sums[static_cast<std::size_t>(t)], 3000 + 3 * ((t + 33) % 128));
  }
}

TEST_P(Asynchronous, ARingOfTilesIsFilledAndEmptied) {
  constexpr std::int32_t kTiles = 7;
  const auto got =
      run("ring", line(1, 128), {out(kI32, 96), in(kI32, kTiles * 96), scalar_i32(kTiles)});
  EXPECT_EQ(got.record.findings.size(), 0U);
  const auto sums = buffer<std::int32_t>(got, 0);
  for (std::int32_t t = 0; t < 96; ++t) {
    std::int32_t want = 0;
    for (std::int32_t i = 0; i < kTiles; ++i) want += (i + 1) * (i * 96 + 95 - t);
    EXPECT_EQ(sums[static_cast<std::size_t>(t)], want) << t;
  }
}

TEST_P(Asynchronous, BulkCopiesMoveATileInAndOut) {
  const auto got = run("bulk", line(3, 256), {out(kI32, 768), in(kI32, 768)});
  EXPECT_EQ(got.record.findings.size(), 0U);
  const auto values = buffer<std::int32_t>(got, 0);
  for (std::int32_t i = 0; i < 768; ++i) EXPECT_EQ(values[static_cast<std::size_t>(i)], 2 * i);
  // They are in none of the counters of loads and stores.
  EXPECT_EQ(value(got, "global_load_sectors"), 0);
  EXPECT_EQ(value(got, "global_store_sectors"), 0);
}

TEST_P(Asynchronous, StagedCopiesBringEachTileOnce) {
  constexpr std::int32_t kStages = 5;
  const auto got =
      run("staged", line(1, 32), {out(kI32, 32), in(kI32, kStages * 128), scalar_i32(kStages)});
  EXPECT_EQ(got.record.findings.size(), 0U);
  const auto sums = buffer<std::int32_t>(got, 0);
  for (std::int32_t t = 0; t < 32; ++t) {
    std::int32_t want = 0;
    for (std::int32_t i = 0; i < kStages; ++i) {
      for (std::int32_t k = 0; k < 4; ++k) want += i * 128 + (4 * t + k + 4) % 128;
    }
    EXPECT_EQ(sums[static_cast<std::size_t>(t)], want) << t;
  }
  // 512 bytes of each stage: 16 sectors, counted with the loads, of which there is none.
  // Instruction patching leaves these copies out; the hardware's own counter has them
  // (h200_async_copies_random.csv).
  const auto sectors = metrics::value_of(got.record, "global_load_sectors",
                                         on_gpu() ? SourceOf::kCupti : SourceOf::kModel);
  ASSERT_TRUE(sectors);
  EXPECT_EQ(*sectors, 16 * kStages);
  EXPECT_EQ(value(got, "global_load_requests"), 0);
  if (on_gpu()) return;
  EXPECT_EQ(value(got, "global_load_bytes"), 512 * kStages);  // so that the efficiency is 1
  EXPECT_EQ(value(got, "async_copy_requests"), kStages);
}

TEST_P(Asynchronous, CopiesArriveAtAnMbarrier) {
  const auto got = run("copies_arrive", line(1, 64), {out(kI32, 64), in(kI32, 64)});
  EXPECT_EQ(got.record.findings.size(), 0U);
  const auto values = buffer<std::int32_t>(got, 0);
  for (std::int32_t t = 0; t < 64; ++t) EXPECT_EQ(values[static_cast<std::size_t>(t)], 63 - t);
}

}  // namespace
}  // namespace lab::conformance
