// The document about a lab that was made.
#pragma once

#include <string>

#include "harness/core/lab.h"
#include "harness/labs/new_lab.h"

namespace lab::cli {

/// `lab new --json`
[[nodiscard]] std::string made_lab_json(const labs::MadeLab& made, const Lab& from);

}  // namespace lab::cli
