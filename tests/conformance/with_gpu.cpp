#include "harness/core/error.h"
#include "harness/gpu/batch/backend.h"
#include "harness/gpu/driver/driver.h"
#include "tests/conformance/gpu_side.h"

namespace lab::conformance {

bool has_gpu() {
  static const bool kFound = [] {
    try {
      return gpu::Driver::load()->device_count() > 0;
    } catch (const Error&) {
      return false;
    }
  }();
  return kFound;
}

std::unique_ptr<Backend> make_gpu_backend(const Compiler& compiler) {
  return std::make_unique<gpu::GpuBackend>(compiler);
}

}  // namespace lab::conformance
