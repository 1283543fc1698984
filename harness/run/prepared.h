// A plan that can be run: which text each case takes its kernel from is known.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "harness/box/worker/client.h"
#include "harness/run/execute.h"
#include "harness/run/plan.h"

namespace lab::run {

/// Only prepare() makes one, so that no plan is performed whose kernels nobody looked at.
class Prepared {
 public:
  const Lab* lab = nullptr;  ///< null for a probe
  std::vector<Part> parts = {};
  RunRecord head = {};

  [[nodiscard]] std::size_t size() const;  ///< cases
  /// Leaves out cases, and parts that have none then.
  void leave_out(const std::function<bool(const Part&, const CaseRequest&)>& unwanted);

 private:
  friend Prepared prepare(const Plan& plan, const std::string& arch, worker::Client& compiler);
  Prepared() = default;
};

/// Makes a plan fit to be run on an architecture. Kernels that are not the lab's own are compiled;
/// cases whose kernel a student's file does not define become a part of their own, with the lab's,
/// or go. Throws NotCompiled, or NoKernel, which names the expected signatures (`kernels.h`).
[[nodiscard]] Prepared prepare(const Plan& plan, const std::string& arch, worker::Client& compiler);

}  // namespace lab::run
