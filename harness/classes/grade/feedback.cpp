#include "harness/classes/grade/feedback.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "harness/classes/grade/points.h"
#include "harness/core/metric_keys.h"
#include "harness/core/text.h"
#include "harness/core/unicode.h"
#include "harness/page/markdown.h"
#include "harness/reading/case_reading.h"
#include "harness/reading/finding_text.h"
#include "harness/reading/looked_for.h"
#include "harness/run/kernels.h"
#include "harness/run/machine.h"
#include "harness/run/places.h"
#include "metrics/advice.h"

namespace lab::grade {

namespace {

using page::as_code;
using page::plain;

/// What one thing that went wrong cost: told once, for all the criteria that it decides.
struct Cause {
  std::string text;
  std::string hint = {};               ///< the rubric's words
  std::vector<std::size_t> lost = {};  ///< indices of criteria
};

/// How an amount of a metric is said. `each`: what one access has, where its requests are known.
struct Words {
  std::string_view metric;
  std::string_view all;       ///< `Loads from global memory touch {} sectors`
  std::string_view each;      ///< `Each load of shared memory takes {} turns`; empty: not said
  std::string_view requests;  ///< that `each` divides by
};

constexpr std::array<Words, 11> kWords = {{
    {metric::kGlobalLoadSectors, "Loads of global memory touch {} sectors of 32 bytes",
     "Each load of a warp touches {} sectors of 32 bytes", metric::kGlobalLoadRequests},
    {metric::kGlobalStoreSectors, "Stores to global memory touch {} sectors of 32 bytes",
     "Each store of a warp touches {} sectors of 32 bytes", metric::kGlobalStoreRequests},
    {metric::kGlobalLoadRequests, "The warps issue {} loads of global memory", "", ""},
    {metric::kSharedLoadWavefrontsSass, "Loads of shared memory take {} turns",
     "Each load of shared memory takes {} turns", metric::kSharedLoadRequests},
    {metric::kSharedStoreWavefrontsSass, "Stores to shared memory take {} turns",
     "Each store to shared memory takes {} turns", metric::kSharedStoreRequests},
    {"global_traffic", "Loads, stores, atomics and local memory together move {} sectors", "", ""},
    {"other_traffic", "Atomics and local memory move {} sectors", "", ""},
    {"load_requests", "The warps issue {} loads of global memory", "", ""},
    {"load_sectors", "Loads of global memory touch {} sectors of 32 bytes", "", ""},
    {"shared_traffic", "Shared memory is busy for {} turns", "", ""},
    {metric::kWorkingThreads, "{} threads work", "", ""},
}};

const Words* plain_words(std::string_view metric) {
  const auto at = std::find_if(kWords.begin(), kWords.end(),
                               [&](const Words& one) { return one.metric == metric; });
  return at == kWords.end() ? nullptr : &*at;
}

std::string amount(double value) { return number_text(std::round(value * 100) / 100); }

// `Each load of shared memory takes 32 turns; 1 is possible.` Empty: there are no such words.
std::string cost_text(const db::CriterionRow& row, const CaseRecord& record) {
  const Words* words = plain_words(row.metric);
  if (words == nullptr || !row.value) return {};
  const double value = *row.value;
  const bool known = row.excess && *row.excess > 0 && std::isfinite(*row.excess);
  const double target = known ? value / *row.excess : 0;
  // Too little is no saving: what is missing was not done, or by another way.
  const bool less = value == 0 || (known && *row.excess < 1);
  const auto requests = graded_value(record, std::string(words->requests));
  const bool each = !less && known && !words->each.empty() && requests && *requests > 0;
  const double by = each ? *requests : 1;
  std::string text = fmt::format(fmt::runtime(each ? words->each : words->all), amount(value / by));
  const std::string_view than = less ? "the task needs" : "possible";
  if (!known) return text + (less ? "; the task needs some" : "; the task needs none");
  return text + (less ? fmt::format("; {} {}", than, amount(target / by))
                      : fmt::format("; {} {} {}", amount(target / by),
                                    target / by == 1 ? "is" : "are", than));
}

const CaseRecord* deciding_case(const db::CriterionRow& row, const RunRecord* run) {
  if (run == nullptr || row.params.is_hidden()) return nullptr;
  const auto at = std::find_if(run->cases.begin(), run->cases.end(), [&](const CaseRecord& one) {
    return one.variant == row.variant && one.params.text() == row.params.text();
  });
  return at == run->cases.end() ? nullptr : &*at;
}

// The criterion that decides this one, too: one that it needs, or a part of what it sums up.
std::optional<std::size_t> decided_by(const Rubric& rubric, std::size_t index,
                                      const std::vector<db::CriterionRow>& rows) {
  const Criterion& criterion = rubric.criteria[index];
  for (std::size_t i = 0; i < index; ++i) {
    if (!rows[i].points || is_met(rows[i])) continue;
    const Criterion& other = rubric.criteria[i];
    const auto& needs = criterion.needs;
    if (std::find(needs.begin(), needs.end(), other.name) != needs.end()) return i;
    if (rows[i].params.is_hidden() != rows[index].params.is_hidden()) continue;
    // What keeps a case from being right keeps it from all the rest.
    const bool same_reason = !rows[index].value && rows[i].reason == rows[index].reason;
    if (same_reason && criterion.variant == other.variant) return i;
    for (const Traffic& sum : traffics()) {
      const auto& parts = sum.parts;
      const bool part = std::find(parts.begin(), parts.end(), other.metric) != parts.end();
      if (sum.name == criterion.metric && part && criterion.variant == other.variant) return i;
    }
  }
  return {};
}

Cause cause_of(const Criterion& criterion, const db::CriterionRow& row, const RunRecord* run) {
  Cause cause{{}, criterion.feedback};
  // The result of a hidden case would tell its size.
  if (row.params.is_hidden()) {
    cause.text = "Not met at a size that is not told here.\n";
  } else if (row.reason.find('\n') != std::string::npos) {
    cause.text = as_code(row.reason);
  } else {
    const CaseRecord* record = deciding_case(row, run);
    std::string text = record == nullptr ? std::string() : cost_text(row, *record);
    if (text.empty()) text = row.reason;
    cause.text = plain(text);
    if (!row.params.text().empty()) cause.text += fmt::format(" (at {})", plain(row.params.text()));
    cause.text += ".\n";
  }
  return cause;
}

std::string criterion_line(const db::CriterionRow& row) {
  if (row.of == 0 && row.points) {
    return fmt::format("* {}: {}\n", plain(row.name),
                       is_met(row) ? "it holds" : "others count where it holds");
  }
  return fmt::format("* {}: {}\n", plain(row.name), points_text(row.points, row.of));
}

std::string causes_text(const Rubric& rubric, const db::GradeRow& grade, const RunRecord* run) {
  std::map<std::size_t, Cause> causes;  // by the criterion that decides
  std::map<std::size_t, std::size_t> decides;
  for (std::size_t i = 0; i < grade.criteria.size() && i < rubric.criteria.size(); ++i) {
    const db::CriterionRow& row = grade.criteria[i];
    if (is_met(row)) continue;
    const std::optional<std::size_t> other = decided_by(rubric, i, grade.criteria);
    decides[i] = other ? decides[*other] : i;
    if (!other) causes[i] = cause_of(rubric.criteria[i], row, run);
    causes[decides[i]].lost.push_back(i);
  }
  std::string out;
  for (const auto& [index, cause] : causes) {
    out += "\n" + cause.text + "\n";
    if (cause.lost.size() == grade.criteria.size() && cause.lost.size() > 1) {
      out += grade.points ? "That costs all points.\n" : "All points wait for it.\n";
      if (!cause.hint.empty()) out += fmt::format("\n{}\n", cause.hint);
      break;
    }
    for (const std::size_t i : cause.lost) {
      const db::CriterionRow& row = grade.criteria[i];
      out += criterion_line(row);
    }
    if (!cause.hint.empty()) out += fmt::format("\n{}\n", cause.hint);
  }
  return out.empty() ? out : "\n## What cost points\n" + out;
}

std::string met_text(const db::GradeRow& grade) {
  std::string out;
  for (const db::CriterionRow& row : grade.criteria) {
    if (is_met(row)) out += criterion_line(row);
  }
  return out.empty() ? out : "\n## What is there\n\n" + out;
}

// Of a file without the kernel: what it would have to be called, and like what it looks.
std::string wanted_text(const Rubric& rubric) {
  if (rubric.of_program()) return {};  // it calls its kernels as it likes
  const std::set<std::string> names = kernels_of(rubric);
  std::string out;
  for (const std::string& one : run::kernel_signatures(run::own_kernels(*rubric.lab).text)) {
    const bool wanted = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return one.find(" " + name + "(") != std::string::npos;
    });
    if (wanted) out += one + "\n";
  }
  return out.empty() ? out : "\nIt must define\n\n" + as_code(out);
}

