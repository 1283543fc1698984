#include "harness/ncu/source_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <utility>

#include "harness/core/csv.h"
#include "harness/core/error.h"
#include "harness/core/metric_keys.h"
#include "harness/core/text.h"
#include "harness/ncu/kernel_name.h"
#include "harness/ncu/number.h"

namespace lab::ncu {

namespace {

// Columns of the source page and what they are called here. The two of sectors are what patched
// instructions ask for, before any cache.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kColumns = {{
    {"Instructions Executed", metric::kInstructions},
    {"L2 Theoretical Sectors Global", "global_sectors"},
    {"L2 Theoretical Sectors Global Ideal", "global_sectors_ideal"},
    {"L1 Wavefronts Shared", "shared_wavefronts_sass"},
    {"L1 Wavefronts Shared Ideal", "shared_wavefronts_ideal"},
}};

int whole_line(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

class Page {
 public:
  void add(const CsvRow& row) {
    const auto cell = [&](std::size_t i) {
      return i < row.cells.size() ? trim(row.cells[i]) : std::string_view();
    };
    if (cell(0) == "File Path") {
      file_ = cell(1);
    } else if (cell(0) == "Function Name" || cell(0) == "Kernel Name") {
      functions_.push_back({file_, std::string(cell(1))});
      columns_.clear();
    } else if (cell(0) == "Line No") {
      read_header(row);
    } else if (cell(0) == "Address") {
      machine_code_ = true;
    } else if (!columns_.empty()) {
      read_line(row, whole_line(cell(0)));
    }
  }

  [[nodiscard]] bool has_lines() const { return has_lines_; }
  [[nodiscard]] bool machine_code_alone() const { return machine_code_ && !has_lines_; }
  [[nodiscard]] std::vector<SourceFunction> take() { return std::move(functions_); }

 private:
  void read_header(const CsvRow& row) {
    columns_.clear();
    has_lines_ = true;
    if (functions_.empty()) functions_.push_back({file_, ""});
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const auto* known = std::find_if(kColumns.begin(), kColumns.end(), [&](const auto& one) {
        return one.first == trim(row.cells[i]);
      });
      // A column may stand there twice; both have the same numbers.
      if (known != kColumns.end()) columns_.emplace(known->second, i);
    }
  }

  // Rows with no line number are the instructions of the line above.
  void read_line(const CsvRow& row, int line) {
    if (line == 0) return;
    SourceFunction& function = functions_.back();
    for (const auto& [metric, column] : columns_) {
      if (column >= row.cells.size()) continue;
      const auto value = parse_number(trim(row.cells[column]), Decimal::kPoint);
      if (value && *value > 0) {
        function.lines.push_back({file_, line, std::string(metric), SourceOf::kNcu, *value});
      }
    }
  }

  std::string file_;
  std::map<std::string_view, std::size_t> columns_;
  bool has_lines_ = false;
  bool machine_code_ = false;
  std::vector<SourceFunction> functions_;
};

std::string file_name(const std::string& path) { return path.substr(path.find_last_of("/\\") + 1); }

}  // namespace

std::vector<SourceFunction> read_source_page(std::string_view bytes, const std::string& file) {
  constexpr const char* kHow =
      "ncu --import R.ncu-rep --csv --page source --print-source cuda,sass > lines.csv; the report "
      "needs --section SourceCounters and --import-source yes";
  const std::string text = as_utf8(bytes);
  CsvReader reader(text, ',');
  Page page;
  while (const auto row = reader.next()) page.add(*row);
  if (page.machine_code_alone()) {
    throw input_error(file + " has machine code alone, with no source lines", kHow);
  }
  if (!page.has_lines()) throw input_error(file + " has no source page of Nsight Compute", kHow);
  return page.take();
}

std::vector<LineObservation> lines_of(const std::vector<SourceFunction>& functions,
                                      const std::string& kernel, const std::string& file) {
  std::vector<LineObservation> lines;
  std::string others;
  const KernelName wanted = kernel_name(kernel);
  bool found = false;
  for (const SourceFunction& function : functions) {
    if (!function.name.empty() && !may_be_same(kernel_name(function.name), wanted)) {
      others += (others.empty() ? "" : ", ") + kernel_name(function.name).base;
      continue;
    }
    found = true;
    for (LineObservation line : function.lines) {
      if (file_name(line.file) == file_name(file) || line.file.empty()) line.file = file;
      lines.push_back(std::move(line));
    }
  }
  if (!found) {
    throw input_error(fmt::format("the page of Nsight Compute has no kernel {}", kernel),
                      others.empty() ? "" : "it has " + others);
  }
  return lines;
}

}  // namespace lab::ncu
