// Which lane touches which bank or sector, drawn.
#pragma once

#include <string>
#include <vector>

#include "harness/core/record.h"
#include "tools/cli/terminal/terminal.h"

namespace lab::cli {

/// Banks side by side, one row for each further word that a bank has to give; in it the lanes. Of
/// more than four rows that look alike the first two and the last are drawn, here and below.
[[nodiscard]] std::string bank_map(const Access& access, const Terminal& terminal);
/// A row for each 32-byte sector: its 8 words, touched or not, and the lanes that touch it.
[[nodiscard]] std::string sector_map(const Access& access, const Terminal& terminal);

/// All patterns of a case, each with its source line, each picture once, and what GPUs of
/// `capability` (3.5, or all) make of it; empty: of no other GPU.
[[nodiscard]] std::string map_text(const CaseRecord& record, const std::string& source_name,
                                   const std::string& source_text, const std::string& capability,
                                   const Terminal& terminal);

/// The same patterns as a picture, below each other: banks side by side, or sectors with their
/// words, and in each the lane.
[[nodiscard]] std::string map_svg(const CaseRecord& record);

}  // namespace lab::cli
