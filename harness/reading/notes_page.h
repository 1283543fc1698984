// Sentences about cases as blocks of a page: findings, failures, differences and their reasons.
#pragma once

#include <vector>

#include "harness/core/sections.h"
#include "harness/page/page.h"
#include "harness/reading/figures.h"

namespace lab::reading {

/// Findings, why a case did not run or is wrong, what disagrees and, side by side, what of the
/// metrics shown is explained; texts that differ in nothing but numbers once. In brief the first
/// ones, and how many more there are.
[[nodiscard]] std::vector<page::Block> notes_blocks(const std::vector<Section>& sections,
                                                    const Shown& shown);

/// What was found in the run's cases, each mistake once, with its cure; nothing: nothing was.
[[nodiscard]] std::vector<page::Block> mistakes_blocks(const RunRecord& run);

/// The mechanisms that explain what was measured of `metrics`, each once with its first case; the
/// ones with the most cases, first.
[[nodiscard]] std::vector<page::Block> mechanisms_blocks(const RunRecord& run,
                                                         const std::vector<std::string>& metrics);

/// All notes of a run, for a page that has room: mechanisms last, and what is of single numbers in
/// a fold.
[[nodiscard]] std::vector<page::Block> all_notes_blocks(const RunRecord& run,
                                                        const std::vector<std::string>& metrics);

}  // namespace lab::reading
