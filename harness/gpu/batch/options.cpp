#include "harness/gpu/batch/options.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "harness/core/error.h"
#include "harness/core/text.h"

namespace lab::gpu {

namespace {

int number(const std::string& key, const std::string& text, int least, int most) {
  int value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc{} || end != text.data() + text.size() || value < least || value > most) {
    throw input_error(fmt::format("{}={} is not a number from {} to {}", key, text, least, most));
  }
  return value;
}

bool flag(const std::string& key, const std::string& text) { return number(key, text, 0, 1) == 1; }

Cache cache(const std::string& key, const std::string& text) {
  if (text == "cold") return Cache::kCold;
  if (text == "warm") return Cache::kWarm;
  throw input_error(fmt::format("{}={} is neither cold nor warm", key, text));
}

using Key = const std::string&;
using Text = const std::string&;

struct OptionRow {
  const char* key;
  void (*set)(Options&, Key, Text);
};

constexpr std::array kOptions = {
    OptionRow{"cache", [](Options& o, Key k, Text t) { o.cache = cache(k, t); }},
    OptionRow{"repeat", [](Options& o, Key k, Text t) { o.repeat = number(k, t, 1, 100); }},
    OptionRow{"no_counters", [](Options& o, Key k, Text t) { o.counters = !flag(k, t); }},
    OptionRow{"no_timing", [](Options& o, Key k, Text t) { o.timing = !flag(k, t); }},
    OptionRow{"lines", [](Options& o, Key k, Text t) { o.lines = flag(k, t); }},
    OptionRow{"stalls", [](Options& o, Key k, Text t) { o.stalls = flag(k, t); }},
    OptionRow{"cold", [](Options& o, Key k,
                         Text t) { o.timing_cache = flag(k, t) ? Cache::kCold : Cache::kWarm; }},
    OptionRow{"carveout", [](Options& o, Key k, Text t) { o.carveout = number(k, t, 0, 100); }},
    OptionRow{"device", [](Options& o, Key k, Text t) { o.device = number(k, t, 0, 1023); }},
};

}  // namespace

Options parse_options(const std::map<std::string, std::string>& texts) {
  Options options;
  for (const auto& [key, text] : texts) {
    bool known = false;
    for (const OptionRow& row : kOptions) {
      if (key != row.key) continue;
      row.set(options, key, text);
      known = true;
    }
    if (known) continue;
    std::vector<std::string> names;
    for (const OptionRow& row : kOptions) names.emplace_back(row.key);
    throw input_error(fmt::format("the GPU backend has no option '{}'", key),
                      suggestion(key, names));
  }
  return options;
}

}  // namespace lab::gpu
