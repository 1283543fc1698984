#include "tools/cli/text/record_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/core/numbers.h"
#include "harness/core/text.h"
#include "tools/cli/text/table.h"

namespace lab::cli {
namespace {

using record::GpuUse;
using record::KernelRow;
using record::LaunchCounts;
using record::Summary;

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", grouped_text(static_cast<double>(count)), count == 1 ? one : many);
}

std::string shape(const std::array<std::uint32_t, 3>& size) {
  if (size[2] > 1) return fmt::format("{}x{}x{}", size[0], size[1], size[2]);
  return size[1] > 1 ? fmt::format("{}x{}", size[0], size[1]) : fmt::format("{}", size[0]);
}

// 850 ns, 12.3 us, 4.56 ms, 1.23 s: three digits or more.
std::string time_text(double ns) {
  struct Unit {
    double ns;
    const char* name;
  };
  constexpr std::array kUnits = {Unit{1e9, "s"}, Unit{1e6, "ms"}, Unit{1e3, "us"}};
  for (const Unit& unit : kUnits) {
    const double value = ns / unit.ns;
    if (value >= 0.9995) {
      return fmt::format("{:.{}f} {}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0, unit.name);
    }
  }
  return fmt::format("{:.0f} ns", ns);
}
std::string time_text(std::uint64_t ns) { return time_text(static_cast<double>(ns)); }

std::string bytes_text(std::uint64_t bytes) {
  struct Unit {
    double bytes;
    const char* name;
  };
  constexpr std::array kUnits = {Unit{1e9, "GB"}, Unit{1e6, "MB"}, Unit{1e3, "kB"}};
  for (const Unit& unit : kUnits) {
    const double value = static_cast<double>(bytes) / unit.bytes;
    if (value >= 1) return fmt::format("{:.1f} {}", value, unit.name);
  }
  return fmt::format("{} B", bytes);
}

// Without the namespaces that it is in, which many kernels share.
std::string short_name(const std::string& kernel) {
  const std::size_t qualified = kernel.rfind("::", kernel.find('<'));
  return cut(safe_line(qualified == std::string::npos ? kernel : kernel.substr(qualified + 2)), 30);
}

std::string percent(double share) { return fmt::format("{:.1f}%", 100 * share); }
double part(std::uint64_t of, std::uint64_t all) {
  return all == 0 ? 0 : static_cast<double>(of) / static_cast<double>(all);
}

// Registers and static shared bytes are known of a kernel that was traced.
std::vector<Cell> time_cells(const KernelRow& row) {
  std::vector<Cell> cells(5, {"-", Tone::kDim});
  if (row.launches > 0) {
    cells = {{percent(row.share)},
             {time_text(row.total_ns)},
             {time_text(row.mean_ns())},
             {time_text(row.shortest_ns), Tone::kDim},
             {time_text(row.longest_ns), Tone::kDim}};
  }
  if (!row.traced) {
    cells.insert(cells.end(), 2, {"-", Tone::kDim});
    return cells;
  }
  const std::uint64_t shared = std::uint64_t{row.static_shared} + row.dynamic_shared;
  cells.push_back({fmt::format("{}", row.registers)});
  cells.push_back({grouped_text(static_cast<double>(shared))});
  return cells;
}

std::size_t shown_rows(const RecordStory& story) {
  const std::size_t all = story.summary.kernels.size();
  return story.most_rows == 0 ? all : std::min(all, story.most_rows);
}

std::string kernels_text(const RecordStory& story, const Terminal& terminal) {
  const std::vector<KernelRow>& rows = story.summary.kernels;
  if (rows.empty()) return {};
  const bool clusters = std::any_of(rows.begin(), rows.end(),
                                    [](const KernelRow& row) { return row.cluster[0] > 0; });
  Table table;
  table.columns = {{"kernel"},
                   {"grid x block", Align::kRight},
                   {"launches", Align::kRight},
                   {"share", Align::kRight},
                   {"total", Align::kRight},
                   {"mean", Align::kRight, false, "one launch"},
                   {"shortest", Align::kRight, false, "one launch"},
                   {"longest", Align::kRight, false, "one launch"},
                   {"registers", Align::kRight},
                   {"shared", Align::kRight}};
  if (clusters) table.columns.push_back({"cluster", Align::kRight});
  const std::size_t shown = shown_rows(story);
  for (std::size_t i = 0; i < shown; ++i) {
    const KernelRow& row = rows[i];
    table.rows.push_back({{short_name(row.kernel), Tone::kStrong},
                          {shape(row.shape.grid) + " x " + shape(row.shape.block)},
                          {grouped_text(static_cast<double>(row.launches + row.untimed))}});
    for (Cell& cell : time_cells(row)) table.rows.back().push_back(std::move(cell));
    if (clusters) {
      table.rows.back().push_back({row.cluster[0] > 0 ? shape(row.cluster) : "-"});
    }
  }
  std::string text = "\n" + table_text(table, terminal, kTableIndent);
  if (shown < rows.size()) {
    double share = 0;
    for (std::size_t i = shown; i < rows.size(); ++i) share += rows[i].share;
    text += fmt::format("  and {} with {} of the time; --all shows them\n",
                        counted(rows.size() - shown, "more row", "more rows"), percent(share));
  }
  return text;
}

std::string counters_text(const RecordStory& story, const Terminal& terminal) {
  Table table;
  table.columns = {{"counters"},
                   {"grid x block", Align::kRight},
                   {"counted", Align::kRight},
                   {"metric"},
                   {"mean", Align::kRight, false, "one launch"},
                   {"least", Align::kRight, false, "one launch"},
                   {"most", Align::kRight, false, "one launch"}};
  const std::vector<KernelRow>& rows = story.summary.kernels;
  for (std::size_t i = 0; i < shown_rows(story); ++i) {
    for (const record::CounterSum& one : rows[i].counters) {
      const bool first = &one == &rows[i].counters.front();
      table.rows.push_back(
          {{first ? short_name(rows[i].kernel) : "", Tone::kStrong},
           {first ? shape(rows[i].shape.grid) + " x " + shape(rows[i].shape.block) : ""},
           {grouped_text(static_cast<double>(one.launches))},
           {safe_line(one.metric)},
           {grouped_text(one.sum / static_cast<double>(one.launches))},
           {grouped_text(one.least), Tone::kDim},
           {grouped_text(one.most), Tone::kDim}});
    }
  }
  return table.rows.empty() ? "" : "\n" + table_text(table, terminal, kTableIndent);
}

std::string gpu_text(const GpuUse& use, const Terminal& terminal) {
  const std::string name = use.name.empty() ? "The GPU" : safe_line(use.name);
  std::string text =
      fmt::format("{}: {} from its first work to its last: kernels {}, ", name,
                  time_text(use.span_ns), percent(part(use.kernels_ns, use.span_ns)));
  if (use.copies_ns > 0) {
    text += fmt::format("copies alone {}, ", percent(part(use.copies_ns, use.span_ns)));
  }
  text += fmt::format("idle {}", percent(part(use.idle_ns(), use.span_ns)));
  text += use.gaps == 0 ? "." : fmt::format(" in {}.", counted(use.gaps, "gap", "gaps"));
  return "\n" + paragraph(text, terminal.width);
}

std::string gaps_text(const GpuUse& use, const Terminal& terminal) {
  if (use.longest.empty()) return {};
  Table table;
  table.columns = {{"longest gaps", Align::kRight}, {"at", Align::kRight}, {"after"}, {"before"}};
  for (const record::Gap& gap : use.longest) {
    table.rows.push_back({{time_text(gap.length_ns)},
                          {time_text(gap.start_ns)},
                          {short_name(gap.before)},
                          {short_name(gap.after)}});
  }
  return table_text(table, terminal, kTableIndent);
}

std::string copies_text(const std::vector<record::CopyRow>& rows, const Terminal& terminal) {
  if (rows.empty()) return {};
  Table table;
  table.columns = {
      {"copies"}, {"count", Align::kRight}, {"bytes", Align::kRight}, {"total", Align::kRight}};
  for (const record::CopyRow& row : rows) {
    table.rows.push_back({{std::string(record::words_for(row.what))},
                          {grouped_text(static_cast<double>(row.count))},
                          {bytes_text(row.bytes)},
                          {time_text(row.total_ns)}});
  }
  return "\n" + table_text(table, terminal, kTableIndent);
}

std::string ranges_text(const std::vector<record::RangeRow>& rows, const Terminal& terminal) {
  if (rows.empty()) return {};
  Table table;
  table.columns = {{"NVTX range"},
                   {"times", Align::kRight},
                   {"launches", Align::kRight},
                   {"kernels", Align::kRight},
                   {"on the GPU", Align::kRight},
                   {"on the host", Align::kRight}};
  for (const record::RangeRow& row : rows) {
    table.rows.push_back({{cut(safe_line(row.path), 50), Tone::kStrong},
                          {grouped_text(static_cast<double>(row.times))},
                          {grouped_text(static_cast<double>(row.launches))},
                          {grouped_text(static_cast<double>(row.kernels))},
                          {time_text(row.gpu_ns)},
                          {row.times == 0 ? "-" : time_text(row.host_ns)}});
  }
  return "\n" + table_text(table, terminal, kTableIndent);
}

std::string trouble_text(const record::Told& told) {
  const std::string said = told.text.empty() ? "" : fmt::format(" ({})", safe_line(told.text));
  switch (told.trouble.problem) {
    case record::Problem::kNoCupti:
      return fmt::format(
          "nothing was recorded: CUPTI is not there{}; install the CUDA toolkit, or set CUDA_HOME "
          "to the folder it is in",
          said);
    case record::Problem::kBusy:
      return fmt::format(
          "nothing was recorded: another profiler has CUPTI in this process{}; leave it out", said);
    case record::Problem::kRefused:
      return fmt::format("nothing was recorded: CUPTI refused{}", said);
    case record::Problem::kDropped:
      return fmt::format("CUPTI lost {}",
                         counted(told.trouble.count, "record of what ran", "records of what ran"));
    case record::Problem::kFull:
      return fmt::format(
          "the recording ends before the program does: {}",
          told.trouble.code == 0 ? "it is full" : ::strerror(static_cast<int>(told.trouble.code)));
    case record::Problem::kTexts:
      return "names above the 65,536th are not told apart";
    case record::Problem::kNotCounted:
      return fmt::format("counters are missing{}", said);
    case record::Problem::kSeveralPasses:
      return fmt::format("not counted, since it fits no pass with the others{}", said);
    case record::Problem::kNoMetric:
      return fmt::format("CUPTI has no such metric here{}", said);
  }
  return fmt::format("something went wrong while recording{}", said);
}

std::string process_name(const record::ProcessRow& process) {
  const std::string program =
      process.command.empty() ? "" : safe_line(cut(process.command.front(), 40));
  return fmt::format("process {}{}", process.process,
                     program.empty() ? "" : fmt::format(" ({})", program));
}

// Says what the tables lack.
std::string missing_text(const RecordStory& story, const Terminal& terminal) {
  const Summary& summary = story.summary;
  const LaunchCounts& counts = summary.launches;
  std::vector<std::string> notes;
  if (summary.launches_counted > 0) {
    notes.push_back(fmt::format(
        "{} counted, and each was waited for; times are {}, with what a launch needs to start",
        counted(summary.launches_counted, "launch was", "launches were"), record::kDurationMetric));
    if (counts.graphs > 0) {
      notes.push_back(fmt::format("{} of graphs, whose kernels are not counted",
                                  counted(counts.graphs, "launch was", "launches were")));
    }
  }
  if (counts.captured > 0) {
    notes.push_back(fmt::format("{} became part of a graph, and ran with it only",
                                counted(counts.captured, "launch", "launches")));
  }
  if (counts.failed > 0) {
    notes.push_back(
        fmt::format("{} returned an error", counted(counts.failed, "launch", "launches")));
  }
  if (counts.untimed > 0) {
    notes.push_back(fmt::format("{} ran whose time is not known",
                                counted(counts.untimed, "launch", "launches")));
  }
  for (const record::ProcessRow& process : summary.processes) {
    for (const record::Told& told : process.troubles) {
      notes.push_back(process_name(process) + ": " + trouble_text(told));
    }
    if (!process.ended && process.troubles.empty()) {
      notes.push_back(process_name(process) +
                      ": ended without returning from main: what ran last may be missing");
    }
  }
  if (!story.ranges) {
    notes.push_back("NVTX ranges are not recorded: NVTX_INJECTION64_PATH names another tool");
  }
  if (!summary.damage.empty()) notes.push_back("the recording is damaged: " + summary.damage);
  std::string text;
  for (const std::string& note : notes) text += paragraph(note + ".", terminal.width, 0, 2);
  return text.empty() ? text : "\n" + text;
}

std::string first_line(const RecordStory& story) {
  const Summary& summary = story.summary;
  std::string text = fmt::format(
      "{}, {}, {} on the GPU", counted(summary.launches.all, "launch", "launches"),
      counted(summary.kernels_run, "kernel run", "kernels run"), time_text(summary.kernels_ns));
  if (summary.processes.size() > 1) {
    text += fmt::format(", {} processes", summary.processes.size());
  }
  if (story.end) text += ", " + end_text(*story.end);
  return text + "\n";
}

}  // namespace

std::string record_text(const RecordStory& story, const Terminal& terminal) {
  const Summary& summary = story.summary;
  std::string text = "---\n" + first_line(story);
  if (summary.processes.empty()) {
    return text +
           "\nNo process of the program has used CUDA, or one that did was started with another "
           "CUDA_INJECTION64_PATH: nothing was recorded.\n";
  }
  text += kernels_text(story, terminal) + counters_text(story, terminal);
  if (summary.launches_counted == 0) {
    for (const GpuUse& use : summary.gpus) {
      text += gpu_text(use, terminal) + gaps_text(use, terminal);
    }
  }
  text += copies_text(summary.copies, terminal);
  text += ranges_text(summary.ranges, terminal);
  text += missing_text(story, terminal);
  return text;
}

}  // namespace lab::cli
