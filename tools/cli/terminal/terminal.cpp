#include "tools/cli/terminal/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

namespace lab::cli {

namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string value = environment(name);
    if (value.empty()) continue;
    return value.find("UTF-8") != std::string::npos || value.find("utf8") != std::string::npos;
  }
  return false;
}

int columns_elsewhere() {
  constexpr int kDefault = 100;
  const int columns = std::atoi(environment("COLUMNS").c_str());
  return columns >= 20 && columns <= 10000 ? columns : kDefault;
}

}  // namespace

Terminal terminal_facts(std::FILE* stream) {
  const int descriptor = fileno(stream);
  Terminal facts;
  facts.tty = isatty(descriptor) == 1;
  facts.colour = facts.tty && environment("NO_COLOR").empty() && environment("TERM") != "dumb";
  facts.unicode = locale_is_utf8();
  winsize size{};
  if (facts.tty) ioctl(descriptor, TIOCGWINSZ, &size);  // else, and where it fails, 0 x 0
  facts.width = size.ws_col > 0 ? size.ws_col : columns_elsewhere();
  facts.lines = size.ws_row;
  return facts;
}

std::string toned(std::string_view text, Tone tone, const Terminal& terminal) {
  // ECMA-48 "select graphic rendition".
  constexpr std::array<std::string_view, 6> kCodes = {"", "1", "2", "32", "33", "31"};
  const std::string_view code = kCodes[static_cast<std::size_t>(tone)];
  if (!terminal.colour || code.empty() || text.empty()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

std::string cut(std::string text, int width) {
  if (display_width(text) <= width) return text;
  while (!text.empty() && display_width(text) > width - 3) text.pop_back();
  return safe_line(text) + "...";  // what is left of a character that was cut
}

std::vector<std::string> wrapped(std::string_view text, int width) {
  std::vector<std::string> lines;
  std::string line;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty() && display_width(line) + 1 + display_width(word) > width) {
      lines.push_back(line);
      line.clear();
    }
    if (!line.empty()) line += ' ';
    line += word;
  }
  if (!line.empty() || lines.empty()) lines.push_back(line);
  return lines;
}

std::string paragraph(std::string_view text, int width, int margin, int more) {
  std::string out;
  for (const std::string& line : wrapped(text, width - margin - more)) {
    out += fmt::format("{:{}}{}\n", "", out.empty() ? margin : margin + more, line);
  }
  return out;
}

std::string toned_paragraph(std::string_view text, Tone tone, const Terminal& terminal,
                            int margin) {
  std::string out;
  for (const std::string& line : wrapped(text, terminal.width - margin)) {
    out += fmt::format("{:{}}{}\n", "", margin, toned(line, tone, terminal));
  }
  return out;
}

}  // namespace lab::cli
