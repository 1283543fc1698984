#include "tools/cli/commands/shown_run.h"

#include "harness/page/make.h"
#include "harness/reading/bounds_page.h"
#include "harness/reading/printed_page.h"
#include "harness/reading/stalls_page.h"
#include "harness/run/machine.h"
#include "tools/cli/text/page_text.h"
#include "tools/cli/text/table.h"

namespace lab::cli {

namespace {

// A lab's own tables; without --all the first ones, which say what the others say again, and none
// of a student's kernel: its target comes first.
std::string tables_of(const RunRecord& run, const Lab* lab, bool all, const Terminal& terminal) {
  constexpr std::size_t kTables = 2;
  if (lab == nullptr || !lab->tables || (!all && !run.source_is_labs_own)) return {};
  std::vector<TextTable> tables = lab->tables(run.cases);
  if (!all && tables.size() > kTables) tables.resize(kTables);
  return text_tables(tables, terminal);
}

}  // namespace

std::string shown_run(const RunRecord& run, const Lab* lab, RunTextOptions options,
                      db::Store* store, const Terminal& terminal) {
  options.tables = tables_of(run, lab, options.all, terminal);
  page::Page more{reading::stalls_blocks(run)};
  page::append(more, {reading::printed_blocks(run)});
  // In brief the tables have the bound of each case.
  const auto machine =
      store != nullptr && options.all ? run::calibrated(run, *store) : std::nullopt;
  if (machine) page::append(more, {reading::bounds_blocks(run, *machine, run.cases.size())});
  return run_text(run, lab, options, terminal) + text_below(more, terminal);
}

}  // namespace lab::cli
