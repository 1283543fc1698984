#include "tools/cli/text/ceiling_text.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "harness/core/text.h"
#include "harness/reading/times.h"
#include "tools/cli/text/cells.h"
#include "tools/cli/text/table.h"

namespace lab::cli {

namespace {

using metrics::Resource;
constexpr std::array<Resource, 4> kResources = {Resource::kDram, Resource::kL2,
                                                Resource::kSharedMemory, Resource::kIssue};

std::string fact(const RunRecord& run, const std::string& key) {
  const auto found = run.environment.find(key);
  return found == run.environment.end() ? std::string() : found->second;
}

Cell percent_cell(const metrics::TimeBound& bound, Resource resource) {
  for (const metrics::Use& use : bound.uses) {
    if (use.resource != resource) continue;
    const bool first = &use == &bound.uses.front();
    return {fmt::format("{:.1f} %", 100 * bound.fraction(use)),
            first ? Tone::kStrong : Tone::kPlain};
  }
  return {"-", Tone::kDim};
}

using Bounds = std::vector<std::pair<const CaseRecord*, metrics::TimeBound>>;

std::vector<Cell> row_of(const CaseRecord& record, const metrics::TimeBound& bound) {
  const std::string params = record.params.text();
  const std::string name = record.variant.empty() ? record.kernel : record.variant;
  return {{safe_line(params.empty() ? name : name + "  " + params)},
          {grouped_text(bound.measured_ns)},
          {grouped_text(std::round(bound.uses.front().least_ns))},
          {std::string(name_of(bound.uses.front().resource))}};
}

Table wide_table(const Bounds& bounds) {
  constexpr const char* kGroup = "percent of ceiling";
  Table table{{{"case"},
               {"took ns", Align::kRight},
               {"at least ns", Align::kRight},
               {"bound"},
               {"DRAM", Align::kRight, false, kGroup},
               {"L2", Align::kRight, false, kGroup},
               {"shared", Align::kRight, false, kGroup},
               {"issue", Align::kRight, false, kGroup}}};
  for (const auto& [record, bound] : bounds) {
    std::vector<Cell> row = row_of(*record, bound);
    for (const Resource resource : kResources) row.push_back(percent_cell(bound, resource));
    table.rows.push_back(std::move(row));
  }
  return table;
}

// With the bound's percentage alone.
Table narrow_table(const Bounds& bounds) {
  Table table{{{"case", Align::kLeft, true},
               {"took ns", Align::kRight},
               {"at least ns", Align::kRight},
               {"bound"},
               {"of it", Align::kRight}}};
  for (const auto& [record, bound] : bounds) {
    std::vector<Cell> row = row_of(*record, bound);
    row.push_back(percent_cell(bound, bound.uses.front().resource));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

std::string bounds_text(const RunRecord& run, const db::Calibration& calibration, std::size_t most,
                        const Terminal& terminal) {
  const metrics::Machine machine{calibration.gpu, calibration.taken_at, calibration.ceilings,
                                 metrics::size_of(run.environment)};
  Bounds bounds;
  std::size_t left_out = 0;
  for (const CaseRecord& record : run.cases) {
    auto bound = reading::time_against(record, machine);
    if (!bound) continue;
    if (bounds.size() < most) {
      bounds.emplace_back(&record, std::move(*bound));
    } else {
      ++left_out;
    }
  }
  if (bounds.empty()) return {};
  const Table wide = wide_table(bounds);
  const bool fits = natural_width(wide) + kTableIndent <= terminal.width;
  const std::string more =
      left_out == 0 ? std::string() : fmt::format("  and {} more: --all\n", left_out);
  return fmt::format("\nTime against the ceilings of {}, measured {}\n{}{}",
                     safe_line(calibration.gpu), safe_line(calibration.taken_at),
                     table_text(fits ? wide : narrow_table(bounds), terminal, kTableIndent), more);
}

std::string bounds_text(const RunRecord& run, db::Store& store, std::size_t most,
                        const Terminal& terminal) {
  const std::string uuid = fact(run, "gpu_uuid");
  if (uuid.empty()) return {};
  const auto calibration = db::latest_calibration(store, uuid);
  return calibration ? bounds_text(run, *calibration, most, terminal) : std::string();
}

}  // namespace lab::cli
