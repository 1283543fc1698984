#include "tools/cli/text/case_heading.h"

namespace lab::cli {

std::string case_heading(const CaseRecord& record, const std::string& rest,
                         const Terminal& terminal) {
  const std::string name = safe_line(record.variant.empty() ? record.kernel : record.variant);
  const std::string params = safe_line(record.params.text());
  std::string out = toned(name, Tone::kStrong, terminal);
  int column = display_width(name);
  for (const std::string& part : {params, safe_line(rest)}) {
    if (part.empty()) continue;
    const bool fits = column + 2 + display_width(part) <= terminal.width;
    out += (fits ? "  " : "\n  ") + part;
    column = (fits ? column : 0) + 2 + display_width(part);
  }
  return out + "\n\n";
}

}  // namespace lab::cli
