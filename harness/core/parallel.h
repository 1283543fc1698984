// Host loops on all cores.
#pragma once

#include <cstdint>
#include <functional>

namespace lab {

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
