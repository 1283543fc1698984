#include "tools/cli/text/advice_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "harness/core/text.h"
#include "harness/reading/run_reading.h"
#include "tools/cli/text/cells.h"
#include "tools/cli/text/source_line.h"
#include "tools/cli/text/table.h"

namespace lab::cli {

namespace {

std::string place_of(const metrics::Advice& advice, const RunRecord& run,
                     const Terminal& terminal) {
  if (advice.line == 0) return fmt::format("  {}\n", safe_line(run.source_name));
  std::string text = fmt::format("  {}:{}", safe_line(advice.file), advice.line);
  if (advice.file == run.source_name) {
    text += "   " + source_line(run.source_text, advice.line);
  }
  return cut(text, terminal.width) + "\n";
}

// `Also line 9.`
std::string also_of(const metrics::Advice& advice) {
  if (advice.also.empty()) return {};
  return fmt::format(" Also line{} {}.", advice.also.size() == 1 ? "" : "s",
                     fmt::join(advice.also, ", "));
}

std::string saving_of(const metrics::Advice& advice) {
  if (advice.unit == metrics::Saving::kNone) return {};
  return fmt::format("Saves {} of {} {}{}.", brief_text(advice.saved), brief_text(advice.total),
                     name_of(advice.unit), metrics::gain_text(advice));
}

// The command that draws the accesses, with the launch that it has, searches as well.
std::string fix_of(const std::string& map) {
  constexpr std::string_view kMap = "lab map ";
  return map.starts_with(kMap) ? "lab fix " + map.substr(kMap.size()) : std::string();
}

// A command that is longer than the screen goes on in the next line, as a shell takes it.
std::string command_text(std::string_view what, const std::string& command,
                         const Terminal& terminal) {
  constexpr int kEnd = 2;  // ` \`
  const std::string line = fmt::format("{}: {}", what, command);
  const std::size_t width = static_cast<std::size_t>(std::max(terminal.width, kEnd + 1));
  if (line.size() <= width) return line + "\n";
  std::string out = fmt::format("{}:\n", what);
  std::string at = " ";
  for (const std::string_view option : split(command, ' ')) {
    const bool begins = option.starts_with("-") && at.size() > 2;
    if (begins && at.size() + option.size() + 26 > width) {
      out += at + " \\\n";
      at = "     ";
    }
    at += fmt::format(" {}", option);
  }
  return out + at + "\n";
}

std::string commands_text(const std::vector<metrics::Advice>& all, const std::string& map,
                          const Terminal& terminal) {
  const std::string shown = safe_line(map);
  const std::string fix = fix_of(shown);
  const bool layout = std::any_of(all.begin(), all.end(), metrics::is_of_layout);
  const bool brief = map.size() + 22 <= static_cast<std::size_t>(std::max(terminal.width, 0));
  std::string out;
  // A launch is long, and lab fix has the same.
  const bool of_lab = map.find(" --grid ") == std::string::npos;
  if (!map.empty() && (brief || !layout || of_lab))
    out += command_text("To see the accesses", shown, terminal);
  if (layout && !fix.empty()) out += command_text("To find the best layout", fix, terminal);
  return out;
}

// Accesses that were not counted may cost anything.
std::string nothing_text(const RunRecord& run) {
  const std::string why = reading::uncounted(run);
  return why.empty()
             ? "I looked for bank conflicts, wasted sectors, idle threads, contended atomics "
               "and what is loaded or stored again, and found none worth a change."
             : fmt::format("Nothing to say about accesses that were not counted: {}.", why);
}

std::string item_text(const metrics::Advice& advice, const RunRecord& run,
                      const Terminal& terminal) {
  constexpr int kIndent = 4;
  return toned(place_of(advice, run, terminal), Tone::kStrong, terminal) +
         paragraph(advice.finding + "." + also_of(advice), terminal.width, kIndent) +
         paragraph(fmt::format("{} {}", advice.cure, saving_of(advice)), terminal.width, kIndent);
}

}  // namespace

std::string advice_text(const std::vector<metrics::Advice>& all, const RunRecord& run,
                        const std::string& map, const Terminal& terminal) {
  std::string change;
  std::string hidden;
  for (const metrics::Advice& advice : all) {
    (advice.hidden ? hidden : change) += item_text(advice, run, terminal);
  }
  std::string out;
  if (!change.empty()) out += "What to change:\n" + change;
  // What the expected time does not depend on is no change to make first.
  if (!hidden.empty()) out += "Wasted, though a change saves no time here:\n" + hidden;
  if (out.empty()) return paragraph(nothing_text(run), terminal.width);
  return out + commands_text(all, map, terminal);
}

}  // namespace lab::cli
