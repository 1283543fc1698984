// What of a lab can be looked at without running anything.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "harness/classes/labtest/checks.h"
#include "harness/core/text.h"
#include "harness/run/places.h"
#include "harness/run/starter.h"
#include "metrics/catalogue.h"
#include "metrics/formulas.h"

namespace lab::labtest {
namespace {

constexpr std::array<const char*, 7> kFiles = {"kernels.cu", "reference.cu", "README.md",
                                               "answers.md", "study.toml",   "rubric.toml",
                                               "lab.toml"};

/// The lines of lab.toml, looked through for headings and keys: where, not what.
class Lines {
 public:
  explicit Lines(const std::string& text) : lines_(split(text, '\n')) {}

  /// From 0; none: -1.
  [[nodiscard]] int heading(const std::string& name) const {
    const auto found = std::find_if(lines_.begin(), lines_.end(), [&](std::string_view line) {
      return trim(line).starts_with("[" + name + "]");
    });
    return found == lines_.end() ? -1 : static_cast<int>(found - lines_.begin());
  }

  /// Of the table that begins at line `from` the one whose key is `metric` or begins it, the
  /// longest; none: -1.
  [[nodiscard]] int row(int from, std::string_view metric) const {
    int best = -1;
    std::size_t length = 0;
    each_key(from, [&](int at, std::string_view key, std::string_view) {
      if (!metric.starts_with(key) || key.size() <= length) return;
      best = at;
      length = key.size();
    });
    return best;
  }

  [[nodiscard]] std::string like(int from) const {
    std::string other;
    each_key(from, [&](int, std::string_view key, std::string_view value) {
      if (key == "like") other = split(value, '"').at(1);
    });
    return other;
  }

 private:
  template <typename Take>
  void each_key(int from, Take take) const {
    for (int at = from + 1; from >= 0 && at < std::ssize(lines_); ++at) {
      const std::string_view line = trim(lines_[static_cast<std::size_t>(at)]);
      if (line.starts_with('[')) return;
      const std::size_t equals = line.find('=');
      if (equals == std::string_view::npos || line.starts_with('#')) continue;
      const std::string_view key = trim(line.substr(0, equals));
      take(at, key.substr(0, key.find('.')), line.substr(equals));
    }
  }

  std::vector<std::string_view> lines_;
};

// L2 and DRAM have their rows from `moved`.
std::string_view row_name(std::string_view metric) {
  const bool moved = metric.starts_with("l2_") || metric.starts_with("dram_");
  return moved ? std::string_view("moved") : metric;
}

// A ratio of nothing has no value: a variant that reads no shared memory has no ways.
bool may_be_undefined(const std::string& metric) {
  const metrics::Metric* known = metrics::find(metric);
  return known != nullptr && known->derived.rule == metrics::Rule::kRatio;
}

// A row's values at a point, where they can't be; empty: nothing is wrong with them.
std::string problem_at(const Variant& variant, const TheoryRow& row, const Params& point) {
  const FormulaNames names = formula_names(variant, point, variant.launch(point));
  try {
    const double low = row.formula.value(names);
    const double high = row.high ? row.high->value(names) : low;
    if (low >= 0 && high >= low) return {};
    return number_text(low) + (row.high ? " to " + number_text(high) : "");
  } catch (const Error& error) {
    return may_be_undefined(row.metric) ? std::string() : error.what();
  }
}

void check_row(const Lab& lab, const Variant& variant, const TheoryRow& row, Check& check) {
  for (const Params& point : variant.points) {
    const std::string problem = problem_at(variant, row, point);
    if (problem.empty()) continue;
    check.problems.push_back(fmt::format("{}: {} of {} at {}: {}",
                                         place_of(lab, variant.name, row.metric), row.metric,
                                         variant.name, point.text(), problem));
    return;
  }
}

}  // namespace

std::string place_of(const Lab& lab, std::string_view variant, std::string_view metric) {
  const std::string path = run::lab_file(lab, "lab.toml");
  const std::string text = run::read_text(path, "the lab");
  const Lines lines(text);
  std::string name(variant);
  const int own = lines.heading("variant." + name);
  for (std::size_t i = 0; i <= lab.variants.size() && !name.empty(); ++i) {
    const int theory = lines.heading("variant." + name + ".theory");
    int row = metric.empty() ? -1 : lines.row(theory, metric);
    if (row < 0 && !metric.empty()) row = lines.row(theory, row_name(metric));
    if (row >= 0) return fmt::format("{}:{}", path, row + 1);
    name = lines.like(lines.heading("variant." + name));
  }
  return own < 0 ? path : fmt::format("{}:{}", path, own + 1);
}

void check_files(const Subject& subject, Check& check) {
  for (const char* name : kFiles) {
    const std::string path = run::lab_file(subject.lab, name);
    std::error_code failed;
    if (!std::filesystem::is_regular_file(path, failed)) {
      check.problems.push_back(fmt::format("{} is not there", path));
    } else if (trim(run::read_text(path, "the lab's file")).empty()) {
      check.problems.push_back(fmt::format("{} is empty", path));
    }
  }
  static_cast<void>(run::starter_of(subject.lab));  // for its error
  check.told = fmt::format("{}, and the starter", counted(kFiles.size(), "file"));
}

void check_formulas(const Subject& subject, Check& check) {
  std::size_t rows = 0;
  for (const Variant& variant : subject.lab.variants) {
    rows += variant.theory.size();
    for (const TheoryRow& row : variant.theory) {
      if (row.why.empty()) {
        check.problems.push_back(fmt::format("{}: {} of {} has no `why`",
                                             place_of(subject.lab, variant.name, row.metric),
                                             row.metric, variant.name));
      }
      if (variant.launch) check_row(subject.lab, variant, row, check);
    }
  }
  check.told = counted(rows, "formula");
}

void check_headlines(const Subject& subject, Check& check) {
  constexpr std::size_t kColumns = 76;  // of 80: `lab run` indents by four
  constexpr std::size_t kLines = 2;
  std::size_t formulas = 0;
  for (const Variant& variant : subject.lab.variants) {
    for (const std::string& metric : subject.lab.headline) {
      const TheoryRow* row = metrics::theory_row(variant, metric);
      if (row == nullptr) continue;
      ++formulas;
      const Expr shown = metrics::over_defaults(row->formula, variant);
      if (!lines_of(shown, kColumns, kLines).empty()) continue;
      check.problems.push_back(fmt::format(
          "{}: {} of {} needs more than {} lines; name a part of it in [where]: {}",
          place_of(subject.lab, variant.name, metric), metric, variant.name, kLines, shown.text()));
    }
  }
  check.told = fmt::format("{} of at most {} lines", counted(formulas, "formula"), kLines);
}

}  // namespace lab::labtest
