// Times that authors of exercises claim of GPUs that nobody here measured, against what the rules
// expect of their data sheets: a test from outside.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "harness/core/launch_facts.h"
#include "harness/core/resolve.h"
#include "harness/kernel/compile/nvrtc.h"
#include "harness/labs/registry.h"
#include "harness/model/case/backend.h"
#include "metrics/kernel_time.h"
#include "tests/support/case_facts/facts.h"
#include "tests/support/lab_batch.h"

namespace lab {
namespace {

// Of NVIDIA's data sheets and whitepapers (80 GB: 380 GB/s are said to be 19 %).
const metrics::Machine kRtx3090 = metrics::data_sheet_named("3090");
const metrics::Machine kA100 = metrics::data_sheet_named("A100");

/// Claimed by an author, in ns.
struct Claim {
  const char* variant;
  const metrics::Machine& machine;
  int size;
  int block_rows;
  double ns;
};

// 4096 x 4096 floats read and written at 380 GB/s.
double at_rate(double gbytes_per_s) { return 2.0 * 4096 * 4096 * 4 / gbytes_per_s; }

const Claim kClaims[] = {
    {"read_coalesced", kRtx3090, 12800, 32, 5.337e6},
    {"write_coalesced", kRtx3090, 12800, 32, 2.924e6},
    {"padded_store", kRtx3090, 12800, 32, 2.345e6},
    {"read_coalesced_O0", kRtx3090, 12800, 32, 7.624e6},
    {"write_coalesced_O0", kRtx3090, 12800, 32, 5.220e6},
    {"padded_store_O0", kRtx3090, 12800, 32, 4.804e6},
    {"read_coalesced", kA100, 4096, 8, at_rate(380)},
    {"shared_load", kA100, 4096, 8, at_rate(920)},
    {"padded", kA100, 4096, 8, at_rate(1590)},
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

Params params_of(const Claim& claim) {
  Params params;
  params.set("rows", claim.size / kShrunk);
  params.set("cols", claim.size / kShrunk);
  params.set("bytes", 4);
  params.set("block_rows", claim.block_rows);
  return params;
}

CaseRecord modelled(const Lab& lab, const char* variant, const Params& params) {
  BatchRequest batch = batch_of_lab(lab);
  batch.cases.push_back({0, variant, params, {}});
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

double expected_ns(const Lab& lab, const char* variant, const Params& params,
                   const metrics::Machine& machine) {
  const CaseRecord record = modelled(lab, variant, params);
  EXPECT_EQ(record.status, CaseStatus::kOk) << record.reason;
  double ns = 0;
  facts_of_cases(lab, {record}, [&](const CaseRecord& one, const CaseRecord& today) {
    const KernelFacts& facts = *today.kernel_facts;
    const BlockNeeds needs{one.launch.block.count(), facts.registers,
                           facts.shared_bytes + one.launch.dynamic_shared_bytes};
    const metrics::Shape shape{kMore * static_cast<double>(one.launch.grid.count()),
                               std::ceil(static_cast<double>(one.launch.block.count()) / 32),
                               static_cast<double>(resident_blocks(needs, machine.arch))};
    ns = metrics::kernel_time(of_whole(metrics::time_counts(one)), facts, shape,
                              metrics::rates_of(machine).value())
             .ns;
  });
  return ns;
}

/// The numbers of labs/README.md behind `expected of its data sheet`, place by place.
std::vector<std::vector<double>> expected_on_page() {
  std::ifstream file(LAB_SOURCE_DIR "/labs/README.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const std::regex place("expected of its data sheet ([0-9., and]+)");
  const std::regex number("[0-9]+(\\.[0-9]+)?");
  std::vector<std::vector<double>> all;
  for (std::sregex_iterator at(page.begin(), page.end(), place), end; at != end; ++at) {
    const std::string text = (*at)[1];
    std::vector<double>& numbers = all.emplace_back();
    for (std::sregex_iterator one(text.begin(), text.end(), number); one != end; ++one) {
      numbers.push_back(std::stod(one->str()));
    }
  }
  return all;
}

// Another NVRTC makes other machine code, of what is not optimised above all.
void expect_on_page(std::size_t place, const std::vector<double>& found) {
  const std::vector<double> page = expected_on_page().at(place);
  ASSERT_GE(page.size(), found.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(page[i], found[i], 0.1 * found[i]);
}

// Within 2 x, and the table of exercises says them beside the claims.
TEST(SeedsTimes, AreExpectedFromDataSheets) {
  const Lab& lab = find_lab("4");
  std::map<std::string, std::vector<double>> all;  // ns
  for (const Claim& claim : kClaims) {
    const double ns = expected_ns(lab, claim.variant, params_of(claim), claim.machine);
    std::cout << std::setw(20) << claim.variant << ' ' << claim.machine.gpu << ' ' << claim.size
              << std::fixed << std::setprecision(0) << ": expected " << ns / 1e3 << " us, claimed "
              << claim.ns / 1e3 << " us, " << std::setprecision(2) << ns / claim.ns << '\n';
    EXPECT_LT(std::abs(std::log(ns / claim.ns)), std::log(2.0)) << claim.variant;
    all[claim.machine.gpu].push_back(ns);
  }
  const std::vector<double>& rtx = all["GeForce RTX 3090"];
  const auto ms = [&](std::size_t i) { return rtx.at(i) / 1e6; };
  expect_on_page(1, {ms(0), ms(1), ms(2)});
  expect_on_page(2, {ms(3), ms(4), ms(5)});
  const std::vector<double>& a100 = all["NVIDIA A100 80GB"];
  const auto rate = [&](std::size_t i) { return 2.0 * 4096 * 4096 * 4 / a100.at(i); };
  expect_on_page(3, {rate(0), rate(1), rate(2)});
}

// 4.5 x by its author; an H200 took 2.6 x.
TEST(SeedsTimes, ParticlesAreExpectedFromADataSheet) {
  const Lab& lab = find_lab("2");
  Params params;
  params.set("n", (1 << 22) / static_cast<int>(kMore));
  const double aos = expected_ns(lab, "update_aos", params, kA100);
  const double soa = expected_ns(lab, "update_soa", params, kA100);
  std::cout << "update_aos " << aos / 1e3 << " us, update_soa " << soa / 1e3 << " us\n";
  EXPECT_GT(aos / soa, 4.5 / 2.5);
  EXPECT_LT(aos / soa, 4.5);
  expect_on_page(0, {aos / 1e3, soa / 1e3});
}

}  // namespace
}  // namespace lab
