// What a launch shows that the rules of time do not have, so that it may take longer or less than
// is expected of it.
#pragma once

#include <optional>
#include <string_view>

#include "metrics/expectation.h"

namespace lab::metrics {

/// The first that the launch shows.
[[nodiscard]] std::optional<TimeFlaw> flaw_of(const Launched& launched, const KernelTime& time);

/// A clause for a student: what the kernel does, and in which direction the time is off.
[[nodiscard]] std::string_view told(TimeFlaw flaw);

}  // namespace lab::metrics