using Mistake = std::pair<int, FindingKind>;  // its line and kind

// Mistakes that the reasons of lost points have named already: of these only the lines are shown.
std::set<Mistake> told_above(const Rubric& rubric, const db::GradeRow& grade,
                             const RunRecord& run) {
  std::set<Mistake> told;
  for (const db::CriterionRow& row : grade.criteria) {
    const auto criterion = std::find_if(rubric.criteria.begin(), rubric.criteria.end(),
                                        [&](const auto& one) { return one.name == row.name; });
    if (is_met(row) || row.params.is_hidden() || criterion == rubric.criteria.end()) continue;
    for (const CaseRecord& record : run.cases) {
      if (record.variant != row.variant || record.params.text() != row.params.text()) continue;
      const Finding* const finding = named_finding(*criterion, record);
      if (finding != nullptr) told.insert({finding->line, finding->kind});
    }
  }
  return told;
}

std::string findings_text(const Rubric& rubric, const db::GradeRow& grade, const RunRecord& run) {
  std::string out;
  const std::set<Mistake> above = told_above(rubric, grade, run);
  std::set<Mistake> told;
  for (const CaseRecord& record : run.cases) {
    if (record.status == CaseStatus::kOk || rubric.is_hidden(record)) continue;
    for (const Finding& finding : record.findings) {
      const Mistake mistake{finding.line, finding.kind};
      if (!told.insert(mistake).second) continue;
      out += finding.line > 0 ? fmt::format("* line {}", finding.line) : std::string("* no line");
      out += above.contains(mistake) ? "\n" : ": " + plain(reading::sentence_of(finding)) + "\n";
      if (!finding.source.empty()) out += "\n" + as_code(finding.source) + "\n";
    }
  }
  return out.empty() ? out : "\n## What was found\n\n" + out;
}

