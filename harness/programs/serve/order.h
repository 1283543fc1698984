// What comes before what in a program's streams, whichever order the model ran it in.
//
// Each stream counts its work in ticks. A stream knows of each other one the last tick that is over
// before its own work begins, and so does the host, of what it has waited for (vector clocks). Work
// begins behind all that the host knew when it was queued. The rules are those of the CUDA C++
// Programming Guide, "Streams", "Default Stream", "Events": the legacy default stream and blocking
// streams wait for each other, non-blocking ones wait for what they are told to. Threads of the
// host count as one: how they wait for each other is not seen.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "harness/programs/wire/wire.h"

namespace lab::program {

/// Work of a stream.
struct Moment {
  std::uint32_t stream = 0;  ///< by its place in Order
  std::uint64_t tick = 0;
  friend bool operator==(const Moment&, const Moment&) = default;
};

class Order {
 public:
  /// The number of the legacy default stream.
  static constexpr std::uint64_t kDefault = 0;

  Order();
  void add(std::uint64_t stream, StreamOrder order);
  void drop(std::uint64_t stream);
  /// Whether there are streams beside the default one: else all is in order.
  [[nodiscard]] bool several() const { return streams_.size() > 1; }

  /// Queues work into a stream; one that was never added counts as the default stream.
  Moment queue(std::uint64_t stream);
  void record(std::uint64_t event, std::uint64_t stream);
  void forget(std::uint64_t event) { events_.erase(event); }
  /// An event that was never recorded is waited for by nobody.
  void wait(std::uint64_t stream, std::uint64_t event);
  void host_waits_for_all();
  void host_waits_for_stream(std::uint64_t stream);
  void host_waits_for_event(std::uint64_t event);
  void host_waits_for(const Moment& work);

  /// Whether `earlier` is over before `later`, the newest work of its stream, begins.
  [[nodiscard]] bool ordered(const Moment& earlier, const Moment& later) const;
  [[nodiscard]] bool host_knows(const Moment& work) const;
  /// From now on they count as ordered.
  void take_as_ordered(const Moment& earlier, const Moment& later);

 private:
  /// By a stream's place: its last tick that is known to be over.
  using Clock = std::vector<std::uint64_t>;
  struct Stream {
    StreamOrder order = StreamOrder::kBlocking;
    std::uint64_t ticks = 0;
    bool gone = false;
    Clock known = {};  ///< before its next work, as far as it was told
  };
  static void join(Clock& into, const Clock& from);
  static void know(Clock& clock, const Moment& work);
  [[nodiscard]] static bool knows(const Clock& clock, const Moment& work);
  [[nodiscard]] std::uint32_t place(std::uint64_t stream) const;
  /// All that is over before work that is queued into the stream now: its own as well.
  [[nodiscard]] Clock reached(std::uint32_t stream) const;

  std::vector<Stream> streams_;
  std::map<std::uint64_t, std::uint32_t> places_;
  std::map<std::uint64_t, Clock> events_;
  Clock host_;
};

}  // namespace lab::program
