// Sentences about cases: findings, failures, differences and their reasons.
#pragma once

#include <string>
#include <vector>

#include "harness/core/sections.h"
#include "harness/reading/figures.h"
#include "tools/cli/terminal/terminal.h"

namespace lab::cli {

/// Findings, why a case did not run or is wrong, what disagrees and, side by side, what of the
/// metrics shown is explained; texts that differ in nothing but numbers once.
[[nodiscard]] std::string notes_text(const std::vector<Section>& sections,
                                     const reading::Shown& shown, const Terminal& terminal);

/// What was found in the run's cases, each mistake once, with its cure; empty: nothing was.
[[nodiscard]] std::string mistakes_text(const RunRecord& run, const Terminal& terminal);

/// The mechanisms that explain what was measured of `metrics`, each once with its first case; the
/// ones with the most cases first.
[[nodiscard]] std::string explained_text(const RunRecord& run,
                                         const std::vector<std::string>& metrics,
                                         const Terminal& terminal);

}  // namespace lab::cli
