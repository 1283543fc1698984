#include "metrics/catalogue.h"

#include <gtest/gtest.h>

#include <set>

#include "harness/core/error.h"
#include "harness/labs/registry.h"

namespace lab::metrics {
namespace {

// The keys that databases, scripts and handouts use: they may be added to, never renamed.
const char* const kKeys[] = {
    "global_load_requests",
    "global_load_sectors",
    "global_load_sectors_per_request",
    "global_load_lines",
    "global_load_efficiency",
    "global_store_requests",
    "global_store_sectors",
    "global_store_sectors_per_request",
    "global_store_lines",
    "global_store_efficiency",
    "global_atomic_sectors",
    "global_reduction_sectors",
    "global_atomic_sectors_sass",
    "global_reduction_sectors_sass",
    "shared_load_requests",
    "shared_load_wavefronts",
    "shared_load_wavefronts_sass",
    "shared_load_bank_conflicts",
    "shared_load_ways",
    "shared_store_requests",
    "shared_store_wavefronts",
    "shared_store_wavefronts_sass",
    "shared_store_bank_conflicts",
    "shared_store_ways",
    "shared_atomic_requests",
    "shared_atomic_wavefronts",
    "shared_atomic_wavefronts_sass",
    "shared_atomic_bank_conflicts",
    "shared_atomic_ways",
    "shared_bank_conflicts",
    "shared_conflicts_all",
    "l1_fill_sectors",
    "effective_bandwidth",
    "l2_read_sectors",
    "l2_write_sectors",
    "l1_hit_rate",
    "l2_hit_rate",
    "dram_read_bytes",
    "dram_write_bytes",
    "instructions",
    "occupancy",
    "cycles",
    "duration_ns",
    "theoretical_occupancy",
    "registers_per_thread",
    "shared_bytes_per_block",
    "local_bytes_per_thread",
    "local_load_requests",
    "local_store_requests",
    "l1_carveout",
};

TEST(Catalogue, HasARowForEveryKey) {
  for (const auto* key : kKeys) EXPECT_NE(find(key), nullptr) << key;
}

TEST(Catalogue, KeysAreUnique) {
  std::set<std::string_view> keys;
  for (const auto& row : catalogue()) EXPECT_TRUE(keys.insert(row.key).second) << row.key;
}

TEST(Catalogue, EveryRowHasAUnitAndASentence) {
  for (const auto& row : catalogue()) {
    EXPECT_FALSE(row.unit.empty()) << row.key;
    ASSERT_FALSE(row.text.empty()) << row.key;
    EXPECT_EQ(row.text.back(), '.') << row.key;
  }
}

// Where there is no model value or no counter, the row says why.
TEST(Catalogue, EverySourceIsThereOrTheRowSaysWhyNot) {
  for (const auto& row : catalogue()) {
    const bool has_rule = row.derived.rule != Rule::kNone;
    const bool measured = !row.cupti.empty() || !row.sass.empty() || has_rule;
    if (!measured || row.model == InModel::kNone) {
      EXPECT_FALSE(row.why_not.empty()) << row.key;
    }
    if (row.model == InModel::kDerived) {
      EXPECT_TRUE(has_rule) << row.key;
    }
  }
}

TEST(Catalogue, BandsBelongToBandedRowsAndNameACause) {
  for (const auto& row : catalogue()) {
    if (row.metric_class == Class::kBanded) {
      EXPECT_FALSE(row.band.cause.empty()) << row.key;
    }
    if (row.metric_class == Class::kContext) {
      EXPECT_TRUE(row.band.cause.empty()) << row.key;
    }
  }
}

TEST(Catalogue, DerivedRowsNameRowsThatAreThere) {
  for (const auto& row : catalogue()) {
    for (const auto part : row.derived.parts) EXPECT_NE(find(part), nullptr) << row.key << part;
    if (row.derived.rule == Rule::kRatio) {
      EXPECT_EQ(row.derived.parts.size(), 2U) << row.key;
    }
  }
}

TEST(Catalogue, CountersHaveARollup) {
  for (const auto& row : catalogue()) {
    for (const auto name : {row.cupti, row.sass}) {
      if (!name.empty()) {
        EXPECT_NE(name.find('.'), std::string_view::npos) << name;
      }
    }
  }
}

// Metrics that addresses determine are exact, hardware conflict counters and traffic have bands,
// time and rates are context.
TEST(Catalogue, ClassesAreAsAgreed) {
  for (const auto* key : {"global_load_requests", "global_store_sectors", "global_atomic_sectors",
                          "global_load_sectors_per_request", "global_load_efficiency",
                          "shared_load_wavefronts_sass", "shared_store_ways"}) {
    EXPECT_EQ(at(key).metric_class, Class::kExact) << key;
  }
  for (const auto* key : {"shared_load_bank_conflicts", "shared_bank_conflicts", "l2_read_sectors",
                          "dram_read_bytes", "shared_load_wavefronts"}) {
    EXPECT_EQ(at(key).metric_class, Class::kBanded) << key;
  }
  for (const auto* key : {"duration_ns", "cycles", "occupancy", "instructions", "l1_hit_rate"}) {
    EXPECT_EQ(at(key).metric_class, Class::kContext) << key;
  }
}

TEST(Catalogue, TheoryOfEveryLabSpeaksOfMetricsThatAreThere) {
  for (const auto& lab : all_labs()) {
    for (const auto& key : lab.headline) EXPECT_NE(find(key), nullptr) << key;
    for (const auto& variant : lab.variants) {
      for (const auto& row : variant.theory) {
        EXPECT_NE(find(row.metric), nullptr) << lab.folder << ' ' << row.metric;
      }
    }
  }
}

TEST(Catalogue, UnknownKeysGetASuggestion) {
  try {
    (void)at("global_load_sector");
    FAIL() << "found a metric that is not there";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "there is no metric 'global_load_sector'");
    EXPECT_EQ(error.hint(), "did you mean 'global_load_sectors'?");
  }
}

TEST(Catalogue, EveryMetricHasAShortTitleOfItsOwn) {
  constexpr std::size_t kMost = 30;  // in a table of 80 columns it stands beside numbers
  std::set<std::string_view> titles;
  for (const Metric& row : catalogue()) {
    EXPECT_FALSE(row.title.empty()) << row.key;
    EXPECT_LE(row.title.size(), kMost) << row.key;
    EXPECT_TRUE(titles.insert(row.title).second) << row.title << " heads two columns";
    EXPECT_EQ(row.title.find('_'), std::string_view::npos) << row.title << " is not made of words";
  }
}

}  // namespace
}  // namespace lab::metrics
