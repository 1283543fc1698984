#include "harness/ncu/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "harness/core/csv.h"
#include "harness/core/error.h"
#include "harness/core/text.h"

namespace lab::ncu {

namespace {

// How many lines are reported one by one; the rest are counted.
constexpr std::size_t kMostNotes = 5;
constexpr std::string_view kDeviceName = "device__attribute_display_name";

// Columns by what they hold. Nsight Compute adds and drops some from version to version.
struct Columns {
  std::optional<std::size_t> id, process, kernel, grid, block, metric, unit, value, capability;
  std::vector<std::size_t> ranges;
  std::vector<std::size_t> counters;  // raw layout: columns that are metrics
  std::vector<std::string> names;
  [[nodiscard]] bool is_long() const { return metric.has_value() && value.has_value(); }
};

Columns columns_of(const std::vector<std::string>& header) {
  Columns columns;
  const std::map<std::string_view, std::optional<std::size_t>*> known = {
      {"ID", &columns.id},
      {"Process ID", &columns.process},
      {"Kernel Name", &columns.kernel},
      {"Grid Size", &columns.grid},
      {"Block Size", &columns.block},
      {"Metric Name", &columns.metric},
      {"Metric Unit", &columns.unit},
      {"Metric Value", &columns.value},
      {"CC", &columns.capability}};
  for (std::size_t i = 0; i < header.size(); ++i) {
    const std::string_view name = trim(header[i]);
    const auto at = known.find(name);
    if (at != known.end()) {
      if (!*at->second) *at->second = i;
    } else if (name.find("Range") != std::string_view::npos || name.substr(0, 4) == "NVTX") {
      columns.ranges.push_back(i);
    } else if (name.find("__") != std::string_view::npos) {
      columns.counters.push_back(i);
    }
    columns.names.emplace_back(name);
  }
  return columns;
}

// A header has the kernel's name and either the columns of the long layout or counters.
bool is_header(const std::vector<std::string>& cells) {
  const auto has = [&](std::string_view name) {
    return std::any_of(cells.begin(), cells.end(),
                       [&](const std::string& cell) { return trim(cell) == name; });
  };
  if (!has("Kernel Name")) return false;
  return has("Metric Name") || std::any_of(cells.begin(), cells.end(), [](const auto& cell) {
           return cell.find("__") != std::string::npos;
         });
}

// (256, 1, 1), 256,1,1 or 256x1x1
std::optional<Dim3> parse_dim3(std::string_view text) {
  std::uint32_t numbers[3] = {1, 1, 1};
  std::size_t found = 0;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    if (*at < '0' || *at > '9') {
      ++at;
      continue;
    }
    if (found == 3) return {};
    const auto [next, failed] = std::from_chars(at, end, numbers[found++]);
    if (failed != std::errc{}) return {};
    at = next;
  }
  if (found == 0) return {};
  return Dim3{numbers[0], numbers[1], numbers[2]};
}

// A value as it is in the file. What it means is known when all values have been seen.
struct RawValue {
  std::size_t launch = 0;
  std::string name;
  std::string unit;
  std::string text;
  int line = 0;
};

std::string_view without_instances(std::string_view text) {
  return trim(text.substr(0, text.find_first_of("({;")));
}

// A counter's sum in a unit that was not scaled is a whole number.
bool is_whole(const RawValue& value) {
  constexpr std::string_view kSum = ".sum";
  constexpr std::string_view kWhole[] = {"byte", "sector", "request", "inst", "warp", "cycle"};
  const std::string_view name = value.name;
  return name.size() > kSum.size() && name.substr(name.size() - kSum.size()) == kSum &&
         std::find(std::begin(kWhole), std::end(kWhole), trim(value.unit)) != std::end(kWhole);
}

std::optional<MetricValue> understood(const RawValue& raw, Decimal decimal) {
  const std::string_view text = without_instances(raw.text);
  MetricValue out{raw.name, 0.0, {}};
  if (const auto number = parse_number(text, decimal)) {
    const auto scale = unit_scale(raw.unit);
    const std::string kind = why_not_in(raw.name, raw.unit);
    if (!kind.empty()) {
      out.value = Missing{NoValue::kWrongUnit,
                          fmt::format("Nsight Compute's CSV gives {} in {}", kind,
                                      trim(raw.unit).empty() ? "no unit" : "'" + raw.unit + "'")};
    } else if (scale) {
      out.value = *number * *scale;
      if (*scale != 1) out.rounded = std::string(text) + " " + raw.unit;
    } else {
      out.value = Missing{NoValue::kUnknownUnit, "Nsight Compute gives it in '" + raw.unit +
                                                     "', a unit that is not known here"};
    }
    return out;
  }
  constexpr std::string_view kNothing[] = {"",    "n/a",  "N/A",     "no data", "(nil)",
                                           "nan", "-nan", "invalid", "inf",     "-inf"};
  if (std::find(std::begin(kNothing), std::end(kNothing), text) != std::end(kNothing)) {
    out.value = Missing{NoValue::kNotAvailable, "Nsight Compute has no value for it"};
    return out;
  }
  const bool number = !text.empty() && std::string_view("0123456789+-.").find(text.front()) !=
                                           std::string_view::npos;
  if (number && text.find_first_not_of("0123456789.,+-eE") == std::string_view::npos) {
    out.value =
        Missing{NoValue::kNotANumber, "Nsight Compute's CSV has '" + std::string(text) + "'"};
    return out;
  }
  return {};  // a word: names of settings are not metrics
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& file)
      : rows_(text, ','), file_(file), cut_line_(cut_line_of(text)) {
    find_header(text);
  }

