#include "harness/programs/guest/runtime/timeline.h"

#include <algorithm>
#include <cmath>

namespace lab::program {

double Timeline::ready(const StreamClock& stream) const {
  const double from = std::max(host_, stream.end_ns);
  switch (stream.kind) {
    case StreamKind::kDefault:
      return std::max({from, default_end_, blocking_end_});
    case StreamKind::kBlocking:
      return std::max(from, default_end_);
    case StreamKind::kNonBlocking:
      break;
  }
  return from;
}

double Timeline::free_from(const std::vector<Busy>& busy, double from, double ns,
                           double share) const {
  const auto fits = [&](double begin) {
    double used = share;
    for (const Busy& one : busy) {
      if (one.begin < begin + ns && begin < one.end) used += one.share;
    }
    return used <= 1;
  };
  // It begins at once or where another work ends; behind the last of them it fits.
  std::vector<double> begins{from};
  for (const Busy& one : busy) {
    if (one.end > from) begins.push_back(one.end);
  }
  std::sort(begins.begin(), begins.end());
  return *std::find_if(begins.begin(), begins.end(),
                       [&](double begin) { return fits(begin) || begin == begins.back(); });
}

void Timeline::queue(StreamClock& stream, Engine engine, double ns, double share) {
  if (std::isnan(ns)) {
    ++untimed_;
    ns = 0;
  }
  auto& busy = engines_[static_cast<std::size_t>(engine)];
  std::erase_if(busy, [&](const Busy& one) { return one.end <= host_; });
  const double begin = free_from(busy, ready(stream), ns, share);
  const double end = begin + ns;
  // The list stays short in a program that never waits.
  constexpr std::size_t kMostBusy = 256;
  if (busy.size() == kMostBusy) busy.erase(busy.begin());
  busy.push_back({begin, end, share});
  stream.end_ns = end;
  if (stream.kind == StreamKind::kDefault) default_end_ = std::max(default_end_, end);
  if (stream.kind == StreamKind::kBlocking) blocking_end_ = std::max(blocking_end_, end);
  all_end_ = std::max(all_end_, end);
}

void Timeline::host_until(double ns) { host_ = std::max(host_, ns); }

}  // namespace lab::program
