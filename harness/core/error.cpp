#include "harness/core/error.h"

#include <fmt/format.h>

namespace lab {

namespace {

std::string prefix(const Place& place) {
  std::string text = place.file;
  if (place.line > 0) text += fmt::format(":{}", place.line);
  if (place.line > 0 && place.column > 0) text += fmt::format(":{}", place.column);
  return text.empty() ? text : text + ": ";
}

// Tabs are kept in the padding, so that the caret stands below its character.
std::string caret_lines(const Place& place) {
  if (place.text.empty()) return {};
  std::string out = fmt::format("  {}\n", place.text);
  if (place.column <= 0) return out;
  std::string padding;
  for (int i = 0; i + 1 < place.column; ++i) {
    const auto at = static_cast<std::size_t>(i);
    padding += at < place.text.size() && place.text[at] == '\t' ? '\t' : ' ';
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
