// A program's launches, by a driver that has no GPU: fake_driver.cpp.
#include "harness/gpu/launches/launches.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>

#include "harness/core/error.h"
#include "harness/programs/wire/wire.h"

namespace lab::gpu {
namespace {

constexpr std::uint64_t kGrain = std::uint64_t{2} << 20U;

template <typename F>
F* of_driver(const char* name) {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  return reinterpret_cast<F*>(dlsym(library, name));
}

Compiled no_code(const CompileRequest& /*request*/) {
  Compiled compiled;
  compiled.cubin = {1};
  return compiled;
}

class Launches : public testing::Test {
 protected:
  Launches() : arena_(8 * kGrain) {
    of_driver<void(std::uint64_t)>("fake_reset")(0);
    request_.gpu.counters = false;
    request_.units.resize(1);
    request_.units[0].compiled.cubin = {1};
  }
  GpuLaunch add_one(std::uint64_t offset, int elements) {
    GpuLaunch launch;
    launch.name = launch.compiled = "add_one";
    launch.launch = {{1}, {32}};
    launch.arguments.resize(12);
    launch.offsets = {0, 8};
    const std::uint64_t address = program::kArenaBase + offset;
    std::memcpy(launch.arguments.data(), &address, 8);
    std::memcpy(launch.arguments.data() + 8, &elements, 4);
    launch.memory = {{address, static_cast<std::uint64_t>(elements) * sizeof(int)}};
    return launch;
  }
  int& element(std::uint64_t offset) { return reinterpret_cast<int&>(arena_[offset]); }
  ProgramLaunches launches() {
    return ProgramLaunches(open_machine(no_code), request_, {arena_.data(), -1});
  }
  static const std::vector<int>& seen() {
    return of_driver<const std::vector<int>&()>("fake_seen")();
  }

