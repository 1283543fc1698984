#include "harness/gpu/measure/bench.h"

#include <algorithm>

namespace lab::gpu {

namespace {

constexpr std::uint64_t kQueueNs = 100000;  // while the host queues what is timed
constexpr int kWarmUp = 2;
constexpr std::size_t kSinkBytes = 4096;

}  // namespace

Bench::Bench(const Machine& machine, const Compiled& kernels)
    : sms_(static_cast<std::uint32_t>(machine.facts.sm.sms)),
      l2_bytes_(static_cast<std::size_t>(machine.facts.l2_bytes)),
      most_shared_(static_cast<std::size_t>(machine.facts.sm.shared_bytes_per_block_optin)),
      capability_(machine.facts.capability()),
      rig_(machine.driver, machine.device, machine.facts, machine.tools),
      module_(machine.driver, kernels.cubin),
      sink_(rig_.context().allocate(kSinkBytes)) {
  rig_.context().fill(sink_, 0, kSinkBytes);
}

std::vector<double> Bench::times(const char* kernel, const Launch& launch,
                                 const Arguments& arguments, int launches) {
  const Function function = module_.function(kernel);
  if (launch.dynamic_shared_bytes > 0) {
    function.set_attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                           static_cast<int>(launch.dynamic_shared_bytes));
  }
  const Event start(rig_.context());
  const Event stop(rig_.context());
  std::vector<double> all;
  for (int i = 0; i < kWarmUp + launches; ++i) {
    rig_.delay(kQueueNs);
    start.record();
    function.launch(launch, arguments, rig_.context().stream());
    stop.record();
    rig_.context().synchronize(kernel);
    if (i >= kWarmUp) all.push_back(stop.ns_since(start));
  }
  return all;
}

double Bench::best_ns(const char* kernel, const Launch& launch, const Arguments& arguments) {
  constexpr int kLaunches = 10;
  const std::vector<double> all = times(kernel, launch, arguments, kLaunches);
  return *std::min_element(all.begin(), all.end());
}

double Bench::work_ns(const char* kernel, const Launch& launch, const Arguments& arguments) {
  if (empty_ns_ == 0) empty_ns_ = best_ns("lab_empty", {{1}, {32}}, {});
  const double ns = best_ns(kernel, launch, arguments);
  return std::max(ns - empty_ns_, ns / 2);
}

double Bench::median_ns(const char* kernel, const Launch& launch, const Arguments& arguments) {
  constexpr int kLaunches = 31;
  std::vector<double> all = times(kernel, launch, arguments, kLaunches);
  std::nth_element(all.begin(), all.begin() + kLaunches / 2, all.end());
  return all[kLaunches / 2];
}

double Bench::ns_per_warp(const char* kernel, const Grids& grids, const Arguments& arguments) {
  constexpr double kWarps = kBenchThreads / 32.0;
  const double few = best_ns(kernel, {{grids.few}, {kBenchThreads}}, arguments);
  const double many = best_ns(kernel, {{grids.many}, {kBenchThreads}}, arguments);
  return (many - few) / ((grids.many - grids.few) * kWarps);
}

}  // namespace lab::gpu
