#include "harness/core/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace lab {

namespace {

std::string prefix(const Place& place) {
  std::string text = place.file;
  if (place.line > 0) text += fmt::format(":{}", place.line);
  if (place.line > 0 && place.column > 0) text += fmt::format(":{}", place.column);
  return text.empty() ? text : text + ": ";
}

// A line may be a whole file: what is around the caret is enough.
constexpr std::size_t kWidest = 240;  // bytes

std::size_t first_shown(const Place& place) {
  const auto column = static_cast<std::size_t>(std::max(place.column, 0));
  if (place.text.size() <= kWidest || column < kWidest / 2) return 0;
  return std::min(column, place.text.size()) - kWidest / 2;
}

// Tabs are kept in the padding, so that the caret stands below its character.
std::string caret_lines(const Place& place) {
  if (place.text.empty()) return {};
  const std::size_t first = first_shown(place);
  const std::string text = place.text.substr(first, kWidest);
  std::string out = fmt::format("  {}\n", text);
  if (place.column <= 0) return out;
  std::string padding;
  for (std::size_t i = 0; first + i + 1 < static_cast<std::size_t>(place.column); ++i) {
    padding += i < text.size() && text[i] == '\t' ? '\t' : ' ';
  }
  return out + fmt::format("  {}^\n", padding);
}

}  // namespace

std::string render(const Error& error) {
  std::string out;
  if (error.place()) out += prefix(*error.place());
  out += fmt::format("error: {}\n", error.what());
  if (error.place()) out += caret_lines(*error.place());
  if (!error.hint().empty()) out += fmt::format("hint: {}\n", error.hint());
  if (error.fault() == Fault::kInternal) {
    out += "hint: this is a fault of lab itself; please report it with the command you ran\n";
  }
  return out;
}

std::string one_line(const Error& error) {
  std::string text = error.what();
  if (error.place() && error.place()->line > 0) {
    text = fmt::format("{}:{}: {}", error.place()->file, error.place()->line, text);
  }
  return error.hint().empty() ? text : text + "; " + error.hint();
}

}  // namespace lab
