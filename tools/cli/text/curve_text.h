// Theory over all points of a sweep, as a small picture.
#pragma once

#include <string>

#include "harness/core/lab.h"
#include "harness/core/sections.h"

namespace lab::cli {

/// A column for each point that the variant has of the one parameter that varies, as high as the
/// metric's formula says, in steps of two. Empty where there are few points, or where the heights
/// are too small or not whole.
[[nodiscard]] std::string curve_text(const Section& section, const Variant& variant,
                                     const std::string& metric);

}  // namespace lab::cli
