// Verdicts of today on what an H200 measured (tests/fixtures/h200): what agrees with an interval
// that any value agrees with is not said to agree.
#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <string>
#include <utility>

#include "db/store.h"
#include "harness/labs/registry.h"
#include "metrics/compare.h"
#include "metrics/write_back.h"

namespace lab {
namespace {

/// How many verdicts of a metric were `first` in the fixture and are `second`.
using Moves = std::map<std::pair<std::string, std::string>, int>;

int times_of(const Moves& moves, const char* was, const char* is) {
  const auto found = moves.find({was, is});
  return found == moves.end() ? 0 : found->second;
}

struct Judged {
  std::map<std::string, Moves> by_metric;
};

void count(const CaseRecord& was, const CaseRecord& now, Judged& judged) {
  std::map<std::string, VerdictKind> before;
  for (const Verdict& one : was.verdicts) before[one.metric] = one.kind;
  for (const Verdict& one : now.verdicts) {
    const auto found = before.find(one.metric);
    if (found == before.end() || found->second == VerdictKind::kNone) continue;
    ++judged.by_metric[one.metric]
                      [{std::string(name_of(found->second)), std::string(name_of(one.kind))}];
    const metrics::Interval theory{one.theory.value_or(0),
                                   one.theory_high.value_or(one.theory.value_or(0))};
    const bool narrowed = one.reason.find("by what L2 keeps") != std::string::npos;
    EXPECT_FALSE(one.kind == VerdictKind::kAgrees && !narrowed && metrics::says_nothing(theory))
        << one.metric << ": " << one.reason;
    if (one.kind == VerdictKind::kDisagrees) ADD_FAILURE() << one.metric << ": " << one.reason;
  }
}

Judged judge_again() {
  Judged judged;
  db::Store store = db::Store::open(LAB_BINARY_DIR "/fixtures/h200.db", db::Mode::kReadOnly);
  for (const db::RunSummary& summary : store.list_runs()) {
    const RunRecord run = store.load_run(std::to_string(summary.run.id));
    if (run.lab == 0) continue;
    const Lab& lab = find_lab(std::to_string(run.lab));
    metrics::Machine machine;
    machine.size = metrics::size_of(run.environment);
    for (const CaseRecord& record : run.cases) {
      SCOPED_TRACE(lab.id + " " + record.variant + " " + record.params.text());
      CaseRecord again = record;
      metrics::judge({&find_variant(lab, record.variant), true, {}, &machine}, again);
      count(record, again, judged);
    }
  }
  return judged;
}

TEST(JudgedAgain, WideIntervalsAgreeWithNothing) {
  const Judged judged = judge_again();
  for (const auto& [metric, moves] : judged.by_metric) {
    for (const auto& [kinds, times] : moves) {
      if (kinds.first == kinds.second) continue;
      std::cout << metric << ": " << kinds.first << " -> " << kinds.second << ": " << times << '\n';
    }
  }
  // Of 732 that agreed or were too small to judge, all with intervals from 0: 229 lie between what
  // was stored and half of L2 less, 240 leave all in L2, of 156 nothing is known.
  const Moves& writes = judged.by_metric.at("dram_write_bytes");
  EXPECT_EQ(times_of(writes, "agrees", "agrees"), 229);
  EXPECT_EQ(times_of(writes, "agrees", "too small"), 240);
  EXPECT_EQ(times_of(writes, "agrees", "context"), 156);
  EXPECT_EQ(times_of(writes, "too small", "too small"), 107);
  EXPECT_EQ(times_of(judged.by_metric.at("dram_read_bytes"), "agrees", "context"), 116);
  EXPECT_EQ(times_of(judged.by_metric.at("l2_read_sectors"), "agrees", "context"), 205);
  EXPECT_EQ(times_of(judged.by_metric.at("l2_write_sectors"), "agrees", "context"), 58);
  EXPECT_EQ(times_of(judged.by_metric.at("global_load_sectors"), "agrees", "context"), 0);
}

}  // namespace
}  // namespace lab
