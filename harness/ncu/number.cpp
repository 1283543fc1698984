#include "harness/ncu/number.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

#include "harness/core/error.h"
#include "harness/core/text.h"

namespace lab::ncu {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Characters that group digits everywhere: space, apostrophe, no-break spaces.
constexpr std::array<std::string_view, 5> kGroups = {" ", "'", "\u00A0", "\u202F", "\u2019"};

std::string without_groups(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto group = std::find_if(kGroups.begin(), kGroups.end(), [&](std::string_view g) {
      return text.substr(i, g.size()) == g;
    });
    const std::size_t width = group == kGroups.end() ? 0 : group->size();
    const bool between = width > 0 && !out.empty() && is_digit(out.back()) &&
                         i + width < text.size() && is_digit(text[i + width]);
    if (between) {
      i += width;
    } else {
      out += text[i++];
    }
  }
  return out;
}

bool looks_numeric(std::string_view text) {
  return std::any_of(text.begin(), text.end(), is_digit) &&
         text.find_first_not_of("0123456789.,+-eE") == std::string_view::npos;
}

Decimal other(Decimal decimal) {
  return decimal == Decimal::kPoint ? Decimal::kComma : Decimal::kPoint;
}

Decimal meaning(char decimal) { return decimal == '.' ? Decimal::kPoint : Decimal::kComma; }

// The decimal sign that one number shows. Empty where it may be either, as in 1,234.
std::optional<Decimal> says(std::string_view text, bool whole) {
  const std::size_t first = text.find_first_of(".,");
  if (first == std::string_view::npos) return {};
  const std::size_t last = text.find_last_of(".,");
  if (text[first] != text[last]) return meaning(text[last]);
  if (first != last) return other(meaning(text[first]));
  const std::size_t end = std::min(text.find_first_of("eE"), text.size());
  const std::size_t before = first - (text[0] == '-' || text[0] == '+' ? 1 : 0);
  const bool may_group = end - first - 1 == 3 && before >= 1 && before <= 3 &&
                         text[first - before] != '0' && end == text.size();
  if (!may_group) return meaning(text[first]);
  if (whole) return other(meaning(text[first]));
  return {};
}

struct Prefix {
  std::string_view text;
  double factor;
};
constexpr Prefix kPrefixes[] = {{"", 1},        {"kilo", 1e3}, {"mega", 1e6}, {"giga", 1e9},
                                {"tera", 1e12}, {"K", 1e3},    {"k", 1e3},    {"M", 1e6},
                                {"G", 1e9},     {"T", 1e12},   {"P", 1e15}};
// Words that are never scaled.
constexpr std::string_view kUnscaled[] = {"register", "pass", "cluster", "SM", "instance"};
constexpr Prefix kNanoseconds[] = {{"ns", 1},   {"nsecond", 1},   {"us", 1e3}, {"usecond", 1e3},
                                   {"ms", 1e6}, {"msecond", 1e6}, {"s", 1e9},  {"second", 1e9}};
// Counted things that Nsight Compute scales; its base unit is the word alone.
constexpr std::string_view kScaled[] = {"byte",  "hz",     "sector", "request",   "inst",
                                        "cycle", "warp",   "thread", "block",     "op",
                                        "flop",  "sample", "query",  "wavefront", "transaction"};
constexpr Prefix kBinary[] = {{"B", 1},
                              {"KB", 1e3},
                              {"MB", 1e6},
                              {"GB", 1e9},
                              {"TB", 1e12},
                              {"KiB", 1024},
                              {"MiB", 1048576},
                              {"GiB", 1073741824},
                              {"Kibyte", 1024},
                              {"Mibyte", 1048576},
                              {"Gibyte", 1073741824},
                              {"Hz", 1}};

std::optional<double> nanoseconds(std::string_view word) {
  const auto* row = std::find_if(std::begin(kNanoseconds), std::end(kNanoseconds),
                                 [&](const Prefix& time) { return time.text == word; });
  if (row == std::end(kNanoseconds)) return {};
  return row->factor;
}

