#include "harness/core/output_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "harness/core/parallel.h"

namespace lab {

namespace {

/// Ranges of elements that nobody compares, as first and count, in ascending order.
using Skipped = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

/// Tells of one element after another whether it is in a range. Labs with a race leave out tens of
/// thousands of elements, each a range of its own.
class Skips {
 public:
  explicit Skips(const Skipped& skipped) : next_(skipped.begin()), end_(skipped.end()) {}
  [[nodiscard]] bool has(std::uint64_t i) {
    for (; next_ != end_ && next_->first <= i; ++next_) {
      until_ = std::max(until_, next_->first + next_->second);
    }
    return i < until_;
  }

 private:
  Skipped::const_iterator next_;
  Skipped::const_iterator end_;
  std::uint64_t until_ = 0;  // the end of the ranges that have begun
};

std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }
std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

template <typename T>
bool equal(T got, T want, const Tolerance& tolerance) {
  if constexpr (std::is_floating_point_v<T>) {
    if (tolerance.absolute == 0 && tolerance.relative == 0) {
      return bits(got) == bits(want);
    }
    if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got);
    // Infinities differ from themselves by NaN.
    if (got == want) return true;
    const double difference = std::fabs(static_cast<double>(got) - static_cast<double>(want));
    return difference <=
           tolerance.absolute + tolerance.relative * std::fabs(static_cast<double>(want));
  } else {
    return got == want;
  }
}

// As outputs are before the launch. An element of one byte may have that value by right.
template <typename T>
bool is_poison(T value) {
  BufferSpec spec;
  spec.count = sizeof value;
  spec.type = ElementType::kI8;
  spec.fill.kind = Fill::Kind::kPoison;
  const std::vector<std::byte> poison = initial_bytes(spec);
  const auto bytes = std::as_bytes(std::span(&value, 1));
  return sizeof value > 1 && std::equal(bytes.begin(), bytes.end(), poison.begin());
}

/// The comparison of one output.
struct Compared {
  std::uint64_t wrong = 0;
  std::uint64_t compared = 0;
  std::string first = {};  // `out[5]: got 3, expected 4 (17 of 32 differ)`; empty: all agree
};

template <typename T>
Compared difference(const std::string& name, std::span<const T> got, std::span<const T> want,
                    const Tolerance& tolerance, const Skipped& skipped) {
  Compared made;
  Skips skips(skipped);
  std::uint64_t first = 0;
  for (std::uint64_t i = 0; i < want.size(); ++i) {
    if (skips.has(i)) continue;
    ++made.compared;
    if (equal(got[i], want[i], tolerance)) continue;
    if (made.wrong++ == 0) first = i;
  }
  if (made.wrong == 0) return made;
  // `+`: a char element is a number.
  const std::string is =
      is_poison(got[first]) ? std::string("not written") : fmt::format("got {}", +got[first]);
  made.first = fmt::format("{}[{}]: {}, expected {} ({} of {} differ)", name, first, is,
                           +want[first], made.wrong, want.size());
  return made;
}

bool same_bytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  constexpr std::uint64_t kBytesPerThread = std::uint64_t{4} << 20;
  if (a.size() != b.size()) return false;
  std::atomic<bool> same = true;
  in_parts(a.size(), kBytesPerThread, [&](std::uint64_t begin, std::uint64_t end) {
    if (std::memcmp(a.data() + begin, b.data() + begin, end - begin) != 0) same = false;
  });
  return same;
}

template <typename T>
Compared compare(const BufferSpec& spec, Buffers& got, Buffers& want, const Tolerance& tolerance,
                 const Skipped& skipped) {
  // Bits that are all the same need no look at each element.
  const auto a = got.raw(spec.name);
  const auto b = want.raw(spec.name);
  const bool fetched = spec.direction != Direction::kIn || !a.empty();
  if (!fetched) return {};
  if (same_bytes(a, b)) {
    if (spec.direction == Direction::kIn) return {};  // left as it was, it is no result
    std::uint64_t left_out = 0;
    for (const auto& [begin, count] : skipped) left_out += count;
    return {0, spec.count - std::min(left_out, spec.count), {}};
  }
  return difference<T>(spec.name, got.as<T>(spec.name), want.as<T>(spec.name), tolerance, skipped);
}

using Compare = Compared (*)(const BufferSpec&, Buffers&, Buffers&, const Tolerance&,
                             const Skipped&);
// In the order of ElementType; f16, bf16 and bool by their bits.
constexpr Compare kCompare[] = {
    compare<std::int8_t>,  compare<std::uint8_t>,  compare<std::int16_t>,  compare<std::uint16_t>,
    compare<std::int32_t>, compare<std::uint32_t>, compare<std::int64_t>,  compare<std::uint64_t>,
    compare<float>,        compare<double>,        compare<std::uint16_t>, compare<std::uint16_t>,
    compare<std::uint8_t>,
};

Skipped skipped_of(const std::vector<Unchecked>& unchecked, const std::string& name) {
  Skipped skipped;
  for (const Unchecked& range : unchecked) {
    if (range.buffer == name) skipped.emplace_back(range.first, range.count);
  }
  std::sort(skipped.begin(), skipped.end());
  return skipped;
}

// Sums that a race makes anybody's guess, such as a counter without atomics: what is left of them.
std::string left_by_races(const BufferSpec& spec, Buffers& got, Buffers& want,
                          const Skipped& skipped) {
  if (skipped.empty() || spec.direction != Direction::kInOut || spec.type != ElementType::kF32) {
    return {};
  }
  double left = 0;
  double all = 0;
  for (const auto& [first, count] : skipped) {
    for (const float value : got.f32(spec.name).subspan(first, count)) left += value;
    for (const float value : want.f32(spec.name).subspan(first, count)) all += value;
  }
  return fmt::format("{}: {:.0f} of {:.0f} are left, {:.0f} lost", spec.name, left, all,
                     all - left);
}

}  // namespace

CheckResult check_outputs(const Job& job, Buffers& after, Buffers& want) {
  const std::vector<Unchecked>& unchecked = job.expected.unchecked;
  CheckResult result{true, {}};
  for (const ArgSpec& arg : job.args) {
    const auto* spec = std::get_if<BufferSpec>(&arg);
    if (spec == nullptr) continue;
    const Skipped skipped = skipped_of(unchecked, spec->name);
    const Compared found = kCompare[static_cast<std::size_t>(spec->type)](
        *spec, after, want, job.expected.tolerance, skipped);
    result.compared += found.compared;
    result.wrong += found.wrong;
    if (result.reason.empty()) result.reason = found.first;
    result.races += left_by_races(*spec, after, want, skipped);
  }
  if (result.wrong > 0) {
    result.correct = false;
    result.races.clear();
  }
  result.blocks_raced =
      !result.races.empty() && std::any_of(unchecked.begin(), unchecked.end(),
                                           [](const Unchecked& one) { return one.across_blocks; });
  return result;
}

}  // namespace lab