  ProgramRequest request_;
  std::vector<std::byte> arena_;
};

TEST_F(Launches, EachReplayFindsMemoryAsItWasBefore) {
  ProgramLaunches launches = this->launches();
  element(256) = 7;
  const GpuLaunched done = launches.run(add_one(256, 3));
  EXPECT_EQ(done.error, 0) << done.record.reason;
  EXPECT_EQ(done.record.status, CaseStatus::kOk);
  // The first, three to warm up, and at least ten that are timed.
  EXPECT_GE(seen().size(), 14U);
  for (const int found : seen()) EXPECT_EQ(found, 7);
  // The program goes on with what one launch leaves. The driver's events are 2 us apart.
  EXPECT_EQ(element(256), 8);
  EXPECT_EQ(element(260), 1);
  EXPECT_NEAR(done.nanoseconds, 2000, 1);
  ASSERT_TRUE(done.record.timing.has_value());
}

TEST_F(Launches, BesideTheModelTheProgramsMemoryStays) {
  ProgramLaunches launches = this->launches();
  GpuLaunch launch = add_one(256, 3);
  launch.kept = false;
  EXPECT_EQ(launches.run(launch).error, 0);
  EXPECT_EQ(element(256), 0);
  EXPECT_GE(seen().size(), 14U);
}

TEST_F(Launches, OneThatIsKnownRunsOnce) {
  ProgramLaunches launches = this->launches();
  GpuLaunch launch = add_one(256, 1);
  launch.measured = false;
  EXPECT_FALSE(launches.run(launch).record.timing.has_value());
  EXPECT_EQ(launches.run(launch).error, 0);
  EXPECT_EQ(seen(), (std::vector<int>{0, 1}));
  EXPECT_EQ(element(256), 2);
}

TEST_F(Launches, VariablesArePutBackAndKept) {
  ProgramLaunches launches = this->launches();
  GpuLaunch launch;
  launch.name = launch.compiled = "count";
  launch.launch = {{1}, {1}};
  VariableBytes counter{"counter", std::vector<std::byte>(4), 0x1000, false};
  counter.bytes[0] = std::byte{40};
  launch.variables = {counter,
                      {"dropped by the compiler", std::vector<std::byte>(8), 0x2000, false}};
  const GpuLaunched done = launches.run(launch);
  for (const int found : seen()) EXPECT_EQ(found, 40);
  ASSERT_EQ(done.variables.size(), 1U);
  EXPECT_EQ(done.variables[0].name, "counter");
  EXPECT_EQ(done.variables[0].address, 0x1000U);
  EXPECT_EQ(done.variables[0].bytes[0], std::byte{41});
}

TEST_F(Launches, APointerToAVariableLeadsToTheGpus) {
  ProgramLaunches launches = this->launches();
  GpuLaunch launch;
  launch.name = launch.compiled = "count_at";
  launch.launch = {{1}, {1}};
  launch.variables = {{"counter", std::vector<std::byte>(4), 0x1000, false}};
  const std::uint64_t pointer = 0x1000;
  launch.arguments.resize(8);
  launch.offsets = {0};
  std::memcpy(launch.arguments.data(), &pointer, 8);
  const GpuLaunched done = launches.run(launch);
  ASSERT_EQ(done.variables.size(), 1U);
  EXPECT_EQ(done.variables[0].bytes[0], std::byte{1});
}

TEST_F(Launches, AFaultEndsAllThatComeAfterIt) {
  ProgramLaunches launches = this->launches();
  GpuLaunch wild = add_one(256, 1);
  const std::uint64_t nowhere = program::kArenaBase + 6 * kGrain;
  std::memcpy(wild.arguments.data(), &nowhere, 8);
  const GpuLaunched first = launches.run(wild);
  EXPECT_EQ(first.error, program::kIllegalAddress);
  EXPECT_EQ(first.record.status, CaseStatus::kError);
  EXPECT_NE(first.record.reason.find("CUDA_ERROR_ILLEGAL_ADDRESS"), std::string::npos);
  GpuLaunch fine = add_one(256, 1);
  EXPECT_EQ(launches.run(fine).error, program::kIllegalAddress);
  fine.kept = false;  // the model goes on
  EXPECT_EQ(launches.run(fine).record.status, CaseStatus::kSkipped);
  EXPECT_TRUE(seen().empty());
  EXPECT_EQ(element(256), 0);
}

TEST_F(Launches, TooManyThreadsAreNoLaunch) {
  ProgramLaunches launches = this->launches();
  GpuLaunch large = add_one(256, 1);
  large.launch.block.x = 2048;
  const GpuLaunched done = launches.run(large);
  EXPECT_EQ(done.error, program::kInvalidConfiguration);
  EXPECT_NE(done.record.reason.find("2048 threads per block"), std::string::npos);
  EXPECT_TRUE(seen().empty());
}

TEST_F(Launches, MemoryThatWasFreedIsGivenBack) {
  ProgramLaunches launches = this->launches();
  auto* const mapped = of_driver<std::size_t()>("fake_mapped_bytes");
  static_cast<void>(launches.run(add_one(256, 1)));
  EXPECT_EQ(mapped(), kGrain);
  // Two allocations in one grain, and one that reaches into the next.
  GpuLaunch more = add_one(4096, 1);
  more.memory.push_back({program::kArenaBase + 256, 4});
  more.memory.push_back({program::kArenaBase + kGrain - 256, 512});
  static_cast<void>(launches.run(more));
  EXPECT_EQ(mapped(), 2 * kGrain);
  static_cast<void>(launches.run(add_one(5 * kGrain, 1)));
  EXPECT_EQ(mapped(), kGrain);
}

TEST_F(Launches, ADriverThatGivesOtherAddressesIsAnErrorThatSaysSo) {
  of_driver<void(std::uint64_t)>("fake_reset")(kGrain);
  try {
    static_cast<void>(launches());
    FAIL() << "the program's pointers would lead elsewhere";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kMachine);
    EXPECT_NE(std::string(error.what()).find("no room at 0x2000000000"), std::string::npos);
    EXPECT_EQ(error.hint(), "--backend model runs the program without the GPU");
  }
}

TEST(Grains, AreJoinedWhereTheyMeet) {
  const std::vector<MemoryRange> ranges = {{300, 10}, {0, 1}, {100, 100}, {50, 0}, {610, 1}};
  // 300..310 is in 300..400, 0..1 in 0..100, 100..200 is that: 0..200 in one, and 600..700.
  const std::vector<MemoryRange> want = {{0, 200}, {300, 100}, {600, 100}};
  EXPECT_EQ(grains_of(ranges, 100), want);
}

}  // namespace
}  // namespace lab::gpu
