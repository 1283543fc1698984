#include "harness/programs/serve/works.h"

#include <algorithm>
#include <utility>

namespace lab::program {
namespace {

// More of them are forgotten, the oldest first.
constexpr std::size_t kMostWorks = 1024;
constexpr std::size_t kMostSpans = std::size_t{1} << 23U;

// To the first span that ends behind `at`: the next one, or far away.
void catch_up(Spans::const_iterator& span, Spans::const_iterator end, std::uint64_t at) {
  ++span;
  if (span == end || span->end > at) return;
  span = std::lower_bound(span, end, at,
                          [](const Span& s, std::uint64_t place) { return s.end <= place; });
}

std::optional<Meeting> meeting(const Work& earlier, const Uses& uses) {
  struct Pair {
    const Spans& before;
    const Spans& now;
    bool before_writes;
    bool now_writes;
  };
  const Uses& before = earlier.uses;
  const Pair pairs[] = {
      {before.writes, uses.reads, true, false},  {before.writes, uses.writes, true, true},
      {before.reads, uses.writes, false, true},  {before.writes, uses.atomics, true, true},
      {before.atomics, uses.reads, true, false}, {before.atomics, uses.writes, true, true},
      {before.reads, uses.atomics, false, true},
  };
  for (const Pair& pair : pairs) {
    const auto at = common(pair.before, pair.now);
    if (!at) continue;
    Meeting met{{}, *at, pair.before_writes, pair.now_writes};
    met.earlier = {earlier.moment, earlier.number, earlier.stream,
                   earlier.kind,   earlier.name,   earlier.line};
    return met;
  }
  return {};
}

}  // namespace

void add_span(Spans& spans, Span one) {
  if (one.begin >= one.end) return;
  // The first that it touches, and the one behind the last.
  auto from = std::lower_bound(spans.begin(), spans.end(), one.begin,
                               [](const Span& s, std::uint64_t at) { return s.end < at; });
  auto to = from;
  while (to != spans.end() && to->begin <= one.end) {
    one = {std::min(one.begin, to->begin), std::max(one.end, to->end)};
    ++to;
  }
  from = spans.erase(from, to);
  spans.insert(from, one);
}

std::optional<std::uint64_t> common(const Spans& a, const Spans& b) {
  auto x = a.begin();
  auto y = b.begin();
  while (x != a.end() && y != b.end()) {
    const std::uint64_t begin = std::max(x->begin, y->begin);
    if (begin < std::min(x->end, y->end)) return begin;
    if (x->end <= y->begin) {
      catch_up(x, a.end(), y->begin);
    } else {
      catch_up(y, b.end(), x->begin);
    }
  }
  return {};
}

std::vector<Meeting> Works::meet(const Work& later, const Uses& uses, Order& order) const {
  std::vector<Meeting> all;
  for (auto one = works_.rbegin(); one != works_.rend(); ++one) {
    if (one->number == later.number || order.ordered(one->moment, later.moment)) continue;
    auto met = meeting(*one, uses);
    if (!met) continue;
    order.take_as_ordered(one->moment, later.moment);
    all.push_back(std::move(*met));
  }
  return all;
}

std::optional<Meeting> Works::meet_host(const Uses& uses, const Order& order) const {
  for (auto one = works_.rbegin(); one != works_.rend(); ++one) {
    if (order.host_knows(one->moment)) continue;
    if (auto met = meeting(*one, uses)) return met;
  }
  return {};
}

void Works::keep(const Work& work, Uses uses) {
  if (works_.empty() || works_.back().number != work.number) {
    works_.push_back(work);
    works_.back().uses = {};
  }
  Work& kept = works_.back();
  kept.kind = work.kind;
  kept.name = work.name;
  spans_ -= kept.uses.size();
  if (kept.uses.size() == 0) {
    kept.uses = std::move(uses);
  } else {
    for (const Span& one : uses.reads) add_span(kept.uses.reads, one);
    for (const Span& one : uses.writes) add_span(kept.uses.writes, one);
    for (const Span& one : uses.atomics) add_span(kept.uses.atomics, one);
  }
  spans_ += kept.uses.size();
  bound();
}

// A later work of the same stream that does the same stands for an earlier one: what comes behind
// it comes behind both.
void Works::bound() {
  const Work& last = works_.back();
  for (auto one = works_.rbegin() + 1; one != works_.rend(); ++one) {
    if (one->moment.stream != last.moment.stream || one->uses != last.uses) continue;
    spans_ -= one->uses.size();
    works_.erase(std::next(one).base());
    break;
  }
  while (works_.size() > kMostWorks || (spans_ > kMostSpans && works_.size() > 1)) {
    spans_ -= works_.front().uses.size();
    works_.pop_front();
  }
}

void Works::forget(const Order& order) {
  std::erase_if(works_, [&](const Work& one) { return order.host_knows(one.moment); });
  spans_ = 0;
  for (const Work& one : works_) spans_ += one.uses.size();
}

const Work* Works::numbered(std::uint64_t number) const {
  const auto at = std::find_if(works_.begin(), works_.end(),
                               [&](const Work& one) { return one.number == number; });
  return at == works_.end() ? nullptr : &*at;
}

}  // namespace lab::program
