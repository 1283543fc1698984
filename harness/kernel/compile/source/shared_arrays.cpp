#include "harness/kernel/compile/source/shared_arrays.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "harness/core/text.h"
#include "harness/kernel/compile/source/tokens.h"

namespace lab::source {

namespace {

std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view suffix(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const bool plain = suffix.find_first_not_of("uUlL") == std::string_view::npos;
  if (error != std::errc() || !plain) return {};
  return number;
}

/// The declarations of one text.
class ArrayReader {
 public:
  explicit ArrayReader(std::string_view source) : source_(source), tokens_(tokens_of(source)) {}

  std::vector<SharedArray> all() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].text == "__shared__") read(i + 1, i > 0 && tokens_[i - 1].text == "extern");
    }
    return std::move(arrays_);
  }

 private:
  [[nodiscard]] bool is(std::size_t at, std::string_view text) const {
    return at < tokens_.size() && tokens_[at].text == text;
  }

  // Past a ) or ] that closes what opens at `at`.
  [[nodiscard]] std::size_t after_group(std::size_t at) const {
    int depth = 0;
    for (; at < tokens_.size(); ++at) {
      if (is(at, "(") || is(at, "[")) ++depth;
      if ((is(at, ")") || is(at, "]")) && --depth == 0) return at + 1;
    }
    return at;
  }

  void read(std::size_t at, bool is_dynamic) {
    std::string type;
    for (; at < tokens_.size() && !is(at, ";") && !is(at, "{"); ++at) {
      if (is(at, "alignas") || is(at, "__align__")) {
        at = after_group(at + 1) - 1;
      } else if (tokens_[at].kind == TokenKind::kName && is(at + 1, "[")) {
        arrays_.push_back(array_at(at, type, is_dynamic));
        while (is(at + 1, "[")) at = after_group(at + 1) - 1;
      } else if (!is(at, ",") && !is(at, "volatile") && !is(at, "extern")) {
        if (!type.empty()) type += ' ';
        type += tokens_[at].text;
      }
    }
  }

  [[nodiscard]] SharedArray array_at(std::size_t at, const std::string& type,
                                     bool is_dynamic) const {
    SharedArray array;
    array.name = tokens_[at].text;
    array.type = type;
    const auto before = source_.substr(0, tokens_[at].begin);
    array.line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
    for (std::size_t open = at + 1; is(open, "[");) {
      const std::size_t next = after_group(open);
      if (next > tokens_.size() || next < open + 2) break;
      Extent extent;
      extent.begin = tokens_[open].end;
      extent.end = tokens_[next - 1].begin;
      extent.text = trim(source_.substr(extent.begin, extent.end - extent.begin));
      if (next == open + 3) extent.value = value_of(tokens_[open + 1]);
      array.extents.push_back(extent);
      open = next;
    }
    array.is_dynamic = is_dynamic;
    return array;
  }

  // A number, or a name that the text gives one number alone: `N = 32`, `#define N 32`.
  [[nodiscard]] std::optional<std::uint64_t> value_of(const Token& token) const {
    if (token.kind == TokenKind::kNumber) return number_of(token.text);
    std::optional<std::uint64_t> value;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      std::optional<std::uint64_t> found;
      if (tokens_[i].kind == TokenKind::kDirective) {
        const Directive directive = directive_of(tokens_[i].text);
        const std::string_view rest = directive.rest;
        if (directive.name == "define" && rest.starts_with(token.text)) {
          found = number_of(trim(rest.substr(token.text.size())));
        }
      } else if (tokens_[i].text == token.text && is(i + 1, "=") && i + 2 < tokens_.size() &&
                 (is(i + 3, ";") || is(i + 3, ",") || is(i + 3, ">"))) {
        found = number_of(tokens_[i + 2].text);
      }
      if (found && value && *found != *value) return {};
      if (found) value = found;
    }
    return value;
  }

  std::string_view source_;
  std::vector<Token> tokens_;
  std::vector<SharedArray> arrays_;
};

}  // namespace

std::vector<SharedArray> shared_arrays_of(std::string_view source) {
  return ArrayReader(source).all();
}

std::optional<std::uint32_t> bytes_of_type(std::string_view type) {
  static constexpr std::pair<std::string_view, std::uint32_t> kTypes[] = {
      {"char", 1},     {"signed char", 1}, {"unsigned char", 1}, {"bool", 1},
      {"int8_t", 1},   {"uint8_t", 1},     {"short", 2},         {"unsigned short", 2},
      {"half", 2},     {"__half", 2},      {"__nv_bfloat16", 2}, {"int16_t", 2},
      {"uint16_t", 2}, {"int", 4},         {"unsigned", 4},      {"unsigned int", 4},
      {"float", 4},    {"half2", 4},       {"__half2", 4},       {"int32_t", 4},
      {"uint32_t", 4}, {"double", 8},      {"long long", 8},     {"unsigned long long", 8},
      {"float2", 8},   {"int2", 8},        {"uint2", 8},         {"int64_t", 8},
      {"uint64_t", 8}, {"size_t", 8},      {"float4", 16},       {"int4", 16},
      {"uint4", 16},   {"double2", 16},
  };
  const auto* found = std::find_if(std::begin(kTypes), std::end(kTypes),
                                   [&](const auto& one) { return one.first == type; });
  if (found == std::end(kTypes)) return {};
  return found->second;
}

std::string with_last_extent(std::string_view source, const SharedArray& array,
                             std::string_view text) {
  const Extent& last = array.extents.back();
  std::string changed(source.substr(0, last.begin));
  changed += text;
  changed += source.substr(last.end);
  return std::string(trim(line_of(changed, array.line)));
}

}  // namespace lab::source
