#include "db/verify.h"

#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "db/heads.h"
#include "db/migrations.h"
#include "db/seal.h"
#include "harness/core/metric_keys.h"
#include "harness/core/text.h"
#include "metrics/write_back.h"

namespace lab::db {
namespace {

using Key = std::pair<std::string, SourceOf>;

bool deterministic(SourceOf source) {
  return source == SourceOf::kTheory || source == SourceOf::kModel;
}

// With all digits and both ends of an interval: values that differ must look different.
std::string text_of(const Observation& observation) {
  if (!observation.has_value()) {
    return fmt::format("missing: {}", word_of(std::get<Missing>(observation.value).reason));
  }
  const double value = observation.number();
  const double low = observation.min.value_or(value);
  const double high = observation.max.value_or(value);
  if (low == value && high == value) return fmt::format("{}", value);
  return fmt::format("{} [{}, {}]", value, low, high);
}

std::string text_of(const std::optional<bool>& correct) {
  if (!correct) return "not checked";
  return *correct ? "correct" : "incorrect";
}

std::string text_of(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "none";
}

// Kind and line of each finding, in any order: what a checker says, not how it words it.
std::string text_of(const std::vector<Finding>& findings) {
  std::vector<std::string> all;
  for (const Finding& finding : findings) {
    all.push_back(fmt::format("{} at line {}", name_of(finding.kind), finding.line));
  }
  std::sort(all.begin(), all.end());
  return all.empty() ? "none" : fmt::format("{}", fmt::join(all, ", "));
}

class Comparison {
 public:
  explicit Comparison(int index) : index_(index) {}

  void hold(const std::string& what, const std::string& stored, const std::string& found) {
    if (stored != found) differences_.push_back({index_, what, stored, found});
  }
  std::vector<Difference> take() { return std::move(differences_); }

