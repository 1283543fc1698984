#include "harness/core/parallel.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace lab {

void Threads::add(const std::function<void()>& work) {
  try {
    threads_.emplace_back([this, work] { guarded(work); });
    return;
  } catch (const std::system_error&) {  // EAGAIN: a limit of processes, or no memory for a stack
  }
  guarded(work);
}

void Threads::guarded(const std::function<void()>& work) {
  try {
    work();
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
  }
}

void Threads::end() {
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void Threads::join() {
  end();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void in_parts(std::uint64_t count, std::uint64_t least,
              const std::function<void(std::uint64_t begin, std::uint64_t end)>& part) {
  const auto cores = std::max<std::uint64_t>(std::thread::hardware_concurrency(), 1);
  const auto threads = std::clamp<std::uint64_t>(count / least, 1, cores);
  Threads others;
  for (std::uint64_t t = 1; t < threads; ++t) {
    others.add([&, t] { part(count * t / threads, count * (t + 1) / threads); });
  }
  part(0, count / threads);
  others.join();
}

}  // namespace lab
