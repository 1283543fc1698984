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

}  // namespace lab