 private:
  int index_;
  std::vector<Difference> differences_;
};

// Whether a later version of the program knows that it cannot count this, of which an earlier one
// gave a number: such as accesses of registers that the compiler spilled.
bool is_counted_no_more(const CaseRecord& fresh, const std::string& metric) {
  return std::any_of(
      fresh.observations.begin(), fresh.observations.end(), [&](const Observation& o) {
        return o.metric == metric && o.source == SourceOf::kModel && !o.has_value() &&
               std::get<Missing>(o.value).reason == NoValue::kNotCounted;
      });
}

void compare_observations(const CaseRecord& stored, const CaseRecord& fresh, bool same_program,
                          Comparison& comparison) {
  std::map<Key, const Observation*> found;
  for (const Observation& o : fresh.observations) found[{o.metric, o.source}] = &o;
  for (const Observation& o : stored.observations) {
    const auto same = found.find({o.metric, o.source});
    if (!deterministic(o.source) || same == found.end()) continue;
    if (!same_program && is_counted_no_more(fresh, o.metric)) continue;
    comparison.hold(fmt::format("{} {}", name_of(o.source), o.metric), text_of(o),
                    text_of(*same->second));
  }
}

// Whether a later version of the program judges what nobody judged then.
bool is_judged_anew(const Verdict& stored, const Verdict& fresh) {
  return stored.kind == VerdictKind::kNone && fresh.kind != VerdictKind::kNone;
}

// Earlier versions of the program said `agrees` where any value would have agreed: with a wide
// interval of the theory's, or of the model's where there is no theory.
bool is_judged_by_an_old_rule(const CaseRecord& stored, const Verdict& verdict) {
  if (verdict.kind != VerdictKind::kAgrees) return false;
  if (verdict.theory) return metrics::is_not_predicted(verdict);
  return std::any_of(stored.observations.begin(), stored.observations.end(),
                     [&](const Observation& o) {
                       return o.metric == verdict.metric && o.source == SourceOf::kModel && o.min &&
                              o.max && metrics::says_nothing({*o.min, *o.max});
                     });
}

void compare_verdicts(const CaseRecord& stored, const CaseRecord& fresh, bool same_program,
                      Comparison& comparison) {
  std::map<std::string, const Verdict*> found;
  for (const Verdict& v : fresh.verdicts) found[v.metric] = &v;
  for (const Verdict& v : stored.verdicts) {
    const auto same = found.find(v.metric);
    if (same == found.end()) continue;
    const Verdict& now = *same->second;
    if (!same_program && (is_judged_anew(v, now) || is_counted_no_more(fresh, v.metric))) continue;
    comparison.hold("measured " + v.metric, text_of(v.measured), text_of(now.measured));
    if (same_program || !is_judged_by_an_old_rule(stored, v)) {
      comparison.hold("verdict of " + v.metric, std::string(name_of(v.kind)),
                      std::string(name_of(now.kind)));
    }
    comparison.hold("theory of " + v.metric, text_of(v.theory), text_of(now.theory));
    comparison.hold("upper end of theory of " + v.metric, text_of(v.theory_high),
                    text_of(now.theory_high));
    comparison.hold("target of " + v.metric, text_of(v.target), text_of(now.target));
    comparison.hold("excess of " + v.metric, text_of(v.excess), text_of(now.excess));
  }
}

// Values that a second run has and the stored one lacks.
void name_missing(const CaseRecord& stored, const CaseRecord& fresh, Comparison& comparison) {
  std::set<Key> known;
  for (const Observation& o : stored.observations) known.insert({o.metric, o.source});
  for (const Observation& o : fresh.observations) {
    if (!deterministic(o.source) || known.contains({o.metric, o.source})) continue;
    comparison.hold(fmt::format("{} {}", name_of(o.source), o.metric), "nothing", text_of(o));
  }
  std::set<std::string> judged;
  for (const Verdict& v : stored.verdicts) judged.insert(v.metric);
  for (const Verdict& v : fresh.verdicts) {
    if (judged.contains(v.metric)) continue;
    comparison.hold("verdict of " + v.metric, "nothing", std::string(name_of(v.kind)));
  }
}

bool ended_by_the_clock(const CaseRecord& record) {
  return record.status == CaseStatus::kTimeout ||
         std::any_of(record.findings.begin(), record.findings.end(), [](const Finding& finding) {
           return finding.kind == FindingKind::kNoProgress;
         });
}

std::vector<std::string> texts(SQLite::Database& database, const char* sql) {
  SQLite::Statement rows(database, sql);
  std::vector<std::string> found;
  while (rows.executeStep()) found.push_back(rows.getColumn(0).getString());
  return found;
}

// Indices and triggers of this version and those before it.
const std::set<std::string>& own_indices() {
  static const std::set<std::string> kOwn = [] {
    SQLite::Database made(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    std::set<std::string> names;
    for (const Migration& step : migrations()) {
      made.exec(std::string(step.sql));
      const auto now = texts(made, "SELECT name FROM sqlite_schema WHERE type <> 'view'");
      names.insert(now.begin(), now.end());
    }
    return names;
  }();
  return kOwn;
}

std::vector<std::string> check_schema(SQLite::Database& database) {
  std::vector<std::string> problems;
  const std::set<std::string>& own = own_indices();
  SQLite::Statement found(database,
                          "SELECT type, name, tbl_name FROM sqlite_schema WHERE sql NOT NULL AND "
                          "(type = 'trigger' OR (type = 'index' AND upper(sql) LIKE '%UNIQUE%'))");
  while (found.executeStep()) {
    const std::string name = found.getColumn(1).getString();
    if (own.contains(name)) continue;
    problems.push_back(fmt::format("the {} '{}' of the table {} is not lab's: it can keep rows out",
                                   found.getColumn(0).getString(), name,
                                   found.getColumn(2).getString()));
  }
  if (texts(database, "SELECT name FROM sqlite_schema WHERE name = 'sqlite_sequence'").empty()) {
    return problems;
  }
  for (const std::string& table :
       texts(database, "SELECT name FROM sqlite_sequence WHERE seq >= 9223372036854775807")) {
    problems.push_back(
        fmt::format("the numbers of {} are at their end: no row can be added", table));
  }
  return problems;
}

std::string reason_to_leave_out(const RunRecord& run, const CaseRecord& record) {
  if (run.lab == 0) return "a probe or a program: its arguments and files are not stored";
  if (record.status == CaseStatus::kTimeout) return "it was ended by the clock";
  const bool modelled =
      std::any_of(record.observations.begin(), record.observations.end(),
                  [](const auto& o) { return o.source == SourceOf::kModel && o.has_value(); });
  return modelled ? "" : "it has no values of the model";
}

}  // namespace

std::vector<std::string> check_file(Store& store) {
  return store.connection().guarded([&] {
    SQLite::Database& database = store.connection().database();
    std::vector<std::string> problems;
    for (const std::string& text : texts(database, "PRAGMA integrity_check(10)")) {
      if (text != "ok") problems.push_back("the file is damaged: " + text);
    }
    for (const std::string& table :
         texts(database, "SELECT \"table\" FROM pragma_foreign_key_check ORDER BY 1")) {
      problems.push_back(fmt::format("a row of {} refers to a row that is not there", table));
    }
    if (std::string gone = check_chain(database); !gone.empty()) problems.push_back(gone);
    for (std::string& one : check_head(database, store.key())) problems.push_back(std::move(one));
    for (std::string& one : check_schema(database)) problems.push_back(std::move(one));
    std::vector<std::string> views;
    if (!store.key().empty()) views = check_views(database);
    for (const auto& more : {check_grades(database, store.key()), check_links(database), views}) {
      problems.insert(problems.end(), more.begin(), more.end());
    }
    SQLite::Statement sources(database, "SELECT sha256, text FROM sources");
    while (sources.executeStep()) {
      const std::string hash = sources.getColumn("sha256").getString();
      if (sha256_hex(sources.getColumn("text").getString()) == hash) continue;
      problems.push_back(fmt::format("the kernel text kept as {} was edited", hash));
    }
    return problems;
  });
}

std::vector<std::string> file_notes(Store& store) {
  return store.connection().guarded([&] {
    SQLite::Database& database = store.connection().database();
    std::vector<std::string> notes = unsealed(database, store.key());
    if (!store.key().empty()) return notes;
    for (std::string& one : check_views(database)) notes.push_back(std::move(one));
    return notes;
  });
}

Replay replay_of(const RunRecord& run) {
  Replay replay;
  BatchRequest& batch = replay.batch;
  batch.lab = run.lab;
  batch.source = source_of(run);
  if (!run.arch.empty()) batch.arch = run.arch;
  if (run.seed) batch.seed = *run.seed;
  for (const CaseRecord& record : run.cases) {
    const auto counts_threads = [](const Observation& one) {
      return one.metric == metric::kWorkingThreads;
    };
    batch.habits = batch.habits || std::any_of(record.observations.begin(),
                                               record.observations.end(), counts_threads);
    const std::string reason = reason_to_leave_out(run, record);
    if (!reason.empty()) {
      replay.left_out.push_back({record.index, reason});
      continue;
    }
    CaseRequest request;
    request.index = record.index;
    request.variant = record.variant;
    request.params = record.params;
    batch.cases.push_back(std::move(request));
  }
  return replay;
}

std::vector<Difference> differences(const CaseRecord& stored, const CaseRecord& fresh,
                                    bool same_program) {
  Comparison comparison(stored.index);
  comparison.hold("status", std::string(name_of(stored.status)),
                  std::string(name_of(fresh.status)));
  comparison.hold("output", text_of(stored.correct), text_of(fresh.correct));
  comparison.hold("kernel", stored.kernel, fresh.kernel);
  // Another version of the program may word one mistake as more findings, or as fewer.
  const auto findings = [&](const CaseRecord& record) {
    if (same_program || record.findings.empty()) return text_of(record.findings);
    return std::string("some");
  };
  comparison.hold("findings", findings(stored), findings(fresh));
  if (!ended_by_the_clock(stored) && !ended_by_the_clock(fresh)) {
    compare_observations(stored, fresh, same_program, comparison);
    compare_verdicts(stored, fresh, same_program, comparison);
    if (same_program) name_missing(stored, fresh, comparison);
  }
  return comparison.take();
}

CaseRecord with_measurements(CaseRecord fresh, const CaseRecord& stored) {
  for (const Observation& observation : stored.observations) {
    if (!deterministic(observation.source)) fresh.observations.push_back(observation);
  }
  fresh.timing = stored.timing;
  return fresh;
}

}  // namespace lab::db
