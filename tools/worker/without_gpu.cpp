#include "harness/box/worker/server.h"
#include "harness/core/error.h"
#include "tools/worker/gpu_side.h"

namespace lab::worker {
namespace {

constexpr const char* kWhat = "lab was built without its GPU backend";
constexpr const char* kAdvice =
    "install the CUDA toolkit 12.6 or newer and build again (tools/lab does so after rm -r "
    "build/release), or, where a toolkit was there, call tools/lab, which adds what a first build "
    "leaves out: that brings measured values, timings and lab metrics --chip";

}  // namespace

std::unique_ptr<Backend> make_gpu_backend(const Compiler&) { throw machine_error(kWhat, kAdvice); }

ChipMetrics chip_metrics(const AskChipMetrics&) { throw machine_error(kWhat, kAdvice); }

std::vector<Ceiling> calibrate(const Compiler&) { throw machine_error(kWhat, kAdvice); }

void serve_launches(const Compiler&, const ProgramRequest&, const std::function<std::byte*()>&,
                    Descriptor socket) {
  Services services;
  services.launch = [](const GpuLaunch&) -> GpuLaunched { throw machine_error(kWhat, kAdvice); };
  serve(channel_beside(std::move(socket)), services);
}

void add_gpu_side(Environment& environment, const AskEnvironment&, const Compiler&) {
  environment.values["cupti_missing"] = kWhat;
  environment.values["cupti_advice"] = kAdvice;
}

}  // namespace lab::worker
