// Numbers and units as Nsight Compute prints them, in whatever locale.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lab::ncu {

/// Which character begins the fraction. The other one, spaces and apostrophes group digits.
enum class Decimal : unsigned char { kPoint, kComma };

/// A cell that may hold a number, with hints about the locale that wrote it.
struct NumberCell {
  std::string_view text;
  bool whole = false;  ///< a count in its own unit: it has no fraction
  int line = 0;
};

/// The decimal character of a file, from all of its numbers: `1.234,5` says comma, `1,234,567` and
/// `2.75` say point; a whole count with one group of three digits says that its separator groups.
/// Where no number tells, it is the point, which Nsight Compute writes in most locales. An input
/// error where the numbers contradict each other.
[[nodiscard]] Decimal decimal_of(const std::vector<NumberCell>& cells);

/// Empty where `text` is not a number: n/a, nan, inf, words.
[[nodiscard]] std::optional<double> parse_number(std::string_view text, Decimal decimal);

/// The factor from `unit` to the unit that --print-units base gives: Kbyte 1e3, usecond 1e3
/// (nanoseconds), Ghz 1e9, cycle/nsecond 1e9 (per second), % 1. Empty: unknown.
[[nodiscard]] std::optional<double> unit_scale(std::string_view unit);

/// Whether a counter's value can be in `unit`: what it is where it cannot (`a count of bytes` of
/// dram__bytes_read.sum in Gsector, in %, or in no unit, which may be bytes as well as kilobytes);
/// empty: it can.
[[nodiscard]] std::string why_not_in(std::string_view name, std::string_view unit);

}  // namespace lab::ncu
