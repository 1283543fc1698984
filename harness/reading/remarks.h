// Findings as remarks of a page: where, who did what to which element, and the cure.
#pragma once

#include <string>
#include <vector>

#include "harness/core/record.h"
#include "harness/page/page.h"

namespace lab::reading {

/// Which cases a finding is of.
struct RemarkOf {
  std::string cases = {};    ///< "n=32 and 3 more"; empty: one, which is not named
  bool is_expected = false;  ///< its variant is there to show it, so that it needs no cure
};

[[nodiscard]] page::Remark remark_of(const Finding& finding, const RemarkOf& of = {});

/// The case's first findings, and how many more there are, then its first remarks that are no
/// mistakes.
[[nodiscard]] std::vector<page::Block> remarks_of(const CaseRecord& record);

}  // namespace lab::reading
