// The kernels' text with what each line costs, and how a warp's accesses lie in memory.
#pragma once

#include <string>
#include <vector>

#include "harness/core/record.h"
#include "harness/core/sections.h"

namespace lab::report {

/// The source, each line with the sectors and wavefronts that the model counted there in the first
/// case of each variant. Empty where the text is not known.
[[nodiscard]] std::string source_html(const RunRecord& run, const std::vector<Section>& sections);

/// The logged warp's accesses as pictures: banks across and the words that each has to give, or
/// sectors and the lanes that touch them; the costliest first. Empty where none was logged.
[[nodiscard]] std::string maps_html(const RunRecord& run);

}  // namespace lab::report
