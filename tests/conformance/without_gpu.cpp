#include "harness/core/error.h"
#include "tests/conformance/gpu_side.h"

namespace lab::conformance {

bool has_gpu() { return false; }

std::unique_ptr<Backend> make_gpu_backend(const Compiler&) {
  throw internal_error("this build has no GPU backend");
}

}  // namespace lab::conformance
