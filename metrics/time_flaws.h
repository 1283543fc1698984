// What a launch shows that the rules of time do not have, so that it may take longer or less than
// is expected of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "metrics/expectation.h"

namespace lab::metrics {

/// The first that the launch shows.
[[nodiscard]] std::optional<TimeFlaw> flaw_of(const Launched& launched, const KernelTime& time);

/// Clauses for a student.
struct FlawText {
  std::string_view does;  ///< what the kernel does
  std::string_view may;   ///< what becomes of its time: `may take a third longer`
};
[[nodiscard]] FlawText text_of(TimeFlaw flaw);
/// Both in one.
[[nodiscard]] std::string told(TimeFlaw flaw);

}  // namespace lab::metrics
