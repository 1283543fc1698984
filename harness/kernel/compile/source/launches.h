// Reads a program's own launches of a kernel: the arguments of a template, and the bytes of dynamic
// shared memory. Read from tokens, as far as these are plain.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/error.h"
#include "harness/kernel/compile/source/device_only.h"
#include "harness/kernel/compile/source/includes.h"

namespace lab::source {

/// How the files use a kernel template.
struct Instances {
  std::vector<std::string> names = {};  ///< `tile<float, 32>`: each once, in their order
  bool lambda = false;                  ///< one is given a lambda, whose type has no name
};

/// Arguments are written out, or follow from the types of what is passed; constants of the function
/// around a launch are put in, and the arguments of a template around it.
[[nodiscard]] Instances instances_of(const std::vector<File>& files, const Kernel& kernel);

/// The third number of `k<<<grid, block, bytes>>>`.
struct SharedGiven {
  Place place;                              ///< its text is the number as written
  std::optional<std::uint64_t> bytes = {};  ///< where it is a constant
};
/// Of the first launch of a kernel, by its name without scope and arguments, that has one.
[[nodiscard]] std::optional<SharedGiven> shared_given(const std::vector<File>& files,
                                                      std::string_view kernel);

}  // namespace lab::source
