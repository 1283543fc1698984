#include "harness/gpu/driver/phase.h"

#include <spdlog/spdlog.h>

namespace lab::gpu {

Phase::~Phase() {
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin_;
  spdlog::info("time: {} {:.3f} s", name_, took.count());
}

}  // namespace lab::gpu
