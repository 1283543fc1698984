// Host loops on all cores.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace lab {

/// Threads that are waited for, at the latest when this goes. Where the system has none left, the
/// caller does the work itself, at once: nothing may wait for another's.
class Threads {
 public:
  Threads() = default;
  ~Threads() { end(); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  void add(const std::function<void()>& work);
  /// Throws what the first of them to fail has thrown.
  void join();

 private:
  void end();
  void guarded(const std::function<void()>& work);

  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::exception_ptr failure_;
};

/// Calls part(begin, end) for ranges that make up [0, count), at once on as many threads as there
/// are cores, but with at least `least` of the count for each. The parts must not touch what
/// another one writes, and must not throw.
void in_parts(std::uint64_t count, std::uint64_t least,
              const std::function<void(std::uint64_t begin, std::uint64_t end)>& part);

/// Calls body(i) for each i in [0, count), in no order where they are many: a reference's loop.
template <typename Body>
void each_index(std::uint64_t count, const Body& body) {
  constexpr std::uint64_t kPerThread = std::uint64_t{1} << 16;
  in_parts(count, kPerThread, [&body](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) body(i);
  });
}

}  // namespace lab
