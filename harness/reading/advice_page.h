// Advice on a kernel as remarks of a page.
#pragma once

#include <string>
#include <vector>

#include "harness/core/lab.h"
#include "harness/core/record.h"
#include "harness/page/page.h"
#include "metrics/advice.h"

namespace lab::reading {

/// All of it but its place: the finding, the cure and what that saves.
[[nodiscard]] std::string text_of(const metrics::Advice& advice);

/// Line, finding, cure and what it saves.
[[nodiscard]] page::Remark remark_of(const metrics::Advice& advice, const RunRecord& run);

/// The command that shows a lab's hints, where finding the layout is its task; empty: it has none,
/// or there is no lab.
[[nodiscard]] std::string hint_command(const Lab* lab);

/// Lists what to change; then what is wasted though a change would save no time; then the commands
/// that draw the accesses (`map`, if it is not empty) and find the best layout, or show a lab's
/// hint. Without advice, what was looked for.
[[nodiscard]] std::vector<page::Block> advice_blocks(const std::vector<metrics::Advice>& all,
                                                     const RunRecord& run, const std::string& map);

}  // namespace lab::reading
