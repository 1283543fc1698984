// Times that the rules expect of kernels that no rule knew, against what an H200 took for them
// (tests/fixtures/strangers). Counts and facts are as tests/bench/strangers/compare.py stored them.
// Three numbers of the rules were chosen with them in view (tools/readers/evidence.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "db/store.h"
#include "metrics/expectation.h"

namespace lab {
namespace {

constexpr const char* kFolder = LAB_SOURCE_DIR "/tests/fixtures/strangers/";

struct Stranger {
  std::string name;
  double took_ns = 0;  ///< of a launch between two events, by a harness that is not lab's
  ExpectedTime time;
  [[nodiscard]] double off() const { return std::abs(std::log(*time.ns / took_ns)); }
};

std::vector<std::string> split(const std::string& line, char at) {
  std::vector<std::string> cells;
  std::istringstream text(line);
  for (std::string cell; std::getline(text, cell, at);) {
    if (cell.ends_with('\r')) cell.pop_back();  // one of the tables has DOS lines
    cells.push_back(cell);
  }
  return cells;
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const char* const file : {"cases.txt", "small.txt"}) {
    std::ifstream list(std::string(kFolder) + file);
    for (std::string line; std::getline(list, line);) {
      if (!line.empty() && line[0] != '#') all.push_back(split(line, '|').front());
    }
  }
  return all;
}

std::map<std::string, double> times() {
  std::map<std::string, double> all;
  for (const char* const file : {"h200_times.csv", "h200_times_small.csv"}) {
    std::ifstream table(std::string(kFolder) + file);
    std::string line;
    std::getline(table, line);
    const auto heads = split(line, ',');
    const auto column = static_cast<std::size_t>(
        std::find(heads.begin(), heads.end(), "own_event_ns_nvcc") - heads.begin());
    while (std::getline(table, line)) {
      const auto cells = split(line, ',');
      all[cells.front()] = std::stod(cells.at(column));
    }
  }
  return all;
}

std::vector<Stranger> load() {
  db::Store store = db::Store::open(LAB_BINARY_DIR "/fixtures/strangers.db", db::Mode::kReadOnly);
  const auto took = times();
  const auto name = names();
  std::vector<Stranger> all;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const RunRecord run = store.load_run(std::to_string(i + 1));
    all.push_back({name[i], took.at(name[i]),
                   metrics::expect_time(run.cases.at(0), metrics::data_sheet("sm_90"))});
  }
  return all;
}

const std::vector<Stranger>& strangers() {
  static const std::vector<Stranger> all = load();
  return all;
}

double share_within(double factor) {
  const auto near = std::count_if(strangers().begin(), strangers().end(), [&](const Stranger& one) {
    return one.off() <= std::log(factor);
  });
  return 100.0 * static_cast<double>(near) / static_cast<double>(strangers().size());
}

TEST(StrangersTimes, AreNearThoseOfAnH200) {
  ASSERT_EQ(strangers().size(), 55U);
  std::vector<double> errors;
  for (const Stranger& one : strangers()) {
    ASSERT_TRUE(one.time.ns) << one.name << ": " << one.time.reason;
    errors.push_back(one.off());
  }
  std::sort(errors.begin(), errors.end());
  const double median = 100 * std::expm1(errors[errors.size() / 2]);
  std::cout << "median " << median << " %, within 15 % " << share_within(1.15) << ", 25 % "
            << share_within(1.25) << ", 2 x " << share_within(2) << '\n';
  EXPECT_LE(median, 10);
  EXPECT_GE(share_within(1.15), 71);
  EXPECT_GE(share_within(1.25), 82);
  EXPECT_GE(share_within(2), 98);
}

TEST(StrangersTimes, AreInTheRightOrder) {
  int pairs = 0;
  int right = 0;
  for (const Stranger& a : strangers()) {
    for (const Stranger& b : strangers()) {
      if (a.took_ns <= 1.1 * b.took_ns) continue;
      ++pairs;
      right += *a.time.ns > *b.time.ns ? 1 : 0;
    }
  }
  std::cout << 100.0 * right / pairs << " % of " << pairs << " pairs in the right order\n";
  EXPECT_GE(100.0 * right / pairs, 95);
}

// Nine in ten are as near as is said, and it is said of most.
TEST(StrangersTimes, AreWithinWhatIsSaid) {
  int said = 0;
  int true_of = 0;
  for (const Stranger& one : strangers()) {
    if (!one.time.within) continue;
    ++said;
    const bool near = one.off() <= std::log(1 + *one.time.within);
    true_of += near ? 1 : 0;
    if (!near) std::cout << one.name << ": " << *one.time.ns / one.took_ns << '\n';
  }
  std::cout << true_of << " of " << said << '\n';
  EXPECT_GE(said, 40);
  EXPECT_GE(true_of, 0.88 * said);
  EXPECT_LE(true_of, 0.93 * said);
}

}  // namespace
}  // namespace lab
