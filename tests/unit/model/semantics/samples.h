// Operands for property tests: the edges of a type, and pseudo-random bits between them.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace lab::model::semantics::test {

/// SplitMix64, so that a failure repeats.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }

 private:
  std::uint64_t state_;
};

/// 0, 1, 2, 3, -1, ..., the ends of the range and their neighbours, single bits, and random numbers
/// of every length.
template <typename T>
std::vector<T> integers(int random_count, std::uint64_t seed = 1) {
  std::vector<T> out;
  for (int i = -3; i <= 3; ++i) {
    out.push_back(static_cast<T>(i));
    out.push_back(static_cast<T>(static_cast<std::uint64_t>(std::numeric_limits<T>::max()) +
                                 static_cast<std::uint64_t>(i)));
    out.push_back(static_cast<T>(static_cast<std::uint64_t>(std::numeric_limits<T>::min()) +
                                 static_cast<std::uint64_t>(i)));
  }
  for (unsigned bit = 2; bit < 8 * sizeof(T); bit += 5) {
    out.push_back(static_cast<T>(std::uint64_t{1} << bit));
  }
  Random random(seed);
  for (int i = 0; i < random_count; ++i) {
    const std::uint64_t bits = random.next();
    out.push_back(static_cast<T>(bits >> (random.next() % (8 * sizeof(T)))));
  }
  return out;
}

}  // namespace lab::model::semantics::test
