// lab query: one SELECT over the database.
#include <fmt/format.h>

#include <cstdio>

#include "db/query.h"
#include "harness/core/error.h"
#include "tools/cli/commands/commands.h"

namespace lab::cli {

namespace {

// No statement that a person writes has more; an endless input would be read for ever.
constexpr std::size_t kMostBytes = 1 << 20;

std::string statement(const std::string& word) {
  if (word != "-") return word;
  std::string text(kMostBytes + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), stdin));
  if (text.size() <= kMostBytes) return text;
  throw input_error(fmt::format("the query has more than {} bytes", kMostBytes),
                    "standard input is to be one SELECT");
}

int run_query(const Arguments& arguments, const Console& console) {
  const std::string format =
      arguments.value("format").value_or(arguments.has("json") ? "json" : "table");
  db::QueryOptions options;
  options.cancelled = console.interrupted;
  const db::QueryResult result =
      db::query(database_path(arguments), statement(arguments.positionals().front()), options);
  const std::string text =
      db::as_text(result.table, db::format_from(format), {!arguments.has("raw-csv")});
  std::fwrite(text.data(), 1, text.size(), stdout);
  return 0;
}

}  // namespace

Command query_command() {
  return {"query",
          "Ask the database with one SELECT, which cannot change it; db/README.md has the views",
          {"SQL", "The statement; -: read it from standard input", 1, 1},
          {database_option(),
           {"format", "NAME", "Form of the result", false, {"table", "csv", "json"}},
           {"raw-csv", "", "Keep texts that a spreadsheet or a terminal would act on as they are"}},
          "  lab query \"SELECT verdict, count(*) FROM compare GROUP BY verdict\"\n"
          "  lab query \"SELECT student, variant, metric, max(excess) AS worst FROM compare\n"
          "      WHERE lab = 4 AND excess > 1 GROUP BY student, variant\" --format csv",
          run_query,
          true};
}

}  // namespace lab::cli
