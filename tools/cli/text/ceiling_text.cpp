#include "tools/cli/text/ceiling_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "harness/core/text.h"
#include "metrics/ceilings.h"
#include "tools/cli/text/table.h"

namespace lab::cli {

namespace {

constexpr std::array<std::string_view, 4> kResources = {"DRAM", "L2", "shared memory",
                                                        "instruction issue"};

std::string fact(const RunRecord& run, const std::string& key) {
  const auto found = run.environment.find(key);
  return found == run.environment.end() ? std::string() : found->second;
}

double number_fact(const RunRecord& run, const std::string& key) {
  return std::strtod(fact(run, key).c_str(), nullptr);
}

Cell percent_cell(const metrics::TimeBound& bound, std::string_view resource) {
  for (const metrics::Use& use : bound.uses) {
    if (use.resource != resource) continue;
    const bool first = &use == &bound.uses.front();
    return {fmt::format("{:.1f} %", 100 * bound.fraction(use)),
            first ? Tone::kStrong : Tone::kPlain};
  }
  return {"-", Tone::kDim};
}

std::vector<Cell> row_of(const CaseRecord& record, const metrics::TimeBound& bound) {
  const std::string params = record.params.text();
  const std::string name = record.variant.empty() ? record.kernel : record.variant;
  std::vector<Cell> row = {{safe_line(params.empty() ? name : name + "  " + params)},
                           {number_text(bound.measured_ns)},
                           {number_text(bound.uses.front().least_ns)},
                           {std::string(bound.uses.front().resource)}};
  for (const std::string_view resource : kResources) row.push_back(percent_cell(bound, resource));
  return row;
}

}  // namespace

std::string bounds_text(const RunRecord& run, const db::Calibration& calibration,
                        const Terminal& terminal) {
  const metrics::GpuSize gpu = {number_fact(run, "gpu_sms"), number_fact(run, "gpu_l2_bytes")};
  constexpr const char* kGroup = "percent of ceiling";
  Table table{{{"case"},
               {"took ns", Align::kRight},
               {"at least ns", Align::kRight},
               {"bound"},
               {"DRAM", Align::kRight, false, kGroup},
               {"L2", Align::kRight, false, kGroup},
               {"shared", Align::kRight, false, kGroup},
               {"issue", Align::kRight, false, kGroup}}};
  for (const CaseRecord& record : run.cases) {
    const auto bound = metrics::time_bound(record, calibration.ceilings, gpu);
    if (bound) table.rows.push_back(row_of(record, *bound));
  }
  if (table.rows.empty()) return {};
  return fmt::format("\nTime against the ceilings of {}, measured {}\n{}",
                     safe_line(calibration.gpu), safe_line(calibration.taken_at),
                     table_text(table, terminal, 2));
}

std::string bounds_text(const RunRecord& run, db::Store& store, const Terminal& terminal) {
  const std::string uuid = fact(run, "gpu_uuid");
  if (uuid.empty()) return {};
  const auto calibration = db::latest_calibration(store, uuid);
  return calibration ? bounds_text(run, *calibration, terminal) : std::string();
}

}  // namespace lab::cli