  Report read(std::optional<Decimal> decimal) {
    while (const auto row = rows_.next()) take(*row);
    report_.layout = columns_.is_long() ? Layout::kLong : Layout::kRaw;
    report_.decimal = decimal ? *decimal : decimal_of_all();
    std::map<std::string, std::size_t> useless;
    for (const RawValue& raw : raw_) {
      if (raw.name == kDeviceName) take_device(raw.text);
      if (auto value = understood(raw, report_.decimal)) {
        note_useless(*value, useless);
        report_.launches[raw.launch].values.push_back(std::move(*value));
      }
    }
    for (const auto& [why, count] : useless) {
      report_.notes.push_back(fmt::format("{} values left out: {}", count, why));
    }
    if (left_out_ > kMostNotes) {
      report_.notes.push_back(fmt::format("{} more lines left out", left_out_ - kMostNotes));
    }
    if (several_devices_) report_.device.clear();
    return std::move(report_);
  }

 private:
  // ncu ends every line, and quotes its values: a last one without either may have lost digits.
  static int cut_line_of(std::string_view text) {
    if (text.empty() || text.back() == '\n' || text.back() == '\r') return 0;
    const std::string_view last = text.substr(text.rfind('\n') + 1);  // npos + 1 is the first line
    const bool closed = std::count(last.begin(), last.end(), '"') % 2 == 0;
    if (text.back() == '"' && closed) return 0;
    return static_cast<int>(std::count(text.begin(), text.end(), '\n')) + 1;
  }

  static void note_useless(const MetricValue& value, std::map<std::string, std::size_t>& useless) {
    const auto* missing = std::get_if<Missing>(&value.value);
    if (missing == nullptr || missing->reason == NoValue::kNotAvailable) return;
    ++useless[fmt::format("{}: {}", value.name, missing->detail)];
  }

  void take_capability(const std::string& capability) {
    if (capability.empty() || report_.capability == capability) return;
    report_.capability += (report_.capability.empty() ? "" : ", ") + capability;
  }

  void take_device(const std::string& name) {
    several_devices_ = several_devices_ || (!report_.device.empty() && report_.device != name);
    report_.device = name;
  }

  void find_header(std::string_view text) {
    for (const char separator : {',', ';', '\t'}) {
      CsvReader reader(text, separator);
      while (const auto row = reader.next()) {
        if (!is_header(row->cells)) continue;
        columns_ = columns_of(row->cells);
        rows_ = reader;
        return;
      }
    }
    const bool denied = text.find("ERR_NVGPUCTRPERM") != std::string_view::npos;
    const bool none = text.find("No kernels were profiled") != std::string_view::npos;
    throw input_error(
        fmt::format("{}: no table of Nsight Compute in it{}", file_,
                    denied ? ": ncu was not allowed to read counters (ERR_NVGPUCTRPERM)"
                    : none ? ": ncu says that no kernels were profiled"
                           : ""),
        "make one with: ncu --csv --page raw ... or ncu --import FILE.ncu-rep --csv --page raw");
  }

