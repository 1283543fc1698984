// Documents about labs as folders: one that was made, some that were held to account.
#pragma once

#include <string>
#include <vector>

#include "harness/core/lab.h"
#include "harness/labs/new_lab.h"

namespace lab::cli {

/// `lab new --json`
[[nodiscard]] std::string made_lab_json(const labs::MadeLab& made, const Lab& from);

}  // namespace lab::cli
