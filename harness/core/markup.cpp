#include "harness/core/markup.h"

#include "harness/core/unicode.h"

namespace lab {

namespace {

std::string_view reference(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : safe_text(text)) {
    const std::string_view known = reference(c);
    if (known.empty()) {
      out += c;
    } else {
      out += known;
    }
  }
  return out;
}

}  // namespace lab
