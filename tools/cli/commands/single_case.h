// One case of a lab run for its details, with nothing stored: what `lab map` and `lab explain`
// show.
#pragma once

#include <functional>

#include "harness/core/backend.h"
#include "harness/run/engines.h"
#include "tools/cli/arguments/command.h"
#include "tools/cli/arguments/probe_options.h"

namespace lab::cli {

/// --variant, --param, --kernel, --arch, --backend.
[[nodiscard]] std::vector<Option> single_case_options();

/// Runs one case of those that the options leave: the lab's picture, else the first. `batch` has
/// what else is asked of it, such as a warp to log; `also` gets the case with what was traced.
/// Input errors as `lab run`.
[[nodiscard]] RunRecord run_single_case(const Arguments& arguments, const Console& console,
                                        BatchRequest batch, run::Backends backend,
                                        const std::function<void(const CaseOutcome&)>& also = {});

/// Runs a kernel of a file with the launch of `arguments`, as `lab probe` takes it. `change` gets
/// text and job before they are compiled.
[[nodiscard]] RunRecord run_probe_case(const std::string& file, const Arguments& arguments,
                                       const Console& console, BatchRequest batch,
                                       run::Backends backend,
                                       const std::function<void(const CaseOutcome&)>& also = {},
                                       const std::function<void(Probe&)>& change = {});

}  // namespace lab::cli
