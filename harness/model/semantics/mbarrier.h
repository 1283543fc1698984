// An mbarrier object: PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier".
// Its 64 bits are opaque to programs. Here: arrivals that the phase still waits for, arrivals of
// each phase, bytes that are still to come, and the phase's parity.
#pragma once

#include <cstdint>

namespace lab::model::semantics {

struct Mbarrier {
  std::uint32_t pending = 0;   ///< 20 bits
  std::uint32_t expected = 0;  ///< 20 bits
  std::int32_t bytes = 0;      ///< 23 bits, signed: copies may complete before they are expected
  bool parity = false;         ///< of the phase that is not complete yet

  friend constexpr bool operator==(const Mbarrier&, const Mbarrier&) = default;
};

inline constexpr std::uint32_t kMostArrivals = (1U << 20U) - 1U;

constexpr std::uint64_t pack(const Mbarrier& m) noexcept {
  const auto bytes = static_cast<std::uint64_t>(static_cast<std::uint32_t>(m.bytes) & 0x7fffffU);
  return std::uint64_t{m.pending & kMostArrivals} |
         std::uint64_t{m.expected & kMostArrivals} << 20U | bytes << 40U |
         std::uint64_t{m.parity} << 63U;
}
constexpr Mbarrier unpack(std::uint64_t bits) noexcept {
  const auto bytes = static_cast<std::uint32_t>(bits >> 40U) & 0x7fffffU;
  return {static_cast<std::uint32_t>(bits) & kMostArrivals,
          static_cast<std::uint32_t>(bits >> 20U) & kMostArrivals,
          static_cast<std::int32_t>(bytes << 9U) >> 9, (bits >> 63U) != 0};
}

/// A phase is complete when all have arrived and all bytes have come; then the next one begins.
constexpr Mbarrier settle(Mbarrier m) noexcept {
  if (m.pending == 0 && m.bytes == 0) {
    m.pending = m.expected;
    m.parity = !m.parity;
  }
  return m;
}
constexpr Mbarrier arrive(Mbarrier m, std::uint32_t count) noexcept {
  m.pending -= count < m.pending ? count : m.pending;
  return settle(m);
}
/// Arrives, and takes no part in later phases.
constexpr Mbarrier drop(Mbarrier m, std::uint32_t count) noexcept {
  m.expected -= count < m.expected ? count : m.expected;
  return arrive(m, count);
}
constexpr Mbarrier expect_bytes(Mbarrier m, std::uint32_t bytes) noexcept {
  m.bytes += static_cast<std::int32_t>(bytes);
  return m;
}
constexpr Mbarrier complete_bytes(Mbarrier m, std::uint32_t bytes) noexcept {
  m.bytes -= static_cast<std::int32_t>(bytes);
  return settle(m);
}
/// Arrivals that a state still waits for.
constexpr std::uint32_t pending_count(std::uint64_t state) noexcept {
  return unpack(state).pending;
}
/// The phase with this parity is complete.
constexpr bool is_past(const Mbarrier& m, bool parity) noexcept { return m.parity != parity; }

}  // namespace lab::model::semantics
