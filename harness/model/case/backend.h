// The model as a backend: executes each case's kernel on the CPU and counts.
#pragma once

#include "harness/core/backend.h"
#include "harness/core/compiled.h"

namespace lab::model {

class ModelBackend : public Backend {
 public:
  explicit ModelBackend(Compiler compiler);
  ~ModelBackend() override;
  void run(const BatchRequest& batch, const BatchSink& sink) override;

 private:
  Compiler compiler_;
};

}  // namespace lab::model
