// The name of a case, wherever it is named.
#pragma once

#include <string>

#include "harness/core/record.h"
#include "harness/page/page.h"

namespace lab::reading {

/// Its variant; a kernel that is of no lab has its own name.
[[nodiscard]] std::string name_of(const CaseRecord& record);

/// `stride  stride=2`: its name and its parameters.
[[nodiscard]] std::string title_of(const CaseRecord& record);

/// The heading of a page about this case: its name, its parameters, and `fact`.
[[nodiscard]] page::Heading case_heading(const CaseRecord& record, std::string fact);

}  // namespace lab::reading
