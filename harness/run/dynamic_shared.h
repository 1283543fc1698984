// Dynamic shared memory that a kernel uses and its launch must give it.
#pragma once

#include <string>
#include <string_view>

#include "harness/core/backend.h"
#include "harness/core/compiled.h"

namespace lab::run {

/// Whether the entry `kernel` (a mangled name) of a PTX text, or a function that it may call, names
/// an array of `extern __shared__`.
[[nodiscard]] bool uses_dynamic_shared(std::string_view text, std::string_view kernel);

/// For a launch that was given no number of bytes: throws an input error where the kernel, the only
/// one of `compiled`, needs one. The hint is what the source's own launch gives. `setting` is how a
/// person gives it: `--shared ` on a command line, `shared = ` in a file.
void require_no_dynamic_shared(const Compiled& compiled, const KernelText& source,
                               const std::string& kernel, std::string_view setting);

}  // namespace lab::run
