// Which launch was what. AutoRange tells ranges apart by the order of launches alone, and the
// launches that flush caches are ranges like any other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lab::gpu {

enum class Purpose : std::uint8_t {
  kFlush,    ///< evicts what L2 holds
  kMeasure,  ///< the kernel itself
};

struct LedgerEntry {
  int case_index = 0;
  int repeat = 0;
  Purpose purpose = Purpose::kMeasure;
  friend bool operator==(const LedgerEntry&, const LedgerEntry&) = default;
};

/// The launches of one pass, in their order.
class Ledger {
 public:
  void add(const LedgerEntry& entry) { entries_.push_back(entry); }
  [[nodiscard]] const std::vector<LedgerEntry>& entries() const { return entries_; }
  friend bool operator==(const Ledger&, const Ledger&) = default;

 private:
  std::vector<LedgerEntry> entries_;
};

/// The ranges of a session's passes.
struct PassResult {
  std::size_t ranges = 0;   ///< in the counter image
  std::size_t dropped = 0;  ///< that did not fit into it
};

/// Why the values of `passes` cannot be told apart; empty where each range has its launch. Every
/// pass must have launched the same kernels, and the image must hold one range per launch of a
/// pass.
[[nodiscard]] std::optional<std::string> void_reason(const std::vector<Ledger>& passes,
                                                     const PassResult& result);

}  // namespace lab::gpu