// Each line's once: they cost no points.
std::string remarks_text(const Rubric& rubric, const RunRecord& run) {
  std::string out;
  std::set<Mistake> told;
  for (const CaseRecord& record : run.cases) {
    if (rubric.is_hidden(record)) continue;
    for (const Finding& remark : record.remarks) {
      if (!told.insert({remark.line, remark.kind}).second) continue;
      out += fmt::format("* {}\n", plain(remark.message));
      if (!remark.source.empty()) out += "\n" + as_code(remark.source) + "\n";
    }
  }
  return out.empty() ? out : "\n## Remarks, which cost no points\n\n" + out;
}

// Full points say no more than what was looked for. Hidden cases are left out.
std::string not_looked_for_text(const Rubric& rubric, const RunRecord& run) {
  reading::Cases cases;
  for (const CaseRecord& record : run.cases) {
    const bool whole = rubric.of_program() && record.kernel.empty();  // sums of what launches did
    if (!whole && !rubric.is_hidden(record)) cases.push_back(&record);
  }
  const std::string text = reading::not_looked_for_text(cases);
  return text.empty() ? text : "\n" + plain(text) + "\n";
}

// Where, and what is seen there: what to do about it is the task.
std::string advice_of_case(const CaseRecord& record, const RunRecord& run) {
  std::string out;
  for (const metrics::Advice& advice : metrics::advise(record, run::machine_of(run, nullptr))) {
    out += fmt::format("* {}{}.\n",
                       advice.line > 0 ? fmt::format("Line {}: ", advice.line) : std::string(),
                       plain(advice.finding));
  }
  return out;
}

// The first case of each variant that is right and costs more than it should.
std::string hints_text(const Rubric& rubric, const RunRecord& run) {
  std::string out;
  std::set<std::string> told;
  for (const CaseRecord& record : run.cases) {
    const bool costs = reading::read(record).standing == reading::Standing::kAboveTarget;
    if (record.status != CaseStatus::kOk || !costs || rubric.is_hidden(record)) continue;
    if (told.insert(record.variant).second) out += advice_of_case(record, run);
  }
  if (out.empty()) return out;
  return fmt::format(
      "\n## Where to look\n\n{0}\n`lab explain {1} --kernel FILE` shows what each line costs, `lab "
      "hint {1}` asks the next question.\n",
      out, rubric.lab->called());
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
  } else if (grade.status == db::GradeStatus::kNoKernel) {
    return out + fmt::format("\n{}.\n", plain(grade.reason)) + wanted_text(rubric);
  } else if (run == nullptr) {
    return out + fmt::format("\n{}.\n", plain(grade.reason));
  } else if (grade.status == db::GradeStatus::kNotCompiled) {
    return out + "\nIt does not compile:\n\n" + as_code(grade.reason);
  }
  if (run == nullptr) return out;
  return out + causes_text(rubric, grade, run) + findings_text(rubric, grade, *run) +
         remarks_text(rubric, *run) + hints_text(rubric, *run) + met_text(grade) +
         not_looked_for_text(rubric, *run);
}

}  // namespace lab::grade
