#include "db/merge.h"

#include <SQLiteCpp/Statement.h>

#include <algorithm>
#include <map>
#include <optional>

#include "db/statement.h"

namespace lab::db {
namespace {

std::optional<std::int64_t> id_of(Store& store, const std::string& uuid) {
  return store.connection().guarded([&]() -> std::optional<std::int64_t> {
    SQLite::Statement row(store.connection().database(), "SELECT id FROM runs WHERE uuid = ?");
    start(row, uuid);
    if (!row.executeStep()) return {};
    return row.getColumn(0).getInt64();
  });
}

bool unfinished(const RunRecord& run) { return run.status == "running"; }

// What `theirs` has beyond `ours`: cases, or its end.
void complete(Store& into, const RunRecord& ours, const RunRecord& theirs,
              const std::string& finished_at, MergeResult& result) {
  std::map<int, const CaseRecord*> known;
  for (const CaseRecord& record : ours.cases) known[record.index] = &record;
  bool differs = ours.source_text != theirs.source_text || ours.included != theirs.included;
  bool grew = false;
  for (const CaseRecord& record : theirs.cases) {
    const auto found = known.find(record.index);
    if (found != known.end()) {
      differs |= !(*found->second == record);
      continue;
    }
    into.add_case(ours.id, record);
    ++result.cases;
    grew = true;
  }
  if (unfinished(ours) && !unfinished(theirs)) {
    RunRecord update = theirs;
    update.id = ours.id;
    into.update_run(update);
    into.finish_run(ours.id, theirs.status, finished_at);
    grew = true;
  }
  if (differs) result.differ.push_back(ours.uuid);
  result.completed += grew ? 1 : 0;
  result.present += grew || differs ? 0 : 1;
}

}  // namespace

MergeResult merge(Store& into, Store& from) {
  MergeResult result;
  std::vector<RunSummary> runs = from.list_runs();
  std::reverse(runs.begin(), runs.end());  // ids in the order of time
  for (const RunSummary& summary : runs) {
    const RunRecord theirs = from.load_run(std::to_string(summary.run.id));
    if (const auto id = id_of(into, theirs.uuid)) {
      complete(into, into.load_run(std::to_string(*id)), theirs, summary.finished_at, result);
      continue;
    }
    into.import_run(theirs, summary.finished_at);
    ++result.added;
    result.cases += static_cast<std::int64_t>(theirs.cases.size());
  }
  return result;
}

}  // namespace lab::db
