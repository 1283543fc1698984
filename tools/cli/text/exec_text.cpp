#include "tools/cli/text/exec_text.h"

#include <fmt/format.h>

#include <cstring>

#include "harness/core/looked.h"
#include "harness/core/metric_keys.h"
#include "harness/core/numbers.h"
#include "harness/core/text.h"
#include "harness/reading/advice_page.h"
#include "harness/reading/figures.h"
#include "harness/reading/looked_for.h"
#include "harness/reading/remarks.h"
#include "harness/reading/run_reading.h"
#include "harness/reading/times.h"
#include "tools/cli/text/page_text.h"
#include "tools/cli/text/table.h"

namespace lab::cli {
namespace {

using reading::ProgramCase;
using reading::ProgramReading;

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", grouped_text(static_cast<double>(count)), count == 1 ? one : many);
}

std::string shape(const Dim3& size) {
  if (size.z > 1) return fmt::format("{}x{}x{}", size.x, size.y, size.z);
  return size.y > 1 ? fmt::format("{}x{}", size.x, size.y) : fmt::format("{}", size.x);
}

Cell count_cell(const CaseRecord& record, std::string_view key, int digits) {
  const auto value = reading::best_value(record, key);
  return {value ? fmt::format("{:.{}f}", *value, digits) : "-", Tone::kPlain};
}

// A kernel that stores alone has no sectors of loads, and no ways where it has no shared memory.
Cell per_request(const CaseRecord& record, std::string_view requests, std::string_view key,
                 int digits) {
  const auto any = reading::best_value(record, requests);
  if (!any || *any == 0) return {"-", Tone::kDim};
  return count_cell(record, key, digits);
}

Cell expected_cell(const ProgramCase& one) {
  const auto& expected = one.record->expected;
  if (!expected || !expected->ns) return {"-", Tone::kDim};
  return {fmt::format("{:.1f}", *expected->ns / 1000), Tone::kPlain};
}

Cell measured_cell(const ProgramCase& one) {
  const auto& timing = one.record->timing;
  if (!timing) return {"-", Tone::kDim};
  return {fmt::format("{:.1f}", timing->median_ns / 1000), Tone::kPlain};
}

std::string table_of(const ProgramReading& read, const Terminal& terminal) {
  const bool timed = read.timed;
  Table table;
  table.columns = {{"kernel"},
                   {"grid x block", Align::kRight},
                   {"launches", Align::kRight},
                   {"read", Align::kRight, false, "sectors per request"},
                   {"write", Align::kRight, false, "sectors per request"},
                   {"n-way", Align::kRight},
                   {timed ? "expected us" : "us", Align::kRight}};
  if (timed) table.columns.push_back({"us", Align::kRight});
  for (const ProgramCase& one : read.cases) {
    const CaseRecord& record = *one.record;
    const Dim3& block = record.launch.block;
    table.rows.push_back(
        {{cut(record.kernel, 30), Tone::kStrong},
         {shape(record.launch.grid) + " x " + shape(block), Tone::kPlain},
         {grouped_text(static_cast<double>(one.launches)), Tone::kPlain},
         per_request(record, metric::kGlobalLoadRequests, metric::kGlobalLoadSectorsPerRequest, 1),
         per_request(record, metric::kGlobalStoreRequests, metric::kGlobalStoreSectorsPerRequest,
                     1),
         per_request(record, metric::kSharedLoadRequests, metric::kSharedLoadWays, 0),
         expected_cell(one)});
    if (timed) table.rows.back().push_back(measured_cell(one));
  }
  return table_text(table, terminal, kTableIndent);
}

std::string summary(const ProgramReading& read, const CommandEnd& end) {
  std::string checked =
      read.findings.empty() ? "no finding" : counted(read.findings.size(), "finding", "findings");
  if (!read.remarks.empty()) checked += ", " + counted(read.remarks.size(), "remark", "remarks");
  return fmt::format("{}, {}, {}, checked: {}", counted(read.kernels, "kernel", "kernels"),
                     counted(read.launches, "launch", "launches"), end_text(end), checked);
}

// Repeated launches are not all looked at, where that would take long.
std::string unchecked_text(const std::vector<ProgramCase>& cases, const Terminal& terminal) {
  std::string text;
  reading::Cases others;
  for (const ProgramCase& one : cases) {
    const std::uint64_t unchecked = one.record->notes.unchecked_launches;
    if (unchecked == 0) {
      others.push_back(one.record);
      continue;
    }
    text += fmt::format(
        "\n{}: {} of {} not checked for races and reads of unwritten memory; --exact checks all\n",
        one.record->kernel, unchecked, counted(one.launches, "launch", "launches"));
  }
  const std::string gaps = reading::not_looked_for_text(others);
  if (!gaps.empty()) text += "\n" + paragraph(gaps, terminal.width, 0);
  return text;
}

// Launches of one shape that differ and share a row: it shows the first of them.
std::string differing_text(const std::vector<ProgramCase>& cases) {
  std::string text;
  for (const ProgramCase& one : cases) {
    const CaseNotes& notes = one.record->notes;
    const std::string first = fmt::format("\n{}: the row is the first of {}; ", one.record->kernel,
                                          counted(one.launches, "launch", "launches"));
    if (!notes.launches_differ.empty()) {
      text += fmt::format("{}they execute {} times its instructions; --each has all\n", first,
                          notes.launches_differ);
    }
    if (!notes.launches_count.empty()) {
      text += fmt::format("{}they count {}; --each has all\n", first, notes.launches_count);
    }
  }
  return text;
}

// cuBLAS and cuRAND give their results here, and no counts.
std::string library_text(const ProgramReport& report, const Terminal& terminal) {
  std::string calls;
  for (const auto& [name, count] : report.library_calls) {
    if (!calls.empty()) calls += ", ";
    calls += fmt::format("{} ({})", safe_line(name), counted(count, "call", "calls"));
  }
  if (calls.empty()) return {};
  std::string text = "\n";
  for (const std::string& line :
       wrapped("Worked out on the CPU and not counted: " + calls + ".", terminal.width)) {
    text += line + "\n";
  }
  return text;
}

// Where the GPU counted what the model counted.
std::string verdicts_text(const RunRecord& run, const Terminal& terminal) {
  const reading::VerdictCounts all = reading::read(run).verdicts;
  if (all.compared() == 0) return {};
  std::string text =
      fmt::format("\nModel and GPU: {} values, {} agree, {} explained, {} disagree\n",
                  all.compared(), all.agrees, all.explained, all.disagrees);
  for (const reading::MetricSummary& one : reading::summaries_of(run)) {
    if (one.counts.disagrees == 0 || one.verdict == nullptr) continue;
    const std::string line =
        fmt::format("{} of {}: {}", one.key, one.first->kernel, safe_line(one.verdict->reason));
    for (const std::string& part : wrapped(line, terminal.width - 2)) text += "  " + part + "\n";
  }
  return text;
}

}  // namespace

