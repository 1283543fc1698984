// Times that authors of exercises claim of GPUs that nobody here measured, against what the rules
// expect of their data sheets: a test from outside.
#include <gtest/gtest.h>

#include <cmath>
#include <iomanip>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "harness/compile/nvrtc.h"
#include "harness/core/resolve.h"
#include "harness/labs/registry.h"
#include "harness/model/case/backend.h"
#include "metrics/kernel_time.h"
#include "metrics/residency.h"
#include "tests/support/case_facts/facts.h"
#include "tests/support/lab_batch.h"

namespace lab {
namespace {

// Shares of the pins' rate that an H200 and an H100 reach, reading, writing and copying.
metrics::Machine sheet(const char* gpu, double pins, double mhz, const metrics::GpuSize& size) {
  return {gpu,
          "data sheet",
          {{"dram_read", 0.92 * pins, "byte/s", ""},
           {"dram_write", 0.93 * pins, "byte/s", ""},
           {"dram_copy", 0.87 * pins, "byte/s", ""},
           {"sm_clock", mhz, "MHz", ""}},
          size};
}

// NVIDIA's whitepapers of GA102 and A100 (80 GB: 380 GB/s are said to be 19 %).
const metrics::Machine kRtx3090 = sheet("RTX 3090", 936e9, 1695, {82, 6291456, 384});
const metrics::Machine kA100 = sheet("A100", 2039e9, 1410, {108, 41943040, 5120});

/// Claimed by an author, in ns.
struct Claim {
  const char* variant;
  const metrics::Machine& machine;
  const char* arch;
  int size;
  int block_rows;
  double ns;
};

// 4096 x 4096 floats read and written at 380 GB/s.
double at_rate(double gbytes_per_s) { return 2.0 * 4096 * 4096 * 4 / gbytes_per_s; }

const Claim kClaims[] = {
    {"read_coalesced", kRtx3090, "sm_86", 12800, 32, 5.337e6},
    {"write_coalesced", kRtx3090, "sm_86", 12800, 32, 2.924e6},
    {"padded_store", kRtx3090, "sm_86", 12800, 32, 2.345e6},
    {"read_coalesced_O0", kRtx3090, "sm_86", 12800, 32, 7.624e6},
    {"write_coalesced_O0", kRtx3090, "sm_86", 12800, 32, 5.220e6},
    {"padded_store_O0", kRtx3090, "sm_86", 12800, 32, 4.804e6},
    {"read_coalesced", kA100, "sm_80", 4096, 8, at_rate(380)},
    {"shared_load", kA100, "sm_80", 4096, 8, at_rate(920)},
    {"padded", kA100, "sm_80", 4096, 8, at_rate(1590)},
};

Compiled compile_at_once(const CompileRequest& request) {
  auto settings = compile::default_settings();
  settings.cache = LAB_SOURCE_DIR "/build/test-cache/lab/compile";
  return compile::nvrtc_compile(request, settings);
}

// The model runs a sixteenth of the blocks. All of them do the same, so that counts grow as they
// do.
constexpr int kShrunk = 4;
constexpr double kMore = kShrunk * kShrunk;

metrics::TimeCounts of_whole(metrics::TimeCounts counts) { return counts *= kMore; }

CaseRecord modelled(const Lab& lab, const Claim& claim) {
  BatchRequest batch = batch_of_lab(lab);
  Params params;
  params.set("rows", claim.size / kShrunk);
  params.set("cols", claim.size / kShrunk);
  params.set("bytes", 4);
  params.set("block_rows", claim.block_rows);
  batch.cases.push_back({0, claim.variant, params, {}});
  EXPECT_TRUE(resolve(&lab, batch).empty());
  CaseRecord record;
  BatchSink sink;
  sink.environment = [](const std::string&, const std::string&) {};
  sink.finished = [&](const CaseOutcome& outcome) { record = outcome.record; };
  sink.progress = [](int, double) {};
  sink.cancelled = [] { return false; };
  model::ModelBackend(compile_at_once).run(batch, sink);
  return record;
}

double expected_ns(const Lab& lab, const Claim& claim) {
  const CaseRecord record = modelled(lab, claim);
  EXPECT_EQ(record.status, CaseStatus::kOk) << record.reason;
  double ns = 0;
  facts_of_cases(lab, {record}, [&](const CaseRecord& one, const KernelFacts& facts) {
    const metrics::BlockNeeds needs{one.launch.block.count(), facts.registers,
                                    facts.shared_bytes + one.launch.dynamic_shared_bytes};
    const metrics::Shape shape{kMore * static_cast<double>(one.launch.grid.count()),
                               std::ceil(static_cast<double>(one.launch.block.count()) / 32),
                               static_cast<double>(metrics::resident_blocks(needs, claim.arch))};
    ns = metrics::kernel_time(of_whole(metrics::time_counts(one)), facts, shape,
                              metrics::rates_of(claim.machine).value())
             .ns;
  });
  return ns;
}

TEST(SeedsTimes, AreExpectedFromDataSheets) {
  const Lab& lab = find_lab("4");
  for (const Claim& claim : kClaims) {
    const double ns = expected_ns(lab, claim);
    std::cout << std::setw(20) << claim.variant << ' ' << claim.machine.gpu << ' ' << claim.size
              << std::fixed << std::setprecision(0) << ": expected " << ns / 1e3 << " us, claimed "
              << claim.ns / 1e3 << " us, " << std::setprecision(2) << ns / claim.ns << '\n';
    EXPECT_LT(std::abs(std::log(ns / claim.ns)), std::log(2.0)) << claim.variant;
  }
}

}  // namespace
}  // namespace lab
