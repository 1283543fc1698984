// The JSON of `lab import` and `lab ncu`.
#pragma once

#include <string>

#include "harness/ncu/imported.h"

namespace lab::cli {

/// Both print the same.
[[nodiscard]] std::string imported_json(const ncu::Imported& imported);

}  // namespace lab::cli
