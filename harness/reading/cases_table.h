// Cases side by side: a sweep's points, a ladder of variants, a student's kernel at its target.
#pragma once

#include <string>
#include <vector>

#include "harness/core/lab.h"
#include "harness/core/sections.h"
#include "harness/page/page.h"
#include "harness/reading/figures.h"
#include "metrics/machine.h"

namespace lab::reading {

/// The parameters that all cases of the sections share, `n=8192 bytes=4`; of a ladder those of its
/// first case, from which the others differ as their rows say.
[[nodiscard]] std::string shared_params(const std::vector<Section>& sections);

struct CasesTable {
  page::Table table;
  std::vector<std::string> metrics = {};  ///< those that it shows
};

/// A row per case. Several sections are a ladder: a row begins with the variant's name and what
/// differs from the first case; timed ones stand in the order of their times. A case with a mistake
/// has its word and no number. With `machine`, how near each came to a ceiling of it.
[[nodiscard]] CasesTable cases_table(const std::vector<Section>& sections, const Shown& shown,
                                     const metrics::Machine* machine = nullptr);

/// A student's cases, a row per point: `metric`, where the exercise starts, the target, and how
/// many times it is.
[[nodiscard]] page::Table target_table(const Section& section, const Lab* lab,
                                       const std::string& metric);

}  // namespace lab::reading
