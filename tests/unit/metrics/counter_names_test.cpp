// Where Nsight Compute shows a metric, what to beware of, and counters' names on every chip.
#include "metrics/counter_names.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

#include "harness/page/markdown.h"
#include "metrics/metric_page.h"

namespace lab::metrics {
namespace {

// Every metric of a hardware counter has its place, but for those that no table of ncu shows.
TEST(NcuNames, EveryCounterHasItsPlace) {
  const std::set<std::string_view> none = {"l1_bank_conflicts",       "l1_arbitration_conflicts",
                                           "l1_global_conflicts",     "dram_busiest_channel_bytes",
                                           "dram_mean_channel_bytes", "shared_conflicts_all",
                                           "async_copy_requests",     "async_copy_bank_conflicts",
                                           "texture_requests",        "texture_sectors",
                                           "surface_requests",        "surface_sectors"};
  for (const Metric& metric : catalogue()) {
    if (metric.cupti.empty()) continue;
    EXPECT_EQ(metric.ncu.section.empty(), none.count(metric.key) == 1) << metric.key;
  }
}

TEST(NcuNames, PlacesInWords) {
  EXPECT_EQ(ncu_place_text(at("shared_load_bank_conflicts").ncu),
            "Memory Workload Analysis, Shared Memory: row Shared Load, column Bank Conflicts");
  EXPECT_EQ(ncu_place_text(at("occupancy").ncu), "Occupancy: Achieved Occupancy");
  EXPECT_EQ(ncu_place_text(at("needed_bytes").ncu), "");
}

TEST(NcuNames, TrapsOfCountersThatAreOftenMisread) {
  for (const char* key : {"dram_write_bytes", "shared_load_bank_conflicts", "l2_hit_rate",
                          "duration_ns", "global_load_requests", "l2_read_sectors"}) {
    EXPECT_FALSE(at(key).traps.empty()) << key;
  }
  EXPECT_EQ(at("dram_write_bytes").traps.front().substr(0, 20), "L2 writes back late:");
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

// Checked against the lists of cuptiProfilerHostGetBaseMetrics of CUDA 13.0.
TEST(CounterNames, DifferBetweenChips) {
  const auto& dram = at("dram_read_bytes");
  EXPECT_EQ(counter_name(dram, SourceOf::kCupti, "GH100").name, "dram__bytes_read.sum");
  EXPECT_EQ(counter_name(dram, SourceOf::kCupti, "GB202").name, "dram__bytes_op_read.sum");
  EXPECT_EQ(counter_name(dram, SourceOf::kCupti, "GB20B").missing,
            "GB20B has no counter dram__bytes_read.sum");
  const auto& lost = at("l1_arbitration_conflicts");
  EXPECT_EQ(counter_name(lost, SourceOf::kCupti, "AD102").missing,
            "AD102 has no counter l1tex__data_bank_conflicts_type_arbitration.sum");
  EXPECT_EQ(counter_name(lost, SourceOf::kCupti, "GB100").missing, "");
}

TEST(CounterNames, SayWhyThereIsNone) {
  EXPECT_EQ(counter_name(at("cycles"), SourceOf::kSass, "GH100").missing,
            "no sass counter has cycles: the model counts; it has no clock");
}

// A row is all that a metric needs: its page, its title and its counters follow.
TEST(Catalogue, AMetricIsOneRow) {
  const Metric row = {.key = "made_up_lanes",
                      .title = "lanes, made up",
                      .unit = "lane",
                      .metric_class = Class::kExact,
                      .text = "Lanes that a test made up.",
                      .cupti = "smsp__made_up.sum",
                      .elsewhere = {{"GB20B", ""}, {"GA100 GA102", "smsp__made_otherwise.sum"}},
                      .ready_made = "smsp__made_up.ratio",
                      .model = InModel::kCounted,
                      .ncu = {"Made Up", "Lanes", "Sum"},
                      .traps = {"Nobody counts it."}};
  EXPECT_EQ(counter_name(row, SourceOf::kCupti, "GH100").name, "smsp__made_up.sum");
  EXPECT_EQ(counter_name(row, SourceOf::kCupti, "GA102").name, "smsp__made_otherwise.sum");
  EXPECT_EQ(counter_name(row, SourceOf::kCupti, "GB20B").missing,
            "GB20B has no counter smsp__made_up.sum");
  const std::string said = page::markdown_of(metric_page(row, {}));
  for (const char* part :
       {"lane, exact", "Lanes that a test made up.", R"(smsp\_\_made\_otherwise.sum)",
        R"(smsp\_\_made\_up.ratio)", "row Lanes, column Sum", "counted while interpreting",
        "Nobody counts it."}) {
    EXPECT_NE(said.find(part), std::string::npos) << part << " in\n" << said;
  }
}

// The model adds up each row that says how: none is forgotten, and none is counted twice.
TEST(Catalogue, EachCountOfAKindIsOneRow) {
  std::set<std::pair<AccessKind, Count>> seen;
  for (const Metric& row : catalogue()) {
    if (!row.counted) continue;
    EXPECT_EQ(row.model, InModel::kCounted) << row.key;
    EXPECT_EQ(row.key.substr(0, name_of(row.counted->kind).size()), name_of(row.counted->kind));
    EXPECT_TRUE(seen.insert({row.counted->kind, row.counted->count}).second) << row.key;
  }
}

}  // namespace
}  // namespace lab::metrics
