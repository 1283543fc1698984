// What the cases of a batch should leave, made in the model by the lab's references.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "harness/core/backend.h"
#include "harness/core/checker.h"
#include "harness/core/compiled.h"
#include "harness/model/case/kernels.h"
#include "harness/model/execute/grid.h"

namespace lab::model {

class References {
 public:
  /// `batch` must outlive it. Its references are compiled when the first of them is needed.
  References(Compiler compiler, const BatchRequest& batch)
      : compiler_(std::move(compiler)), batch_(batch) {}

  /// The job's buffers for its launch.
  [[nodiscard]] Buffers& launched(const Job& job) { return checker_.launched(job); }

  /// Warp instructions that the job's reference takes. Empty: it has none, or one that fails or
  /// takes more than `most`.
  [[nodiscard]] std::optional<std::uint64_t> cost(const Job& job, std::uint64_t most,
                                                  const std::function<bool()>& stopped);

  /// Holds what was left in launched() against what the job's reference leaves. Throws a
  /// ReferenceError where that can't be had, or `stopped` says that it takes too long.
  [[nodiscard]] CheckResult check(const Job& job, const std::function<bool()>& stopped);

 private:
  const Kernels& kernels();
  std::uint64_t run(const Job& call, Buffers& buffers, const GridOptions& options);
  std::uint64_t expect(const Job& job, const GridOptions& options);

  Compiler compiler_;
  const BatchRequest& batch_;
  Checker checker_;
  std::optional<Kernels> kernels_;
  std::string failure_;  // of the compiler
};

}  // namespace lab::model
