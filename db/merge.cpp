#include "db/merge.h"

#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "db/seal.h"
#include "db/statement.h"
#include "db/study.h"
#include "db/views.h"

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

bool unfinished(const RunRecord& run) { return run.status == RunStatus::kRunning; }

// Adds to `ours` the cases, and the end, that only `theirs` has.
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
  } else if (grew) {
    into.update_run(ours);  // what it holds now is sealed anew
  }
  if (differs) result.differ.push_back(ours.uuid);
  result.completed += grew ? 1 : 0;
  result.present += grew || differs ? 0 : 1;
}

// Why a run is not taken; empty: it is.
std::string reason_to_refuse(const RunRecord& run, const MergeOptions& options) {
  if (run.lab < 0 || run.lab > kMostLab) return fmt::format("there is no lab {}", run.lab);
  const auto known = options.params.find(run.lab);
  std::set<std::string> names;
  for (const CaseRecord& record : run.cases) {
    for (const auto& [name, value] : record.params.all()) {
      names.insert(name);
      if (known == options.params.end() || known->second.contains(name)) continue;
      return fmt::format("lab {} has no parameter '{}'", run.lab, name);
    }
  }
  if (std::ssize(names) <= kMostParams) return {};
  return fmt::format("{} parameters are more than a lab has", names.size());
}

std::string whose(const RunRecord& run) {
  return run.student.empty() ? "nobody's" : "'" + run.student + "'s";
}

// A run whose seal does not fit was edited; sealed anew here, it would pass for honest.
std::string edited(Store& from, std::int64_t id, const std::string& key) {
  return from.connection().guarded([&] {
    const SealCheck check = check_seal(from.connection().database(), id, key);
    return check.problems.empty() ? std::string() : "edited: " + check.problems.front();
  });
}

/// A run as another database has it.
struct Theirs {
  RunRecord run;
  std::string finished_at;
  std::string edit;  ///< why it was edited; empty: it was not
};

void merge_run(Store& into, Theirs from, const MergeOptions& options, MergeResult& result) {
  RunRecord& theirs = from.run;
  if (!options.student.empty()) theirs.student = options.student;
  if (const std::string why = from.edit.empty() ? reason_to_refuse(theirs, options) : from.edit;
      !why.empty()) {
    result.refused.push_back(fmt::format("run {}: {}", theirs.uuid, why));
    return;
  }
  if (const auto id = id_of(into, theirs.uuid)) {
    const RunRecord ours = into.load_run(std::to_string(*id));
    if (ours.student != theirs.student) {
      result.refused.push_back(
          fmt::format("run {} is {} here, {} there", theirs.uuid, whose(ours), whose(theirs)));
      return;
    }
    return complete(into, ours, theirs, from.finished_at, result);
  }
  into.import_run(theirs, from.finished_at);
  ++result.added;
  result.cases += static_cast<std::int64_t>(theirs.cases.size());
}

}  // namespace

MergeResult merge(Store& into, Store& from, const MergeOptions& options) {
  MergeResult result;
  std::vector<RunSummary> runs = from.list_runs();
  std::reverse(runs.begin(), runs.end());  // ids in the order of time
  into.together([&] {
    std::size_t done = 0;
    for (const RunSummary& summary : runs) {
      if (options.cancelled && options.cancelled()) return;
      merge_run(into,
                {from.load_run(std::to_string(summary.run.id)), summary.finished_at,
                 edited(from, summary.run.id, into.key())},
                options, result);
      ++done;
      if (options.progress) {
        options.progress(static_cast<double>(done) / static_cast<double>(runs.size()));
      }
    }
    result.study = merge_study(into, from, options.student);
  });
  return result;
}

}  // namespace lab::db
