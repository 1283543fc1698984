#include "tests/conformance/points.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <set>

namespace lab {
namespace {

// Of work, see below: up to a millisecond of the model, some where a variant has few points at all,
// and half a second where it takes that.
constexpr double kBudget = 7'000;
constexpr double kBudgetOfFew = 400'000;
constexpr std::size_t kFew = 20;
constexpr double kLeastFarBudget = 190'000;
constexpr double kMostFarBudget = 64 * kLeastFarBudget;
constexpr double kUpperEnd = 7.0 / 8;  // of all magnitudes

// Parameters that are not drawn up to their ends.
struct Cap {
  const char* lab;
  const char* param;
  std::int64_t largest;
};
constexpr Cap kCaps[] = {
    {"coalescing", "n", std::int64_t{1} << 22},  // 2^26 at stride 33 are 8 GiB
    {"coalescing", "elements", std::int64_t{1} << 22},
    {"dram", "n", 65536},                         // 2^22 at stride 4097 are 64 GiB
    {"dram", "elements", std::int64_t{1} << 22},  // 2^26 floats are 256 MiB to fill and to check
    {"dram", "lines", 65536},                     // a walk over 2^22 lines is 512 MiB to make
};

std::uint64_t below(std::uint64_t& state, std::int64_t count) {
  return split_mix64(state) % static_cast<std::uint64_t>(count);
}

std::int64_t value_below(std::uint64_t& state, std::int64_t count) {
  return static_cast<std::int64_t>(below(state, count));
}

std::int64_t lowest(const ParamSpec& spec) {
  return spec.only.empty() ? spec.min : spec.only.front();
}

// From `min` to `max`, every magnitude as likely as any other.
std::int64_t of_any_size(const ParamSpec& spec, std::uint64_t& state) {
  const auto range = static_cast<std::uint64_t>(spec.max - spec.min);
  const auto bits = value_below(state, static_cast<std::int64_t>(std::bit_width(range)) + 1);
  return std::min(spec.max, spec.min + value_below(state, std::int64_t{1} << bits));
}

bool is_prime(std::int64_t value) {
  for (std::int64_t d = 2; d * d <= value; ++d) {
    if (value % d == 0) return false;
  }
  return value > 1;
}

enum class Style : std::uint8_t { kLow, kLower, kAny, kRound, kNearPower, kPrime, kEnd };
constexpr Style kStyles[] = {Style::kLow,   Style::kLower,     Style::kAny,   Style::kRound,
                             Style::kRound, Style::kNearPower, Style::kPrime, Style::kEnd};

Style draw_style(std::uint64_t& state) { return kStyles[below(state, std::ssize(kStyles))]; }

std::int64_t number_of(const ParamSpec& spec, Style style, std::uint64_t& state) {
  const auto any = of_any_size(spec, state);
  switch (style) {
    case Style::kLow:  // one row, one column, a warp and a bit
      return spec.min + value_below(state, 41);
    case Style::kLower:
      return spec.min + value_below(state, 300);
    case Style::kRound: {  // whole tiles, often few of them
      const auto unit = std::int64_t{128} >> (below(state, 2) * below(state, 5));
      const auto few = 1 + value_below(state, 3);
      return unit * (below(state, 2) == 0 ? few : any / unit + 1);
    }
    case Style::kNearPower:
      return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(any | 1))) +
             value_below(state, 3) - 1;
    case Style::kPrime: {
      auto prime = any;
      while (prime > 2 && !is_prime(prime)) --prime;
      return prime;
    }
    case Style::kEnd:
      return below(state, 2) == 0 ? spec.min : spec.max;
    case Style::kAny:
      break;
  }
  return any;
}

ParamValue draw(const ParamSpec& spec, Style style, std::uint64_t& state) {
  if (!spec.choices.empty()) return spec.choices[below(state, std::ssize(spec.choices))];
  if (!spec.only.empty()) return spec.only[below(state, std::ssize(spec.only))];
  return std::clamp(number_of(spec, style, state), spec.min, spec.max);
}

// 32 addresses for lab 9: whole, half and no permutations of a stride, some lanes off.
std::string draw_addresses(std::int64_t width, std::uint64_t& state) {
  const auto places = std::min<std::int64_t>(8192 / width, std::int64_t{8} << below(state, 8));
  const auto off = value_below(state, 3);  // 0: no lane is off
  std::string text = "0";
  for (int lane = 1; lane < 32; ++lane) {
    const auto place = value_below(state, places);
    const bool is_off = off != 0 && below(state, 4 * off) == 0;
    // Some lanes agree with their neighbours: what wide loads from shared memory may merge by.
    const auto before = text.substr(text.rfind(' ') + 1);
    const bool same = below(state, 4) == 0 && before != "-";
    text += ' ' + (is_off ? "-" : same ? before : std::to_string(place * width));
  }
  return text;
}

// Every other point has one style for all its parameters: all low, all multiples of a tile.
Params draw_point(const Lab& lab, const Variant& variant, std::uint64_t& state) {
  const auto style_of_all = draw_style(state);
  const bool mixed = below(state, 2) == 0;
  Params point;
  for (const auto& name : variant.reads) {
    const auto spec = drawn_spec(lab, name);
    const auto style = mixed ? draw_style(state) : style_of_all;
    if (!spec.accepts) point.set(name, draw(spec, style, state));
  }
  return point;
}

// The one text there is goes by a number.
Params with_text(Params point, const Variant& variant, std::uint64_t& state) {
  if (std::count(variant.reads.begin(), variant.reads.end(), "addresses") > 0) {
    point.set("addresses", draw_addresses(point.number("bytes"), state));
  }
  return point;
}

