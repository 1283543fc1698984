#include "harness/programs/serve/repeats.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "harness/programs/serve/memory.h"

namespace lab::program {
namespace {

constexpr Repeats::Ran kLong{1.0, 2500, true};

// Two buffers of 4096 bytes, the second of which the host may write unseen, and launches that do
// what they are told to.
class RepeatedLaunches : public testing::Test {
 protected:
  RepeatedLaunches() {
    memory_.allocate({kArenaBase, 4096, MemoryKind::kDevice, "d", {}});
    memory_.allocate({kArenaBase + 4096, 4096, MemoryKind::kPinned, "p", {}});
  }
  void launch(const std::string& name, const std::function<void()>& work = {},
              const Repeats::Ran& ran = kLong) {
    model::GlobalMemory memory;
    model::check::GlobalShadows shadows;
    memory_.place_in(memory, shadows);
    repeats_.before(name, memory);
    if (work) work();
    repeats_.after(name, ran, memory, memory_);
  }
  [[nodiscard]] bool still(const std::string& name) const {
    return repeats_.still(name, memory_).has_value();
  }

  std::vector<std::byte> arena_ = std::vector<std::byte>(8192);
  ProgramMemory memory_{arena_.data()};
  Repeats repeats_;
};

TEST_F(RepeatedLaunches, RunUntilTheyWereSeenToChangeNothing) {
  EXPECT_FALSE(still("fill"));
  launch("fill", [&] { arena_[8] = std::byte{1}; });
  EXPECT_FALSE(still("fill"));  // the first may have changed memory
  launch("fill", [&] { arena_[8] = std::byte{1}; });
  EXPECT_EQ(repeats_.still("fill", memory_), kLong.ns);
  EXPECT_FALSE(still("other"));
}

TEST_F(RepeatedLaunches, RunAgainWhereMemoryHasChanged) {
  launch("fill");
  launch("fill");
  EXPECT_TRUE(still("fill"));
  repeats_.changed();
  EXPECT_FALSE(still("fill"));
  launch("fill");
  EXPECT_TRUE(still("fill"));
  launch("add", [&] { arena_[9] = std::byte{2}; });
  EXPECT_FALSE(still("fill"));
}

TEST_F(RepeatedLaunches, RunAgainWhereTheHostWroteItsOwnSide) {
  launch("fill");
  launch("fill");
  EXPECT_TRUE(still("fill"));
  arena_[4096 + 100] = std::byte{7};
  EXPECT_FALSE(still("fill"));
  arena_[4096 + 100] = std::byte{0};
  EXPECT_TRUE(still("fill"));
}

TEST_F(RepeatedLaunches, OfWhichEachChangesMemoryRunAlways) {
  for (int i = 1; i < 6; ++i) {
    launch("add", [&] { arena_[0] = static_cast<std::byte>(i); });
    EXPECT_FALSE(still("add"));
  }
}

TEST_F(RepeatedLaunches, ThatPrintOrFindRunAlways) {
  launch("print", {}, {1.0, 2500, false});
  launch("print", {}, {1.0, 2500, false});
  EXPECT_FALSE(still("print"));
}

// 8192 bytes are copied and compared in 4 us at the 2 GB/s that are counted on.
TEST_F(RepeatedLaunches, ThatTakeNoTimeAreNotWorthACopy) {
  launch("short", {}, {3e-6, 2500, true});
  launch("short", {}, {3e-6, 2500, true});
  EXPECT_FALSE(still("short"));
}

}  // namespace
}  // namespace lab::program