  void note(int line, const std::string& why) {
    if (++left_out_ <= kMostNotes) report_.notes.push_back(fmt::format("line {}: {}", line, why));
  }

  void take(const CsvRow& row) {
    const std::string_view first = trim(row.cells.front());
    if (row.cells.size() == 1 || first.substr(0, 2) == "==") return;  // what ncu or programs say
    if (row.line == cut_line_) return note(row.line, "the file ends within it");
    if (is_header(row.cells)) {
      columns_ = columns_of(row.cells);  // several files, one after the other
      units_.clear();
      by_id_.clear();
      return;
    }
    if (ends_after_its_value(row)) {
      CsvRow whole = row;
      whole.cells.resize(columns_.names.size());
      return take_long(whole);
    }
    if (row.cells.size() != columns_.names.size()) {
      note(row.line, fmt::format("{} cells, where the heading has {}", row.cells.size(),
                                 columns_.names.size()));
      return;
    }
    columns_.is_long() ? take_long(row) : take_raw(row);
  }

  // As ncu 2025.3 writes the details page: a metric's row leaves the columns of rules out.
  [[nodiscard]] bool ends_after_its_value(const CsvRow& row) const {
    return columns_.is_long() && row.cells.size() > *columns_.value &&
           row.cells.size() < columns_.names.size();
  }

  [[nodiscard]] static std::string cell(const CsvRow& row, std::optional<std::size_t> column) {
    return column ? row.cells[*column] : std::string();
  }

  std::size_t add_launch(const CsvRow& row) {
    KernelLaunch launch;
    launch.id = cell(row, columns_.id);
    launch.kernel = cell(row, columns_.kernel);
    launch.grid = parse_dim3(cell(row, columns_.grid));
    launch.block = parse_dim3(cell(row, columns_.block));
    take_capability(std::string(trim(cell(row, columns_.capability))));
    for (const std::size_t i : columns_.ranges) launch.ranges += row.cells[i] + "\n";
    report_.launches.push_back(std::move(launch));
    return report_.launches.size() - 1;
  }

  void take_long(const CsvRow& row) {
    if (!columns_.id) {
      note(row.line, "no ID says which launch it is of");
      return;
    }
    const std::string key = cell(row, columns_.process) + '\n' + cell(row, columns_.id);
    const auto [at, added] = by_id_.try_emplace(key, 0);
    if (added) at->second = add_launch(row);
    std::string name(trim(cell(row, columns_.metric)));
    if (name.empty()) return;  // a rule's advice
    raw_.push_back({at->second, std::move(name), cell(row, columns_.unit),
                    cell(row, columns_.value), row.line});
  }

  void take_raw(const CsvRow& row) {
    if (trim(cell(row, columns_.kernel)).empty()) {
      units_ = row.cells;  // the row below the heading
      return;
    }
    const std::size_t launch = add_launch(row);
    for (const std::size_t i : columns_.counters) {
      raw_.push_back(
          {launch, columns_.names[i], i < units_.size() ? units_[i] : "", row.cells[i], row.line});
    }
  }

  [[nodiscard]] Decimal decimal_of_all() const {
    std::vector<NumberCell> cells;
    for (const RawValue& value : raw_) {
      cells.push_back({without_instances(value.text), is_whole(value), value.line});
    }
    try {
      return decimal_of(cells);
    } catch (const Error& error) {
      throw input_error(file_ + ": " + error.what(), error.hint());
    }
  }

  CsvReader rows_;
  const std::string& file_;
  int cut_line_;  // 0: none
  Columns columns_;
  std::vector<std::string> units_;
  std::map<std::string, std::size_t> by_id_;
  std::vector<RawValue> raw_;
  Report report_;
  std::size_t left_out_ = 0;
  bool several_devices_ = false;
};

}  // namespace

Report read_report(std::string_view bytes, const std::string& file,
                   std::optional<Decimal> decimal) {
  const std::string text = as_utf8(bytes);
  return Reader(text, file).read(decimal);
}

}  // namespace lab::ncu
