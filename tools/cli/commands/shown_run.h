// A run as `lab run` prints it, be it a moment or a year old.
#pragma once

#include <optional>
#include <string>

#include "db/store.h"
#include "harness/reading/run_page.h"
#include "tools/cli/arguments/command.h"

namespace lab::cli {

/// The database as a page names it; empty: commands use it unasked.
[[nodiscard]] std::optional<std::string> shown_place(const std::string& database);

/// The run's page; below it stall samples, what kernels printed, and how its times stand to the
/// ceilings that `store` has of the GPU (null: nothing is said of those).
[[nodiscard]] page::Page shown_run(const RunRecord& run, const Lab* lab,
                                   const reading::RunView& view, db::Store* store);

}  // namespace lab::cli
