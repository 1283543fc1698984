// lab merge: the runs of other databases into one.
#include <fmt/format.h>

#include "db/merge.h"
#include "harness/run/session.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/json/json.h"

namespace lab::cli {

namespace {

int run_merge(const Arguments& arguments, const Console& /*console*/) {
  std::vector<Merged> merged;
  // All are opened before the first is read into ours: a wrong name changes nothing.
  std::vector<db::Store> sources;
  for (const std::string& path : arguments.positionals()) {
    sources.push_back(db::Store::open(path, db::Mode::kReadOnly));
  }
  db::Store into = run::open_database(database_path(arguments));
  for (std::size_t i = 0; i < sources.size(); ++i) {
    merged.push_back({arguments.positionals()[i], db::merge(into, sources[i])});
  }
  bool differ = false;
  for (const Merged& one : merged) differ = differ || !one.result.differ.empty();
  if (arguments.has("json")) {
    fmt::print("{}\n", merged_json(merged));
    return differ ? 1 : 0;
  }
  for (const Merged& one : merged) {
    const db::MergeResult& result = one.result;
    fmt::print("{}: {} runs added, {} completed, {} already there; {} cases stored\n",
               safe_line(one.path), result.added, result.completed, result.present, result.cases);
    for (const std::string& uuid : result.differ) {
      fmt::print("  run {} differs from the stored one, which stays\n", safe_line(uuid));
    }
  }
  return differ ? 1 : 0;
}

}  // namespace

Command merge_command() {
  return {"merge",
          "Add the runs of other databases to one; merging again changes nothing",
          {"FROM", "Databases to read", 1, 1000},
          {database_option()},
          "  lab merge ada.db bob.db --db class.db",
          run_merge};
}

}  // namespace lab::cli
