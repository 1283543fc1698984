#include "tools/cli/commands/show_import.h"

#include <fmt/format.h>

#include "harness/ncu/import_page.h"
#include "harness/page/make.h"
#include "harness/reading/run_reading.h"
#include "harness/run/execute.h"
#include "tools/cli/commands/print_page.h"
#include "tools/cli/json/json_ncu.h"

namespace lab::cli {

namespace {

page::Page page_of(const ncu::Imported& imported) {
  page::Page page = ncu::import_page(imported);
  const reading::VerdictCounts counts = reading::read(imported.run).verdicts;
  page.blocks.push_back(page::paragraph(fmt::format(
      "{} comparisons, ncu's values included: {} agree, {} explained, {} disagree (lab compare {} "
      "lists them).",
      counts.compared(), counts.agrees, counts.explained, counts.disagrees, imported.run.id)));
  return page;
}

}  // namespace

int show_import(const ncu::Imported& imported, const Arguments& arguments, const Console& console) {
  if (arguments.has("json")) {
    fmt::print("{}\n", imported_json(imported));
  } else {
    print_page(page_of(imported), arguments, console);
  }
  const bool differs = ncu::exact_differs(ncu::counter_rows(imported.run));
  return differs || run::something_wrong(imported.run) ? 1 : 0;
}

}  // namespace lab::cli
