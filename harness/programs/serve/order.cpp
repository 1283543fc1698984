#include "harness/programs/serve/order.h"

#include <algorithm>
#include <utility>

namespace lab::program {

Order::Order() {
  streams_.emplace_back();
  places_[kDefault] = 0;
}

void Order::join(Clock& into, const Clock& from) {
  if (into.size() < from.size()) into.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) into[i] = std::max(into[i], from[i]);
}

void Order::know(Clock& clock, const Moment& work) {
  if (clock.size() <= work.stream) clock.resize(work.stream + 1);
  clock[work.stream] = std::max(clock[work.stream], work.tick);
}

bool Order::knows(const Clock& clock, const Moment& work) {
  return work.stream < clock.size() && work.tick <= clock[work.stream];
}

std::uint32_t Order::place(std::uint64_t stream) const {
  const auto at = places_.find(stream);
  return at == places_.end() ? 0 : at->second;
}

void Order::add(std::uint64_t stream, StreamOrder order) {
  if (places_.contains(stream)) return;
  // The place of one that is gone, and of which nobody has anything to wait for, is taken again.
  for (std::uint32_t i = 1; i < streams_.size(); ++i) {
    Stream& old = streams_[i];
    if (!old.gone || !host_knows({i, old.ticks})) continue;
    old.order = order;
    old.gone = false;
    places_[stream] = i;
    return;
  }
  places_[stream] = static_cast<std::uint32_t>(streams_.size());
  streams_.push_back({order});
}

void Order::drop(std::uint64_t stream) {
  const std::uint32_t at = place(stream);
  if (at == 0) return;
  streams_[at].gone = true;
  places_.erase(stream);
}

Order::Clock Order::reached(std::uint32_t stream) const {
  const Stream& own = streams_[stream];
  Clock clock = own.known;
  join(clock, host_);
  know(clock, {stream, own.ticks});
  const auto behind = [&](std::uint32_t other) {
    join(clock, streams_[other].known);
    know(clock, {other, streams_[other].ticks});
  };
  const auto blocks = [](const Stream& one) {
    return one.order == StreamOrder::kBlocking || one.order == StreamOrder::kPerThread;
  };
  if (stream == 0) {
    for (std::uint32_t i = 1; i < streams_.size(); ++i) {
      if (blocks(streams_[i])) behind(i);
    }
  } else if (blocks(own)) {
    behind(0);
  }
  return clock;
}

Moment Order::queue(std::uint64_t stream) {
  const std::uint32_t at = place(stream);
  streams_[at].known = reached(at);
  return {at, ++streams_[at].ticks};
}

// In the default stream an event waits for the blocking ones, and these for it.
void Order::record(std::uint64_t event, std::uint64_t stream) {
  const std::uint32_t at = place(stream);
  streams_[at].known = reached(at);
  events_[event] = streams_[at].known;
}

void Order::wait(std::uint64_t stream, std::uint64_t event) {
  const auto recorded = events_.find(event);
  if (recorded != events_.end()) join(streams_[place(stream)].known, recorded->second);
}

void Order::host_waits_for_all() {
  for (std::uint32_t i = 0; i < streams_.size(); ++i) know(host_, {i, streams_[i].ticks});
}

void Order::host_waits_for_stream(std::uint64_t stream) { join(host_, reached(place(stream))); }

void Order::host_waits_for_event(std::uint64_t event) {
  const auto recorded = events_.find(event);
  if (recorded != events_.end()) join(host_, recorded->second);
}

void Order::host_waits_for(const Moment& work) {
  // What its stream knew when it began; where others were queued behind it meanwhile, a little
  // more.
  join(host_, streams_[work.stream].known);
  know(host_, work);
}

bool Order::ordered(const Moment& earlier, const Moment& later) const {
  return earlier.stream == later.stream || knows(streams_[later.stream].known, earlier);
}

bool Order::host_knows(const Moment& work) const { return knows(host_, work); }

void Order::take_as_ordered(const Moment& earlier, const Moment& later) {
  know(streams_[later.stream].known, earlier);
}

}  // namespace lab::program
