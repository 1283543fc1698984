// The document about labs that were held to account.
#pragma once

#include <string>
#include <vector>

#include "harness/classes/labtest/labtest.h"

namespace lab::cli {

struct TestedLab {
  std::string lab;  ///< as people call it
  std::string path;
  std::vector<labtest::Check> checks = {};

  [[nodiscard]] std::size_t problems() const;
};

/// `lab test --json`
[[nodiscard]] std::string tested_json(const std::vector<TestedLab>& labs);

}  // namespace lab::cli
