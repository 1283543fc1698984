#include "harness/reading/generations/tables.h"

#include <map>

#include "harness/core/metric_keys.h"
#include "harness/core/text.h"
#include "harness/reading/generations/pattern.h"

namespace lab::labs {
namespace {

std::uint32_t width_of(const Params& params) {
  return static_cast<std::uint32_t>(params.number("bytes"));
}

// 2x64, 1x32: how many of which size, the largest first.
std::string sizes_text(const std::vector<Transaction>& transactions) {
  std::map<std::uint32_t, int, std::greater<>> count;
  for (const auto& t : transactions) ++count[t.bytes];
  std::string text;
  for (const auto& [bytes, times] : count) {
    text += (text.empty() ? "" : ", ") + std::to_string(times) + "x" + std::to_string(bytes);
  }
  return text;
}

// One source's value of a metric, for one warp; empty where it has none.
std::string seen(const CaseRecord& record, std::string_view metric, SourceOf source) {
  for (const auto& observation : record.observations) {
    if (observation.metric != metric || observation.source != source) continue;
    if (!observation.has_value()) return {};
    return number_text(observation.number() / static_cast<double>(record.params.number("blocks")));
  }
  return {};
}

struct Source {
  const char* name;
  SourceOf source;
};
constexpr Source kSources[] = {{"this run, model", SourceOf::kModel},
                               {"this run, measured", SourceOf::kCupti}};

// One of the lab's two halves: a rule's name and what it says of a pattern.
struct Half {
  const char* title;
  std::string_view metric;
  const char* unit;  // of the metric, behind its number
  bool shared;       // whose cases have the metric
  std::vector<std::string> (*cells)(const Pattern&, std::uint32_t width);
  std::vector<std::string_view> (*names)();
  std::vector<std::string_view> (*texts)();
};

template <typename Rules, typename Get>
std::vector<std::string_view> each(const Rules& rules, Get get) {
  std::vector<std::string_view> all;
  for (const auto& rule : rules) all.push_back(get(rule));
  return all;
}

std::vector<std::string> transactions_of(const Pattern& pattern, std::uint32_t width) {
  std::vector<std::string> cells;
  for (const auto& rule : global_rules()) {
    const auto transactions = rule.transactions(pattern, width);
    cells.push_back(sizes_text(transactions) + " (" +
                    std::to_string(wasted(transactions, pattern, width)) + ")");
  }
  return cells;
}

std::vector<std::string> passes_of(const Pattern& pattern, std::uint32_t width) {
  std::vector<std::string> cells;
  for (const auto& rule : shared_rules())
    cells.push_back(std::to_string(rule.passes(pattern, width)));
  return cells;
}

const Half kGlobal = {
    "transactions of a warp's load, number x bytes (bytes moved that nobody asked for)",
    metric::kGlobalLoadSectors,
    "x32",
    false,
    transactions_of,
    [] { return each(global_rules(), [](const GlobalRule& r) { return r.capability; }); },
    [] { return each(global_rules(), [](const GlobalRule& r) { return r.text; }); }};
const Half kShared = {
    "passes of a warp's load from shared memory",
    metric::kSharedLoadWavefronts,
    "",
    true,
    passes_of,
    [] { return each(shared_rules(), [](const SharedRule& r) { return r.capability; }); },
    [] { return each(shared_rules(), [](const SharedRule& r) { return r.text; }); }};

// A column of a table: its heading and the cases that have the pattern.
struct Column {
  std::string heading;
  std::vector<const CaseRecord*> cases = {};
};

void add_seen(TextTable& table, const Half& half, const std::vector<Column>& columns,
              bool with_text) {
  for (const auto& source : kSources) {
    std::vector<std::string> row = {source.name};
    if (with_text) row.emplace_back("what this GPU's counters, or the model, say");
    bool any = false;
    for (const auto& column : columns) {
      std::string cell;
      for (const auto* record : column.cases) {
        const bool shared = record->variant.find("_shared") != std::string::npos;
        if (cell.empty() && shared == half.shared) cell = seen(*record, half.metric, source.source);
      }
      any = any || !cell.empty();
      row.push_back(cell.empty() ? "-" : cell + half.unit);
    }
    if (any) table.rows.push_back(row);
  }
}

TextTable table_of(const Half& half, const std::vector<Column>& columns, std::uint32_t width,
                   bool with_text) {
  TextTable table;
  table.title = std::to_string(width) + " bytes per lane: " + half.title;
  table.header = {"capability"};
  if (with_text) table.header.emplace_back("rule");
  const auto names = half.names();
  const auto texts = half.texts();
  for (std::size_t r = 0; r < names.size(); ++r) {
    table.rows.push_back({std::string(names[r])});
    if (with_text) table.rows.back().emplace_back(texts[r]);
  }
  for (const auto& column : columns) {
    table.header.push_back(column.heading);
    const auto cells = half.cells(pattern_of(column.cases.front()->params), width);
    for (std::size_t r = 0; r < cells.size(); ++r) table.rows[r].push_back(cells[r]);
  }
  add_seen(table, half, columns, with_text);
  return table;
}

}  // namespace

Pattern pattern_of(const Params& params) {
  if (params.has("addresses")) return read_pattern(params.choice("addresses"), "");
  return figure(static_cast<int>(params.number("figure")), width_of(params));
}

FormulaNames counts_of_pattern(const Params& params) {
  const Pattern pattern = pattern_of(params);
  const auto width = static_cast<std::uint32_t>(params.number("bytes"));
  const BankCost banks = bank_cost(pattern, width);
  return {{"sectors", static_cast<double>(touched_units(pattern, width, 32))},
          {"lines", static_cast<double>(touched_units(pattern, width, 128))},
          {"asked", static_cast<double>(asked_bytes(pattern, width))},
          {"passes", banks.wavefronts},
          {"passes_sass", banks.wavefronts_sass},
          {"groups", banks.groups}};
}

std::vector<TextTable> generation_tables(const std::vector<CaseRecord>& cases) {
  std::map<std::uint32_t, std::map<std::int64_t, Column>> figures;  // by width, then number
  std::map<std::pair<std::string, std::uint32_t>, Column> patterns;
  for (const auto& record : cases) {
    const auto width = width_of(record.params);
    const bool own = record.params.has("addresses");
    const auto number = own ? 0 : record.params.number("figure");
    auto& column =
        own ? patterns[{record.params.choice("addresses"), width}] : figures[width][number];
    column.heading = own ? "this pattern" : "figure " + std::to_string(number);
    column.cases.push_back(&record);
  }
  std::vector<TextTable> tables;
  const auto add = [&](const std::vector<Column>& columns, std::uint32_t width, bool with_text) {
    for (const auto* half : {&kGlobal, &kShared}) {
      tables.push_back(table_of(*half, columns, width, with_text));
    }
  };
  for (const auto& [width, by_number] : figures) {
    std::vector<Column> columns;
    for (const auto& [number, column] : by_number) columns.push_back(column);
    add(columns, width, false);
  }
  for (const auto& [key, column] : patterns) {
    add({column}, key.second, true);
    tables[tables.size() - 2].title = key.first + "\n" + tables[tables.size() - 2].title;
  }
  return tables;
}

}  // namespace lab::labs
