#include "tools/cli/arguments/measures.h"

#include <fmt/format.h>

#include <charconv>
#include <initializer_list>
#include <string_view>

#include "harness/core/error.h"

namespace lab::cli {

namespace {

struct Suffix {
  std::string_view text;
  double factor;
};

// `60s`, `2G`: a number and one of these.
double measure_of(const std::string& option, const std::string& text,
                  std::initializer_list<Suffix> suffixes) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  for (const Suffix& suffix : suffixes) {
    if (error == std::errc() && number > 0 && rest == suffix.text) return number * suffix.factor;
  }
  std::string known;
  for (const Suffix& suffix : suffixes) {
    known += fmt::format("{}10{}", known.empty() ? "" : ", ", suffix.text);
  }
  throw input_error(fmt::format("--{} does not take '{}'", option, text), "write such as " + known);
}

}  // namespace

double seconds_of(const std::string& option, const std::string& text) {
  constexpr double kMinute = 60;
  return measure_of(option, text, {{"s", 1}, {"m", kMinute}, {"", 1}});
}

double bytes_of(const std::string& option, const std::string& text) {
  constexpr double kKibi = 1024;
  return measure_of(option, text, {{"M", kKibi * kKibi}, {"G", kKibi * kKibi * kKibi}});
}

}  // namespace lab::cli
