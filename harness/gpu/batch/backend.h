// Measures cases on a GPU: correct first, then timed with a clean context, then counted.
#pragma once

#include <utility>

#include "harness/core/backend.h"
#include "harness/core/compiled.h"

namespace lab::gpu {

/// Runs inside lab-worker.
class GpuBackend : public Backend {
 public:
  explicit GpuBackend(Compiler compiler) : compiler_(std::move(compiler)) {}

  /// Throws a machine error where there is no GPU, and an input error where the source does not
  /// compile. A case that fails is recorded with its reason. If it destroyed the process's context,
  /// ProcessSpent is thrown, and the cases after it are for another process.
  void run(const BatchRequest& batch, const BatchSink& sink) override;

 private:
  Compiler compiler_;
};

}  // namespace lab::gpu
