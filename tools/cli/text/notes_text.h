// What has to be said of cases in words: findings, failures, differences and their reasons.
#pragma once

#include <string>
#include <vector>

#include "harness/core/sections.h"
#include "tools/cli/text/figures.h"

namespace lab::cli {

/// Findings, why a case did not run or is wrong, what disagrees, and what of the metrics shown is
/// explained; equal texts once. In lines of `width` columns.
[[nodiscard]] std::string notes_text(const std::vector<Section>& sections, const Shown& shown,
                                     int width);

}  // namespace lab::cli
