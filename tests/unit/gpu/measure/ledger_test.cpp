#include "harness/gpu/measure/ledger.h"

#include <gtest/gtest.h>

namespace lab::gpu {
namespace {

Ledger ledger(std::vector<LedgerEntry> entries) {
  Ledger out;
  for (const LedgerEntry& entry : entries) out.add(entry);
  return out;
}

const LedgerEntry kFlushOf0{0, 0, Purpose::kFlush};
const LedgerEntry kRunOf0{0, 0, Purpose::kMeasure};
const LedgerEntry kRunOf1{1, 0, Purpose::kMeasure};

TEST(Ledger, EqualPassesWithARangeForEachLaunchAreGood) {
  const Ledger pass = ledger({kFlushOf0, kRunOf0, kRunOf1});
  EXPECT_EQ(void_reason({pass, pass}, {3, 0}), std::nullopt);
}

TEST(Ledger, NoPassIsNoResult) { EXPECT_EQ(void_reason({}, {0, 0}), "no pass ran"); }

TEST(Ledger, APassThatLaunchedOtherwiseIsNamed) {
  const Ledger first = ledger({kFlushOf0, kRunOf0});
  EXPECT_EQ(void_reason({first, first, ledger({kRunOf0})}, {2, 0}),
            "pass 2 launched other kernels than pass 0 (1 launches against 2)");
  // As many launches, and another order: the values would be given to the wrong case.
  EXPECT_EQ(void_reason({ledger({kRunOf0, kRunOf1}), ledger({kRunOf1, kRunOf0})}, {2, 0}),
            "pass 1 launched other kernels than pass 0 (2 launches against 2)");
}

TEST(Ledger, DroppedRangesVoidThePass) {
  EXPECT_EQ(void_reason({ledger({kRunOf0, kRunOf1})}, {1, 1}), "1 ranges were dropped");
}

TEST(Ledger, RangesThatNoLaunchAccountsForVoidThePass) {
  EXPECT_EQ(void_reason({ledger({kRunOf0})}, {2, 0}), "2 ranges for 1 launches");
}

}  // namespace
}  // namespace lab::gpu
