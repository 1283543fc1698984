#include "tools/cli/text/advice_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "harness/core/text.h"
#include "harness/reading/run_reading.h"
#include "tools/cli/text/cells.h"
#include "tools/cli/text/table.h"

namespace lab::cli {

namespace {

std::string place_of(const metrics::Advice& advice, const RunRecord& run) {
  if (advice.line == 0) return fmt::format("  {}\n", safe_line(run.source_name));
  std::string text = fmt::format("  {}:{}", safe_line(advice.file), advice.line);
  if (advice.file == run.source_name) {
    text += "   " + safe_line(trim(line_of(run.source_text, advice.line)));
  }
  return text + "\n";
}

std::string saving_of(const metrics::Advice& advice) {
  if (advice.unit == metrics::Saving::kNone) return {};
  return fmt::format("Saves {} of {} {}{}.", brief_text(advice.saved), brief_text(advice.total),
                     name_of(advice.unit), metrics::gain_text(advice));
}

std::string indented(const std::string& text, const Terminal& terminal) {
  constexpr int kIndent = 4;
  std::string out;
  for (const std::string& line : wrapped(text, terminal.width - kIndent)) {
    out += fmt::format("{:{}}{}\n", "", kIndent, line);
  }
  return out;
}

// The command that draws the accesses, with the launch that it has, searches as well.
std::string fix_of(const std::string& map) {
  constexpr std::string_view kMap = "lab map ";
  return map.starts_with(kMap) ? "lab fix " + map.substr(kMap.size())
                               : "lab fix, with the options of this command";
}

// Accesses that were not counted may cost anything.
std::string nothing_text(const RunRecord& run) {
  const std::string why = reading::uncounted(run);
  return why.empty() ? "Nothing to gain here: no conflicts, no sectors in vain, no idle lanes "
                       "worth a change."
                     : fmt::format("Nothing to say about accesses that were not counted: {}.", why);
}

}  // namespace

std::string advice_text(const std::vector<metrics::Advice>& all, const RunRecord& run,
                        const std::string& map, const Terminal& terminal) {
  if (all.empty()) {
    std::string nothing;
    for (const std::string& line : wrapped(nothing_text(run), terminal.width)) {
      nothing += line + "\n";
    }
    return nothing;
  }
  std::string out = "What to change:\n";
  for (const metrics::Advice& advice : all) {
    out += toned(place_of(advice, run), Tone::kStrong, terminal);
    out += indented(advice.finding + ".", terminal);
    out += indented(fmt::format("{} {}", advice.cure, saving_of(advice)), terminal);
  }
  if (!map.empty()) out += fmt::format("To see the accesses: {}\n", map);
  if (std::any_of(all.begin(), all.end(), metrics::is_of_layout)) {
    out += fmt::format("To find the best layout: {}\n", fix_of(map));
  }
  return out;
}

}  // namespace lab::cli
