// When the GPU does what the program queues, on its own clock. Streams work side by side where the
// engines do (CUDA C++ Programming Guide, "Asynchronous Concurrent Execution").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lab::program {

/// A copy engine does one copy at a time; kernels share what computes while all of them fit.
enum class Engine { kCompute, kToDevice, kToHost };
constexpr std::size_t kEngines = 3;

/// kBlocking: its work and that of the default stream wait for each other ("Default Stream").
enum class StreamKind { kDefault, kBlocking, kNonBlocking };

struct StreamClock {
  StreamKind kind = StreamKind::kDefault;
  double end_ns = 0;  ///< of all that was queued into it
};

/// One for all streams of the program. The host's own work takes no time.
class Timeline {
 public:
  /// When work that is queued into the stream now may begin, in ns.
  [[nodiscard]] double ready(const StreamClock& stream) const;
  /// Queues work of `ns` into the stream; no number: nobody knows how long it takes. `share`: how
  /// much of the engine it needs, 0 to 1.
  void queue(StreamClock& stream, Engine engine, double ns, double share);
  /// The host waits until then: it queues nothing earlier.
  void host_until(double ns);
  void host_until_idle() { host_until(all_end_); }
  /// How many works were queued whose time nobody knows: they take none here.
  [[nodiscard]] std::uint64_t untimed() const { return untimed_; }

 private:
  struct Busy {
    double begin = 0;
    double end = 0;
    double share = 0;
  };
  [[nodiscard]] double free_from(const std::vector<Busy>& busy, double from, double ns,
                                 double share) const;

  std::array<std::vector<Busy>, kEngines> engines_;
  double host_ = 0;
  double default_end_ = 0;
  double blocking_end_ = 0;  // of streams that the default stream waits for
  double all_end_ = 0;
  std::uint64_t untimed_ = 0;
};

}  // namespace lab::program
