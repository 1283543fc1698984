// The facts of the timed cases of a database, as lines of JSON: what rules of time are tried with.
// In the root: case_facts DATABASE [LAB...] > facts.jsonl
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "db/store.h"
#include "harness/core/error.h"
#include "harness/labs/registry.h"
#include "tests/support/case_facts/facts.h"

namespace lab {
namespace {

using nlohmann::json;

json of(const KernelFacts& f) {
  if (!f.absent.empty()) return {{"absent", f.absent}};
  const WarpFacts& w = f.warp;
  const StoreFacts& s = f.stores;
  return {{"blocks", f.blocks},
          {"instructions", w.instructions},
          {"issue_cycles", w.issue_cycles},
          {"global_rounds", w.global_rounds},
          {"shared_rounds", w.shared_rounds},
          {"global_hidden", w.global_hidden},
          {"shared_hidden", w.shared_hidden},
          {"other_cycles", w.other_cycles},
          {"barriers", w.barriers},
          {"fp64", w.fp64},
          {"special", w.special},
          {"tensor", w.tensor},
          {"global_loads", w.global_loads},
          {"shared_loads", w.shared_loads},
          {"stores", w.stores},
          {"phases", w.phases},
          {"st_sectors", s.sectors},
          {"st_partly", s.partly},
          {"st_filled", s.filled},
          {"st_empty", s.empty_bytes},
          {"st_lines", s.lines},
          {"st_bytes", s.stored_bytes},
          {"st_distinct", s.distinct_bytes},
          {"sent_sectors", s.sent_sectors},
          {"sent_lines", s.sent_lines},
          {"merged_sectors", s.merged_sectors},
          {"merged_lines", s.merged_lines},
          {"merged_whole", s.merged_whole},
          {"hot_float", f.hot.float_adds},
          {"hot_int", f.hot.integer_adds},
          {"hot_stores", f.hot.stores},
          {"hot_loads", f.hot.loads},
          {"past_l1", f.past_l1},
          {"reloaded", f.reloaded},
          {"line_gap", f.line_gap},
          {"tag_cycles", f.tag_cycles},
          {"data_cycles", f.data_cycles},
          {"registers", f.registers},
          {"shared_bytes", f.shared_bytes}};
}

int run(const std::vector<std::string>& args) {
  db::Store store = db::Store::open(args.at(0), db::Mode::kReadOnly);
  for (const db::RunSummary& summary : store.list_runs()) {
    const RunRecord record = store.load_run(std::to_string(summary.run.id));
    const bool asked = args.size() == 1 || std::find(args.begin() + 1, args.end(),
                                                     std::to_string(record.lab)) != args.end();
    if (record.lab == 0 || !asked) continue;
    std::vector<CaseRecord> timed;
    for (const CaseRecord& one : record.cases) {
      if (one.timing) timed.push_back(one);
    }
    facts_of_cases(find_lab(std::to_string(record.lab)), timed,
                   [&](const CaseRecord& one, const CaseRecord& today) {
                     json line = of(*today.kernel_facts);
                     line["lab"] = record.lab;
                     line["variant"] = one.variant;
                     line["params"] = one.params.text();
                     line["index"] = one.index;
                     fmt::print("{}\n", line.dump());
                     std::fflush(stdout);
                   });
  }
  return 0;
}

}  // namespace
}  // namespace lab

int main(int argc, char** argv) {
  try {
    return lab::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
