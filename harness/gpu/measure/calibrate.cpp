#include "harness/gpu/measure/calibrate.h"

#include <string>

#include "harness/gpu/measure/bench.h"

namespace lab::gpu {

namespace {

// Latencies come last: their launches let the clock of the SMs settle.
using Group = const CeilingGroup& (*)();
constexpr Group kGroups[] = {memory_ceilings, store_ceilings, atomic_ceilings,
                             sm_ceilings,     block_ceilings, latency_ceilings};

}  // namespace

CompileRequest ceiling_request(const std::string& arch) {
  CompileRequest request;
  request.source.name = "lab_ceilings.cu";
  for (const Group group : kGroups) {
    request.source.text += group().source;
    request.kernels.insert(request.kernels.end(), group().kernels.begin(), group().kernels.end());
  }
  request.arch = arch;
  return request;
}

std::vector<CeilingRow> ceiling_rows() {
  std::vector<CeilingRow> rows;
  for (const Group group : kGroups) {
    rows.insert(rows.end(), group().rows.begin(), group().rows.end());
  }
  return rows;
}

std::vector<Ceiling> calibrate(const Compiler& compiler, const Machine& machine) {
  Bench bench(machine, compiler(ceiling_request(machine.facts.arch())));
  std::vector<Ceiling> ceilings;
  for (const CeilingRow& row : ceiling_rows()) {
    const double value = row.measure(bench);
    if (value <= 0) continue;  // this GPU lacks it
    ceilings.push_back(
        {std::string(row.name), value, std::string(row.unit), std::string(row.method)});
  }
  ceilings.push_back({"sm_clock", bench.clock_mhz(), "MHz", "clock64 against globaltimer"});
  return ceilings;
}

}  // namespace lab::gpu
