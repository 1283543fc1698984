// A kernel's parameters as its source names them, given to a launch's arguments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/core/backend.h"

namespace lab::run {

struct Parameter {
  std::string type;  ///< without const, volatile and __restrict__: float*, int
  std::string name;
};

/// Those of `__global__ void k(const float* in, int n)`. Empty where one of them has no name.
[[nodiscard]] std::vector<Parameter> parameters_of(std::string_view signature);

/// `5` for an `int n` is `i32=5`, and `2` for a `double` is `f64=2`: a bare number has the type of
/// the kernel's parameter at this position. Any other text, and one for a parameter whose type is
/// not known, comes back as it is.
[[nodiscard]] std::string typed_argument(const std::string& text, const KernelText& source,
                                         const Job& job);

/// Calls the buffers of a job by the names of its kernel's parameters in place of arg0, arg1, where
/// the source has that kernel once. Throws an input error where a number is of another kind than
/// its parameter: 3.0 for an int.
void name_arguments(const KernelText& source, Job& job);

}  // namespace lab::run
