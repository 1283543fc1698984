// The tables of lab 9: each generation's transactions and passes for the patterns of its cases.
#pragma once

#include <vector>

#include "harness/core/lab.h"
#include "harness/core/record.h"
#include "harness/reading/generations/generations.h"

namespace lab::labs {

/// The pattern that a case of lab 9 reads by.
[[nodiscard]] Pattern pattern_of(const Params& params);

/// What the published rules count in a case's list of addresses: `sectors`, `lines`, `asked`
/// (bytes) and, of shared memory, `passes`, `passes_sass` and `groups` (see bank_cost).
[[nodiscard]] FormulaNames counts_of_pattern(const Params& params);

/// For each width among the cases one table of transactions and one of passes, the figures side by
/// side; and for each pattern of a user's two tables of its own. Where cases have run, what the
/// model counted and what was measured stand below the rules.
[[nodiscard]] std::vector<TextTable> generation_tables(const std::vector<CaseRecord>& cases);

}  // namespace lab::labs
