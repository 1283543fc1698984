#include "harness/classes/grade/compiler_errors.h"

#include <fmt/format.h>

#include <cctype>
#include <vector>

#include "harness/core/text.h"

namespace lab::grade {

namespace {

constexpr std::size_t kMostErrors = 3;
constexpr std::size_t kMostLines = 4;    // of one: message, source, caret, and one more
constexpr std::size_t kMostBytes = 300;  // of one line

enum class Begins { kError, kOther, kNothing };

// `mine.cu(3): error: ...` of NVRTC, `mine.cu:3:7: error: ...` of what lab says itself; the word
// may be gone from the first of a text.
Begins begins(std::string_view line, bool first) {
  const std::size_t colon = line.find("): ");
  const std::size_t open = colon == std::string_view::npos ? colon : line.rfind('(', colon);
  std::size_t after = std::string_view::npos;
  if (open != std::string_view::npos && open + 1 < colon &&
      line.find_first_not_of("0123456789", open + 1) == colon) {
    after = colon + 3;
  }
  if (after == std::string_view::npos) {
    const std::size_t error = line.find(": error: ");
    if (error == std::string_view::npos) return first ? Begins::kError : Begins::kNothing;
    return Begins::kError;
  }
  const std::string_view rest = line.substr(after);
  if (rest.starts_with("error") || rest.starts_with("catastrophic error")) return Begins::kError;
  const bool other =
      rest.starts_with("warning") || rest.starts_with("remark") || rest.starts_with("note");
  return other || !first ? Begins::kOther : Begins::kError;
}

std::string_view cut(std::string_view line) { return line.substr(0, kMostBytes); }

}  // namespace

std::string first_errors(std::string_view log) {
  std::string out;
  std::size_t errors = 0;
  std::size_t lines = 0;  // of the error that is being read
  bool inside = false;
  bool first = true;
  for (const std::string_view line : split(log, '\n')) {
    const Begins kind = begins(line, first);
    first = false;
    if (kind == Begins::kError) {
      ++errors;
      lines = 0;
      inside = errors <= kMostErrors;
      if (inside && !out.empty()) out += '\n';
    } else if (kind == Begins::kOther || trim(line).empty()) {
      inside = false;
    }
    if (!inside || lines == kMostLines) continue;
    ++lines;
    out += fmt::format("{}\n", cut(line));
  }
  if (errors > kMostErrors) out += fmt::format("\nand {} errors more\n", errors - kMostErrors);
  return std::string(trim(out));
}

}  // namespace lab::grade
