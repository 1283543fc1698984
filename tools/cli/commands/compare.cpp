// lab compare: every metric of a stored run, or two runs side by side.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "db/store.h"
#include "harness/core/error.h"
#include "harness/core/text.h"
#include "harness/ncu/unlike_page.h"
#include "harness/reading/compare_page.h"
#include "harness/reading/difference_page.h"
#include "harness/reading/metric_view.h"
#include "harness/run/execute.h"
#include "harness/run/machine.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/commands/compare_sides.h"
#include "tools/cli/commands/print_page.h"
#include "tools/cli/json/json.h"

namespace lab::cli {

namespace {

void check_variants(const RunRecord& run, const std::vector<std::string>& wanted) {
  std::set<std::string> names;
  for (const CaseRecord& record : run.cases) names.insert(record.variant);
  const std::vector<std::string> list(names.begin(), names.end());
  for (const std::string& name : wanted) {
    if (names.count(name) > 0) continue;
    throw input_error(fmt::format("run {} has no variant '{}'", run.id, name),
                      suggestion(name, list));
  }
}

void keep_variants(RunRecord& run, const std::vector<std::string>& wanted) {
  if (wanted.empty()) return;
  check_variants(run, wanted);
  const auto other = [&](const CaseRecord& record) {
    return std::find(wanted.begin(), wanted.end(), record.variant) == wanted.end();
  };
  run.cases.erase(std::remove_if(run.cases.begin(), run.cases.end(), other), run.cases.end());
}

std::vector<std::string> metrics_of(const std::vector<RunRecord>& runs) {
  std::set<std::string> keys;
  for (const RunRecord& run : runs) {
    for (const CaseRecord& record : run.cases) {
      for (const reading::MetricView& view : reading::metric_views(record)) keys.insert(view.key);
    }
  }
  return {keys.begin(), keys.end()};
}

reading::CompareFilter filter_from(const Arguments& arguments, const std::vector<RunRecord>& runs) {
  reading::CompareFilter filter;
  const std::vector<std::string> known = metrics_of(runs);
  for (const std::string& name : arguments.names("metrics")) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw input_error(fmt::format("the run has no metric '{}'", name), suggestion(name, known));
    }
    filter.metrics.insert(name);
  }
  for (const std::string& verdict : arguments.values("verdict")) filter.verdicts.insert(verdict);
  return filter;
}

int finished(const std::vector<RunRecord>& runs) {
  return std::any_of(runs.begin(), runs.end(), run::something_wrong) ? 1 : 0;
}

page::Page differences(const std::vector<RunRecord>& runs,
                       const std::pair<std::string, std::string>& names,
                       const reading::CompareFilter& filter, bool all) {
  reading::DifferenceOptions options{filter.metrics, all};
  const bool same = runs[0].gpu == runs[1].gpu && runs[0].arch == runs[1].arch;
  if (!same || reading::are_of_one_text(runs[0], runs[1])) {
    options.unlike = ncu::unlike_runs(runs[0], runs[1]);
  }
  return reading::difference_page(runs[0], runs[1], names, options);
}

// Both sides of `lab compare A B`, where one of them has to be run first.
int compare_files(const Arguments& arguments, const Console& console) {
  const auto& words = arguments.positionals();
  if (words.size() != 2) {
    throw input_error(
        fmt::format("'{}' is compared with what?", words.front()),
        fmt::format("lab compare {} lab:VARIANT, or another file, or a run", words.front()));
  }
  auto [first, second] = run_sides(arguments, console);
  require_related(first, second);
  const std::vector<RunRecord> runs = {std::move(first), std::move(second)};
  const reading::CompareFilter filter = filter_from(arguments, runs);
  if (arguments.has("json")) {
    fmt::print("{}\n", runs_json(runs));
  } else {
    print_page(differences(runs, {words[0], words[1]}, filter, arguments.has("all")), arguments,
               console);
  }
  return finished(runs);
}

