// The model as a backend: executes each case's kernel on the CPU and counts.
#pragma once

#include <memory>
#include <vector>

#include "harness/core/backend.h"
#include "harness/core/compiled.h"
#include "harness/core/lab.h"

namespace lab::model {

class ModelBackend : public Backend {
 public:
  ModelBackend(Compiler compiler, std::vector<Lab> labs);
  ~ModelBackend() override;
  void run(const BatchRequest& batch, const BatchSink& sink) override;

 private:
  Compiler compiler_;
  std::vector<Lab> labs_;
};

}  // namespace lab::model
