// Why a layout costs less, in words.
#pragma once

#include <string>

#include "harness/model/layout/search.h"

namespace lab::layout {

/// In one or two sentences; empty of a layout that moves nothing.
[[nodiscard]] std::string reason_text(const Problem& problem, const Layout& best);

}  // namespace lab::layout
