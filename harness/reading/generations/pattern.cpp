#include "harness/reading/generations/pattern.h"

#include <charconv>

#include "harness/core/error.h"
#include "harness/core/text.h"

namespace lab::labs {
namespace {

constexpr std::string_view kSeparators = " \t\r,";
constexpr const char* kForms =
    "an address is 128, 0x80, - for a lane that is off, or 0..124+4 for several";

// Reads one line's words into the lanes that are still free.
class LineReader {
 public:
  LineReader(Pattern& pattern, std::size_t& lane, Place place)
      : pattern_(pattern), lane_(lane), place_(std::move(place)) {}

  void read() {
    const std::string& line = place_.text;
    const auto end = std::min(line.find('#'), line.size());
    for (auto at = line.find_first_not_of(kSeparators); at < end;
         at = line.find_first_not_of(kSeparators, at)) {
      const auto stop = std::min(end, line.find_first_of(kSeparators, at));
      word(at, std::string_view(line).substr(at, stop - at));
      at = stop;
    }
  }

 private:
  [[nodiscard]] Error wrong(std::size_t at, const std::string& what, std::string hint) const {
    Place place = place_;
    place.column = static_cast<int>(at) + 1;
    return input_error(what, std::move(hint), std::move(place));
  }

  [[nodiscard]] std::uint64_t number(std::size_t at, std::string_view word) const {
    const bool hex = word.substr(0, 2) == "0x" || word.substr(0, 2) == "0X";
    const auto digits = hex ? word.substr(2) : word;
    std::uint64_t value = 0;
    const auto [stop, code] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
    const bool whole = !digits.empty() && stop == digits.data() + digits.size();
    if (!whole || code == std::errc::invalid_argument) {
      throw wrong(at, "'" + std::string(word) + "' is not an address", kForms);
    }
    if (code != std::errc{} || value >= kWindow) {
      throw wrong(at, "address " + std::string(word) + " is out of range",
                  "addresses count bytes, from 0 to " + std::to_string(kWindow - 1));
    }
    return value;
  }

  void put(std::size_t at, std::optional<std::uint64_t> address) {
    if (lane_ == pattern_.size()) {
      throw wrong(at, "more than 32 addresses", "a warp has 32 lanes, one address for each");
    }
    pattern_[lane_++] = address;
  }

  void word(std::size_t at, std::string_view word) {
    if (word == "-") return put(at, {});
    const auto dots = word.find("..");
    if (dots == std::string_view::npos) return put(at, number(at, word));
    const auto plus = word.find('+', dots);
    if (plus == std::string_view::npos) {
      throw wrong(at + word.size(), "a range needs a step", "write 0..124+4");
    }
    const auto first = number(at, word.substr(0, dots));
    const auto last = number(at + dots + 2, word.substr(dots + 2, plus - dots - 2));
    const auto step = number(at + plus + 1, word.substr(plus + 1));
    if (step == 0) throw wrong(at + plus + 1, "the step is 0", "write 0..124+4");
    if (last < first) throw wrong(at, "the range ends before it begins", "write 0..124+4");
    for (auto address = first; address <= last; address += step) put(at, address);
  }

  Pattern& pattern_;
  std::size_t& lane_;
  Place place_;
};

std::string lanes_text(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " address" : " addresses");
}

}  // namespace

Pattern read_pattern(std::string_view text, const std::string& file) {
  Pattern pattern;
  std::size_t lane = 0;
  int number = 0;
  for (const auto line : split(text, '\n')) {
    LineReader(pattern, lane, {file, ++number, 0, std::string(line)}).read();
  }
  if (lane < pattern.size()) {
    throw input_error(lanes_text(lane) + ", where a warp has 32 lanes",
                      "write - for each lane that is off", Place{file, number, 0, {}});
  }
  for (const auto& address : pattern) {
    if (address) return pattern;
  }
  throw input_error("no lane of the pattern is on", kForms, Place{file, number, 0, {}});
}

std::string text_of(const Pattern& pattern) {
  std::string text;
  for (std::size_t lane = 0; lane < pattern.size();) {
    if (!text.empty()) text += ' ';
    if (!pattern[lane]) {
      text += '-';
      ++lane;
      continue;
    }
    // How many lanes from here on go up by the same step.
    const auto first = *pattern[lane];
    const bool up = lane + 1 < pattern.size() && pattern[lane + 1] && *pattern[lane + 1] > first;
    const auto step = up ? *pattern[lane + 1] - first : 0;
    std::size_t count = 1;
    while (up && lane + count < pattern.size() && pattern[lane + count] &&
           *pattern[lane + count] == first + count * step) {
      ++count;
    }
    if (count < 3) count = 1;
    text += std::to_string(first);
    if (count > 1) {
      text += ".." + std::to_string(first + (count - 1) * step) + "+" + std::to_string(step);
    }
    lane += count;
  }
  return text;
}

void require_aligned(const Pattern& pattern, std::uint32_t width) {
  for (std::size_t lane = 0; lane < pattern.size(); ++lane) {
    if (!pattern[lane] || *pattern[lane] % width == 0) continue;
    throw input_error("lane " + std::to_string(lane) + " reads " + std::to_string(width) +
                          " bytes at address " + std::to_string(*pattern[lane]) +
                          ", which is not a multiple of " + std::to_string(width),
                      "a GPU refuses misaligned accesses; --param bytes= has the width");
  }
}

}  // namespace lab::labs
