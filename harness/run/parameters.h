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

/// Calls the buffers of a job by the names of its kernel's parameters in place of arg0, arg1, where
/// the source has that kernel once. Throws an input error where a number is of another kind than
/// its parameter: 3.0 for an int.
void name_arguments(const KernelText& source, Job& job);

}  // namespace lab::run
