// A batch's kernels, compiled for this machine's GPU and loaded into a context.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/core/compiled.h"
#include "harness/core/job.h"
#include "harness/gpu/driver/device.h"

namespace lab::gpu {

/// Whether the job is a library's routine. Then there is nothing to compile.
[[nodiscard]] bool is_library(const Job& job);

/// Machine code, or for a .ptx source its text with the zero byte that the driver's compiler wants.
[[nodiscard]] std::vector<std::uint8_t> image_of(const Compiled& unit);

/// Where a job's kernel is: the compilation and its mangled name, or the reason why there is none.
struct KernelPlace {
  std::size_t unit = 0;
  std::string lowered;
  std::string missing;       ///< not empty: the source has no such kernel
  bool cooperative = false;  ///< its blocks wait for each other: all have to be on the GPU at once
  std::size_t parameters = 0;  ///< how many it takes
};

struct CompiledBatch {
  std::vector<Compiled> units;
  std::vector<KernelPlace> places;  ///< by job
};

/// Compiles `source` once for each set of options that the jobs have. Throws an input error with
/// the compiler's text where it does not compile.
[[nodiscard]] CompiledBatch compile_batch(const Compiler& compiler, const KernelText& source,
                                          const std::vector<Job>& jobs, const std::string& arch);

/// The units as modules of one context.
class LoadedBatch {
 public:
  LoadedBatch(const std::shared_ptr<const Driver>& driver, const CompiledBatch& batch);
  [[nodiscard]] Function function(const KernelPlace& place) const {
    Function function = modules_[place.unit].function(place.lowered);
    function.set_cooperative(place.cooperative);
    return function;
  }
  /// Puts bytes into the variable that a person calls `name`, of the module of `place`.
  void set_symbol(const KernelPlace& place, const std::string& name,
                  std::span<const std::byte> bytes) const;

 private:
  std::vector<Module> modules_;
  std::vector<std::vector<std::string>> variables_;  // mangled, by module
};

}  // namespace lab::gpu
