// How fast the store is: bench_db [CASES] [FOLDER]. Not a test; db/README.md quotes its figures.
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <string>

#include "db/query.h"
#include "db/store.h"
#include "metrics/catalogue.h"

namespace {

using lab::db::Mode;
using lab::db::Store;

// Of CPU time: the same on a busy machine.
double seconds_of(const std::function<void()>& body) {
  const std::clock_t begin = std::clock();
  body();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

// Every metric of the catalogue from three sources, judged.
lab::CaseRecord make_case(int index) {
  lab::CaseRecord record;
  record.index = index;
  record.variant = index % 2 == 0 ? "padded" : "naive";
  record.params = lab::Params{{"n", std::int64_t{index}}, {"tile", std::int64_t{32}}};
  record.kernel = "transpose<32>";
  record.correct = true;
  record.notes.checkers = Looked::kFull;
  for (const lab::metrics::Metric& metric : lab::metrics::catalogue()) {
    const std::string key(metric.key);
    for (const auto source :
         {lab::SourceOf::kTheory, lab::SourceOf::kModel, lab::SourceOf::kCupti}) {
      record.observations.push_back({key, source, 1.0 * index});
    }
    lab::Verdict verdict;
    verdict.metric = key;
    verdict.theory = verdict.measured = 1.0 * index;
    verdict.measured_source = lab::SourceOf::kCupti;
    verdict.formula = "n * n / 32";
    verdict.level = Level::kAsCompiled;
    verdict.kind = lab::VerdictKind::kAgrees;
    verdict.reason = "all values are equal";
    record.verdicts.push_back(verdict);
  }
  return record;
}

constexpr const char* kQueries[] = {
    "SELECT count(*) FROM compare WHERE verdict = 'agrees'",
    "SELECT count(*) FROM compare WHERE run = 5",
    "SELECT * FROM compare WHERE run = 5",
    "SELECT variant, metric, median(model) FROM compare GROUP BY 1, 2",
    "SELECT * FROM compare WHERE metric = 'global_load_sectors'",
    "SELECT * FROM compare",
    "SELECT count(*) FROM latest",
    "SELECT n, global_load_sectors, shared_load_wavefronts FROM lab4",
    "SELECT * FROM lab4",
};

}  // namespace

int main(int argc, char** argv) {
  const int cases = argc > 1 ? std::atoi(argv[1]) : 10000;
  const int per_run = 100;
  const std::string path = std::string(argc > 2 ? argv[2] : "/tmp") + "/bench_db.db";
  std::filesystem::remove(path);
  {
    Store store = Store::open(path, Mode::kCreate);
    const double seconds = seconds_of([&] {
      for (int run = 0; run < cases / per_run; ++run) {
        lab::RunRecord record;
        record.lab = 4;
        record.student = fmt::format("student{}", run % 30);
        store.begin_run(record);
        for (int i = 0; i < per_run; ++i) store.add_case(record.id, make_case(i));
        store.finish_run(record.id, RunStatus::kOk);
      }
    });
    fmt::print("{} cases, {} metrics each: {:.2f} s, {:.2f} ms a case, {} MB\n", cases,
               lab::metrics::catalogue().size(), seconds, seconds / cases * 1000,
               std::filesystem::file_size(path) / 1000000);
    fmt::print("load_run: {:.1f} ms\n", seconds_of([&] { (void)store.load_run("5"); }) * 1000);
    fmt::print("list_runs: {:.1f} ms\n", seconds_of([&] { (void)store.list_runs(); }) * 1000);
  }
  fmt::print("open: {:.1f} ms\n",
             seconds_of([&] { (void)Store::open(path, Mode::kExisting); }) * 1000);
  for (const char* sql : kQueries) {
    std::size_t rows = 0;
    const double seconds = seconds_of([&] { rows = lab::db::query(path, sql).table.rows.size(); });
    fmt::print("{:8.1f} ms  {:7} rows  {}\n", seconds * 1000, rows, sql);
  }
  return 0;
}
