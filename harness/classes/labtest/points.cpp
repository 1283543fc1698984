#include "harness/classes/labtest/points.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <optional>
#include <set>

#include "harness/core/error.h"

namespace lab::labtest {
namespace {

// Of work, see below: up to a millisecond of the model, some where a variant has few points at all,
// and half a second where it takes that.
constexpr double kBudget = 7'000;
constexpr double kBudgetOfFew = 400'000;
constexpr std::size_t kFew = 20;
constexpr double kLeastFarBudget = 190'000;
constexpr double kMostQuickBudget = 4 * kLeastFarBudget;
constexpr double kMostFarBudget = 64 * kLeastFarBudget;
constexpr double kUpperEnd = 7.0 / 8;  // of all magnitudes

std::uint64_t below(std::uint64_t& state, std::int64_t count) {
  return split_mix64(state) % static_cast<std::uint64_t>(count);
}

std::int64_t value_below(std::uint64_t& state, std::int64_t count) {
  return static_cast<std::int64_t>(below(state, count));
}

std::int64_t lowest(const ParamSpec& spec) {
  return spec.only.empty() ? spec.min : spec.only.front();
}

bool is_number(const ParamSpec& spec) { return !spec.accepts && spec.choices.empty(); }

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

// 32 addresses: whole, half and no permutations of a stride, some lanes off.
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
Params draw_point(const std::vector<ParamSpec>& specs, std::uint64_t& state) {
  const auto style_of_all = draw_style(state);
  const bool mixed = below(state, 2) == 0;
  Params point;
  for (const auto& spec : specs) {
    const auto style = mixed ? draw_style(state) : style_of_all;
    if (!spec.accepts) point.set(spec.name, draw(spec, style, state));
  }
  return point;
}

// Addresses are multiples of the access's width, which is a parameter of that name, or 4 bytes.
Params with_text(Params point, const std::vector<ParamSpec>& specs, std::uint64_t& state) {
  for (const auto& spec : specs) {
    if (!spec.accepts) continue;
    const auto width = point.has("bytes") ? point.number("bytes") : 4;
    point.set(spec.name, draw_addresses(width, state));
  }
  return point;
}

std::vector<ParamSpec> specs_of(const Lab& lab, const Variant& variant) {
  std::vector<ParamSpec> specs;
  for (const auto& name : variant.reads) specs.push_back(find_param(lab, name));
  return specs;
}

// A point's work before it runs, in warps' instructions, roughly: what each warp does anyway, what
// theory says that it asks for or, where it asks for nothing, its rounds of a loop, and one for
// each 64 bytes to fill and to check.
class Work {
 public:
  Work(const Variant& variant, const std::vector<ParamSpec>& specs) : variant_(variant) {
    for (const auto& row : variant.theory) {
      if (row.metric.find("_requests") != std::string::npos) requests_.push_back(row.formula);
    }
    find_rounds(specs);
  }

  /// Never where the point is refused: arrays that are too long, sizes that do not go together.
  [[nodiscard]] bool is_within(double budget, const Params& point) const {
    // Where running is too much, so may be what the arguments hold.
    return runs_within(budget, point) && holds_within(budget, point);
  }
  /// The same but for the arrays: known at once.
  [[nodiscard]] bool runs_within(double budget, const Params& point) const {
    try {
      return running_work(point) <= budget;
    } catch (const Error&) {
      return false;
    }
  }

 private:
  // A number that shows nowhere, neither in the launch nor in arrays nor in requests, may say how
  // often a loop runs.
  void find_rounds(const std::vector<ParamSpec>& specs) {
    Params usual;
    for (const auto& spec : specs) usual.set(spec.name, spec.fallback);
    for (const auto& spec : specs) {
      if (!is_number(spec)) continue;
      const auto fallback = std::get<std::int64_t>(spec.fallback);
      Params other = usual;
      other.set(spec.name, fallback == spec.max ? lowest(spec) : spec.max);
      try {
        if (running_work(other) == running_work(usual) && bytes_of(other) == bytes_of(usual)) {
          rounds_.push_back(spec.name);
        }
      } catch (const Error&) {
        continue;  // an array too long: it shows
      }
    }
  }

  [[nodiscard]] bool holds_within(double budget, const Params& point) const {
    try {
      return running_work(point) + bytes_of(point) / 64 <= budget;
    } catch (const Error&) {
      return false;
    }
  }

