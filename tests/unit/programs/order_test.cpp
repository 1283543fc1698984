#include "harness/programs/serve/order.h"

#include <gtest/gtest.h>

namespace lab::program {
namespace {

constexpr std::uint64_t kA = 11;
constexpr std::uint64_t kB = 12;
constexpr std::uint64_t kEvent = 13;

Order two(StreamOrder first, StreamOrder second) {
  Order order;
  order.add(kA, first);
  order.add(kB, second);
  return order;
}

TEST(Order, NothingOrdersTwoStreams) {
  for (const StreamOrder each : {StreamOrder::kBlocking, StreamOrder::kNonBlocking}) {
    Order order = two(each, each);
    const Moment first = order.queue(kA);
    const Moment second = order.queue(kB);
    EXPECT_FALSE(order.ordered(first, second));
    EXPECT_TRUE(order.ordered(first, order.queue(kA)));
  }
}

TEST(Order, TheDefaultStreamAndBlockingOnesWaitForEachOther) {
  Order order = two(StreamOrder::kBlocking, StreamOrder::kNonBlocking);
  const Moment a = order.queue(kA);
  const Moment b = order.queue(kB);
  const Moment middle = order.queue(Order::kDefault);
  EXPECT_TRUE(order.ordered(a, middle));
  EXPECT_FALSE(order.ordered(b, middle));
  EXPECT_TRUE(order.ordered(middle, order.queue(kA)));
  EXPECT_FALSE(order.ordered(middle, order.queue(kB)));
}

TEST(Order, BlockingStreamsAreOrderedByWorkOfTheDefaultOneBetweenThem) {
  Order order = two(StreamOrder::kBlocking, StreamOrder::kPerThread);
  const Moment a = order.queue(kA);
  order.queue(Order::kDefault);
  EXPECT_TRUE(order.ordered(a, order.queue(kB)));
}

TEST(Order, AnEventCarriesWhatCameBeforeItsRecord) {
  Order order = two(StreamOrder::kNonBlocking, StreamOrder::kNonBlocking);
  const Moment before = order.queue(kA);
  order.record(kEvent, kA);
  const Moment behind = order.queue(kA);
  order.wait(kB, kEvent);
  const Moment other = order.queue(kB);
  EXPECT_TRUE(order.ordered(before, other));
  EXPECT_FALSE(order.ordered(behind, other));
}

TEST(Order, AnEventThatWasNeverRecordedOrdersNothing) {
  Order order = two(StreamOrder::kNonBlocking, StreamOrder::kNonBlocking);
  const Moment before = order.queue(kA);
  order.wait(kB, kEvent);
  EXPECT_FALSE(order.ordered(before, order.queue(kB)));
}

TEST(Order, WhatTheHostHasWaitedForComesBeforeAllThatItQueues) {
  Order order = two(StreamOrder::kNonBlocking, StreamOrder::kNonBlocking);
  const Moment a = order.queue(kA);
  order.host_waits_for_stream(kB);
  EXPECT_FALSE(order.host_knows(a));
  EXPECT_FALSE(order.ordered(a, order.queue(kB)));
  order.host_waits_for_stream(kA);
  EXPECT_TRUE(order.host_knows(a));
  EXPECT_TRUE(order.ordered(a, order.queue(kB)));
  const Moment later = order.queue(kA);
  order.host_waits_for_all();
  EXPECT_TRUE(order.host_knows(later));
}

TEST(Order, WhatAnEventWaitedForIsKnownToTheHostWithIt) {
  Order order = two(StreamOrder::kNonBlocking, StreamOrder::kNonBlocking);
  const Moment a = order.queue(kA);
  order.record(kEvent, kA);
  order.wait(kB, kEvent);
  const Moment b = order.queue(kB);
  order.host_waits_for(b);
  EXPECT_TRUE(order.host_knows(a));
}

TEST(Order, TheDefaultStreamsWorkBringsThatOfBlockingOnes) {
  Order order = two(StreamOrder::kBlocking, StreamOrder::kNonBlocking);
  const Moment a = order.queue(kA);
  const Moment b = order.queue(kB);
  order.host_waits_for(order.queue(Order::kDefault));
  EXPECT_TRUE(order.host_knows(a));
  EXPECT_FALSE(order.host_knows(b));
}

TEST(Order, AStreamThatIsGoneMakesPlaceOnceTheHostHasWaited) {
  Order order = two(StreamOrder::kNonBlocking, StreamOrder::kNonBlocking);
  const Moment a = order.queue(kA);
  order.drop(kA);
  constexpr std::uint64_t kNew = 20;
  order.add(kNew, StreamOrder::kNonBlocking);
  EXPECT_FALSE(order.ordered(a, order.queue(kNew)));  // another place
  order.host_waits_for_all();
  constexpr std::uint64_t kNext = 21;
  order.add(kNext, StreamOrder::kNonBlocking);
  EXPECT_EQ(order.queue(kNext).stream, a.stream);
}

}  // namespace
}  // namespace lab::program
