// Parameter values of a case, and the sweeps they are written as on the command line.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lab {

/// A whole number, or a choice such as `float`.
using ParamValue = std::variant<std::int64_t, std::string>;

[[nodiscard]] std::string to_text(const ParamValue& value);

/// The parameters of one case, by name. Ordered by name, so that equal values give equal text.
class Params {
 public:
  Params() = default;
  Params(std::initializer_list<std::pair<const std::string, ParamValue>> values)
      : values_(values) {}

  void set(const std::string& name, ParamValue value) { values_[name] = std::move(value); }
  [[nodiscard]] bool has(std::string_view name) const;

  /// The number called `name`; an internal error where there is none (a lab asks only for its own).
  [[nodiscard]] std::int64_t number(std::string_view name) const;
  /// The choice called `name`; an internal error where there is none.
  [[nodiscard]] const std::string& choice(std::string_view name) const;

  [[nodiscard]] const std::map<std::string, ParamValue, std::less<>>& all() const {
    return values_;
  }
  /// Canonical JSON with sorted keys: {"n":32,"type":"float"}.
  [[nodiscard]] std::string json() const;
  /// For people: n=32 type=float.
  [[nodiscard]] std::string text() const;

  friend bool operator==(const Params&, const Params&) = default;
  friend auto operator<=>(const Params&, const Params&) = default;

 private:
  std::map<std::string, ParamValue, std::less<>> values_;
};

/// One parameter of a lab. A number has `min` and `max` (inclusive), and takes only the values of
/// `only` where there are any; a choice has `choices`; a text has neither, and `accepts` throws an
/// input error where it is malformed.
struct ParamSpec {
  std::string name;
  std::string help;
  ParamValue fallback;
  std::int64_t min = 0;
  std::int64_t max = 0;
  std::vector<std::string> choices = {};
  std::vector<std::int64_t> only = {};
  std::function<void(std::string_view)> accepts = {};
};

/// The values that a sweep names, in order: `3`; `1,2,4`; `1..32` every integer; `1..32*2` 1, 2,
/// 4, ..., 32; `0..128+16` 0, 16, ..., 128; `2^20` a power; for choices `float,double`. A text is
/// one value. Throws an input error with the place in `text` where it is malformed or out of range.
[[nodiscard]] std::vector<ParamValue> parse_sweep(const ParamSpec& spec, std::string_view text);

/// All integers from `first` to `last`: default points of variants are made with it.
[[nodiscard]] std::vector<ParamValue> integers(std::int64_t first, std::int64_t last,
                                               std::int64_t step = 1);

/// The product of the axes, the last one varying fastest.
[[nodiscard]] std::vector<Params> product(
    const std::vector<std::pair<std::string, std::vector<ParamValue>>>& axes);

}  // namespace lab
