#include "harness/reading/bounds_page.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "harness/page/make.h"
#include "harness/reading/case_name.h"
#include "harness/reading/times.h"
#include "metrics/ceilings.h"

namespace lab::reading {

namespace {

using metrics::Resource;
constexpr std::array<Resource, 4> kResources = {Resource::kDram, Resource::kL2,
                                                Resource::kSharedMemory, Resource::kIssue};

page::Cell percent_cell(const metrics::TimeBound& bound, Resource resource) {
  for (const metrics::Use& use : bound.uses) {
    if (use.resource != resource) continue;
    const double percent = 100 * bound.fraction(use);
    const bool first = &use == &bound.uses.front();
    return {page::Number{percent, percent, "%", page::Digits::kTenth},
            first ? page::Tone::kStrong : page::Tone::kPlain};
  }
  return page::number_cell({});
}

page::Row row_of(const CaseRecord& record, const metrics::TimeBound& bound) {
  const metrics::Use& sets = bound.uses.front();
  page::Row row{{{title_of(record)},
                 page::number_cell(bound.measured_ns),
                 page::number_cell(std::round(sets.least_ns)),
                 {std::string(metrics::name_of(sets.resource))},
                 percent_cell(bound, sets.resource)}};
  for (const Resource resource : kResources) row.cells.push_back(percent_cell(bound, resource));
  return row;
}

page::Table empty_table() {
  page::Table table{{{"case", false, true}, {"took ns", true}, {"at least ns", true}, {"bound"}}};
  page::Column of_bound{"of it", true};
  of_bound.instead = true;
  table.columns.push_back(std::move(of_bound));
  for (const char* resource : {"DRAM", "L2", "shared", "issue"}) {
    table.columns.push_back({resource, true, false, "percent of ceiling", page::Rank::kMore});
  }
  return table;
}

}  // namespace

std::vector<page::Block> bounds_blocks(const RunRecord& run, const metrics::Machine& machine,
                                       std::size_t most) {
  page::Table table = empty_table();
  std::size_t left_out = 0;
  for (const CaseRecord& record : run.cases) {
    const auto bound = time_against(record, machine);
    if (!bound) continue;
    if (table.rows.size() < most) {
      table.rows.push_back(row_of(record, *bound));
    } else {
      ++left_out;
    }
  }
  if (table.rows.empty()) return {};
  std::vector<page::Block> blocks = {
      page::title(fmt::format("Time against the ceilings of {}, {}", machine.gpu, machine.origin))};
  blocks.push_back({std::move(table), page::Rank::kDetail});
  if (left_out > 0) {
    blocks.push_back(
        page::sentence(fmt::format("and {} more: --all", left_out), page::Role::kNote));
  }
  return blocks;
}

}  // namespace lab::reading
