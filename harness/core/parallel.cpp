#include "harness/core/parallel.h"

#include <algorithm>
#include <thread>
#include <vector>

namespace lab {

void in_parts(std::uint64_t count, std::uint64_t least,
              const std::function<void(std::uint64_t begin, std::uint64_t end)>& part) {
  const auto cores = std::max<std::uint64_t>(std::thread::hardware_concurrency(), 1);
  const auto threads = std::clamp<std::uint64_t>(count / least, 1, cores);
  std::vector<std::thread> others;
  for (std::uint64_t t = 1; t < threads; ++t) {
    others.emplace_back(part, count * t / threads, count * (t + 1) / threads);
  }
  part(0, count / threads);
  for (std::thread& other : others) other.join();
}

}  // namespace lab
