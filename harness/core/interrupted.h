// What a run that was interrupted lacks.
#pragma once

#include <charconv>
#include <cstddef>
#include <string_view>

#include "harness/core/record.h"

namespace lab {

/// Key of a run's environment, there for interrupted runs alone: how many cases were not run.
constexpr std::string_view kCasesMissing = "cases_missing";

/// 0 for a run that was not interrupted.
[[nodiscard]] inline std::size_t missing_cases(const RunRecord& run) {
  const auto found = run.environment.find(std::string(kCasesMissing));
  std::size_t missing = 0;
  if (found == run.environment.end()) return missing;
  const std::string& text = found->second;
  std::from_chars(text.data(), text.data() + text.size(), missing);
  return missing;
}

}  // namespace lab