std::optional<double> word_scale(std::string_view word) {
  for (const Prefix& row : kBinary) {
    if (word == row.text) return row.factor;
  }
  for (const Prefix& prefix : kPrefixes) {
    if (word.substr(0, prefix.text.size()) != prefix.text) continue;
    const auto rest = word.substr(prefix.text.size());
    const auto* found = std::find(std::begin(kScaled), std::end(kScaled), rest);
    if (found != std::end(kScaled)) return prefix.factor;
  }
  const auto* unscaled = std::find(std::begin(kUnscaled), std::end(kUnscaled), word);
  if (unscaled != std::end(kUnscaled) || word == "%") return 1;
  return {};
}

}  // namespace

Decimal decimal_of(const std::vector<NumberCell>& cells) {
  struct Witness {
    std::string text;
    int line = 0;
  };
  std::array<std::optional<Witness>, 2> witnesses;
  for (const NumberCell& cell : cells) {
    const std::string text = without_groups(trim(cell.text));
    if (!looks_numeric(text)) continue;
    const auto said = says(text, cell.whole);
    if (!said) continue;
    auto& witness = witnesses[static_cast<std::size_t>(*said)];
    if (!witness) witness = Witness{std::string(trim(cell.text)), cell.line};
  }
  const auto& [point, comma] = witnesses;
  if (point && comma) {
    throw input_error(
        fmt::format("the numbers are of two locales: '{}' in line {} has a decimal point, '{}' in "
                    "line {} a decimal comma",
                    point->text, point->line, comma->text, comma->line),
        "say which it is: --decimal point or --decimal comma");
  }
  return comma ? Decimal::kComma : Decimal::kPoint;
}

std::optional<double> parse_number(std::string_view text, Decimal decimal) {
  std::string plain = without_groups(trim(text));
  if (!looks_numeric(plain)) return {};
  const char point = decimal == Decimal::kPoint ? '.' : ',';
  const char group = decimal == Decimal::kPoint ? ',' : '.';
  plain.erase(std::remove(plain.begin(), plain.end(), group), plain.end());
  std::replace(plain.begin(), plain.end(), point, '.');
  const char* begin = plain.data() + (plain.front() == '+' ? 1 : 0);
  const char* end = plain.data() + plain.size();
  double value = 0;
  const auto [rest, failed] = std::from_chars(begin, end, value);
  if (failed != std::errc{} || rest != end || !std::isfinite(value)) return {};
  return value;
}

std::string why_not_in(std::string_view name, std::string_view unit) {
  const std::string_view word = trim(unit);
  const bool rate = word.find('/') != std::string_view::npos;
  const bool bytes = !rate && (word.ends_with("byte") || word.ends_with("B"));
  const bool time = nanoseconds(word).has_value();
  const bool is_sum = name.ends_with(".sum");
  if (is_sum && name.find("__bytes") != std::string_view::npos) {
    // Without a unit it may be Kbyte as well as byte.
    return bytes ? "" : "a count of bytes";
  }
  if (name == "Duration" || (is_sum && name.find("__time_duration") != std::string_view::npos)) {
    return time ? "" : "a time";
  }
  const bool counts = is_sum && (name.find("sectors") != std::string_view::npos ||
                                 name.find("requests") != std::string_view::npos ||
                                 name.find("inst_executed") != std::string_view::npos ||
                                 name.find("wavefronts") != std::string_view::npos);
  if (counts && (bytes || time || rate || word == "%")) return "a count";
  return "";
}

std::optional<double> unit_scale(std::string_view unit) {
  const std::string_view whole = trim(unit);
  if (whole.empty() || whole == "%") return 1;
  if (const auto time = nanoseconds(whole)) return *time;
  const auto words = split(whole, '/');
  auto scale = word_scale(words.front());
  for (std::size_t i = 1; scale && i < words.size(); ++i) {
    constexpr double kSecond = 1e9;
    if (const auto time = nanoseconds(words[i])) {
      scale = *scale * (kSecond / *time);
    } else if (const auto factor = word_scale(words[i])) {
      scale = *scale / *factor;
    } else {
      scale.reset();
    }
  }
  return scale;
}

}  // namespace lab::ncu
