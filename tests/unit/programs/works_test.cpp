#include "harness/programs/serve/works.h"

#include <gtest/gtest.h>

namespace lab::program {
namespace {

constexpr std::uint64_t kFirst = 1;
constexpr std::uint64_t kSecond = 2;

// Two streams that nothing orders.
struct Two {
  Order order;
  Works works;
  std::uint64_t number = 0;
  Two() {
    order.add(kFirst, StreamOrder::kNonBlocking);
    order.add(kSecond, StreamOrder::kNonBlocking);
  }
  Work work(std::uint64_t stream) {
    Work made;
    made.moment = order.queue(stream);
    made.number = ++number;
    made.stream = stream;
    return made;
  }
  void done(std::uint64_t stream, Uses uses) { works.keep(work(stream), std::move(uses)); }
  std::vector<Meeting> meet(std::uint64_t stream, const Uses& uses) {
    return works.meet(work(stream), uses, order);
  }
};

Uses reads(Spans spans) { return {std::move(spans), {}, {}}; }
Uses writes(Spans spans) { return {{}, std::move(spans), {}}; }
Uses atomics(Spans spans) { return {{}, {}, std::move(spans)}; }

TEST(Works, AWriteMeetsWhatNothingOrders) {
  Two two;
  two.done(kFirst, writes({{100, 200}}));
  const std::vector<Meeting> met = two.meet(kSecond, reads({{0, 50}, {150, 300}}));
  ASSERT_EQ(met.size(), 1U);
  EXPECT_EQ(met[0].address, 150U);
  EXPECT_TRUE(met[0].earlier_writes);
  EXPECT_FALSE(met[0].later_writes);
}

TEST(Works, ReadsDoNotMeetNorDoAtomicsNorNeighbours) {
  Two two;
  two.done(kFirst, {{{0, 100}}, {{100, 200}}, {{200, 300}}});
  EXPECT_TRUE(two.meet(kSecond, {{{0, 100}}, {{300, 400}}, {{200, 300}}}).empty());
  EXPECT_EQ(two.meet(kSecond, atomics({{0, 4}})).size(), 1U);
}

TEST(Works, OneMeetingIsToldForAStreamAndOrdersThemFromThenOn) {
  Two two;
  two.done(kFirst, writes({{0, 100}}));
  two.done(kFirst, writes({{0, 100}, {200, 300}}));
  EXPECT_EQ(two.meet(kSecond, reads({{0, 300}})).size(), 1U);
  EXPECT_TRUE(two.meet(kSecond, reads({{0, 300}})).empty());
}

TEST(Works, WhatTheHostHasWaitedForIsForgotten) {
  Two two;
  two.done(kFirst, writes({{0, 100}}));
  EXPECT_NE(two.works.numbered(1), nullptr);
  two.order.host_waits_for_stream(kFirst);
  two.works.forget(two.order);
  EXPECT_EQ(two.works.numbered(1), nullptr);
}

TEST(Works, ALaterWorkThatDoesTheSameStandsForAnEarlierOne) {
  Two two;
  two.done(kFirst, writes({{0, 100}}));
  two.done(kFirst, writes({{0, 100}}));
  EXPECT_EQ(two.works.numbered(1), nullptr);
  EXPECT_NE(two.works.numbered(2), nullptr);
  two.done(kSecond, writes({{0, 100}}));  // of another stream
  EXPECT_NE(two.works.numbered(2), nullptr);
}

TEST(Works, TheHostMeetsWhatItHasNotWaitedFor) {
  Two two;
  two.done(kFirst, reads({{0, 100}}));
  EXPECT_TRUE(two.works.meet_host(writes({{50, 60}}), two.order).has_value());
  two.order.host_waits_for_stream(kFirst);
  EXPECT_FALSE(two.works.meet_host(writes({{50, 60}}), two.order).has_value());
}

TEST(Spans, AreKeptInOrderAndApart) {
  Spans spans;
  add_span(spans, {10, 20});
  add_span(spans, {30, 40});
  add_span(spans, {0, 5});
  EXPECT_EQ(spans, (Spans{{0, 5}, {10, 20}, {30, 40}}));
  add_span(spans, {20, 30});
  EXPECT_EQ(spans, (Spans{{0, 5}, {10, 40}}));
  add_span(spans, {4, 100});
  EXPECT_EQ(spans, (Spans{{0, 100}}));
}

TEST(Spans, EvenAndOddElementsHaveNothingInCommon) {
  Spans even;
  Spans odd;
  for (std::uint64_t i = 0; i < 1000; i += 8) {
    even.push_back({i, i + 4});
    odd.push_back({i + 4, i + 8});
  }
  EXPECT_FALSE(common(even, odd).has_value());
  odd.back() = {992, 1000};
  EXPECT_EQ(common(even, odd), std::optional<std::uint64_t>(992));
}

}  // namespace
}  // namespace lab::program
