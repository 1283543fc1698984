#include "tools/cli/text/closing_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "tools/cli/text/cells.h"

namespace lab::cli {

namespace {

std::string plural(std::size_t count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

std::string grouped(std::size_t count) { return grouped_text(static_cast<double>(count)); }

std::string cases_summary(const RunRecord& run, const reading::Summary& summary) {
  const std::size_t missing = summary.missing;
  std::string text = missing == 0 ? plural(run.cases.size(), "case")
                                  : fmt::format("{} of {}", run.cases.size(),
                                                plural(run.cases.size() + missing, "case"));
  text += ":";
  std::string_view separator = " ";
  for (const auto& [status, count] : summary.statuses) {
    const std::string name(status == CaseStatus::kOk ? "correct" : name_of(status));
    const std::size_t shown = status == CaseStatus::kOk ? count - summary.unchecked : count;
    if (shown == 0) continue;
    text += fmt::format("{}{} {}", separator, shown, name);
    separator = ", ";
  }
  if (summary.unchecked > 0) {
    text += fmt::format("{}{} not checked", separator, summary.unchecked);
  }
  return text + ".";
}

// `Theory, model and H200`
std::string who_agree(const RunRecord& run, const reading::Summary& summary) {
  std::vector<std::string> who;
  if (summary.theory) who.emplace_back("theory");
  if (summary.model) who.emplace_back("model");
  if (summary.measured) {
    constexpr std::string_view kMaker = "NVIDIA ";
    const bool made = run.gpu.rfind(kMaker, 0) == 0;
    who.push_back(run.gpu.empty() ? "measurement"
                                  : safe_line(made ? run.gpu.substr(kMaker.size()) : run.gpu));
  }
  std::string text;
  for (std::size_t i = 0; i < who.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == who.size() ? " and " : ", ") + who[i];
  }
  if (!text.empty() && text.front() >= 'a') text.front() = static_cast<char>(text.front() - 32);
  return text;
}

}  // namespace

std::string summary_text(const RunRecord& run, const reading::RunReading& read,
                         const Terminal& terminal) {
  std::string text = cases_summary(run, read.summary);
  const reading::VerdictCounts& counts = read.verdicts;
  if (counts.compared() > 0) {
    const bool good = counts.disagrees == 0;
    text += fmt::format(" {} agree in {} of {} values", who_agree(run, read.summary),
                        grouped(counts.agrees), grouped(counts.compared()));
    if (counts.explained > 0) text += fmt::format("; {} explained", grouped(counts.explained));
    if (!good) text += fmt::format("; {} disagree", grouped(counts.disagrees));
    text += ".";
  }
  const Tone tone = counts.disagrees > 0 ? Tone::kBad : Tone::kPlain;
  std::string out;
  for (const std::string& line : wrapped(text, terminal.width)) {
    out += toned(line, tone, terminal) + "\n";
  }
  return out;
}

std::string interrupted_text(const RunRecord& run, const Terminal& terminal) {
  const std::uint64_t missing = run.missing_cases.value_or(0);
  if (missing == 0) return {};
  return toned(fmt::format("Interrupted: {} missing.", plural(missing, "case")), Tone::kBad,
               terminal) +
         "\n";
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
