// lab report: a stored run as one HTML page.
#include <fmt/format.h>

#include "db/store.h"
#include "harness/core/files.h"
#include "harness/labs/registry.h"
#include "harness/reading/report_page.h"
#include "harness/run/machine.h"
#include "tools/cli/commands/advising.h"
#include "tools/cli/commands/later.h"
#include "tools/cli/json/json.h"
#include "tools/report/report.h"

namespace lab::cli {

int run_report(const Arguments& arguments, const Console& /*console*/) {
  db::Store store = db::Store::open(database_path(arguments), db::Mode::kReadOnly);
  const auto& words = arguments.positionals();
  const RunRecord record = store.load_run(words.empty() ? "last" : words.front());
  const Lab* lab = lab_with_number(record.lab);
  const metrics::Machine machine = run::machine_of(record, &store);
  const reading::Report report =
      reading::report_page(record, lab, machine, advice_again(record, lab, machine));
  const std::string page = report::report_html(report.title, report.page);
  const std::string path =
      arguments.value("output").value_or(fmt::format("lab-report-{}.html", record.id));
  if (path == "-") {
    std::fwrite(page.data(), 1, page.size(), stdout);
    return 0;
  }
  require_free(arguments, path);
  write_file(path, page, "the report", files_read(arguments));
  if (arguments.has("json")) {
    fmt::print("{}\n", report_json(record.id, path));
  } else {
    fmt::print("{}\n", safe_line(path));
  }
  return 0;
}

}  // namespace lab::cli