  [[nodiscard]] double running_work(const Params& point) const {
    const auto names = formula_names(variant_, point, variant_.launch(point));
    double requests = 0;
    for (const auto& formula : requests_) requests += formula.value(names);
    double rounds = 1;
    for (const auto& loop : rounds_) rounds *= std::max(1.0, names.find(loop)->second);
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
  std::vector<std::string> rounds_;
};

// The last of `count` that is within reach; the first always is.
std::int64_t last_within(std::int64_t count, const std::function<bool(std::int64_t)>& is_within) {
  std::int64_t reached = 0;
  for (std::int64_t beyond = count; beyond - reached > 1;) {
    const auto middle = reached + (beyond - reached) / 2;
    (is_within(middle) ? reached : beyond) = middle;
  }
  return reached;
}

// The last of `count` values in order at which the model is done in seconds, with all others at
// their lowest. To fill arrays takes its time: of those that run, the largest is filled first.
std::int64_t last_in_reach(std::int64_t count, const Work& work, Params point,
                           const std::string& name,
                           const std::function<std::int64_t(std::int64_t)>& value_at) {
  const auto at = [&](std::int64_t i) -> const Params& {
    point.set(name, value_at(i));
    return point;
  };
  const auto last =
      last_within(count, [&](std::int64_t i) { return work.runs_within(kMostFarBudget, at(i)); });
  if (work.is_within(kMostFarBudget, at(last))) return last;
  return last_within(last, [&](std::int64_t i) { return work.is_within(kMostFarBudget, at(i)); });
}

ParamSpec drawn(ParamSpec spec, const Work& work, const Params& lowest_point) {
  if (!is_number(spec)) return spec;
  if (spec.only.empty()) {
    const auto first = spec.min;
    spec.max = first + last_in_reach(spec.max - first + 1, work, lowest_point, spec.name,
                                     [&](std::int64_t i) { return first + i; });
    return spec;
  }
  const auto last =
      last_in_reach(std::ssize(spec.only), work, lowest_point, spec.name,
                    [&](std::int64_t i) { return spec.only[static_cast<std::size_t>(i)]; });
  spec.only.resize(static_cast<std::size_t>(last) + 1);
  spec.max = spec.only.back();
  return spec;
}

}  // namespace

std::vector<ParamSpec> drawn_specs(const Lab& lab, const Variant& variant) {
  auto specs = specs_of(lab, variant);
  const Work work(variant, specs);
  Params point;
  for (const auto& spec : specs) {
    point.set(spec.name, is_number(spec) ? ParamValue(lowest(spec)) : spec.fallback);
  }
  for (auto& spec : specs) spec = drawn(spec, work, point);
  return specs;
}

bool is_upper_end(const ParamSpec& spec, std::int64_t value) {
  if (!spec.only.empty()) return value == spec.only.back();
  const auto count = [&](std::int64_t last) { return static_cast<double>(last - spec.min + 1); };
  return count(value) >= std::pow(count(spec.max), kUpperEnd);
}

bool is_lower_end(const ParamSpec& spec, std::int64_t value) { return value == lowest(spec); }

std::vector<Params> drawn_points(const Lab& lab, const Variant& variant, int count,
                                 std::uint64_t seed) {
  std::uint64_t state = seed + static_cast<std::uint64_t>(lab.number);
  const auto specs = drawn_specs(lab, variant);
  const Work work(variant, specs);
  std::set<Params> seen;
  std::vector<Params> points;
  for (int i = 0; i < 16 * count && static_cast<int>(points.size()) < count; ++i) {
    const auto point = with_text(draw_point(specs, state), specs, state);
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
std::optional<Params> far_point(const std::vector<ParamSpec>& specs, const Work& work,
                                const ParamSpec& spec, double budget, std::uint64_t& state) {
  constexpr int kTries = 8;
  for (int i = 0; i < 3 * kTries; ++i) {
    Params point = draw_point(specs, state);
    for (const auto& other : specs) {
      if (i < kTries || !is_number(other)) continue;
      if (i < 2 * kTries) point.set(other.name, draw(other, Style::kLow, state));
      if (i >= 2 * kTries) point.set(other.name, lowest(other));
    }
    point.set(spec.name, upper_value(spec, i % 2 == 0, state));
    point = with_text(std::move(point), specs, state);
    if (work.is_within(budget, point)) return point;
  }
  return {};
}

}  // namespace

std::vector<Params> far_points(const Lab& lab, const Variant& variant,
                               const std::vector<Params>& points, Far far) {
  std::uint64_t state = 20260102 + static_cast<std::uint64_t>(lab.number);
  const auto specs = drawn_specs(lab, variant);
  const Work work(variant, specs);
  const double most = far.reach == Far::Reach::kQuick ? kMostQuickBudget : kMostFarBudget;
  std::vector<Params> found;
  for (const auto& spec : specs) {
    if (!is_number(spec)) continue;
    const bool is_there = std::any_of(points.begin(), points.end(), [&](const Params& point) {
      return is_upper_end(spec, point.number(spec.name));
    });
    // With no more work than it takes, or twice as much.
    for (int i = 0; i < (is_there ? 0 : far.each); ++i) {
      for (double budget = kLeastFarBudget; budget <= most; budget *= 2) {
        const auto point = far_point(specs, work, spec, budget, state);
        if (!point) continue;
        found.push_back(*point);
        break;
      }
    }
  }
  return found;
}

}  // namespace lab::labtest
