// Names of cases and of their parameters, wherever they are named.
#pragma once

#include <string>
#include <vector>

#include "harness/core/record.h"
#include "harness/core/sections.h"
#include "harness/page/page.h"

namespace lab::reading {

/// A case is called by its variant, a kernel of no lab by its own name.
[[nodiscard]] std::string name_of(const CaseRecord& record);
[[nodiscard]] std::string name_of(const Section& section);

/// `stride stride=2`: its name and its parameters, with two blanks between them in a column.
[[nodiscard]] std::string title_of(const CaseRecord& record, std::string_view gap = "  ");

/// The heading of a page about this case: its name, its parameters, and `fact`.
[[nodiscard]] page::Heading case_heading(const CaseRecord& record, std::string fact);

/// A parameter's value as tables show it and `--param` reads it: 2^24 for 16777216.
[[nodiscard]] std::string param_text(const ParamValue& value);
/// `n=32 type=float` of those parameters that the case has.
[[nodiscard]] std::string values_of(const CaseRecord& record,
                                    const std::vector<std::string>& names);

/// The case's value of a parameter; null: it has none.
[[nodiscard]] const ParamValue* param_of(const CaseRecord& record, const std::string& name);
/// Whether both have the same value of each of their common parameters.
[[nodiscard]] bool agree(const Params& a, const Params& b);

/// A line of the run's source without the blanks around it; empty: there is none of that number.
[[nodiscard]] std::string source_line(const RunRecord& run, int number);

}  // namespace lab::reading
