#include "harness/programs/serve/memory.h"

#include <gtest/gtest.h>

#include <vector>

namespace lab::program {
namespace {

Owned owned(std::uint64_t offset, std::uint64_t bytes, MemoryKind kind = MemoryKind::kDevice) {
  Owned made;
  made.base = kArenaBase + offset;
  made.bytes = bytes;
  made.kind = kind;
  made.name = "x";
  return made;
}

TEST(ProgramMemory, KnowsWhatWasWritten) {
  ProgramMemory memory(nullptr);
  memory.allocate(owned(0, 100));
  EXPECT_FALSE(memory.any_written(kArenaBase, 100));
  memory.written(kArenaBase + 40, 4);
  EXPECT_TRUE(memory.any_written(kArenaBase, 100));
  EXPECT_FALSE(memory.any_written(kArenaBase, 40));
  EXPECT_FALSE(memory.any_written(kArenaBase + 44, 56));
}

TEST(ProgramMemory, WhatTheHostSharesMayBeWrittenUnseen) {
  ProgramMemory memory(nullptr);
  memory.allocate(owned(0, 8, MemoryKind::kManaged));
  EXPECT_TRUE(memory.any_written(kArenaBase, 8));
}

TEST(ProgramMemory, RemembersWhatWasFreed) {
  ProgramMemory memory(nullptr);
  memory.allocate(owned(0, 8));
  EXPECT_EQ(memory.release(kArenaBase + 4, "a.cu:1"), nullptr);  // not its beginning
  ASSERT_NE(memory.release(kArenaBase, "a.cu:2"), nullptr);
  EXPECT_EQ(memory.find(kArenaBase), nullptr);
  ASSERT_NE(memory.freed(kArenaBase + 7), nullptr);
  EXPECT_EQ(memory.freed(kArenaBase + 7)->freed, "a.cu:2");
  EXPECT_EQ(memory.freed(kArenaBase + 8), nullptr);
}

TEST(ProgramMemory, KeepsItsAddressesInALaunch) {
  std::vector<std::byte> arena(4096);
  ProgramMemory memory(arena.data());
  memory.allocate(owned(512, 8));
  memory.allocate(owned(0, 8));
  memory.written(kArenaBase, 8);  // whole: nothing is left to be watched
  model::GlobalMemory global;
  model::check::GlobalShadows shadows;
  memory.place_in(global, shadows);
  ASSERT_NE(global.find(kArenaBase + 512), nullptr);
  EXPECT_EQ(global.find(kArenaBase + 512)->host, arena.data() + 512);
  EXPECT_EQ(global.find(kArenaBase + 8), nullptr);
  EXPECT_EQ(shadows.size(), 1U);
}

}  // namespace
}  // namespace lab::program
