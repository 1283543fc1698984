#include "harness/reading/program_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/metric_keys.h"
#include "harness/page/make.h"
#include "harness/page/numbers.h"
#include "harness/reading/advice_page.h"
#include "harness/reading/case_reading.h"
#include "harness/reading/figures.h"
#include "harness/reading/looked_for.h"
#include "harness/reading/remarks.h"
#include "harness/reading/run_reading.h"
#include "harness/reading/times.h"

namespace lab::reading {

namespace {

using page::counted;

std::string summary_text(const ProgramReading& read, const CommandEnd& end,
                         const std::string& compiler) {
  std::string checked =
      read.findings.empty() ? "no finding" : counted(read.findings.size(), "finding");
  if (!read.remarks.empty()) checked += ", " + counted(read.remarks.size(), "remark");
  const std::string by = compiler.empty() ? "" : fmt::format(" (host code by {})", compiler);
  return fmt::format("{}, {}, {}, checked: {}{}", counted(read.kernels, "kernel"),
                     counted(read.launches, "launch", "launches"), end_text(end), checked, by);
}

// ---- the table of kernels ----

// A template's name may be longer than all that is said of it.
std::string short_name(const std::string& kernel) {
  constexpr std::size_t kMost = 30;
  return kernel.size() <= kMost ? kernel : kernel.substr(0, kMost - 3) + "...";
}

std::string shape_text(const Dim3& size) {
  if (size.z > 1) return fmt::format("{}x{}x{}", size.x, size.y, size.z);
  return size.y > 1 ? fmt::format("{}x{}", size.x, size.y) : fmt::format("{}", size.x);
}

// A kernel that stores alone has no sectors of loads, and no ways where it has no shared memory.
page::Cell per_request(const CaseRecord& record, std::string_view requests, std::string_view key,
                       page::Digits digits) {
  const auto any = best_value(record, requests);
  return page::number_cell(any && *any != 0 ? best_value(record, key) : std::nullopt, digits);
}

page::Cell microseconds(const std::optional<double>& ns) {
  constexpr double kNs = 1000;
  return page::number_cell(ns ? std::optional(*ns / kNs) : std::nullopt, page::Digits::kTenth);
}

// A kernel with a mistake has dashes: its cost is no matter.
std::vector<page::Cell> cost_cells(const CaseRecord& record, bool timed) {
  if (has_mistake(record)) return {timed ? 5U : 4U, page::number_cell({})};
  std::vector<page::Cell> cells = {
      per_request(record, metric::kGlobalLoadRequests, metric::kGlobalLoadSectorsPerRequest,
                  page::Digits::kTenth),
      per_request(record, metric::kGlobalStoreRequests, metric::kGlobalStoreSectorsPerRequest,
                  page::Digits::kTenth),
      per_request(record, metric::kSharedLoadRequests, metric::kSharedLoadWays,
                  page::Digits::kWhole),
      microseconds(record.expected ? record.expected->ns : std::nullopt)};
  if (timed) {
    cells.push_back(
        microseconds(record.timing ? std::optional(record.timing->median_ns) : std::nullopt));
  }
  return cells;
}

// Whose share of the program's time is said: of one case alone it says nothing.
bool has_shares(const ProgramReading& read) {
  return read.cases.size() > 1 && read.cases.front().share.has_value();
}

page::Table kernels_table(const ProgramReading& read) {
  const std::string group = "sectors per request";
  page::Table table{{{"kernel"},
                     {"grid x block", true, false, "", page::Rank::kMore},
                     {"launches", true, false, "", page::Rank::kMain},
                     {"read", true, false, group},
                     {"write", true, false, group},
                     {"n-way", true, false, "", page::Rank::kMain},
                     {read.timed ? "expected us" : "us", true}}};
  if (read.timed) table.columns.push_back({"us", true});
  if (has_shares(read)) table.columns.push_back({"share", true});
  for (const ProgramCase& one : read.cases) {
    const CaseRecord& record = *one.record;
    page::Row& row = table.rows.emplace_back();
    row.cells = {{short_name(record.kernel), page::Tone::kStrong},
                 {shape_text(record.launch.grid) + " x " + shape_text(record.launch.block)},
                 page::number_cell(static_cast<double>(one.launches))};
    for (page::Cell& cell : cost_cells(record, read.timed)) row.cells.push_back(std::move(cell));
    if (has_shares(read)) {
      row.cells.push_back(page::number_cell(one.share, page::Digits::kPercent));
      row.cells.back().marked = &one == &read.cases.front();
    }
  }
  return table;
}

// Why a kernel has no time; those of one reason together. A mistake has its own sentence.
void add_untimed(page::Page& page, const std::vector<ProgramCase>& cases) {
  std::vector<std::pair<std::string, std::string>> reasons;  // with the kernels' names
  for (const ProgramCase& one : cases) {
    const auto& expected = one.record->expected;
    if (has_mistake(*one.record) || !expected || expected->ns || expected->reason.empty()) continue;
    auto at = std::find_if(reasons.begin(), reasons.end(),
                           [&](const auto& known) { return known.first == expected->reason; });
    if (at == reasons.end()) at = reasons.insert(at, {expected->reason, ""});
    const std::string name = short_name(one.record->kernel);
    const std::string& names = at->second;
    if ((", " + names + ",").find(", " + name + ",") != std::string::npos) continue;
    at->second += (names.empty() ? "" : ", ") + name;
  }
  for (const auto& [reason, names] : reasons) {
    page.blocks.push_back(
        page::sentence(fmt::format("no time: {}: {}", names, reason), page::Role::kNote));
  }
}

void add_kernels(page::Page& page, const ProgramReading& read, const RunRecord& run,
                 const ProgramStory& story) {
  if (read.cases.empty()) return;
  page.blocks.push_back({kernels_table(read), page::Rank::kAlways, true});
  const std::size_t first = page.blocks.size();
  const bool any_time = std::any_of(read.cases.begin(), read.cases.end(),
                                    [](const ProgramCase& one) { return one.ns.has_value(); });
  if (any_time) {
    page.blocks.push_back(page::sentence(
        read.timed ? fmt::format("us: one launch, measured on {}", run.gpu)
                   : fmt::format("us: expected on {}, one launch", gpu_in_words(story.gpu)),
        page::Role::kNote));
  }
  if (has_shares(read)) {
    page.blocks.push_back(
        page::sentence("share: of the GPU's time for all launches", page::Role::kNote));
  }
  add_untimed(page, read.cases);
  if (!story.host_clock.empty()) {
    page.blocks.push_back(page::sentence(
        fmt::format("times that the program takes by {}: of this CPU, which worked the kernels out",
                    story.host_clock),
        page::Role::kNote));
  }
  if (first < page.blocks.size()) page.blocks[first].apart = true;
}

// ---- what stands below it ----

void add_failures(page::Page& page, const std::vector<ProgramCase>& cases) {
  for (const ProgramCase& one : cases) {
    const CaseStatus status = one.record->status;
    if (status == CaseStatus::kRefused || status == CaseStatus::kError ||
        status == CaseStatus::kTimeout) {
      page.blocks.push_back(
          page::paragraph(fmt::format("{}: {}", one.record->kernel, one.record->reason)));
    }
  }
}

// Launches of one shape that differ and share a row: it shows the first of them.
void add_differing(page::Page& page, const std::vector<ProgramCase>& cases) {
  for (const ProgramCase& one : cases) {
    const CaseNotes& notes = one.record->notes;
    const std::string first = fmt::format("{}: the row is the first of {}; ", one.record->kernel,
                                          counted(one.launches, "launch", "launches"));
    if (!notes.launches_differ.empty()) {
      page.blocks.push_back(
          page::paragraph(fmt::format("{}they execute {} times its instructions; --each has all",
                                      first, notes.launches_differ)));
    }
    if (!notes.launches_count.empty()) {
      page.blocks.push_back(page::paragraph(
          fmt::format("{}they count {}; --each has all", first, notes.launches_count)));
    }
  }
}

// cuBLAS and cuRAND give their results here, and no counts.
void add_libraries(page::Page& page, const ProgramReport& report) {
  std::string calls;
  for (const auto& [name, count] : report.library_calls) {
    if (!calls.empty()) calls += ", ";
    calls += fmt::format("{} ({})", name, counted(count, "call"));
  }
  if (calls.empty()) return;
  page.blocks.push_back(page::paragraph("Worked out on the CPU and not counted: " + calls + "."));
}

// Repeated launches are not all looked at, where that would take long.
void add_unchecked(page::Page& page, const std::vector<ProgramCase>& cases) {
  Cases others;
  for (const ProgramCase& one : cases) {
    const std::uint64_t unchecked = one.record->notes.unchecked_launches;
    if (unchecked == 0) {
      others.push_back(one.record);
      continue;
    }
    page.blocks.push_back(page::paragraph(fmt::format(
        "{}: {} of {} not checked for races and reads of unwritten memory; --exact checks all",
        one.record->kernel, unchecked, counted(one.launches, "launch", "launches"))));
  }
  const std::string gaps = not_looked_for_text(others);
  if (!gaps.empty()) page.blocks.push_back(page::paragraph(gaps));
}

// The verdicts are there if a GPU counted what the model counted.
void add_verdicts(page::Page& page, const RunRecord& run) {
  const VerdictCounts all = read(run).verdicts;
  if (all.compared() == 0) return;
  page.blocks.push_back(
      page::paragraph(fmt::format("Model and GPU: {} values, {} agree, {} explained, {} disagree",
                                  all.compared(), all.agrees, all.explained, all.disagrees)));
  for (const MetricSummary& one : summaries_of(run)) {
    if (one.counts.disagrees == 0 || one.verdict == nullptr) continue;
    page.blocks.push_back(
        page::sentence(fmt::format("{} of {}: {}", one.key, one.first->kernel, one.verdict->reason),
                       page::Role::kItem));
  }
}

void add_remarks(page::Page& page, const std::vector<Finding>& findings, bool leaks) {
  for (const Finding& one : findings) {
    if ((one.kind == FindingKind::kLeak) != leaks) continue;
    page.blocks.push_back({remark_of(one), page::Rank::kAlways, true});
  }
}

}  // namespace

page::Page program_page(const ProgramReading& read, const RunRecord& run,
                        const ProgramReport& report, const ProgramStory& story) {
  page::Page page{{page::sentence(summary_text(read, report.end, story.compiler))}};
  page.blocks.front().rank = page::Rank::kAlways;
  add_kernels(page, read, run, story);
  if (!report.refused.empty()) {
    page.blocks.push_back(page::paragraph(report.refused + " is not modelled: the call failed"));
  }
  if (!report.broken.empty()) {
    page.blocks.push_back(page::paragraph(
        "It was ended: it sends lab itself what no CUDA program sends: " + report.broken + "."));
  }
  add_failures(page, read.cases);
  add_differing(page, read.cases);
  add_libraries(page, report);
  add_unchecked(page, read.cases);
  if (read.timed) add_verdicts(page, run);
  add_remarks(page, read.findings, false);
  add_remarks(page, read.remarks, false);
  if (!read.dearest.empty()) {
    std::vector<page::Block> advice = advice_blocks(read.dearest, run, "");
    advice.front().apart = true;
    page::append(page, {std::move(advice)});
  }
  add_remarks(page, read.findings, true);
  return page;
}

}  // namespace lab::reading
