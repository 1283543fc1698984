#include "harness/core/params.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "harness/core/error.h"
#include "harness/core/text.h"

namespace lab {

std::string to_text(const ParamValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *number);
  return std::get<std::string>(value);
}

bool Params::has(std::string_view name) const { return values_.find(name) != values_.end(); }

std::int64_t Params::number(std::string_view name) const {
  const auto at = values_.find(name);
  const auto* value = at == values_.end() ? nullptr : std::get_if<std::int64_t>(&at->second);
  if (value == nullptr) throw internal_error(fmt::format("no numeric parameter '{}'", name));
  return *value;
}

const std::string& Params::choice(std::string_view name) const {
  const auto at = values_.find(name);
  const auto* value = at == values_.end() ? nullptr : std::get_if<std::string>(&at->second);
  if (value == nullptr) throw internal_error(fmt::format("no parameter of choices '{}'", name));
  return *value;
}

std::string Params::json() const {
  std::string out = "{";
  for (const auto& [name, value] : values_) {
    if (out.size() > 1) out += ',';
    const bool is_number = std::holds_alternative<std::int64_t>(value);
    out += json_quote(name) + ':' + (is_number ? to_text(value) : json_quote(to_text(value)));
  }
  return out + '}';
}

std::string Params::text() const {
  std::string out;
  for (const auto& [name, value] : values_) {
    if (!out.empty()) out += ' ';
    out += name + '=' + to_text(value);
  }
  return out;
}

namespace {

// A sweep that a slip of the finger makes endless is an error, not a long wait.
constexpr std::size_t kMostValues = 100000;

class SweepParser {
 public:
  SweepParser(const ParamSpec& spec, std::string_view text) : spec_(spec), text_(text) {}

  std::vector<ParamValue> parse() {
    if (text_.empty()) throw at(0, "no value", "write a value, a list such as 1,2,4 or 1..32");
    if (spec_.accepts) {
      spec_.accepts(text_);
      return {std::string(text_)};
    }
    while (true) {
      if (spec_.choices.empty()) {
        range();
      } else {
        choice();
      }
      if (at_ == text_.size()) return std::move(values_);
      if (text_[at_] != ',') throw at(at_, "unexpected text", "values are separated by commas");
      ++at_;
    }
  }

 private:
  Error at(std::size_t column, const std::string& what, std::string hint) const {
    Place place{"", 0, static_cast<int>(column) + 1, spec_.name + "=" + std::string(text_)};
    place.column += static_cast<int>(spec_.name.size()) + 1;
    return input_error(fmt::format("parameter '{}': {}", spec_.name, what), std::move(hint), place);
  }

  void choice() {
    const std::size_t from = at_;
    at_ = std::min(text_.find(',', at_), text_.size());
    const std::string word(text_.substr(from, at_ - from));
    if (std::find(spec_.choices.begin(), spec_.choices.end(), word) == spec_.choices.end()) {
      throw at(from, fmt::format("'{}' is not one of its values", word),
               suggestion(word, spec_.choices));
    }
    values_.emplace_back(word);
  }

  // 67108864, or 2^26.
  std::int64_t number() {
    constexpr std::int64_t kMostBits = 62;
    const std::size_t column = at_;
    const std::int64_t base = digits();
    if (at_ == text_.size() || text_[at_] != '^') return base;
    ++at_;
    const std::int64_t exponent = digits();
    std::int64_t value = 1;
    bool fits = exponent >= 0 && exponent <= kMostBits;
    for (std::int64_t i = 0; fits && i < exponent; ++i) {
      fits = !__builtin_mul_overflow(value, base, &value);
    }
    if (!fits) throw at(column, "number too large", range_hint());
    return value;
  }

  std::int64_t digits() {
    std::int64_t value = 0;
    const char* first = text_.data() + at_;
    const auto [end, code] = std::from_chars(first, text_.data() + text_.size(), value);
    if (code == std::errc::result_out_of_range) throw at(at_, "number too large", range_hint());
    if (code != std::errc{}) {
      throw at(at_, "not a whole number", "write 3, 1,2,4, 2^20, 1..32, 1..32*2 or 0..128+16");
    }
    at_ += static_cast<std::size_t>(end - first);
    return value;
  }

  std::string range_hint() const {
    return fmt::format("it goes from {} to {}", spec_.min, spec_.max);
  }

  void add(std::int64_t value, std::size_t column) {
    if (value < spec_.min || value > spec_.max) {
      throw at(column, fmt::format("{} is out of range", value), range_hint());
    }
    const auto& only = spec_.only;
    if (!only.empty() && std::find(only.begin(), only.end(), value) == only.end()) {
      throw at(column, fmt::format("{} is not one of its values", value),
               fmt::format("it is one of {}", fmt::join(only, ", ")));
    }
    if (values_.size() >= kMostValues) {
      throw at(column, fmt::format("more than {} values", kMostValues), "take a larger step");
    }
    values_.emplace_back(value);
  }

  void range() {
    const std::size_t column = at_;
    const std::int64_t first = number();
    if (!text_.substr(at_).starts_with("..")) return add(first, column);
    at_ += 2;
    const std::size_t last_column = at_;
    const std::int64_t last = number();
    if (last < first) throw at(last_column, "the range ends before it begins", "write 1..32");
    // Both ends are checked first, so that no arithmetic below can overflow.
    for (const std::int64_t end : {first, last}) {
      if (end < spec_.min || end > spec_.max) {
        throw at(end == first ? column : last_column, fmt::format("{} is out of range", end),
                 range_hint());
      }
    }
    steps(first, last, column);
  }

  void steps(std::int64_t first, std::int64_t last, std::size_t column) {
    const char sign = at_ < text_.size() ? text_[at_] : ',';
    if (sign != '*' && sign != '+') {
      for (std::int64_t v = first; v <= last; ++v) add(v, column);
      return;
    }
    const std::size_t step_column = ++at_;
    const std::int64_t step = number();
    if (sign == '*' && (step < 2 || first < 1)) {
      throw at(step_column, "a range with '*' begins at 1 or more and has a factor of 2 or more",
               "write 1..32*2 for 1, 2, 4, 8, 16, 32");
    }
    if (sign == '+' && step < 1) throw at(step_column, "the step is less than 1", "0..128+16");
    for (std::int64_t v = first; v <= last;) {
      add(v, column);
      const bool done = sign == '*' ? v > last / step : v > last - step;
      if (done) break;
      v = sign == '*' ? v * step : v + step;
    }
  }

  const ParamSpec& spec_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<ParamValue> values_;
};

}  // namespace

std::vector<ParamValue> parse_sweep(const ParamSpec& spec, std::string_view text) {
  return SweepParser(spec, text).parse();
}

std::vector<ParamValue> integers(std::int64_t first, std::int64_t last, std::int64_t step) {
  std::vector<ParamValue> values;
  for (std::int64_t v = first; v <= last; v += step) values.emplace_back(v);
  return values;
}

std::vector<Params> product(
    const std::vector<std::pair<std::string, std::vector<ParamValue>>>& axes) {
  std::vector<Params> points(1);
  for (const auto& [name, values] : axes) {
    std::vector<Params> longer;
    for (const Params& point : points) {
      for (const ParamValue& value : values) {
        longer.push_back(point);
        longer.back().set(name, value);
      }
    }
    points = std::move(longer);
  }
  return points;
}

}  // namespace lab
