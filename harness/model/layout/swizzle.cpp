#include "harness/model/layout/swizzle.h"

#include <fmt/format.h>

#include <charconv>
#include <string>

#include "harness/core/error.h"
#include "harness/core/text.h"

namespace lab::layout {
namespace {

constexpr unsigned kMostBits = 16;

std::optional<unsigned> small_number(std::string_view text) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && number <= kMostBits ? std::optional(number) : std::nullopt;
}

}  // namespace

std::uint64_t Swizzle::place(std::uint64_t offset) const {
  const std::uint64_t mask = ((std::uint64_t{1} << bits) - 1) << (base + shift);
  return offset ^ (offset & mask) >> shift;
}

Swizzle swizzle_named(std::string_view text) {
  constexpr std::string_view kBegin = "Swizzle<";
  const auto fail = [&](const std::string& why) {
    return input_error(fmt::format("'{}' {}", text, why), "such as Swizzle<3,4,3>");
  };
  if (!text.starts_with(kBegin) || !text.ends_with('>')) throw fail("is not a swizzle");
  const auto parts = split(text.substr(kBegin.size(), text.size() - kBegin.size() - 1), ',');
  if (parts.size() != 3) throw fail("does not have three numbers");
  unsigned numbers[3] = {};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto number = small_number(trim(parts[i]));
    if (!number) throw fail(fmt::format("has numbers from 0 to {}", kMostBits));
    numbers[i] = *number;
  }
  const Swizzle swizzle{numbers[0], numbers[1], numbers[2]};
  if (swizzle.shift < swizzle.bits) throw fail("xors bits with themselves: S is at least B");
  return swizzle;
}

std::optional<std::uint64_t> cost(const std::vector<Use>& uses, const Swizzle& swizzle) {
  std::vector<Use> moved = uses;
  for (Use& use : moved) {
    const std::uint32_t width = use.rule == CostRule::kSharedRows ? kMatrixRowBytes : use.bytes;
    if (swizzle.bits > 0 && width > std::uint64_t{1} << swizzle.base) return {};
    for (std::int64_t& offset : use.offset) {
      if (offset < 0) continue;
      offset = static_cast<std::int64_t>(swizzle.place(static_cast<std::uint64_t>(offset)));
    }
  }
  return cost(moved, 1, Layout{});
}

}  // namespace lab::layout
