// The JSON of `lab import` and `lab ncu`.
#pragma once

#include <string>

#include "harness/run/ncu_import.h"

namespace lab::cli {

/// Both print the same.
[[nodiscard]] std::string imported_json(const run::Imported& imported);

}  // namespace lab::cli
