#include "harness/box/worker/channel.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "harness/core/error.h"

namespace lab::worker {
namespace {

Clock::time_point in_ms(int ms) { return Clock::now() + std::chrono::milliseconds(ms); }

struct Pair {
  Channel a;
  Channel b;
  int raw_a = -1;
};

Pair connected() {
  std::array<int, 2> sockets{};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets.data()), 0);
  return {Channel(Descriptor(sockets[0])), Channel(Descriptor(sockets[1])), sockets[0]};
}

TEST(Channel, CarriesFrames) {
  Pair pair = connected();
  // Larger than a socket's buffer, so that it arrives in pieces.
  const Frame large(3'000'000, 0xAB);
  std::thread sender([&] {
    EXPECT_TRUE(pair.a.send(large));
    EXPECT_TRUE(pair.a.send({}));
  });
  Frame frame;
  ASSERT_EQ(pair.b.receive(frame, in_ms(5000)), Channel::Status::kFrame);
  EXPECT_EQ(frame, large);
  ASSERT_EQ(pair.b.receive(frame, in_ms(5000)), Channel::Status::kFrame);
  EXPECT_TRUE(frame.empty());
  sender.join();
}

TEST(Channel, KeepsHalfAFrameOverATimeout) {
  Pair pair = connected();
  // "LAB2", a frame of 2 bytes, and the first of the two.
  const std::array<char, 13> half = {'L', 'A', 'B', '2', 2, 0, 0, 0, 0, 0, 0, 0, '['};
  ASSERT_EQ(::write(pair.raw_a, half.data(), half.size()), 13);
  Frame frame;
  EXPECT_EQ(pair.b.receive(frame, in_ms(20)), Channel::Status::kTimeout);
  ASSERT_EQ(::write(pair.raw_a, "]", 1), 1);
  ASSERT_EQ(pair.b.receive(frame, in_ms(5000)), Channel::Status::kFrame);
  EXPECT_EQ(frame, (Frame{'[', ']'}));
}

TEST(Channel, SeesTheOtherSideGo) {
  Pair pair = connected();
  pair.a.close();
  Frame frame;
  EXPECT_EQ(pair.b.receive(frame, in_ms(5000)), Channel::Status::kClosed);
  EXPECT_FALSE(pair.b.send({1}));
}

TEST(Channel, WhatIsNoFrameIsAnError) {
  Pair pair = connected();
  ASSERT_EQ(::write(pair.raw_a, "printf went astray", 18), 18);
  Frame frame;
  EXPECT_THROW((void)pair.b.receive(frame, in_ms(5000)), Error);
}

TEST(Channel, LengthsBeyondReasonAreAnError) {
  Pair pair = connected();
  const std::array<unsigned char, 12> header = {'L', 'A', 'B',  '2',  0,    0,
                                                0,   0,   0xff, 0xff, 0xff, 0xff};
  ASSERT_EQ(::write(pair.raw_a, header.data(), header.size()), 12);
  Frame frame;
  EXPECT_THROW((void)pair.b.receive(frame, in_ms(5000)), Error);
}

}  // namespace
}  // namespace lab::worker
