#include "harness/model/case/element_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "harness/model/case/source_words.h"

namespace lab::model {
namespace {

constexpr std::int64_t kUnknownBound = 0;
constexpr std::int64_t kMostBound = std::int64_t{1} << 20;  ///< far above shared memory's bytes

/// Two names stand side by side only where the second is declared, but for these.
bool ends_no_type(std::string_view word) {
  constexpr std::array<std::string_view, 5> kWords = {"return", "else", "case", "delete", "new"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

std::string indexed(const std::string& name, std::int64_t element, const Bounds& bounds) {
  std::string text;
  for (std::size_t i = bounds.size(); i-- > 1;) {
    text = fmt::format("[{}]{}", element % bounds[i], text);
    element /= bounds[i];
  }
  return fmt::format("{}[{}]{}", name, element, text);
}

/// The bounds make up all elements, as far as they are known.
bool fit(const Bounds& bounds, std::uint64_t elements) {
  std::int64_t all = 1;
  for (const std::int64_t bound : bounds) all *= bound;
  return bounds.empty() || all == 0 || static_cast<std::uint64_t>(all) == elements;
}

}  // namespace

Declared declared_array(std::string_view name, int line, std::string_view source) {
  Declared found;
  const Words words = words_of(source);
  for (std::size_t i = 1; i < words.size() && words[i].line <= line; ++i) {
    const bool declares =
        words[i].text == name && is_name(words[i - 1]) && !ends_no_type(words[i - 1].text);
    if (!declares) continue;
    found = {bytes_of_type(words[i - 1].text), {}};
    for (std::size_t open = i + 1; is(words, open, "["); open = closing_word(words, open) + 1) {
      const auto bound = number_of(words, {open + 1, closing_word(words, open)});
      found.bounds.push_back(std::clamp(bound.value_or(0), kUnknownBound, kMostBound));
    }
  }
  return found;
}

std::string element_text(const Finding& finding, std::string_view source) {
  const std::string& name = finding.array;
  if (name.empty()) return {};
  const Bounds bounds = declared_array(name, finding.line, source).bounds;
  if (!fit(bounds, finding.elements)) return {};
  const bool variable = finding.space == Space::kShared && bounds.empty();
  if (variable) return finding.elements == 1 ? name : std::string();
  const bool known = std::count(bounds.begin(), bounds.end(), kUnknownBound) == 0;
  // "allocation 1", of a program without names, cannot be indexed like an array.
  if ((bounds.size() > 1 && !known) || finding.element < 0 || name.find(' ') != std::string::npos) {
    return fmt::format("element {} of {}", finding.element, name);
  }
  std::string first = indexed(name, finding.element, bounds);
  if (finding.last_element <= finding.element) return first;
  return fmt::format("{} to {}", first, indexed(name, finding.last_element, bounds));
}

}  // namespace lab::model
