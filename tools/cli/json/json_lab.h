// Documents about labs as folders: one that was made, some that were held to account.
#pragma once

#include <string>
#include <vector>

#include "harness/core/lab.h"
#include "harness/labs/new_lab.h"
#include "harness/labtest/labtest.h"

namespace lab::cli {

/// `lab new --json`
[[nodiscard]] std::string made_lab_json(const labs::MadeLab& made, const Lab& from);

struct TestedLab {
  std::string lab;  ///< as people call it
  std::string path;
  std::vector<labtest::Check> checks = {};

  [[nodiscard]] std::size_t problems() const;
};

/// `lab test --json`
[[nodiscard]] std::string tested_json(const std::vector<TestedLab>& labs);

}  // namespace lab::cli
