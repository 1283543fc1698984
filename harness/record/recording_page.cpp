#include "harness/record/recording_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "harness/page/make.h"
#include "harness/page/numbers.h"

namespace lab::record {
namespace {

using page::counted;
using page::Rank;
using page::Role;
using page::Tone;

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

std::string shortened(std::string text, std::size_t most) {
  if (text.size() > most) text.replace(most - 3, std::string::npos, "...");
  return text;
}

// Leaves out the namespaces that a kernel is in, which many share.
std::string short_name(const std::string& kernel) {
  constexpr std::size_t kMost = 30;
  const std::size_t qualified = kernel.rfind("::", kernel.find('<'));
  return shortened(qualified == std::string::npos ? kernel : kernel.substr(qualified + 2), kMost);
}

page::Cell count_cell(std::uint64_t count) { return page::number_cell(static_cast<double>(count)); }

page::Column numbers(std::string title, std::string group = {}, Rank rank = Rank::kAlways) {
  return {std::move(title), true, false, std::move(group), rank};
}

void add_table(page::Page& page, page::Table table, bool apart = true) {
  if (!table.rows.empty()) page.blocks.push_back({std::move(table), Rank::kAlways, apart});
}

std::string percent(double share) { return fmt::format("{:.1f}%", 100 * share); }
double part(std::uint64_t of, std::uint64_t all) {
  return all == 0 ? 0 : static_cast<double>(of) / static_cast<double>(all);
}

// Registers and static shared bytes are known of a kernel that was traced.
std::vector<page::Cell> time_cells(const KernelRow& row) {
  std::vector<page::Cell> cells(5, page::number_cell({}));
  if (row.launches > 0) {
    cells = {{percent(row.share)},
             {time_text(row.total_ns)},
             {time_text(row.mean_ns())},
             {time_text(row.shortest_ns), Tone::kDim},
             {time_text(row.longest_ns), Tone::kDim}};
  }
  if (!row.traced) {
    cells.insert(cells.end(), 2, page::number_cell({}));
    return cells;
  }
  cells.push_back(count_cell(row.registers));
  cells.push_back(count_cell(std::uint64_t{row.static_shared} + row.dynamic_shared));
  return cells;
}

std::size_t shown_rows(const RecordStory& story) {
  const std::size_t all = story.summary.kernels.size();
  return story.most_rows == 0 ? all : std::min(all, story.most_rows);
}

void add_kernels(page::Page& page, const RecordStory& story) {
  const std::vector<KernelRow>& rows = story.summary.kernels;
  const bool clusters = std::any_of(rows.begin(), rows.end(),
                                    [](const KernelRow& row) { return row.cluster[0] > 0; });
  page::Table table{{{"kernel"},
                     numbers("grid x block", "", Rank::kMain),
                     numbers("launches"),
                     numbers("share"),
                     numbers("total"),
                     numbers("mean", "one launch"),
                     numbers("shortest", "one launch", Rank::kMore),
                     numbers("longest", "one launch", Rank::kMore),
                     numbers("registers", "", Rank::kDetail),
                     numbers("shared", "", Rank::kDetail)}};
  if (clusters) table.columns.push_back(numbers("cluster", "", Rank::kDetail));
  const std::size_t shown = shown_rows(story);
  for (std::size_t i = 0; i < shown; ++i) {
    const KernelRow& row = rows[i];
    page::Row& cells = table.rows.emplace_back();
    cells.cells = {{short_name(row.kernel), Tone::kStrong},
                   {shape(row.shape.grid) + " x " + shape(row.shape.block)},
                   count_cell(row.launches + row.untimed)};
    for (page::Cell& cell : time_cells(row)) cells.cells.push_back(std::move(cell));
    if (clusters) cells.cells.push_back({row.cluster[0] > 0 ? shape(row.cluster) : "-"});
  }
  add_table(page, std::move(table));
  if (shown == rows.size()) return;
  double share = 0;
  for (std::size_t i = shown; i < rows.size(); ++i) share += rows[i].share;
  page.blocks.push_back(
      page::sentence(fmt::format("and {} with {} of the time; --all shows them",
                                 counted(rows.size() - shown, "more row"), percent(share)),
                     Role::kNote));
}

void add_counters(page::Page& page, const RecordStory& story) {
  page::Table table{{{"counters"},
                     numbers("grid x block", "", Rank::kMore),
                     numbers("counted", "", Rank::kMore),
                     {"metric"},
                     numbers("mean", "one launch"),
                     numbers("least", "one launch", Rank::kDetail),
                     numbers("most", "one launch", Rank::kDetail)}};
  const std::vector<KernelRow>& rows = story.summary.kernels;
  for (std::size_t i = 0; i < shown_rows(story); ++i) {
    for (const CounterSum& one : rows[i].counters) {
      const bool first = &one == &rows[i].counters.front();
      page::Cell least = page::number_cell(one.least);
      page::Cell most = page::number_cell(one.most);
      least.tone = most.tone = Tone::kDim;
      table.rows.push_back(
          {{{first ? short_name(rows[i].kernel) : "", Tone::kStrong},
            {first ? shape(rows[i].shape.grid) + " x " + shape(rows[i].shape.block) : ""},
            count_cell(one.launches),
            {one.metric},
            page::number_cell(one.sum / static_cast<double>(one.launches)),
            least,
            most}});
    }
  }
  add_table(page, std::move(table));
}

void add_gpu(page::Page& page, const GpuUse& use) {
  std::string text = fmt::format("{}: {} from its first work to its last: kernels {}, ",
                                 use.name.empty() ? "The GPU" : use.name, time_text(use.span_ns),
                                 percent(part(use.kernels_ns, use.span_ns)));
  if (use.copies_ns > 0) {
    text += fmt::format("copies alone {}, ", percent(part(use.copies_ns, use.span_ns)));
  }
  text += fmt::format("idle {}", percent(part(use.idle_ns(), use.span_ns)));
  text += use.gaps == 0 ? "." : fmt::format(" in {}.", counted(use.gaps, "gap"));
  page.blocks.push_back(page::paragraph(std::move(text)));
  page::Table table{{numbers("longest gaps"), numbers("at"), {"after"}, {"before"}}};
  for (const Gap& gap : use.longest) {
    table.rows.push_back({{{time_text(gap.length_ns)},
                           {time_text(gap.start_ns)},
                           {short_name(gap.before)},
                           {short_name(gap.after)}}});
  }
  add_table(page, std::move(table), false);
}

void add_copies(page::Page& page, const std::vector<CopyRow>& rows) {
  page::Table table{{{"copies"}, numbers("count"), numbers("bytes"), numbers("total")}};
  for (const CopyRow& row : rows) {
    table.rows.push_back({{{std::string(words_for(row.what))},
                           count_cell(row.count),
                           {bytes_text(row.bytes)},
                           {time_text(row.total_ns)}}});
  }
  add_table(page, std::move(table));
}

void add_ranges(page::Page& page, const std::vector<RangeRow>& rows) {
  constexpr std::size_t kMost = 50;
  page::Table table{{{"NVTX range"},
                     numbers("times"),
                     numbers("launches", "", Rank::kMore),
                     numbers("kernels", "", Rank::kMore),
                     numbers("on the GPU"),
                     numbers("on the host", "", Rank::kMain)}};
  for (const RangeRow& row : rows) {
    table.rows.push_back({{{shortened(row.path, kMost), Tone::kStrong},
                           count_cell(row.times),
                           count_cell(row.launches),
                           count_cell(row.kernels),
                           {time_text(row.gpu_ns)},
                           {row.times == 0 ? "-" : time_text(row.host_ns)}}});
  }
  add_table(page, std::move(table));
}

std::string trouble_text(const Told& told) {
  const std::string said = told.text.empty() ? "" : fmt::format(" ({})", told.text);
  switch (told.trouble.problem) {
    case Problem::kNoCupti:
      return fmt::format(
          "nothing was recorded: CUPTI is not there{}; install the CUDA toolkit, or set CUDA_HOME "
          "to the folder it is in",
          said);
    case Problem::kBusy:
      return fmt::format(
          "nothing was recorded: another profiler has CUPTI in this process{}; leave it out", said);
    case Problem::kRefused:
      return fmt::format("nothing was recorded: CUPTI refused{}", said);
    case Problem::kDropped:
      return fmt::format("CUPTI lost {}",
                         counted(told.trouble.count, "record of what ran", "records of what ran"));
    case Problem::kFull:
      return fmt::format(
          "the recording ends before the program does: {}",
          told.trouble.code == 0 ? "it is full" : ::strerror(static_cast<int>(told.trouble.code)));
    case Problem::kTexts:
      return "names above the 65,536th are not told apart";
    case Problem::kNotCounted:
      return fmt::format("counters are missing{}", said);
    case Problem::kSeveralPasses:
      return fmt::format("not counted, since it fits no pass with the others{}", said);
    case Problem::kNoMetric:
      return fmt::format("CUPTI has no such metric here{}", said);
  }
  return fmt::format("something went wrong while recording{}", said);
}

std::string process_name(const ProcessRow& process) {
  const std::string program = process.command.empty() ? "" : shortened(process.command.front(), 40);
  return fmt::format("process {}{}", process.process,
                     program.empty() ? "" : fmt::format(" ({})", program));
}

// Says what the tables lack.
void add_missing(page::Page& page, const RecordStory& story) {
  const Summary& summary = story.summary;
  const LaunchCounts& counts = summary.launches;
  std::vector<std::string> notes;
  if (summary.launches_counted > 0) {
    notes.push_back(fmt::format(
        "{} counted, and each was waited for; times are {}, with what a launch needs to start",
        counted(summary.launches_counted, "launch was", "launches were"), kDurationMetric));
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
  for (const ProcessRow& process : summary.processes) {
    for (const Told& told : process.troubles) {
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
  for (const std::string& note : notes) {
    page.blocks.push_back(page::sentence(note + "."));
    page.blocks.back().apart = &note == &notes.front();
  }
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
  return text;
}

}  // namespace

page::Page recording_page(const RecordStory& story) {
  const Summary& summary = story.summary;
  page::Page page{{page::sentence(first_line(story))}};
  if (summary.processes.empty()) {
    page.blocks.push_back(page::paragraph(
        "No process of the program has used CUDA, or one that did was started with another "
        "CUDA_INJECTION64_PATH: nothing was recorded."));
    return page;
  }
  add_kernels(page, story);
  add_counters(page, story);
  if (summary.launches_counted == 0) {
    for (const GpuUse& use : summary.gpus) add_gpu(page, use);
  }
  add_copies(page, summary.copies);
  add_ranges(page, summary.ranges);
  add_missing(page, story);
  return page;
}

}  // namespace lab::record
