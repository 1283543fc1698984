#include "tools/cli/commands/show_import.h"

#include <fmt/format.h>

#include "harness/run/execute.h"
#include "tools/cli/json/json_ncu.h"
#include "tools/cli/text/ncu_text.h"

namespace lab::cli {

int show_import(const run::Imported& imported, const Arguments& arguments, const Console& console) {
  fmt::print("{}", arguments.has("json") ? imported_json(imported) + "\n"
                                         : imported_text(imported, console.out));
  const bool differs = run::exact_differs(run::counter_rows(imported.run));
  return differs || run::something_wrong(imported.run) ? 1 : 0;
}

}  // namespace lab::cli
