#include "tools/cli/text/source_line.h"

#include <algorithm>

#include "harness/core/text.h"
#include "harness/core/unicode.h"

namespace lab::cli {

std::string source_line(std::string_view line) {
  std::string text(trim(line));
  std::replace(text.begin(), text.end(), '\t', ' ');
  return safe_line(text);
}

}  // namespace lab::cli
