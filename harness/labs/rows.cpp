#include "harness/labs/rows.h"

#include <algorithm>
#include <string_view>

#include "harness/core/error.h"
#include "harness/core/metric_keys.h"

namespace lab::labs {
namespace {

const char* const kWhyRequests = "One request for each warp's instruction.";

/// The metrics of one kind of access.
struct GlobalKeys {
  std::string_view requests, sectors, sectors_per_request, lines, efficiency;
};
constexpr GlobalKeys kGlobalKeys[] = {
    {metric::kGlobalLoadRequests, metric::kGlobalLoadSectors, metric::kGlobalLoadSectorsPerRequest,
     metric::kGlobalLoadLines, metric::kGlobalLoadEfficiency},
    {metric::kGlobalStoreRequests, metric::kGlobalStoreSectors,
     metric::kGlobalStoreSectorsPerRequest, metric::kGlobalStoreLines,
     metric::kGlobalStoreEfficiency}};

struct SharedKeys {
  std::string_view requests, wavefronts, wavefronts_sass, bank_conflicts, ways;
};
constexpr SharedKeys kSharedKeys[] = {
    {metric::kSharedLoadRequests, metric::kSharedLoadWavefronts, metric::kSharedLoadWavefrontsSass,
     metric::kSharedLoadBankConflicts, metric::kSharedLoadWays},
    {metric::kSharedStoreRequests, metric::kSharedStoreWavefronts,
     metric::kSharedStoreWavefrontsSass, metric::kSharedStoreBankConflicts,
     metric::kSharedStoreWays}};

// Bytes that DRAM reads for these sectors, once each: `fetch` of them at once, which is a sector or
// one of `blocks` of 64 bytes.
Expr dram_reads(const Expr& sectors, const Expr& blocks) {
  return choose(equal("fetch", 64), 64 * blocks, 32 * sectors);
}

bool differ_at(const FormulaNames& names, const Expr& a, const Expr& b) {
  try {
    return a.value(names) != b.value(names);
  } catch (const Error&) {  // not defined there
    return false;
  }
}

}  // namespace

bool always_equal(const Expr& a, const Expr& b) {
  if (same(a, b)) return true;
  // Simplifying takes long: most that differ are told by their values where all names are one
  // number, or each a number of its own.
  FormulaNames alike;
  FormulaNames apart;
  double next = 64;
  for (const Expr& one : {a, b}) {
    for (const std::string& name : one.names()) {
      alike[name] = 96;
      if (apart.emplace(name, next).second) next += 160;
    }
  }
  if (differ_at(alike, a, b) || differ_at(apart, a, b)) return false;
  return same(a.simplified(), b.simplified());
}

std::vector<TheoryRow> global_rows(Op op, const language::Access& access, const std::string& why) {
  const GlobalKeys& keys = kGlobalKeys[static_cast<std::size_t>(op)];
  const auto sectors = term("sectors", access.sectors, "of the launch");
  const auto requests = term("requests", access.requests, "of the launch");
  std::vector<TheoryRow> rows = {{std::string(keys.requests), access.requests, kWhyRequests},
                                 {std::string(keys.sectors), access.sectors, why},
                                 {std::string(keys.sectors_per_request), sectors / requests, why}};
  if (access.lines) {
    rows.push_back(
        {std::string(keys.lines), *access.lines, "Distinct 128-byte lines of each instruction."});
  }
  rows.push_back({std::string(keys.efficiency), access.bytes / (32 * sectors),
                  "Distinct bytes asked for over bytes moved, 32 per sector."});
  return rows;
}

std::vector<TheoryRow> shared_rows(Op op, const SharedCost& cost, const std::string& why) {
  const SharedKeys& keys = kSharedKeys[static_cast<std::size_t>(op)];
  const auto& [wavefronts, least, by_sass] = cost.wavefronts;
  const auto sass = by_sass.value_or(wavefronts);
  return {
      {std::string(keys.requests), cost.requests, kWhyRequests},
      {std::string(keys.wavefronts), wavefronts, why},
      {std::string(keys.wavefronts_sass), sass, why},
      {std::string(keys.bank_conflicts), wavefronts - least,
       "Wavefronts beyond those that the width of the access needs anyway."},
      {std::string(keys.ways), cost.ways.value_or(sass / cost.requests), why},
  };
}

std::vector<TheoryRow> traffic_rows(const Traffic& traffic, const std::string& why) {
  const auto row = [&](std::string_view metric, const Expr& low, const Expr& high) {
    TheoryRow made{std::string(metric), low, why};
    if (!always_equal(low, high)) made.high = high;
    return made;
  };
  return {row(metric::kL2ReadSectors, traffic.read_least, traffic.read_most),
          row(metric::kL2WriteSectors, traffic.write_least, traffic.write_most),
          row(metric::kDramReadBytes,
              traffic.scattered ? 32 * traffic.read_least
                                : dram_reads(traffic.read_least, traffic.read_blocks),
              64 * traffic.read_blocks + 64 * traffic.filled),
          {std::string(metric::kDramWriteBytes), 0,
           "L2 writes back late: nothing while the kernel runs, or every sector that was stored.",
           Level::kAsCompiled, 32 * traffic.write_most}};
}

void write_beside(std::vector<TheoryRow>& compiled, const std::vector<TheoryRow>& written) {
  for (auto& row : compiled) {
    const auto beside = std::find_if(written.begin(), written.end(), [&](const TheoryRow& other) {
      return other.metric == row.metric;
    });
    if (beside == written.end() || always_equal(beside->formula, row.formula)) continue;
    row.as_written = beside->formula;
  }
}

}  // namespace lab::labs
