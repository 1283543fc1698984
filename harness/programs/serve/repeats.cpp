#include "harness/programs/serve/repeats.h"

#include <array>
#include <cstring>
#include <span>

#include "harness/programs/serve/memory.h"

namespace lab::program {
namespace {

// Of launches that change memory each time no more copies are made.
constexpr int kMostChanges = 2;
constexpr std::uint64_t kMostCopied = std::uint64_t{1} << 30U;
constexpr std::uint64_t kMostShared = std::uint64_t{64} << 20U;
// A copy and a comparison, in bytes a second; a launch that takes less is not worth them.
constexpr double kCopied = 2e9;

std::uint64_t bytes_of(const model::GlobalMemory& memory) {
  std::uint64_t bytes = 0;
  for (const model::Allocation& one : memory.all()) bytes += one.writable ? one.bytes : 0;
  return bytes;
}

// FNV-1a of words, four in turn.
std::uint64_t digest(std::span<const std::byte> bytes, std::uint64_t seed) {
  constexpr std::uint64_t kPrime = 0x00000100000001b3U;
  std::array<std::uint64_t, 4> sums = {seed, seed + 1, seed + 2, seed + 3};
  const std::size_t words = bytes.size() / sizeof(std::uint64_t);
  for (std::size_t i = 0; i < words; ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i * sizeof word, sizeof word);
    sums[i % sums.size()] = (sums[i % sums.size()] ^ word) * kPrime;
  }
  for (const std::byte one : bytes.subspan(words * sizeof(std::uint64_t))) {
    sums[0] = (sums[0] ^ static_cast<std::uint64_t>(one)) * kPrime;
  }
  std::uint64_t all = bytes.size();
  for (const std::uint64_t sum : sums) all = (all ^ sum ^ (sum >> 29U)) * kPrime;
  return all;
}

}  // namespace

std::optional<Repeats::State> Repeats::state(const ProgramMemory& memory) const {
  State now{version_, 0};
  std::uint64_t bytes = 0;
  for (const auto& [base, owned] : memory.live()) {
    if (owned.kind == MemoryKind::kDevice) continue;
    bytes += owned.bytes;
    if (bytes > kMostShared) return std::nullopt;
    now.shared = digest(memory.bytes_of(owned), now.shared + base);
  }
  return now;
}

std::optional<double> Repeats::still(const std::string& launch, const ProgramMemory& memory) const {
  const auto at = known_.find(launch);
  if (at == known_.end() || !at->second.still || at->second.still->version != version_) {
    return std::nullopt;
  }
  if (state(memory) != at->second.still) return std::nullopt;
  return at->second.ns;
}

void Repeats::before(const std::string& launch, const model::GlobalMemory& memory) {
  copied_ = false;
  const auto at = known_.find(launch);
  if (at == known_.end() || at->second.changes >= kMostChanges) return;
  const std::uint64_t bytes = bytes_of(memory);
  if (bytes > kMostCopied || static_cast<double>(bytes) > kCopied * at->second.seconds) return;
  copy_.resize(bytes);
  std::size_t done = 0;
  for (const model::Allocation& one : memory.all()) {
    if (!one.writable || one.bytes == 0) continue;
    std::memcpy(copy_.data() + done, one.host, one.bytes);
    done += one.bytes;
  }
  copied_ = true;
}

bool Repeats::same(const model::GlobalMemory& memory) const {
  std::size_t done = 0;
  for (const model::Allocation& one : memory.all()) {
    if (!one.writable || one.bytes == 0) continue;
    if (std::memcmp(copy_.data() + done, one.host, one.bytes) != 0) return false;
    done += one.bytes;
  }
  return true;
}

void Repeats::after(const std::string& launch, const Ran& ran, const model::GlobalMemory& memory,
                    const ProgramMemory& of_program) {
  Known& known = known_[launch];
  known.seconds = ran.seconds;
  known.ns = ran.ns;
  known.still.reset();
  if (copied_ && same(memory)) {
    if (ran.silent) known.still = state(of_program);
    return;
  }
  if (copied_) ++known.changes;
  changed();
}

}  // namespace lab::program
