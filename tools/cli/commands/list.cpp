// lab list: the labs there are.
#include <fmt/format.h>

#include "labs/registry.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/json/json.h"
#include "tools/cli/text/table.h"

namespace lab::cli {

namespace {

int run_list(const Arguments& arguments, const Console& console) {
  if (arguments.has("json")) {
    fmt::print("{}\n", labs_json(all_labs()));
    return 0;
  }
  Table table{{{"Lab", Align::kRight},
               {"Name"},
               {"What it shows", Align::kLeft, true},
               {"Variants", Align::kRight},
               {"Cases", Align::kRight}}};
  for (const Lab& lab : all_labs()) {
    std::size_t cases = 0;
    for (const Variant& variant : lab.variants) cases += variant.points.size();
    table.rows.push_back({{std::to_string(lab.number)},
                          {lab.id},
                          {lab.summary},
                          {std::to_string(lab.variants.size())},
                          {std::to_string(cases)}});
  }
  fmt::print("{}\nlab show 3 shows one of them, lab run 3 runs it.\n",
             table_text(table, console.out));
  return 0;
}

}  // namespace

Command list_command() { return {"list", "List the labs", {}, {}, "  lab list", run_list}; }

}  // namespace lab::cli