std::string end_text(const CommandEnd& end) {
  if (end.late) return "stopped: it had its time";
  if (end.signal != 0)
    return fmt::format("ended by signal {} ({})", end.signal, ::strsignal(end.signal));
  return fmt::format("exit {}", end.status);
}

std::string exec_text(const ExecStory& story, const Terminal& terminal) {
  const std::vector<ProgramCase>& cases = story.read.cases;
  std::string text = "---\n" + summary(story.read, story.report.end);
  text += story.compiler.empty() ? "\n" : fmt::format(" (host code by {})\n", story.compiler);
  if (!cases.empty()) {
    text += "\n" + table_of(story.read, terminal);
    text += story.read.timed ? fmt::format("\n  us: one launch, measured on {}\n", story.run.gpu)
                             : fmt::format("\n  us: expected on {}, one launch\n",
                                           reading::gpu_in_words(story.gpu));
    if (!story.host_clock.empty()) {
      text += fmt::format(
          "  times that the program takes by {}: of this CPU, which worked the kernels out\n",
          story.host_clock);
    }
  }
  if (!story.report.refused.empty()) {
    text += fmt::format("\n{} is not modelled: the call failed\n", safe_line(story.report.refused));
  }
  for (const ProgramCase& one : cases) {
    if (one.record->status == CaseStatus::kRefused || one.record->status == CaseStatus::kError ||
        one.record->status == CaseStatus::kTimeout) {
      text += fmt::format("\n{}: {}\n", one.record->kernel, safe_line(one.record->reason));
    }
  }
  text += differing_text(cases);
  text += library_text(story.report, terminal);
  text += unchecked_text(cases, terminal);
  if (story.read.timed) text += verdicts_text(story.run, terminal);
  const auto told = [&](const std::vector<Finding>& all, bool leaks) {
    for (const Finding& one : all) {
      if ((one.kind == FindingKind::kLeak) == leaks) {
        text += "\n" + remark_text(reading::remark_of(one), terminal);
      }
    }
  };
  told(story.read.findings, false);
  told(story.read.remarks, false);
  if (!story.read.dearest.empty()) {
    text += "\n" + page_text({reading::advice_blocks(story.read.dearest, story.run, "")}, terminal);
  }
  told(story.read.findings, true);
  return text;
}

}  // namespace lab::cli
