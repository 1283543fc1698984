// The kernels of one source, ready to launch in the model.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/core/compiled.h"
#include "harness/core/job.h"
#include "harness/kernel/cubin/cubin.h"
#include "harness/kernel/ptx/module.h"

namespace lab::model {

/// Kernels that were compiled together.
struct Loaded {
  Compiled compiled;
  ptx::Module module;
  cubin::Image image;
};

/// One of its kernels, by the name that the compiler gave it.
struct LoadedKernel {
  const Loaded& loaded;
  std::string name;
};

/// What becomes of a job whose kernel the source lacks.
enum class Lacking : std::uint8_t {
  kEndsAll,    ///< nothing is compiled
  kEndsAlone,  ///< the others can still run
};

/// Kernels with the same options are compiled together and parsed once.
class Kernels {
 public:
  /// Throws the errors of the compiler and of the parser, since without their results no job can
  /// run.
  Kernels(const Compiler& compiler, KernelText source, const std::string& arch, Lacking lacking,
          const std::vector<const Job*>& jobs);

  /// Throws an input error where the source does not define the job's kernel. The job is one of
  /// those that the constructor was given.
  [[nodiscard]] LoadedKernel find(const Job& job) const;

 private:
  struct Unit {
    CompileRequest request;
    Loaded loaded;
  };

  KernelText source_;
  std::map<std::vector<std::string>, Unit> units_;  // by options
};

}  // namespace lab::model
