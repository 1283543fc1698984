#include "tools/cli/commands/shown_run.h"

#include "harness/page/make.h"
#include "harness/reading/appendix.h"
#include "harness/run/machine.h"

namespace lab::cli {

std::optional<std::string> shown_place(const std::string& database) {
  return database == usual_database() ? std::string() : database;
}

page::Page shown_run(const RunRecord& run, const Lab* lab, const reading::RunView& view,
                     db::Store* store) {
  page::Page page = reading::run_page(run, lab, view);
  std::vector<page::Block> more = reading::stalls_blocks(run);
  if (!more.empty()) more.front().apart = true;
  page::append(page, {std::move(more)});
  page::append(page, {reading::printed_blocks(run)});
  // In brief the tables have the bound of each case.
  const auto machine = store != nullptr && view.all ? run::calibrated(run, *store) : std::nullopt;
  if (machine) page::append(page, {reading::bounds_blocks(run, *machine, run.cases.size())});
  return page;
}

}  // namespace lab::cli
