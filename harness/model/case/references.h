// What the cases of a batch should leave, made in the model by the lab's references.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "harness/core/backend.h"
#include "harness/core/checker.h"
#include "harness/core/compiled.h"
#include "harness/model/case/kernels.h"

namespace lab::model {

class References {
 public:
  /// `batch` must outlive it. Its references are compiled when the first of them is needed.
  References(Compiler compiler, const BatchRequest& batch)
      : compiler_(std::move(compiler)), batch_(batch) {}

  /// The job's buffers for its launch.
  [[nodiscard]] Buffers& launched(const Job& job) { return checker_.launched(job); }

  /// Holds what was left in launched() against what the job's reference leaves. Throws a
  /// ReferenceError where that can't be had, or `stopped` says that it takes too long.
  [[nodiscard]] CheckResult check(const Job& job, const std::function<bool()>& stopped);

 private:
  const Kernels& kernels();
  void run(const Job& call, Buffers& buffers, const std::function<bool()>& stopped);

  Compiler compiler_;
  const BatchRequest& batch_;
  Checker checker_;
  std::optional<Kernels> kernels_;
  std::string failure_;  // of the compiler
};

}  // namespace lab::model
