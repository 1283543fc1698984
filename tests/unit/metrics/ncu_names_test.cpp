// Where Nsight Compute shows a metric, what to beware of, and counters' names on every chip.
#include "metrics/ncu_names.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace lab::metrics {
namespace {

// Nsight Compute's identifiers of its tables, and what it prints above them.
const std::map<std::string_view, std::string_view> kTitles = {
    {"memory__shared_table", "Shared Memory"},
    {"memory__first_level_cache_table", "L1/TEX Cache"},
    {"memory__l2_cache_table", "L2 Cache"},
    {"memory__dram_table", "Device Memory"}};

TEST(NcuNames, PlacesAreOfTheCataloguesRowsAndEachIsSaidOnce) {
  std::set<std::string_view> keys;
  for (const NcuPlace& place : ncu_places()) {
    const Metric* metric = find(place.key);
    ASSERT_NE(metric, nullptr) << place.key;
    EXPECT_TRUE(keys.insert(place.key).second) << place.key;
    const auto title = kTitles.find(metric->table);
    if (title == kTitles.end() || place.section == "Source page") continue;
    EXPECT_EQ(place.section, title->second) << place.key;
    EXPECT_FALSE(place.row.empty()) << place.key;
  }
}

// Every metric of a hardware counter has its place, but for those that no page of ncu shows.
TEST(NcuNames, EveryCounterOfATableHasItsPlace) {
  const std::set<std::string_view> none = {"l1_bank_conflicts",       "l1_arbitration_conflicts",
                                           "l1_global_conflicts",     "dram_busiest_channel_bytes",
                                           "dram_mean_channel_bytes", "shared_conflicts_all"};
  for (const Metric& metric : catalogue()) {
    if (metric.cupti.empty() || metric.table.empty()) continue;
    EXPECT_EQ(find_ncu_place(metric.key) == nullptr, none.count(metric.key) == 1) << metric.key;
  }
}

TEST(NcuNames, PlacesInWords) {
  EXPECT_EQ(ncu_place_text("shared_load_bank_conflicts"),
            "Memory Workload Analysis, Shared Memory: row Shared Load, column Bank Conflicts");
  EXPECT_EQ(ncu_place_text("occupancy"), "Occupancy: Achieved Occupancy");
  EXPECT_EQ(ncu_place_text("needed_bytes"), "");
}

TEST(NcuNames, TrapsOfCountersThatAreOftenMisread) {
  for (const char* key : {"dram_write_bytes", "shared_load_bank_conflicts", "l2_hit_rate",
                          "duration_ns", "global_load_requests", "l2_read_sectors"}) {
    EXPECT_FALSE(traps_of(key).empty()) << key;
  }
  EXPECT_EQ(traps_of("dram_write_bytes").front().substr(0, 20), "L2 writes back late:");
  EXPECT_TRUE(traps_of("dram_write").empty());  // whole keys alone
}

// GB20x have DRAM counters of another name; GA10B, GB10B and GB20B have none (CUPTI 13.0).
TEST(NcuNames, NamesOnChips) {
  EXPECT_EQ(known_chips().size(), 28u);
  const auto names = names_on_chips(at("dram_read_bytes"), SourceOf::kCupti);
  ASSERT_EQ(names.size(), 3u);
  EXPECT_EQ(names[0].name, "dram__bytes_read.sum");
  EXPECT_EQ(names[0].chips.size(), 20u);  // 28 - 5 - 3
  EXPECT_EQ(names[1].name, "dram__bytes_op_read.sum");
  EXPECT_EQ(names[1].chips,
            (std::vector<std::string_view>{"GB202", "GB203", "GB205", "GB206", "GB207"}));
  EXPECT_EQ(names[2].name, "");
  EXPECT_EQ(names[2].chips, (std::vector<std::string_view>{"GA10B", "GB10B", "GB20B"}));
  EXPECT_TRUE(names_on_chips(at("shared_load_ways"), SourceOf::kCupti).empty());
}

TEST(NcuNames, RowsOfACountersName) {
  const auto keys = [](std::string_view name) {
    std::vector<std::string_view> out;
    for (const Metric* metric : rows_counted_by(name)) out.push_back(metric->key);
    return out;
  };
  EXPECT_EQ(keys("dram__bytes_op_read.sum"), std::vector<std::string_view>{"dram_read_bytes"});
  EXPECT_EQ(keys("dram__bytes_read"),
            (std::vector<std::string_view>{"dram_read_bytes", "dram_busiest_channel_bytes",
                                           "dram_mean_channel_bytes"}));
  EXPECT_EQ(keys("smsp__sass_inst_executed_op_shared_ld.sum"),
            std::vector<std::string_view>{"shared_load_requests"});
  // Without _op_ it is one counter of its own, not the prefix of two others.
  EXPECT_EQ(keys("l1tex__data_bank_conflicts_pipe_lsu_mem_shared"),
            std::vector<std::string_view>{"shared_conflicts_all"});
  EXPECT_EQ(keys("l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio"),
            std::vector<std::string_view>{"global_load_sectors_per_request"});
  EXPECT_TRUE(keys("dram__bytes_rea").empty());
  EXPECT_TRUE(keys("").empty());
}

}  // namespace
}  // namespace lab::metrics
