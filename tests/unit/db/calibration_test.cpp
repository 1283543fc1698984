#include "db/calibration.h"

#include <gtest/gtest.h>

#include "tests/unit/db/support.h"

namespace lab::db {
namespace {

Calibration taken(const std::string& uuid, const std::string& at, double read) {
  return {uuid,
          "NVIDIA H200",
          "580.159",
          at,
          {{"dram_read", read, "byte/s", "a sweep"}, {"launch", 2100, "ns", "empty kernels"}}};
}

TEST(Calibration, ComesBackAsItWas) {
  const TempFolder folder;
  Store open = Store::open(folder.file("x.db"), Mode::kCreate);
  const Calibration one = taken("GPU-1", "2026-11-21T06:00:00Z", 4.2e12);
  add_calibration(open, one);
  EXPECT_EQ(latest_calibration(open, "GPU-1"), one);
  EXPECT_EQ(latest_calibration(open, "GPU-2"), std::nullopt);
}

TEST(Calibration, TheNewestCounts) {
  const TempFolder folder;
  Store open = Store::open(folder.file("x.db"), Mode::kCreate);
  const Calibration late = taken("GPU-1", "2026-11-22T06:00:00Z", 4.1e12);
  add_calibration(open, late);
  add_calibration(open, taken("GPU-1", "2026-11-21T06:00:00Z", 4.2e12));
  add_calibration(open, taken("GPU-2", "2026-11-23T06:00:00Z", 1e12));
  EXPECT_EQ(latest_calibration(open, "GPU-1"), late);
}

TEST(Calibration, TheSameSecondReplaces) {
  const TempFolder folder;
  Store open = Store::open(folder.file("x.db"), Mode::kCreate);
  add_calibration(open, taken("GPU-1", "2026-11-21T06:00:00Z", 1));
  const Calibration again = taken("GPU-1", "2026-11-21T06:00:00Z", 2);
  add_calibration(open, again);
  EXPECT_EQ(latest_calibration(open, "GPU-1"), again);
  EXPECT_EQ(raw_value(folder.file("x.db"), "SELECT count(*) FROM ceilings"), "2");
}

}  // namespace
}  // namespace lab::db
