// The references of a batch's cases, which run on the GPU as their kernels do.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/core/compiled.h"
#include "harness/core/job.h"
#include "harness/gpu/measure/kernels.h"
#include "harness/gpu/measure/rig.h"

namespace lab::gpu {

class References {
 public:
  /// Compiles those of `jobs`, which `source` has. What the compiler says against it is an error of
  /// each case that needs one.
  References(const Compiler& compiler, const KernelText& source, const std::vector<Job>& jobs,
             const std::string& arch);

  /// Into the current context, in which run() is called; unload() comes before its end.
  void load(const std::shared_ptr<const Driver>& driver);
  void unload() { loaded_.reset(); }

  /// Leaves in `buffers`, which are as before the launch, what `call` makes of them. Throws an
  /// input error where there is no such kernel or it writes to an input, and a DriverError.
  void run(Rig& rig, const Job& call, Buffers& buffers) const;

 private:
  std::string failure_;  // empty: it was compiled
  CompiledBatch compiled_;
  std::map<std::string, KernelPlace> places_;  // by kernel
  std::unique_ptr<LoadedBatch> loaded_;
};

}  // namespace lab::gpu