// A point's work before it runs, in warps' instructions, roughly: what each warp does anyway, what
// theory says that it asks for or, where it asks for nothing, its rounds of a loop, and one for
// each 64 bytes to fill and to check.
class Work {
 public:
  explicit Work(const Variant& variant) : variant_(variant) {
    for (const auto& row : variant.theory) {
      if (row.metric.find("_requests") != std::string::npos) requests_.push_back(row.formula);
    }
  }

  [[nodiscard]] bool is_within(double budget, const Params& point) const {
    const double running = running_work(point);
    // Where that is too much, so may be what the arguments hold.
    return running <= budget && running + bytes_of(point) / 64 <= budget;
  }

 private:
  [[nodiscard]] double running_work(const Params& point) const {
    const auto names = formula_names(variant_, point, variant_.launch(point));
    double requests = 0;
    for (const auto& formula : requests_) requests += formula.value(names);
    double rounds = 1;
    for (const char* loop : {"loads", "passes", "hops"}) {
      if (point.has(loop)) rounds *= static_cast<double>(point.number(loop));
    }
    const double warps = names.find("all_warps")->second;
    return 8 * warps + 4 * std::max(requests, warps * rounds);
  }

  [[nodiscard]] double bytes_of(const Params& point) const {
    double bytes = 0;
    for (const auto& arg : variant_.args(point)) {
      const auto* buffer = std::get_if<BufferSpec>(&arg);
      if (buffer == nullptr) continue;
      bytes += static_cast<double>(buffer->count * size_of(buffer->type));
    }
    return bytes;
  }

  const Variant& variant_;
  std::vector<Expr> requests_;
};

}  // namespace

ParamSpec drawn_spec(const Lab& lab, const std::string& param) {
  auto spec = find_param(lab, param);
  for (const auto& cap : kCaps) {
    if (lab.id != cap.lab || param != cap.param) continue;
    spec.only.erase(std::upper_bound(spec.only.begin(), spec.only.end(), cap.largest),
                    spec.only.end());
    spec.max = cap.largest;
  }
  return spec;
}

bool is_upper_end(const ParamSpec& spec, std::int64_t value) {
  if (!spec.only.empty()) return value == spec.only.back();
  const auto count = [&](std::int64_t last) { return static_cast<double>(last - spec.min + 1); };
  return count(value) >= std::pow(count(spec.max), kUpperEnd);
}

bool is_lower_end(const ParamSpec& spec, std::int64_t value) { return value == lowest(spec); }

std::vector<Params> drawn_points(const Lab& lab, const Variant& variant, int count) {
  std::uint64_t state = 20260101 + static_cast<std::uint64_t>(lab.number);
  const Work work(variant);
  std::set<Params> seen;
  std::vector<Params> points;
  for (int i = 0; i < 16 * count && static_cast<int>(points.size()) < count; ++i) {
    const auto point = with_text(draw_point(lab, variant, state), variant, state);
    const bool few = i > 8 * count && points.size() < kFew;
    if (seen.count(point) > 0 || !work.is_within(few ? kBudgetOfFew : kBudget, point)) continue;
    seen.insert(point);
    points.push_back(point);
  }
  return points;
}

namespace {

// The first value of the upper end, or one that is up to a sixteenth larger; or the last one.
std::int64_t upper_value(const ParamSpec& spec, bool last, std::uint64_t& state) {
  if (!spec.only.empty()) return spec.only.back();
  if (last) return spec.max;
  const auto count = static_cast<double>(spec.max - spec.min + 1);
  const auto first =
      spec.min + static_cast<std::int64_t>(std::ceil(std::pow(count, kUpperEnd))) - 1;
  return std::min(spec.max, first + value_below(state, first / 16 + 1));
}

// The others as they come, then low, then lowest.
std::optional<Params> far_point(const Lab& lab, const Variant& variant, const Work& work,
                                const ParamSpec& spec, double budget, std::uint64_t& state) {
  constexpr int kTries = 8;
  for (int i = 0; i < 3 * kTries; ++i) {
    Params point = draw_point(lab, variant, state);
    for (const auto& name : variant.reads) {
      const auto other = drawn_spec(lab, name);
      if (i < kTries || other.accepts || !other.choices.empty()) continue;
      if (i < 2 * kTries) point.set(name, draw(other, Style::kLow, state));
      if (i >= 2 * kTries) point.set(name, lowest(other));
    }
    point.set(spec.name, upper_value(spec, i % 2 == 0, state));
    point = with_text(std::move(point), variant, state);
    if (work.is_within(budget, point)) return point;
  }
  return {};
}

// With no more work than it takes, or twice as much.
std::optional<Params> far_point(const Lab& lab, const Variant& variant, const Work& work,
                                const ParamSpec& spec, std::uint64_t& state) {
  for (double budget = kLeastFarBudget; budget <= kMostFarBudget; budget *= 2) {
    if (auto point = far_point(lab, variant, work, spec, budget, state)) return point;
  }
  return {};
}

}  // namespace

std::vector<Params> far_points(const Lab& lab, const Variant& variant,
                               const std::vector<Params>& points, int each) {
  std::uint64_t state = 20260102 + static_cast<std::uint64_t>(lab.number);
  const Work work(variant);
  std::vector<Params> far;
  for (const auto& name : variant.reads) {
    const auto spec = drawn_spec(lab, name);
    if (spec.accepts || !spec.choices.empty()) continue;
    const bool is_there = std::any_of(points.begin(), points.end(), [&](const Params& point) {
      return is_upper_end(spec, point.number(name));
    });
    for (int i = 0; i < (is_there ? 0 : each); ++i) {
      if (auto point = far_point(lab, variant, work, spec, state)) far.push_back(*point);
    }
  }
  return far;
}

}  // namespace lab
