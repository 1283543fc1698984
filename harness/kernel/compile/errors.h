// Compile errors, in words that tell a student how to mend the source.
#pragma once

#include <string>
#include <vector>

#include "harness/core/compiled.h"
#include "harness/core/error.h"
#include "harness/kernel/compile/nvrtc.h"
#include "harness/kernel/compile/source/device_only.h"

namespace lab::compile {

/// Whether the source is PTX: it is not compiled.
[[nodiscard]] bool is_ptx(const CompileRequest& request);

/// The source with what it includes, read into declarations.
[[nodiscard]] source::Program program_of(const CompileRequest& request, const Settings& settings);

/// For a source that the compiler refuses, in its words. Headers that were not found come first:
/// what follows from that is not the source's.
[[nodiscard]] Error compile_error(const CompileRequest& request, const source::Program& program,
                                  const std::string& log);

/// For a kernel that is not among the `entries`, the mangled names that the source has.
[[nodiscard]] Error missing_error(const CompileRequest& request, const Settings& settings,
                                  const std::string& name, const std::vector<std::string>& entries);

}  // namespace lab::compile
