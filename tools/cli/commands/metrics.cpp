// lab metrics: the catalogue, what a chip has of it, and how many passes the default set takes.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/box/worker/client.h"
#include "harness/core/error.h"
#include "harness/core/text.h"
#include "harness/labs/registry.h"
#include "harness/page/make.h"
#include "harness/run/engines.h"
#include "metrics/catalogue.h"
#include "metrics/counter_names.h"
#include "metrics/metric_page.h"
#include "metrics/sets.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/commands/print_page.h"
#include "tools/cli/json/json.h"
#include "tools/cli/text/table.h"

namespace lab::cli {

namespace {

constexpr std::string_view kUsualChip = "GH100";

std::vector<std::string> names_of(const std::vector<metrics::Counter>& counters) {
  std::vector<std::string> names;
  for (const metrics::Counter& counter : counters) names.push_back(counter.name);
  return names;
}

// Both counters of every row as the chip names them.
std::vector<std::string> all_counters(const std::string& chip) {
  std::set<std::string> names;
  for (const metrics::Metric& row : metrics::catalogue()) {
    for (const SourceOf source : {SourceOf::kCupti, SourceOf::kSass}) {
      const metrics::CounterName name = metrics::counter_name(row, source, chip);
      if (!name.name.empty()) names.insert(name.name);
    }
  }
  return {names.begin(), names.end()};
}

/// CUPTI's answer for a chip.
struct ChipAnswer {
  std::string chip;
  std::set<std::string> lacking;
  int passes = 0;
};

ChipAnswer ask_chip(const std::string& wanted) {
  worker::Client client(run::worker_settings(BackendKind::kModel));
  // The chip's name is checked by CUPTI before its counters' names mean anything.
  const std::string chip = client.chip_metrics({wanted}).chip;
  const std::vector<std::string> set = names_of(metrics::plan_set("default", chip).counters);
  const worker::ChipMetrics passes = client.chip_metrics({chip, set});
  const worker::ChipMetrics all = client.chip_metrics({chip, all_counters(chip)});
  return {chip, {all.lacking.begin(), all.lacking.end()}, passes.passes};
}

std::vector<MetricOnChip> rows_for(const std::string& chip, const std::set<std::string>& lacking) {
  std::vector<MetricOnChip> rows;
  for (const metrics::Metric& metric : metrics::catalogue()) {
    MetricOnChip row{&metric};
    row.cupti = metrics::counter_name(metric, SourceOf::kCupti, chip).name;
    row.sass = metrics::counter_name(metric, SourceOf::kSass, chip).name;
    const bool counted = !metric.cupti.empty() || !metric.sass.empty();
    const auto there = [&](const std::string& name) {
      return !name.empty() && lacking.count(name) == 0;
    };
    row.lacking = counted && !there(row.cupti) && !there(row.sass);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string origin_of(const MetricOnChip& row) {
  if (row.lacking) return "this chip has no counter for it";
  std::vector<std::string> names;
  for (const std::string& name : {row.cupti, row.sass}) {
    if (!name.empty()) names.push_back(name);
  }
  if (!names.empty()) return fmt::format("{}", fmt::join(names, " "));
  const metrics::Derivation& derived = row.metric->derived;
  if (derived.rule != metrics::Rule::kNone) {
    const bool ratio = derived.rule == metrics::Rule::kRatio;
    return fmt::format("{} of {}", ratio ? "ratio" : "sum", fmt::join(derived.parts, ", "));
  }
  return row.metric->model == metrics::InModel::kCounted ? "the model only"
                                                         : "from the compiler and the launch";
}

void print_table(const std::vector<MetricOnChip>& rows, const Terminal& terminal) {
  Table table{{{"Metric"}, {"What it is", Align::kLeft, true}, {"Unit", Align::kLeft, true}}};
  for (const MetricOnChip& row : rows) {
    const Tone tone = row.lacking ? Tone::kNote : Tone::kPlain;
    const std::string lacks = row.lacking ? " (not on this chip)" : "";
    table.rows.push_back({{std::string(row.metric->key), tone},
                          {std::string(row.metric->title) + lacks, tone},
                          {std::string(row.metric->unit)}});
  }
  fmt::print("{}", table_text(table, terminal));
}

/// The meaning of a name: metrics, or a stall reason.
struct Meant {
  std::vector<const metrics::Metric*> rows = {};
  const metrics::StallReason* stall = nullptr;
};

// A key, a counter's name with or without its rollup, or a stall reason. An input error where it
// is none of these.
Meant meaning_of(const std::string& name) {
  Meant meant;
  const bool prefixed = name.rfind(metrics::kStallPrefix, 0) == 0;
  meant.stall = metrics::find_stall(prefixed ? name.substr(metrics::kStallPrefix.size()) : name);
  if (meant.stall != nullptr) return meant;
  meant.rows = metrics::rows_counted_by(name);
  if (meant.rows.empty()) meant.rows.push_back(&metrics::at(name));
  return meant;
}

page::Page page_of(const Meant& meant, const std::vector<MetricOnChip>& rows,
                   const std::string& chip) {
  page::Page page;
  if (meant.stall != nullptr) page = metrics::stall_page(*meant.stall);
  for (const MetricOnChip& row : rows) {
    page::Page one = metrics::metric_page(*row.metric, all_labs());
    one.blocks.front().apart = true;
    append(page, std::move(one));
    if (chip.empty()) continue;
    page.blocks.push_back(page::sentence(fmt::format("on {}: {}", chip, origin_of(row))));
  }
  return page;
}

int run_metrics(const Arguments& arguments, const Console& console) {
  const auto& words = arguments.positionals();
  const Meant meant = words.empty() ? Meant{} : meaning_of(words.front());
  const auto chip = arguments.value("chip");
  const ChipAnswer answer = chip ? ask_chip(*chip) : ChipAnswer{};
  std::vector<MetricOnChip> rows =
      rows_for(answer.chip.empty() ? std::string(kUsualChip) : answer.chip, answer.lacking);
  if (!words.empty()) {
    const auto other = [&](const MetricOnChip& row) {
      return std::find(meant.rows.begin(), meant.rows.end(), row.metric) == meant.rows.end();
    };
    rows.erase(std::remove_if(rows.begin(), rows.end(), other), rows.end());
  }
  if (arguments.has("json")) {
    std::vector<metrics::StallReason> stalls;
    if (words.empty()) stalls = metrics::stall_reasons();
    if (meant.stall != nullptr) stalls = {*meant.stall};
    fmt::print("{}\n", metrics_json(rows, stalls, answer.chip, answer.passes));
    return 0;
  }
  if (!words.empty()) {
    print_page(page_of(meant, rows, answer.chip), arguments, console);
    return 0;
  }
  print_table(rows, console.out);
  if (answer.chip.empty()) {
    fmt::print(
        "\nlab metrics NAME tells all about one: its counters, formulas and traps.\n"
        "--chip NAME asks CUPTI what a chip has of them.\n");
    return 0;
  }
  const auto lacking =
      std::count_if(rows.begin(), rows.end(), [](const auto& r) { return r.lacking; });
  fmt::print("\n{}: {} of {} metrics; the default set takes {} passes.\n", answer.chip,
             std::ssize(rows) - lacking, rows.size(), answer.passes);
  return 0;
}

}  // namespace

Command metrics_command() {
  return {"metrics",
          "List the metrics: unit, class, counters; needs no GPU",
          {"NAME", "Everything known about a metric, a counter or a stall reason", 0, 1},
          {{"chip", "NAME", "Mark what this chip lacks and count passes: TU102, GA100, GH100, ..."},
           page_option()},
          "  lab metrics --chip AD102\n  lab metrics shared_load_wavefronts_sass\n"
          "  lab metrics dram__bytes_read\n  lab metrics short_scoreboard",
          run_metrics,
          true};
}

}  // namespace lab::cli
