#include "tools/cli/text/closing_text.h"

#include <fmt/format.h>

#include "harness/reading/came_to_text.h"
#include "harness/reading/looked_for.h"

namespace lab::cli {

namespace {

std::string plural(std::size_t count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

}  // namespace

std::string summary_text(const RunRecord& run, const reading::RunReading& read,
                         const Terminal& terminal) {
  const Tone tone = read.verdicts.disagrees > 0 ? Tone::kBad : Tone::kPlain;
  return toned_paragraph(reading::came_to_text(run, read), tone, terminal);
}

std::string looked_text(const RunRecord& run, bool all, const Terminal& terminal) {
  reading::Cases cases;
  for (const CaseRecord& record : run.cases) cases.push_back(&record);
  const std::string text =
      all ? reading::looked_for_text(cases) : reading::not_looked_for_text(cases);
  return text.empty() ? text : toned_paragraph(text, Tone::kPlain, terminal);
}

std::string next_text(const RunRecord& run, const reading::RunReading& read,
                      const std::string& stored_in, std::size_t left_out) {
  const bool stored = !stored_in.empty() && run.id > 0;
  std::string out;
  if (left_out > 0) out += plural(left_out, "more case") + ": --all.";
  const auto add = [&](const std::string& text) { out += (out.empty() ? "" : "   ") + text; };
  if (stored) add("Every metric: lab compare.");
  if (read.stuck) add("Stuck? lab hint " + run.called());
  if (!out.empty()) out += "\n";
  if (stored) out += fmt::format("Stored as run {} in {}.\n", run.id, safe_line(stored_in));
  return out;
}

}  // namespace lab::cli