// Differences of two stored runs; with --all every metric.
page::Page two_stored(const std::vector<RunRecord>& runs, const reading::CompareFilter& filter,
                      const Arguments& arguments) {
  if (arguments.has("all") || !filter.verdicts.empty()) {
    reading::CompareFilter all = filter;
    all.unlike = ncu::unlike_runs(runs[0], runs[1]);
    return reading::two_runs_page(runs[0], runs[1], all);
  }
  const auto name = [](const RunRecord& run) { return fmt::format("run {}", run.id); };
  return differences(runs, {name(runs[0]), name(runs[1])}, filter, false);
}

bool chooses_values(const Arguments& arguments) {
  return arguments.has("all") || arguments.has("json") || arguments.has("variant") ||
         arguments.has("metrics") || arguments.has("verdict");
}

// Of a person's own file the last run and the one before; else the last run.
std::vector<std::string> last_runs(db::Store& store, const Arguments& arguments) {
  constexpr int kLookedAt = 50;
  const std::vector<db::RunSummary> runs = store.list_runs(kLookedAt);
  if (runs.empty() || chooses_values(arguments)) return {"last"};
  const RunRecord& last = runs.front().run;
  if (last.lab != 0 && last.source_is_labs_own) return {"last"};
  const auto whole = [&](const RunRecord& run) { return store.load_run(std::to_string(run.id)); };
  for (std::size_t i = 1; i < runs.size(); ++i) {
    const RunRecord& one = runs[i].run;
    if (one.called() != last.called() || one.source_name != last.source_name ||
        one.student != last.student) {
      continue;
    }
    if (!are_of_one_kernel(whole(one), whole(last))) continue;
    return {std::to_string(one.id), std::to_string(last.id)};
  }
  return {"last"};
}

int run_compare(const Arguments& arguments, const Console& console) {
  std::vector<std::string> selectors = arguments.positionals();
  if (std::any_of(selectors.begin(), selectors.end(), is_to_be_run)) {
    return compare_files(arguments, console);
  }
  db::Store store = db::Store::open(database_path(arguments), db::Mode::kReadOnly);
  if (selectors.empty()) selectors = last_runs(store, arguments);
  std::vector<RunRecord> runs;
  for (const std::string& selector : selectors) {
    runs.push_back(store.load_run(selector));
    keep_variants(runs.back(), arguments.names("variant"));
  }
  reading::CompareFilter filter = filter_from(arguments, runs);
  filter.overview = runs.size() == 1 && runs[0].lab != 0 && !arguments.has("all") &&
                    arguments.names("variant").empty() && filter.metrics.empty() &&
                    filter.verdicts.empty();
  if (arguments.has("json")) {
    fmt::print("{}\n", runs_json(runs));
  } else if (runs.size() == 2) {
    require_related(runs[0], runs[1]);
    print_page(two_stored(runs, filter, arguments), arguments, console);
  } else {
    filter.unlike = ncu::unlike_ncu(runs[0]);
    filter.ceilings = run::calibrated(runs[0], store);
    print_page(reading::compare_page(runs[0], filter), arguments, console);
  }
  return finished(runs);
}

}  // namespace

Command compare_command() {
  std::vector<Option> options = {
      database_option(),
      {"all", "", "Every metric of every case"},
      {"variant", "NAMES", "These variants only", true},
      {"metrics", "LIST", "These metrics only, separated by commas", true},
      {"verdict",
       "NAME",
       "Rows with this verdict only",
       true,
       {"agrees", "explained", "disagrees", "context", "missing"}},
      page_option()};
  for (Option& option : side_options()) options.push_back(std::move(option));
  return {"compare",
          "Show what differs in a stored run and why; or what is better and worse in one of two",
          {"RUN|FILE",
           "A run's id, the start of its uuid, or last (default; of your own file, the last two); "
           "of two each may also be a kernel "
           "file, or lab:VARIANT for the lab's own",
           0, 2},
          std::move(options),
          "  lab compare last --variant stride --verdict disagrees\n  lab compare 1 2\n"
          "  lab compare mine.cu lab:column --variant column",
          run_compare,
          true};
}

}  // namespace lab::cli
