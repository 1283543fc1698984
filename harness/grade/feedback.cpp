#include "harness/grade/feedback.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/core/text.h"
#include "harness/core/unicode.h"
#include "harness/reading/case_reading.h"
#include "harness/run/machine.h"
#include "metrics/advice.h"

namespace lab::grade {

namespace {

// Text of a student's file within Markdown: it stays text.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : safe_text(text)) {
    if (c == '\n' || c == '\r' || c == '\t') {
      out += ' ';
    } else if (c == '<') {
      out += "&lt;";
    } else {
      if (std::string_view("\\`*_[]|#").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

// Indented by four, text is code in Markdown, whatever it holds.
std::string as_code(std::string_view text) {
  std::string out;
  const std::string shown = safe_text(trim(text));
  for (const std::string_view line : split(shown, '\n')) out += fmt::format("    {}\n", line);
  return out;
}

std::string criterion_text(const Criterion& criterion, const db::CriterionRow& row) {
  std::string out =
      fmt::format("\n## {}: {}\n\n", plain(row.name), points_text(row.points, row.of));
  const std::string asked =
      row.metric.empty() ? row.threshold : fmt::format("{}: {}", row.metric, row.threshold);
  out += fmt::format("Asked: {} ({}).\n", plain(asked), plain(row.variant));
  if (row.reason.empty()) return out;
  // The result of a hidden case would tell its size.
  if (row.params.is_hidden()) {
    out += "Not met at a size that is not told here.\n";
  } else if (row.reason.find('\n') != std::string::npos) {
    out += "\n" + as_code(row.reason);
  } else {
    out += row.params.text().empty()
               ? fmt::format("Found: {}.\n", plain(row.reason))
               : fmt::format("Found at {}: {}.\n", plain(row.params.text()), plain(row.reason));
  }
  if (!criterion.feedback.empty()) out += fmt::format("\n{}\n", criterion.feedback);
  return out;
}

bool is_hidden_case(const Rubric& rubric, const CaseRecord& record) {
  return rubric.hidden.count(record.index) > 0;
}

std::string findings_text(const Rubric& rubric, const RunRecord& run) {
  std::string out;
  std::set<std::string> told;
  for (const CaseRecord& record : run.cases) {
    if (record.status == CaseStatus::kOk || is_hidden_case(rubric, record)) continue;
    for (const Finding& finding : record.findings) {
      const std::string where = fmt::format("line {}", finding.line);
      if (!told.insert(where + std::string(name_of(finding.kind))).second) continue;
      out += fmt::format("* {}: {}\n", finding.line > 0 ? where : std::string("no line"),
                         plain(finding.message));
      if (!finding.source.empty()) out += "\n" + as_code(finding.source) + "\n";
    }
  }
  return out.empty() ? out : "\n## What was found\n\n" + out;
}

std::string advice_of_case(const CaseRecord& record, const RunRecord& run) {
  std::string out;
  for (const metrics::Advice& advice : metrics::advise(record, run::machine_of(run, nullptr))) {
    out += fmt::format("* {}{}. {}\n",
                       advice.line > 0 ? fmt::format("Line {}: ", advice.line) : std::string(),
                       plain(advice.finding), plain(advice.cure));
  }
  return out;
}

// The first case of each variant that is right and costs more than it should.
std::string hints_text(const Rubric& rubric, const RunRecord& run) {
  std::string out;
  std::set<std::string> told;
  for (const CaseRecord& record : run.cases) {
    const bool costs = reading::read(record).standing == reading::Standing::kAboveTarget;
    if (record.status != CaseStatus::kOk || !costs || is_hidden_case(rubric, record)) continue;
    if (told.insert(record.variant).second) out += advice_of_case(record, run);
  }
  return out.empty() ? out : "\n## What to change\n\n" + out;
}

}  // namespace

std::string points_text(const std::optional<double>& points, double of) {
  if (!points) return "open: a person has to say";
  return fmt::format("{} of {}", number_text(*points), number_text(of));
}

std::string feedback_text(const Rubric& rubric, const db::GradeRow& grade, const RunRecord* run) {
  std::string out =
      fmt::format("# Lab {}: {}\n\n{}: **{}**\n", rubric.lab->called(), rubric.lab->title,
                  plain(grade.student), points_text(grade.points, grade.of));
  if (grade.status == db::GradeStatus::kManual) {
    out += fmt::format("\nNot graded by the program: {}.\n", plain(grade.reason));
  } else if (run == nullptr) {
    return out + fmt::format("\n{}.\n", plain(grade.reason));
  } else if (grade.status == db::GradeStatus::kNotCompiled) {
    return out + "\nIt does not compile:\n\n" + as_code(grade.reason);
  }
  for (std::size_t i = 0; i < grade.criteria.size() && i < rubric.criteria.size(); ++i) {
    out += criterion_text(rubric.criteria[i], grade.criteria[i]);
  }
  return run == nullptr ? out : out + findings_text(rubric, *run) + hints_text(rubric, *run);
}

}  // namespace lab::grade
