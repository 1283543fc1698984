#include "tests/support/lab_dump/points.h"

#include <algorithm>
#include <bit>
#include <string_view>

namespace lab {
namespace {

// FNV-1a: a seed that any program can work out from the names.
std::uint64_t seed_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

std::uint64_t below(std::uint64_t& state, std::uint64_t count) {
  return split_mix64(state) % count;
}

// Every magnitude as likely as any other; every fourth number is of whole tiles.
std::int64_t number_of(const ParamSpec& spec, std::int64_t largest, std::uint64_t& state) {
  const auto max = std::max(spec.min, std::min(spec.max, largest));
  const auto range = static_cast<std::uint64_t>(max - spec.min);
  const auto bits = below(state, static_cast<std::uint64_t>(std::bit_width(range)) + 1);
  const auto value = spec.min + static_cast<std::int64_t>(below(state, std::uint64_t{1} << bits));
  const auto tile = std::int64_t{16} << below(state, 4);
  const bool whole = below(state, 4) == 0;
  return std::clamp(whole ? value / tile * tile : value, spec.min, max);
}

// The only texts are a warp's addresses: as is usual, wide ones in order, and some in no order.
ParamValue text_of(const ParamSpec& spec, std::uint64_t& state) {
  const ParamValue texts[] = {
      spec.fallback, "0..496+16",
      "64 64 0 - 4096..4208+16 8000 - - 32..224+32 16 48 256 512..592+16 128"};
  return texts[below(state, std::size(texts))];
}

ParamValue value_of(const ParamSpec& spec, std::int64_t largest, std::uint64_t& state) {
  if (spec.accepts) return text_of(spec, state);
  if (!spec.choices.empty()) return spec.choices[below(state, spec.choices.size())];
  if (!spec.only.empty()) return spec.only[below(state, spec.only.size())];
  return number_of(spec, largest, state);
}

}  // namespace

std::vector<Params> named_points(const Lab& lab, const Variant& variant, int count,
                                 std::int64_t largest) {
  std::vector<Params> points;
  for (int i = 0; i < count; ++i) {
    Params point;
    for (const auto& name : variant.reads) {
      const auto place = lab.id + '/' + variant.name + '/' + name + '/' + std::to_string(i);
      std::uint64_t state = seed_of(place);
      point.set(name, value_of(find_param(lab, name), largest, state));
    }
    points.push_back(std::move(point));
  }
  return points;
}

}  // namespace lab
