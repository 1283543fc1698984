#include "harness/reading/came_to_text.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "harness/core/numbers.h"
#include "harness/core/unicode.h"
#include "harness/page/make.h"
#include "harness/page/numbers.h"
#include "harness/reading/case_name.h"
#include "harness/reading/figures.h"

namespace lab::reading {
namespace {

std::string grouped(std::size_t count) { return grouped_text(static_cast<double>(count)); }

std::string cases_summary(const RunRecord& run, const Summary& summary) {
  const std::size_t missing = summary.missing;
  std::string text = missing == 0 ? page::counted(run.cases.size(), "case")
                                  : fmt::format("{} of {}", run.cases.size(),
                                                page::counted(run.cases.size() + missing, "case"));
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

// `Theory, model and H200 agree`
std::string who_agree(const RunRecord& run, const Summary& summary) {
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
  return text + (who.size() > 1 ? " agree" : " agrees");
}

}  // namespace

std::string came_to_text(const RunRecord& run, const RunReading& read) {
  std::string text = cases_summary(run, read.summary);
  const VerdictCounts& counts = read.verdicts;
  if (counts.compared() == 0) return text;
  text += fmt::format(" {} in {} of {} values", who_agree(run, read.summary),
                      grouped(counts.agrees), grouped(counts.compared()));
  if (counts.explained > 0) text += fmt::format("; {} explained", grouped(counts.explained));
  if (counts.disagrees > 0) text += fmt::format("; {} disagree", grouped(counts.disagrees));
  return text + ".";
}

std::string standing_sentence(const RunRecord& run, const RunReading& read) {
  const StandingCounts& counts = read.standing;
  if (counts.cases == 0) return {};
  std::string text = fmt::format("{} of {} on target", counts.on_target, counts.cases);
  if (read.furthest) {
    const CaseRecord& record = run.cases[*read.furthest];
    const Against& worst = *read.cases[*read.furthest].furthest;
    text += fmt::format(". Furthest from it: {}, {} x the target in {}",
                        safe_line(title_of(record, " ")), brief_text(worst.excess),
                        title_of(worst.metric));
  }
  return text + ".";
}

std::vector<page::Block> interrupted(const RunRecord& run) {
  const std::uint64_t missing = run.missing_cases.value_or(0);
  if (missing == 0) return {};
  return {page::sentence(fmt::format("Interrupted: {} missing.", page::counted(missing, "case")),
                         page::Role::kResult, page::Tone::kBad)};
}

}  // namespace lab::reading
