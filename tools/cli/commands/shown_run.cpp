#include "tools/cli/commands/shown_run.h"

#include "tools/cli/text/ceiling_text.h"
#include "tools/cli/text/printed_text.h"
#include "tools/cli/text/stalls_text.h"
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
  std::string text = run_text(run, lab, options, terminal) + stalls_text(run, terminal);
  text += printed_text(run, terminal);
  // In brief the tables have the bound of each case.
  if (store != nullptr && options.all) text += bounds_text(run, *store, SIZE_MAX, terminal);
  return text;
}

}  // namespace lab::cli
