// Cases as rows: a ladder of variants, or a variant's points where a sweep's form does not fit.
#pragma once

#include <string>
#include <vector>

#include "harness/core/sections.h"
#include "harness/reading/figures.h"
#include "tools/cli/terminal/terminal.h"

namespace lab::cli {

/// The parameters that all cases of the sections share, `n=8192 bytes=4`; of a ladder those of its
/// first case, from which the others differ as their rows say.
[[nodiscard]] std::string shared_params(const std::vector<Section>& sections);

struct RowsText {
  std::string text;
  std::vector<std::string> metrics = {};  ///< those that it shows
};

/// A row per case. Several sections are a ladder: a row begins with the variant's name and what
/// differs from the first case; timed ones stand in the order of their times. Where the terminal is
/// too narrow, metrics on which all agree are left out; side by side, a row per case and metric.
[[nodiscard]] RowsText rows_text(const std::vector<Section>& sections, const reading::Shown& shown,
                                 const Terminal& terminal);

/// Which variant of a ladder moves the bytes that its task needs at the lowest rate, and the
/// command that says why. Empty where none was timed, or none is far behind.
[[nodiscard]] std::string slowest_text(const std::vector<Section>& sections,
                                       const std::string& lab);

}  // namespace lab::cli
