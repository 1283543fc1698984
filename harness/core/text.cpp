#include "harness/core/text.h"

#include <cxxabi.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sha256.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>

namespace lab {

namespace {

// Optimal string alignment: a swap of neighbours counts as one typing error.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, replace});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

// Names longer than this are not typing errors of one another; also bounds the work.
constexpr std::size_t kLongestName = 200;

// Template arguments may hold parentheses, so only those outside <> start the parameters.
std::string_view without_parameters(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<') ++depth;
    if (text[i] == '>') --depth;
    if (text[i] == '(' && depth == 0 && !text.substr(i).starts_with("(anonymous namespace)")) {
      return text.substr(0, i);
    }
  }
  return text;
}

}  // namespace

std::string nearest(std::string_view name, std::span<const std::string> candidates) {
  if (name.size() > kLongestName) return {};
  // A third of the letters may be wrong, and at least two.
  std::size_t best = std::max<std::size_t>(2, name.size() / 3) + 1;
  std::string found;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongestName) continue;
    const std::size_t distance = edit_distance(name, candidate);
    // A distance as long as the word itself shares nothing with it.
    if (distance < best && distance < candidate.size()) {
      best = distance;
      found = candidate;
    }
  }
  if (!found.empty() || name.empty()) return found;
  const auto begins = [&](const std::string& c) { return c.starts_with(name); };
  const auto at = std::find_if(candidates.begin(), candidates.end(), begins);
  return at == candidates.end() ? std::string{} : *at;
}

std::string suggestion(std::string_view name, std::span<const std::string> candidates) {
  const std::string near = nearest(name, candidates);
  if (!near.empty()) return fmt::format("did you mean '{}'?", near);
  if (candidates.empty()) return "there are none";
  constexpr std::size_t kMost = 12;
  const auto shown = candidates.first(std::min(candidates.size(), kMost));
  std::string text = fmt::format("there are: {}", fmt::join(shown, ", "));
  if (candidates.size() > kMost) text += fmt::format(" and {} more", candidates.size() - kMost);
  return text;
}

std::string number_text(double value) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (std::isfinite(value) && value == std::floor(value) && std::fabs(value) <= kExact) {
    return fmt::format("{}", static_cast<std::int64_t>(value));
  }
  return fmt::format("{:.6g}", value);
}

std::string sha256_hex(std::string_view bytes) {
  std::array<char, SHA256_DIGEST_STRING_LENGTH> hex{};
  SHA256Data(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), hex.data());
  return hex.data();
}

std::string json_quote(std::string_view text) {
  using nlohmann::json;
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  std::size_t from = 0;
  for (;;) {
    const std::size_t at = text.find(separator, from);
    parts.push_back(text.substr(from, at - from));
    if (at == std::string_view::npos) return parts;
    from = at + 1;
  }
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\v\f";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::string_view line_of(std::string_view text, int number) {
  if (number < 1) return {};
  for (int line = 1; line < number; ++line) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  std::string_view line = text.substr(0, text.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string symbol_signature(const std::string& mangled) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  // A name that is not mangled comes back as status -2; "k" alone would be read as a type.
  if (status != 0 || !mangled.starts_with("_Z")) return mangled;
  std::string_view name = text.get();
  // The result type of a template comes before its name.
  constexpr std::string_view kVoid = "void ";
  if (name.starts_with(kVoid)) name.remove_prefix(kVoid.size());
  return std::string(name);
}

std::string symbol_name(const std::string& mangled) {
  const std::string signature = symbol_signature(mangled);
  return std::string(without_parameters(signature));
}

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

std::string new_uuid() {
  std::random_device device;
  std::array<std::uint32_t, 4> r{};
  for (auto& word : r) word = device();
  r[1] = (r[1] & 0xffff0fffU) | 0x00004000U;  // version 4
  r[2] = (r[2] & 0x3fffffffU) | 0x80000000U;  // variant of RFC 9562
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:04x}{:08x}", r[0], r[1] >> 16, r[1] & 0xffffU,
                     r[2] >> 16, r[2] & 0xffffU, r[3]);
}

}  // namespace lab
